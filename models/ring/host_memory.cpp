// SPDX-License-Identifier: Apache-2.0
#include "models/ring/host_memory.h"

#include <new>

namespace cqsim {

std::uint64_t HostMemory::allocate(std::uint64_t bytes) {
    const std::uint64_t size = (bytes + kPage - 1) / kPage * kPage;
    if (size > kSegment) {
        throw std::bad_alloc();
    }
    std::uint64_t start = m_allocated;
    if (start % kSegment + size > kSegment) {
        start = (start / kSegment + 1) * kSegment;
    }
    while (m_segments.size() * kSegment < start + size) {
        m_segments.push_back({HugeArray(kSegment), 0});
    }
    m_allocated = start + size;
    if (size != 0) {
        m_segments[start / kSegment].allocated = start % kSegment + size;
    }
    return kBase + start;
}

}  // namespace cqsim
