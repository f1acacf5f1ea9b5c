// SPDX-License-Identifier: Apache-2.0
/// \file
/// A growing ring buffer, for due times that come in order (hotpath 'Due times') and other queues.
#pragma once

#include "models/rows/hash.h"

#include <cstddef>
#include <vector>

namespace cqsim {

/// First in, first out; grows by doubling, so that pushing costs no allocation in the long run.
/// Equality and hash look at what it holds, not at how much room it has.
template <class T>
class DueRing {
  public:
    bool empty() const { return m_head == m_tail; }
    std::size_t size() const { return m_tail - m_head; }
    const T& front() const { return m_items[m_head & m_mask]; }
    /// The item `ahead` places behind the front, which must exist.
    const T& peek(std::size_t ahead) const { return m_items[(m_head + ahead) & m_mask]; }
    void pop() { ++m_head; }
    void push(const T& item) {
        if (size() > m_mask || m_items.empty()) {
            grow();
        }
        m_items[m_tail++ & m_mask] = item;
    }

    friend bool operator==(const DueRing& l, const DueRing& r) {
        if (l.size() != r.size()) {
            return false;
        }
        for (std::size_t i = 0; i < l.size(); ++i) {
            if (!(l.peek(i) == r.peek(i))) {
                return false;
            }
        }
        return true;
    }
    void hash_into(Hasher& hasher) const {
        hasher.add(size());
        for (std::size_t i = 0; i < size(); ++i) {
            hasher.add(peek(i));
        }
    }

  private:
    void grow() {
        std::vector<T> larger(m_items.empty() ? 64 : m_items.size() * 2);
        const std::size_t count = size();
        for (std::size_t i = 0; i < count; ++i) {
            larger[i] = peek(i);
        }
        m_items.swap(larger);
        m_mask = m_items.size() - 1;
        m_head = 0;
        m_tail = count;
    }

    std::vector<T> m_items;
    std::size_t m_mask = 0;  ///< capacity - 1; the capacity is a power of two
    std::size_t m_head = 0;
    std::size_t m_tail = 0;
};

}  // namespace cqsim
