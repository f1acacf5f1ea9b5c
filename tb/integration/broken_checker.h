// SPDX-License-Identifier: Apache-2.0
/// \file
/// An overflow checker written anew and simply, that can be given one fault.
#pragma once

#include "models/engine/cq_event_engine.h"

#include <memory>

namespace cqsim::tb::test {

enum class CheckerFault : std::uint8_t {
    None,
    NeverFull,      ///< grants whatever the consumer index says: a pass-through
    StaleIndex,     ///< never reads the doorbell record
    FullTooEarly,   ///< takes depth - 1 entries for full, and calls it an overrun
    SkipsIndex,     ///< one slot gets the index after the next one
    SwapsSlots,     ///< odd and even slots have each other's address
    OwnerStuck,     ///< the owner value of the first lap for ever
    OwnerLate,      ///< the first slot of a lap gets the owner value of the lap before
    Recovers,       ///< not sticky: grants again when there is room
    ErrPerAttempt,  ///< CQ_ERR at each refusal
    NoErr,          ///< no CQ_ERR at all
    FailsAllQps,    ///< every QP at the overrun, not each at its next use
    FailsNoQp,      ///< no QP is told
};

/// Answers at once; reads doorbell records in zero time. Without a fault it is a legal checker, but
/// for failed writes, which it does not know, and for events: it publishes nothing.
std::unique_ptr<OverflowCheckerPorts> make_broken_checker(const char* name,
                                                          const BlockContext& context,
                                                          CheckerFault fault);

}  // namespace cqsim::tb::test
