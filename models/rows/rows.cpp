// SPDX-License-Identifier: Apache-2.0
#include "models/rows/rows.h"

#include <sys/mman.h>

#include <new>

namespace cqsim {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

LineSlab::LineSlab(std::uint32_t count)
    : m_count(count) {
    m_bytes = (std::size_t{count} * kLine + kHugePage - 1) / kHugePage * kHugePage;
    if (m_bytes == 0) {
        return;
    }
    void* mapped =
        mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
        throw std::bad_alloc();
    }
    madvise(mapped, m_bytes, MADV_HUGEPAGE);  // an optimisation: its refusal changes nothing
    m_base = static_cast<std::byte*>(mapped);
}

LineSlab::~LineSlab() {
    if (m_base != nullptr) {
        munmap(m_base, m_bytes);
    }
}

}  // namespace cqsim
