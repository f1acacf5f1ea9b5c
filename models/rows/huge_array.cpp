// SPDX-License-Identifier: Apache-2.0
#include "models/rows/huge_array.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <utility>

namespace cqsim {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20U;

}  // namespace

HugeArray::HugeArray(std::size_t bytes)
    : m_bytes(bytes) {
    if (bytes == 0) {
        return;
    }
    m_mapped = bytes + kHugePage;
    void* mapping = mmap(nullptr,
                         m_mapped,
                         PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                         -1,
                         0);
    if (mapping == MAP_FAILED) {
        throw std::bad_alloc();
    }
    m_mapping = mapping;
    const auto start = reinterpret_cast<std::uintptr_t>(mapping);
    const std::size_t skip = (kHugePage - start % kHugePage) % kHugePage;
    m_data = static_cast<std::byte*>(mapping) + skip;
    madvise(m_data, bytes, MADV_HUGEPAGE);  // a wish: its refusal changes nothing
}

HugeArray::~HugeArray() {
    if (m_mapping != nullptr) {
        munmap(m_mapping, m_mapped);
    }
}

HugeArray::HugeArray(HugeArray&& other) noexcept
    : m_mapping(std::exchange(other.m_mapping, nullptr)),
      m_mapped(std::exchange(other.m_mapped, 0)),
      m_data(std::exchange(other.m_data, nullptr)),
      m_bytes(std::exchange(other.m_bytes, 0)) {
}

HugeArray& HugeArray::operator=(HugeArray&& other) noexcept {
    std::swap(m_mapping, other.m_mapping);
    std::swap(m_mapped, other.m_mapped);
    std::swap(m_data, other.m_data);
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

}  // namespace cqsim
