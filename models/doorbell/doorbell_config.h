// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cqsim {

struct DoorbellConfig {
    std::uint64_t bar_address = 0;   ///< of the BAR's first byte; a multiple of bar::kBytes
    std::uint32_t index_width = 32;  ///< bits of a CQ's consumer index, as OverflowConfig has them
};

}  // namespace cqsim
