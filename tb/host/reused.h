// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace cqsim::tb {

/// Items by number. A number that was given back is taken again, so that what comes and goes for
/// ever takes no more room than it needs at a time.
template <class T>
class Reused {
  public:
    /// The number of an item: a new one, or as the last who had the number left it.
    std::uint32_t take() {
        if (m_free.empty()) {
            m_items.emplace_back();
            return static_cast<std::uint32_t>(m_items.size() - 1);
        }
        const std::uint32_t number = m_free.back();
        m_free.pop_back();
        return number;
    }
    void give_back(std::uint32_t number) { m_free.push_back(number); }

    T& operator[](std::uint32_t number) { return m_items[number]; }
    const T& operator[](std::uint32_t number) const { return m_items[number]; }

  private:
    std::vector<T> m_items;
    std::vector<std::uint32_t> m_free;
};

}  // namespace cqsim::tb
