// SPDX-License-Identifier: Apache-2.0
/// \file
/// Flat arrays of the checkers' state: a row per object, zero until used.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace cqsim::tb::check {

/// Bytes of a cache line.
inline constexpr std::size_t kLine = 64;

/// Pulls the cache line of `address` in. Always inlined: g++ 12 drops calls to functions that only
/// prefetch.
[[gnu::always_inline]] inline void prefetch(const void* address) {
    __builtin_prefetch(address, 1, 3);
}

/// An array of plain rows indexed by a small id; growing it keeps the rows and zeroes the new ones.
/// Memory that no row used is not touched. Rows never span cache lines if their size divides 64.
template <class T>
class Rows {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    static_assert(sizeof(T) <= kLine && kLine % sizeof(T) == 0);

  public:
    std::size_t size() const { return m_size; }
    T& operator[](std::size_t index) { return m_rows[index]; }
    const T& operator[](std::size_t index) const { return m_rows[index]; }

    /// Makes rows 0 .. count-1 exist.
    /// \throws std::bad_alloc
    void grow(std::size_t count) {
        if (count <= m_size) {
            return;
        }
        const std::size_t size = count > 2 * m_size ? count : 2 * m_size;
        const std::size_t bytes = size * sizeof(T);
        const std::size_t align = bytes >= kHugePage ? kHugePage : kLine;
        std::unique_ptr<void, Free> memory(std::calloc(bytes + align, 1));
        if (!memory) {
            throw std::bad_alloc();
        }
        const auto start = reinterpret_cast<std::uintptr_t>(memory.get());
        auto* rows = static_cast<char*>(memory.get()) + (align - start % align) % align;
        if (bytes >= kHugePage) {
            ::madvise(rows, bytes - bytes % kHugePage, MADV_HUGEPAGE);  // a wish; failure is slow
        }
        if (m_size != 0) {
            std::memcpy(rows, m_rows, m_size * sizeof(T));
        }
        m_rows = reinterpret_cast<T*>(rows);
        m_memory = std::move(memory);
        m_size = size;
    }

  private:
    static constexpr std::size_t kHugePage = std::size_t{2} << 20;
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };

    std::unique_ptr<void, Free> m_memory;
    T* m_rows = nullptr;
    std::size_t m_size = 0;
};

/// Rows that are taken and given back, named by a number; 0 is none. No allocation in steady state.
template <class T>
class Pool {
  public:
    Pool() { m_rows.grow(kFirstRows); }

    /// A row with unspecified content.
    std::uint32_t take() {
        if (m_free != 0) {
            const std::uint32_t taken = m_free;
            std::memcpy(&m_free, static_cast<const void*>(&m_rows[taken]), sizeof(m_free));
            return taken;
        }
        if (m_used >= m_rows.size()) {
            m_rows.grow(std::size_t{2} * m_used);
        }
        return m_used++;
    }

    void give_back(std::uint32_t index) {
        std::memcpy(static_cast<void*>(&m_rows[index]), &m_free, sizeof(m_free));
        m_free = index;
    }

    T& operator[](std::uint32_t index) { return m_rows[index]; }
    const T& operator[](std::uint32_t index) const { return m_rows[index]; }

  private:
    static constexpr std::size_t kFirstRows = 1024;

    Rows<T> m_rows;
    std::uint32_t m_used = 1;
    std::uint32_t m_free = 0;
};

}  // namespace cqsim::tb::check
