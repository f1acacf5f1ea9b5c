// SPDX-License-Identifier: Apache-2.0
/// \file
/// The faults that are to hit messages of one QP. No time, no SystemC.
#pragma once

#include "tb/wire/wire_types.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cqsim::tb {

struct FaultPlan {
    Fault fault{};
    std::uint32_t nth = 1;      ///< the message from now on, of those that it can hit; at least 1
    std::uint32_t hits = 1;     ///< Drop, DropAck
    std::size_t id = 0;         ///< the owner's
    std::uint32_t counted = 0;  ///< messages that it could have hit so far
};

class FaultPlans {
  public:
    void add(const FaultPlan& plan) { m_waiting.push_back(plan); }

    /// A message begins. One fault at most hits it: another one that is due then hits the next.
    void begin(WireMessage& message) {
        std::size_t kept = 0;
        for (FaultPlan& plan : m_waiting) {
            plan.counted += can_hit(plan.fault, message.opcode) ? 1U : 0U;
            if (plan.counted >= plan.nth && message.fault == Fault::None &&
                can_hit(plan.fault, message.opcode)) {
                message.fault = plan.fault;
                message.hits = plan.hits;
            } else {
                m_waiting[kept++] = plan;
            }
        }
        m_waiting.resize(kept);
    }
    /// Those that have hit nothing yet.
    const std::vector<FaultPlan>& waiting() const { return m_waiting; }

  private:
    std::vector<FaultPlan> m_waiting;
};

}  // namespace cqsim::tb
