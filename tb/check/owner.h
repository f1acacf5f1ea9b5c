// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which owner value the entries of a lap have, by scheme. K02, S3.3, S3.4.
#pragma once

#include "models/verbs/cq.h"

#include <array>
#include <cstdint>

namespace cqsim::tb::check {

/// Laps are counted modulo this.
inline constexpr std::uint32_t kLaps = 8;

/// The owner value of each lap.
using OwnerOfLap = std::array<std::uint8_t, kLaps>;

constexpr OwnerOfLap owners(OwnerScheme scheme) {
    switch (scheme) {
        case OwnerScheme::Parity:
        case OwnerScheme::ParityPreset:
            break;
        case OwnerScheme::Phase:
            return {1, 0, 1, 0, 1, 0, 1, 0};
        case OwnerScheme::Generation:
            return {1, 2, 3, 4, 5, 6, 7, 0};
    }
    return {0, 1, 0, 1, 0, 1, 0, 1};
}

/// The bits of an entry's own byte that are its owner value.
constexpr std::uint8_t owner_bits(OwnerScheme scheme) {
    return scheme == OwnerScheme::Generation ? 7 : 1;
}

/// The lap of a ring's first index, modulo kLaps. By parity a lap is a bit of the index (S3.3);
/// otherwise the first lap is the one that is written over zeros (S3.4).
constexpr std::uint32_t first_lap(OwnerScheme scheme, std::uint32_t first, std::uint32_t slots) {
    const bool parity = scheme == OwnerScheme::Parity || scheme == OwnerScheme::ParityPreset;
    return parity ? first / slots % kLaps : 0;
}

/// The slot of a ring's first index, likewise.
constexpr std::uint32_t first_slot(OwnerScheme scheme, std::uint32_t first, std::uint32_t slots) {
    const bool parity = scheme == OwnerScheme::Parity || scheme == OwnerScheme::ParityPreset;
    return parity ? first % slots : 0;
}

}  // namespace cqsim::tb::check
