// SPDX-License-Identifier: Apache-2.0
/// \file
/// Strong ids of the objects of verbs. QPs and CQs are flat arrays indexed by these (design P7).
#pragma once

#include <cstdint>

namespace cqsim {

/// Queue pair number, 24 bits: 0 .. 2^24-1.
enum class Qpn : std::uint32_t {};
/// Completion queue number, 24 bits: 0 .. 2^24-1.
enum class Cqn : std::uint32_t {};
/// Event queue number, 0 .. 2^16-1.
enum class Eqn : std::uint16_t {};
/// Shared receive queue number, 1 .. 2^16-1; in an entry of a CQ 0 says 'none' (S1.20).
enum class Srqn : std::uint16_t {};

inline constexpr std::uint32_t kIdBits = 24;
inline constexpr std::uint32_t kMaxIds = 1U << kIdBits;

/// 'No such object' in a record or a payload: outside the 24-bit range.
inline constexpr Qpn kNoQp{0xFFFF'FFFFU};
inline constexpr Cqn kNoCq{0xFFFF'FFFFU};
inline constexpr Srqn kNoSrq{0};

/// The array index behind an id.
constexpr std::uint32_t index_of(Qpn qpn) {
    return static_cast<std::uint32_t>(qpn);
}
constexpr std::uint32_t index_of(Cqn cqn) {
    return static_cast<std::uint32_t>(cqn);
}
constexpr std::uint32_t index_of(Eqn eqn) {
    return static_cast<std::uint32_t>(eqn);
}
/// The number itself; that of no SRQ is 0.
constexpr std::uint32_t index_of(Srqn srqn) {
    return static_cast<std::uint32_t>(srqn);
}

/// Which work queue of a QP. A work queue is named by {qpn, QueueKind}.
enum class QueueKind : std::uint8_t { Send = 0, Receive = 1 };

constexpr std::uint32_t index_of(QueueKind kind) {
    return static_cast<std::uint32_t>(kind);
}

}  // namespace cqsim
