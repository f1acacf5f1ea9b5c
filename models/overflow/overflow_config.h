// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

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
    std::uint32_t first_index = 0;   ///< of a new CQ; a multiple of its depth. Below 2^index_width

    ConsumerPath consumer_index = ConsumerPath::Record;
    std::uint32_t increment_bits = 8;  ///< of an increment, 4 .. 16

    static constexpr std::uint32_t kMinIncrementBits = 4;
    static constexpr std::uint32_t kMaxIncrementBits = 16;
    static constexpr std::uint32_t kMinIndexWidth = 4;
    static constexpr std::uint32_t kMaxDepth = 1U << 22;
};

}  // namespace cqsim
