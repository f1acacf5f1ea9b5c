// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/time/time_ps.h"

#include <cstdint>

namespace cqsim {

/// In which order what the device writes becomes visible.
enum class MemoryOrdering : std::uint8_t {
    Ordered,  ///< S3.6: the bytes of a write in address order, and writes as they were issued
    Relaxed,  ///< the beats of a write in any order, and writes to different places overtake
};

struct MemoryConfig {
    TimePs write_latency = from_ns(600);  ///< end of transfer to visible, 0 .. 1 ms
    TimePs read_latency = from_ns(800);   ///< request to data, for the device's reads, 0 .. 1 ms
    /// Bytes a second that the device's writes share, 1e6 .. 1e12; 0: no limit.
    std::uint64_t bandwidth = 16'000'000'000;

    MemoryOrdering ordering = MemoryOrdering::Ordered;
    std::uint32_t beat = kMaxBeat;  ///< bytes that become visible at once, 8 .. 64, a power of two
    TimePs beat_gap{};              ///< between two beats of one write, 0 .. 1 ms
    TimePs reorder = from_ns(100);  ///< Relaxed: a beat comes late by up to so much, 0 .. 1 ms

    static constexpr std::uint32_t kMinBeat = 8;
    static constexpr std::uint32_t kMaxBeat = 64;
    static constexpr TimePs kMaxLatency = from_ns(1'000'000);
};

}  // namespace cqsim
