// SPDX-License-Identifier: Apache-2.0
/// \file
/// The waves of the event side: cqsim.engine.event_arbiter.
#pragma once

#include "models/observe/record.h"
#include "tb/record/vcd_writer.h"
#include "tb/record/wave_arm.h"
#include "tb/record/wave_eq.h"
#include "tb/record/wave_plan.h"

namespace cqsim::tb {

/// Arms, event queues and interrupts together. What is not in the plan is refused (false).
class EventWaves {
  public:
    /// Declares its variables in a scope of its own.
    EventWaves(VcdWriter& vcd, const WavePlan& plan);

    /// A record that concerns events; of other kinds it takes no notice.
    bool take(const Record& record);

    /// Notes about events.
    VcdText notes() const { return m_notes; }

  private:
    bool create(const Record& record);
    bool event(const Record& record);
    bool entry(const Record& record);
    void async(const Record& record);
    void destroy(const Record& record);
    void refuse(const Record& record);
    void wait_no_more(Cqn cqn);

    VcdText m_notes;
    EqWaves m_eqs;
    ArmWaves m_arms;
};

}  // namespace cqsim::tb
