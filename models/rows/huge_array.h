// SPDX-License-Identifier: Apache-2.0
/// \file
/// Large zeroed memory on huge pages where the system gives them.
#pragma once

#include <cstddef>

namespace cqsim {

/// A mapping of its own, aligned so that huge pages fit. Zeroed; backed by the system as it is
/// touched.
class HugeArray {
  public:
    HugeArray() = default;
    /// \throws std::bad_alloc when the system refuses.
    explicit HugeArray(std::size_t bytes);
    ~HugeArray();
    HugeArray(HugeArray&& other) noexcept;
    HugeArray& operator=(HugeArray&& other) noexcept;
    HugeArray(const HugeArray&) = delete;
    HugeArray& operator=(const HugeArray&) = delete;

    std::byte* data() const { return m_data; }
    std::size_t size() const { return m_bytes; }

  private:
    void* m_mapping = nullptr;
    std::size_t m_mapped = 0;
    std::byte* m_data = nullptr;
    std::size_t m_bytes = 0;
};

}  // namespace cqsim
