// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/verbs/ids.h"

#include <cstdint>

namespace cqsim {

/// What an attempt to add to a full CQ does.
enum class OverflowPolicy : std::uint8_t {
    CqError,  ///< S5.3 with the defaults of spec.md section 9: sticky, lazy, drop and count
};

/// The values that an index of so many bits, 1 .. 32, can take.
constexpr std::uint32_t index_mask(std::uint32_t width) {
    return width == 32 ? 0xFFFF'FFFFU : (1U << width) - 1;
}

struct OverflowConfig {
    OverflowPolicy policy = OverflowPolicy::CqError;
    std::uint32_t index_width = 32;  ///< bits of the device-visible indices, 4 .. 32
    std::uint32_t first_index = 0;   ///< of a new CQ; a multiple of its depth. Below 2^index_width
    std::uint32_t max_depth = kMaxDepth;  ///< slots of a CQ, 1 .. 2^22 (S4.2)
    std::uint32_t max_cqs = kMaxIds;      ///< that are there at one time, 1 .. 2^24 (S4.2)

    static constexpr std::uint32_t kMinIndexWidth = 4;
    static constexpr std::uint32_t kMaxDepth = 1U << 22;
};

}  // namespace cqsim
