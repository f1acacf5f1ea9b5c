// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/overflow/overflow_config.h"

#include <cstdint>

namespace cqsim {

struct DoorbellConfig {
    std::uint64_t bar_address = 0;  ///< of the BAR's first byte; a multiple of bar::kBytes
    // As OverflowConfig has them.
    std::uint32_t index_width = 32;  ///< bits of a CQ's consumer index
    ConsumerPath consumer_index = ConsumerPath::Record;
    std::uint32_t increment_bits = 8;

    void take(const OverflowConfig& cqs) {
        index_width = cqs.index_width;
        consumer_index = cqs.consumer_index;
        increment_bits = cqs.increment_bits;
    }
};

}  // namespace cqsim
