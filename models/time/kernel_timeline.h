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

    /// Lets blocks run ahead of the kernel up to, not including, `end`: from one due time to the
    /// next without an activation each, for as long as nothing else is pending in the kernel before
    /// it. The order is exact, so results are the same; only `sc_time_stamp()` lags while blocks
    /// run.
    ///
    /// For systems in which every block takes its time from this timeline. A foreign module that is
    /// called by a block must not look at the kernel's time. Without this call nothing runs ahead.
    void run_ahead_until(TimePs end) { m_horizon = end; }

  private:
    void wake(TimePs t) override;
    TimePs outside_now() const override;
    void run();
    void notify(TimePs t, TimePs now);

    TimePs kernel_bound() const;

    sc_core::sc_event m_due;
    TimePs m_horizon{};
    TimePs m_reached{};  ///< how far blocks have run
};

/// The kernel's time in picoseconds; the resolution is checked to be 1 ps at elaboration.
inline TimePs kernel_now() {
    return {sc_core::sc_time_stamp().value()};
}

inline sc_core::sc_time to_sc_time(TimePs t) {
    return sc_core::sc_time::from_value(t.ps);
}

}  // namespace cqsim
