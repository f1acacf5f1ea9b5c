// SPDX-License-Identifier: Apache-2.0
// A platform that is not cqsim's: its own sc_main, its own modules, and the models linked in.
#include "models/cqe/native.h"
#include "models/time/kernel_timeline.h"

#include <systemc>

#include <iostream>

namespace {

/// Forms an entry 10 ns into the run and reads it back as a driver would.
class Platform final : public sc_core::sc_module, public cqsim::TimedBlock {
  public:
    explicit Platform(const sc_core::sc_module_name& name)
        : sc_module(name) {
        m_timeline.at(m_slot, cqsim::TimePs{10'000});
    }

    bool seen() const { return m_seen; }

  private:
    void due(cqsim::TimePs) override {
        cqsim::Completion completion;
        completion.wr_id = 42;
        cqsim::native::Entry entry{};
        cqsim::native::encode(completion, 0, entry.data());
        m_seen = cqsim::native::is_valid(entry.data(), 0) &&
                 cqsim::native::decode(entry.data()).wr_id == completion.wr_id;
        std::cout << sc_core::sc_time_stamp() << ": an entry with wr_id "
                  << cqsim::native::decode(entry.data()).wr_id << '\n';
    }

    cqsim::KernelTimeline m_timeline{"timeline"};
    cqsim::Timeline::Slot m_slot = m_timeline.attach(*this, cqsim::Rank::Test);
    bool m_seen = false;
};

}  // namespace

int sc_main(int, char**) {
    const Platform platform("platform");
    sc_core::sc_start();
    return platform.seen() ? 0 : 1;
}
