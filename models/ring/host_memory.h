// SPDX-License-Identifier: Apache-2.0
/// \file
/// The bytes of host memory: a sparse 64-bit space, allocated in 4 KiB pages (design D5).
#pragma once

#include "models/rows/huge_array.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cqsim {

/// Pages are handed out from `kBase` upwards. Only allocated pages can be read or written. No time.
class HostMemory {
  public:
    static constexpr std::uint64_t kPage = 4096;
    static constexpr std::uint64_t kBase = 0x1'0000'0000;

    /// Whole pages for `bytes` bytes, zeroed. \returns the address of the first.
    /// \throws std::bad_alloc when the host that simulates has no memory left.
    std::uint64_t allocate(std::uint64_t bytes);

    /// The bytes at an address; null unless all `length` of them are allocated.
    std::byte* at(std::uint64_t address, std::uint64_t length) {
        const std::uint64_t offset = address - kBase;
        if (offset / kSegment >= m_segments.size()) {
            return nullptr;
        }
        Segment& segment = m_segments[offset / kSegment];
        const std::uint64_t within = offset % kSegment;
        if (within >= segment.allocated || length > segment.allocated - within) {
            return nullptr;  // no allocation spans segments
        }
        return segment.bytes.data() + within;
    }

    /// Fetches the line of an address that will be used soon.
    [[gnu::always_inline]] void prefetch(std::uint64_t address) const {
        const std::uint64_t offset = address - kBase;
        if (offset < m_allocated) {
            __builtin_prefetch(m_segments[offset / kSegment].bytes.data() + offset % kSegment, 1);
        }
    }

    /// Pages up to the last one given out; a page's number is (address - kBase) / kPage.
    std::uint64_t pages() const { return m_allocated / kPage; }

  private:
    static constexpr std::uint64_t kSegment = std::uint64_t{1} << 30;

    struct Segment {
        HugeArray bytes;
        std::uint64_t allocated = 0;  ///< from its start on; what is left is given out no more
    };

    std::vector<Segment> m_segments;
    std::uint64_t m_allocated = 0;  ///< where the next page is; what was left of segments counts
};

}  // namespace cqsim
