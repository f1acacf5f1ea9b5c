// SPDX-License-Identifier: Apache-2.0
/// \file
/// The entry of an event queue, byte by byte (S3.5, S5.10, S6.21).
///
/// | byte | field | meaning |
/// |---|---|---|
/// | 0 | type | 0: a completion event; 1 + event (S5.9): an asynchronous event |
/// | 1 .. 3 | | zero |
/// | 4 .. 7 | cqn | of a completion event or CQ_ERR, little-endian; else all ones |
/// | 8 .. 11 | qpn | of a QP's event; else all ones |
/// | 12 .. 15 | srqn | of an SRQ's event; else zero |
/// | 16 .. 62 | | zero |
/// | 63 | owner | bit 0: which lap of the ring wrote it; the last byte to become visible |
///
/// An entry at index n of a ring of `depth` entries is software's iff its owner bit equals
/// (n / depth) & 1, so that the device writes 0 in the first lap; software presets the owner bits
/// to 1.
#pragma once

#include "models/observe/record.h"
#include "models/verbs/verbs.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace cqsim::eqe {

inline constexpr std::uint32_t kBytes = 64;
inline constexpr std::size_t kTypeByte = 0;
inline constexpr std::size_t kCqnByte = 4;
inline constexpr std::size_t kQpnByte = 8;
inline constexpr std::size_t kSrqnByte = 12;
inline constexpr std::size_t kOwnByte = 63;
/// What software presets each entry's own byte to.
inline constexpr std::byte kInvalidOwn{1};

/// The type of an asynchronous event's entry.
constexpr EqeType type_of(AsyncEvent event) {
    return static_cast<EqeType>(1U + static_cast<unsigned>(event));
}

using Entry = std::array<std::byte, kBytes>;

struct Decoded {
    EqeType type = kCompletionEqe;
    Cqn cqn = kNoCq;
    Qpn qpn = kNoQp;
    Srqn srqn = kNoSrq;
};

/// Writes the entry's 64 bytes.
void encode(const Decoded& event, std::uint8_t owner, std::byte* bytes);
Decoded decode(const std::byte* bytes);

inline bool is_valid(const std::byte* bytes, std::uint8_t owner) {
    return (static_cast<std::uint8_t>(bytes[kOwnByte]) & 1U) == owner;
}

}  // namespace cqsim::eqe
