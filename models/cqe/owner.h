// SPDX-License-Identifier: Apache-2.0
/// \file
/// The owner value of an entry: which lap of the ring it belongs to (K02, S3.3, S3.4). All formats
/// hold it in the lowest bits of the last byte of the slot, below the kind in bits 7:4.
#pragma once

#include "models/verbs/cq.h"

#include <cstddef>

namespace cqsim::owner {

inline constexpr std::uint8_t kInvalidKind = 15;
inline constexpr unsigned kKindShift = 4;

/// The bits of the last byte that hold the owner value.
constexpr std::uint8_t mask_of(OwnerScheme scheme) {
    return scheme == OwnerScheme::Generation ? 7 : 1;
}

constexpr std::uint8_t of_lap(OwnerScheme scheme, std::uint32_t lap) {
    const bool starts_at_one = scheme == OwnerScheme::Phase || scheme == OwnerScheme::Generation;
    return static_cast<std::uint8_t>((lap + (starts_at_one ? 1 : 0)) & mask_of(scheme));
}

constexpr std::uint8_t next(OwnerScheme scheme, std::uint8_t value) {
    return static_cast<std::uint8_t>((value + 1U) & mask_of(scheme));
}

/// What software presets the last byte of every slot to, in a ring whose first lap has this owner
/// value: no such entry is valid in that lap. With scheme Parity opcode INVALID alone says so
/// (S3.3); the others need the value of the lap before.
constexpr std::byte preset(OwnerScheme scheme, std::uint8_t first) {
    return scheme == OwnerScheme::Parity
               ? std::byte{kInvalidKind << kKindShift}
               : std::byte{static_cast<std::uint8_t>((first - 1U) & mask_of(scheme))};
}

/// Whether the device derives slot and lap of a new CQ, or behind a marker, from an index: then the
/// depth is a power of two, and a ring need not begin at slot 0. Otherwise, and behind a cut-off,
/// they are counted from 0 when the ring is made.
constexpr bool by_index(OwnerScheme scheme) {
    return scheme == OwnerScheme::Parity || scheme == OwnerScheme::ParityPreset;
}

/// Whether the entry with this last byte belongs to the lap of `value`.
constexpr bool is_valid(std::uint8_t own, std::uint8_t mask, std::uint8_t value) {
    return (own & mask) == value && (own >> kKindShift) != kInvalidKind;
}

}  // namespace cqsim::owner
