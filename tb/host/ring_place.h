// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the ring of a CQ lies, as software made it.
#pragma once

#include "models/cqe/cqe_codec.h"
#include "models/overflow/overflow_config.h"

namespace cqsim::tb {

struct RingPlace {
    std::uint64_t ring = 0;
    std::uint64_t record = 0;  ///< of its doorbell record
    std::uint32_t depth = 0;   ///< slots; 0: there is no ring
    std::uint32_t first_index = 0;
    std::uint32_t index_width = 32;
    CqeFormat format = CqeFormat::Native;
    OwnerScheme scheme = OwnerScheme::Parity;  ///< K02
    std::uint8_t flags = 0;                    ///< kIgnoreOverrun, kCollapsed

    std::uint32_t stride() const { return stride_of(format); }
    std::uint64_t bytes() const { return std::uint64_t{depth} * stride(); }
    bool collapsed() const { return (flags & kCollapsed) != 0; }
    /// Of the first lap.
    std::uint8_t first_owner() const {
        return owner::of_lap(scheme, owner::by_index(scheme) ? first_index / depth : 0);
    }
    std::uint32_t first_slot() const { return owner::by_index(scheme) ? first_index % depth : 0; }
};

/// A place in a ring: a slot, and the owner value of a valid entry in it.
struct RingSpot {
    std::uint32_t slot = 0;
    std::uint8_t owner = 0;
};

/// The spot `offset` entries (at most a ring) behind another one.
inline RingSpot spot_behind(const RingPlace& place, const RingSpot& spot, std::uint32_t offset) {
    const std::uint32_t slot = spot.slot + offset;
    return slot < place.depth ? RingSpot{slot, spot.owner}
                              : RingSpot{slot - place.depth, owner::next(place.scheme, spot.owner)};
}

/// Where an index of the device lies, in a ring whose slots follow from indices.
inline RingSpot spot_of_index(const RingPlace& place, std::uint32_t index) {
    const std::uint32_t masked = index & index_mask(place.index_width);
    return {masked % place.depth, owner::of_lap(place.scheme, masked / place.depth)};
}

/// Slots of a ring that holds at least `entries` (S3.11, K01). 0: no ring holds so many.
inline std::uint32_t slots_for(std::uint32_t entries, OwnerScheme scheme, std::uint32_t spare) {
    const std::uint64_t least = std::uint64_t{entries} + spare;
    std::uint64_t slots = least;
    if (owner::by_index(scheme)) {
        for (slots = 1; slots < least;) {
            slots *= 2;
        }
    }
    return slots <= OverflowConfig::kMaxDepth ? static_cast<std::uint32_t>(slots) : 0;
}

}  // namespace cqsim::tb
