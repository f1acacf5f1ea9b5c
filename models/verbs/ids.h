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

inline constexpr std::uint32_t kIdBits = 24;
inline constexpr std::uint32_t kMaxIds = 1U << kIdBits;

/// 'No such object' in a record or a payload: outside the 24-bit range.
inline constexpr Qpn kNoQp{0xFFFF'FFFFU};
inline constexpr Cqn kNoCq{0xFFFF'FFFFU};

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

/// Which work queue of a QP. A work queue is named by {qpn, QueueKind}.
enum class QueueKind : std::uint8_t { Send = 0, Receive = 1 };

constexpr std::uint32_t index_of(QueueKind kind) {
    return static_cast<std::uint32_t>(kind);
}

}  // namespace cqsim
