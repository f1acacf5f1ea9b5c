// SPDX-License-Identifier: Apache-2.0
#include "models/ring/host_memory.h"

#include <sys/mman.h>

#include <new>

namespace cqsim {

HostMemory::HostMemory() = default;

HostMemory::~HostMemory() {
    for (std::byte* segment : m_segments) {
        munmap(segment, kSegment);
    }
}

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
        // Reserved now, backed by the system page by page as it is touched.
        void* mapped = mmap(nullptr,
                            kSegment,
                            PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                            -1,
                            0);
        if (mapped == MAP_FAILED) {
            throw std::bad_alloc();
        }
        madvise(mapped, kSegment, MADV_HUGEPAGE);
        m_segments.push_back(static_cast<std::byte*>(mapped));
    }
    m_allocated = start + size;
    return kBase + start;
}

}  // namespace cqsim
