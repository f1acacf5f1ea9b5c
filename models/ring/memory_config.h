// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/time/time_ps.h"

namespace cqsim {

struct MemoryConfig {
    TimePs write_latency = from_ns(600);  ///< end of transfer to visible, 0 .. 1 ms
    TimePs read_latency = from_ns(800);   ///< request to data, for the device's reads, 0 .. 1 ms
    /// Bytes a second that the device's writes share, 1e6 .. 1e12; 0: no limit.
    std::uint64_t bandwidth = 16'000'000'000;

    static constexpr TimePs kMaxLatency = from_ns(1'000'000);
};

}  // namespace cqsim
