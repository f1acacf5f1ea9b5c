// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/verbs/cq.h"
#include "models/verbs/ids.h"

#include <optional>

namespace cqsim {

/// What an attempt to add to a full CQ does.
enum class OverflowPolicy : std::uint8_t {
    CqError,  ///< S5.3 with the defaults of spec.md section 9: sticky, lazy, drop and count
};

/// On which path software tells the device its consumer indices (S3.1, S3.2, K20).
enum class ConsumerPath : std::uint8_t {
    Record,     ///< a doorbell record in host memory, read again when a CQ looks full
    Mmio,       ///< a register of the BAR: the index
    Increment,  ///< a register of the BAR: by how much the index grows, in a narrow field
};

/// The values that an index of so many bits, 1 .. 32, can take.
constexpr std::uint32_t index_mask(std::uint32_t width) {
    return width == 32 ? 0xFFFF'FFFFU : (1U << width) - 1;
}

struct OverflowConfig {
    OverflowPolicy policy = OverflowPolicy::CqError;
    std::uint32_t index_width = 32;  ///< bits of the device-visible indices, 4 .. 32
    /// Of a new CQ, below 2^index_width. A multiple of its slots where the owner scheme derives
    /// slots from indices.
    std::uint32_t first_index = 0;
    OwnerScheme owner =
        OwnerScheme::Parity;  ///< K02; formats other than native take this one alone
    /// How rings are replaced; none: they cannot be (S4.6). Marker goes with Parity alone.
    std::optional<ResizeMode> resize = ResizeMode::Marker;
    std::uint32_t spare_slots = 0;        ///< K01: 0: full at depth; 1: at depth - 1
    std::uint32_t max_depth = kMaxDepth;  ///< slots of a CQ, 1 .. 2^22 (S4.2)
    std::uint32_t max_cqs = kMaxIds;      ///< that are there at one time, 1 .. 2^24 (S4.2)

    ConsumerPath consumer_index = ConsumerPath::Record;
    std::uint32_t increment_bits = 8;  ///< of an increment, 4 .. 16

    static constexpr std::uint32_t kMinIncrementBits = 4;
    static constexpr std::uint32_t kMaxIncrementBits = 16;
    static constexpr std::uint32_t kMinIndexWidth = 4;
    static constexpr std::uint32_t kMaxDepth = 1U << 22;
};

}  // namespace cqsim
