// SPDX-License-Identifier: Apache-2.0
/// \file
/// Choices around send queues: when a slot is free, who asks for completions, who has CQ credits.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cqsim::tb {

/// When a slot of a send queue is free again (K26). Device and driver share the queue's indices, so
/// it is the device's choice; that of receive queues is always Poll.
enum class SlotRelease : std::uint8_t {
    Poll,        ///< S2.5: when software has polled a completion that retires the request (mlx5)
    Completion,  ///< when the request has ended in hardware and what is to be told of it is on its
                 ///< way (rxe, siw)
};
/// Their words, in that order.
inline constexpr std::array<std::string_view, 2> kSlotReleaseNames{"poll", "completion"};

/// For which sends the posting software asks for a completion (S2.1).
enum class SignalPolicy : std::uint8_t {
    EveryKth,  ///< every k-th, whatever the depth
    Safe,      ///< S2.6: every k-th, at least one of as many as the queue holds, and the last
};

/// What the posting software does so that a send CQ has room for whatever may come (S5.13).
enum class CqCreditPolicy : std::uint8_t {
    None,        ///< nothing
    PerWqe,      ///< a request has one of the CQ's entries until a polled completion retires it
    UntilError,  ///< the same, but the first failure of a QP gives back all that it has, although
                 ///< each of its requests still brings an entry (S2.3)
};

}  // namespace cqsim::tb
