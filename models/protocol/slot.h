// SPDX-License-Identifier: Apache-2.0
/// \file
/// Slot requests and answers (design D2): values, no SystemC.
#pragma once

#include "models/protocol/completion.h"
#include "models/time/time_ps.h"
#include "models/verbs/cq.h"

namespace cqsim {

/// Asks for the next slot of a CQ.
struct SlotRequest {
    std::uint64_t serial = 0;
    TimePs completed{};
    Cqn cqn = kNoCq;
    Qpn qpn = kNoQp;
    std::uint16_t generation = 0;
    QueueKind queue = QueueKind::Send;
    bool solicited = false;  ///< the entry counts as solicited if it succeeds (S6.2)
    bool failed = false;     ///< status is not SUCCESS
};

/// What a completion asks of its CQ.
constexpr SlotRequest slot_request_for(const Completion& completion) {
    return {completion.serial,
            completion.completed,
            completion.cqn,
            completion.qpn,
            completion.generation,
            completion.queue,
            completion.solicited,
            completion.status != WcStatus::Success};
}

/// Names a granted slot from its grant until it is published. With commits out of order there may
/// be more of them than writes in flight.
using SlotTag = std::uint32_t;
inline constexpr SlotTag kNoTag = 0xFFFF'FFFFU;

/// A granted slot, or the reason why there is none.
struct SlotAnswer {
    std::uint64_t address = 0;  ///< of the entry's first byte
    std::uint32_t index = 0;    ///< the CQ's producer index for it, device-visible width
    SlotTag tag = kNoTag;       ///< kNoTag: refused; of fewer than 2^32 - 1 at a time
    std::uint8_t owner = 0;     ///< owner value of this lap (S3.3)
    CqeFormat format = CqeFormat::Native;
    LostCause cause = LostCause::None;
    bool ends_ring = false;  ///< for the entry that ends a ring (S4.7, S4.8), and no completion's

    bool granted() const { return tag != kNoTag; }
};

}  // namespace cqsim
