// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the SystemC tests of one block share: things to do at given times, and the end of a test.
#pragma once

#include "models/time/kernel_timeline.h"

#include <systemc>
#include <tlm>

#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <utility>

namespace cqsim::test {

/// A phase that the base protocol lets every component ignore.
DECLARE_EXTENDED_PHASE(ignorable_phase);

/// Does things at given times, those of one time in the order in which they were added.
class Agenda final : public TimedBlock {
  public:
    Agenda(Timeline& timeline, Rank rank)
        : m_timeline(timeline),
          m_slot(timeline.attach(*this, rank)) {}

    void at(TimePs t, std::function<void()> thing) {
        m_things.emplace(t.ps, std::move(thing));
        m_timeline.at(m_slot, t);
    }

  private:
    void due(TimePs now) override {
        while (!m_things.empty() && m_things.begin()->first <= now.ps) {
            const std::function<void()> thing = std::move(m_things.begin()->second);
            m_things.erase(m_things.begin());
            thing();
        }
        if (!m_things.empty()) {
            m_timeline.at(m_slot, TimePs{m_things.begin()->first});
        }
    }

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    std::multimap<std::uint64_t, std::function<void()>> m_things;
};

/// Runs until nothing is left to do; no warning and no error may have been reported.
inline void run_to_the_end() {
    sc_core::sc_start();
    REQUIRE(sc_core::sc_report_handler::get_count(sc_core::SC_WARNING) == 0);
    REQUIRE(sc_core::sc_report_handler::get_count(sc_core::SC_ERROR) == 0);
}

inline void set_bytes(tlm::tlm_generic_payload& payload,
                      tlm::tlm_command command,
                      std::uint64_t address,
                      unsigned char* bytes,
                      unsigned length) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(bytes);
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace cqsim::test
