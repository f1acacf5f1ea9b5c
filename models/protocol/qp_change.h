// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/verbs/ids.h"
#include "models/verbs/verbs.h"

#include <array>

namespace cqsim {

/// What a work queue of a QP that enters ERR, or is in it, is to do about the other one (S2.21,
/// K18).
enum class FlushTurn : std::uint8_t {
    Free,   ///< nothing, or what it was told before
    First,  ///< it flushes, and says by `flushed` when all that it holds now is through
    Waits,  ///< it stops, but flushes nothing before it hears Goes
    Goes,   ///< it flushes now
};

/// A QP entered a state, or software asked again for the one that it is in.
struct QpChange {
    Qpn qpn = kNoQp;
    /// The life that is in that state. To RESET: the next life, and the last one is over.
    std::uint16_t generation = 0;
    QpState before{};
    QpState after{};
    std::array<FlushTurn, 2> turns{};  ///< of the send and of the receive queue

    FlushTurn turn(QueueKind queue) const { return turns[index_of(queue)]; }
};

}  // namespace cqsim
