// SPDX-License-Identifier: Apache-2.0
/// \file
/// The timeline on the SystemC kernel: one event and one process for all blocks.
#pragma once

#include "models/time/timeline.h"

#include <systemc>

namespace cqsim {

/// One process that is notified for the earliest due time of any block.
///
/// Several engines, their pipelines and hosts may share one. Foreign processes may call into
/// blocks at any time; what they make due at that time stamp runs one delta later.
class KernelTimeline final : public sc_core::sc_module, public Timeline {
  public:
    explicit KernelTimeline(const sc_core::sc_module_name& name);

  private:
    void wake(TimePs t) override;
    TimePs outside_now() const override;
    void run();
    void notify(TimePs t, TimePs now);

    sc_core::sc_event m_due;
};

/// The kernel's time in picoseconds; the resolution is checked to be 1 ps at elaboration.
inline TimePs kernel_now() {
    return {sc_core::sc_time_stamp().value()};
}

inline sc_core::sc_time to_sc_time(TimePs t) {
    return sc_core::sc_time::from_value(t.ps);
}

}  // namespace cqsim
