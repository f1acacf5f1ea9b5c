// SPDX-License-Identifier: Apache-2.0
/// \file
/// Arrays of small per-object structs, placed so that all parts of one object share a cache line.
#pragma once

#include "models/rows/hash.h"
#include "models/rows/huge_array.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace cqsim {

/// One cache line per object, or several next to each other, on huge pages where the system gives
/// them. Several owners place their part of an object's lines with `Rows`. Zeroed.
class LineSlab {
  public:
    static constexpr std::size_t kLine = 64;

    explicit LineSlab(std::uint32_t count, std::uint32_t lines_per_object = 1)
        : m_stride(kLine * lines_per_object),
          m_lines(count * m_stride),
          m_count(count) {}

    std::uint32_t count() const { return m_count; }
    /// Bytes from one object to the next.
    std::size_t stride() const { return m_stride; }
    std::byte* base() { return m_lines.data(); }

  private:
    std::size_t m_stride;
    HugeArray m_lines;
    std::uint32_t m_count;
};

/// An array of T by object index. A value: a copy owns its rows, whatever the original's placement;
/// equality and hash look at the rows alone.
template <class T>
class Rows {
    static_assert(std::is_trivially_copyable_v<T>);
    static_assert(std::has_unique_object_representations_v<T>,
                  "padding would break hash and equality");

  public:
    Rows() = default;

    /// `count` value-initialised rows of its own.
    explicit Rows(std::uint32_t count)
        : m_own(count),
          m_stride(sizeof(T)),
          m_count(count) {
        m_base = data();
    }

    /// Rows placed at `offset` bytes into each object's lines; the slab must outlive them.
    Rows(LineSlab& slab, std::size_t offset)
        : m_base(slab.base() + offset),
          m_stride(slab.stride()),
          m_count(slab.count()) {
        for (std::uint32_t i = 0; i < m_count; ++i) {
            new (m_base + std::size_t{i} * m_stride) T{};
        }
    }

    Rows(const Rows& other)
        : m_own(other.m_count),
          m_stride(sizeof(T)),
          m_count(other.m_count) {
        m_base = data();
        for (std::uint32_t i = 0; i < m_count; ++i) {
            m_own[i] = other[i];
        }
    }
    Rows(Rows&& other) noexcept { swap(other); }
    Rows& operator=(Rows other) noexcept {
        swap(other);
        return *this;
    }
    ~Rows() = default;

    std::uint32_t size() const { return m_count; }
    T& operator[](std::uint32_t index) {
        return *std::launder(reinterpret_cast<T*>(m_base + std::size_t{index} * m_stride));
    }
    const T& operator[](std::uint32_t index) const {
        return *std::launder(reinterpret_cast<const T*>(m_base + std::size_t{index} * m_stride));
    }

    /// Fetches the row's line. Always inlined: g++ drops calls to functions that only prefetch.
    [[gnu::always_inline]] void prefetch(std::uint32_t index) const {
        __builtin_prefetch(m_base + std::size_t{index} * m_stride, 1);
    }

    friend bool operator==(const Rows& l, const Rows& r) {
        if (l.m_count != r.m_count) {
            return false;
        }
        for (std::uint32_t i = 0; i < l.m_count; ++i) {
            if (!(l[i] == r[i])) {
                return false;
            }
        }
        return true;
    }

    void hash_into(Hasher& hasher) const {
        hasher.add(m_count);
        for (std::uint32_t i = 0; i < m_count; ++i) {
            hasher.add((*this)[i]);
        }
    }

  private:
    std::byte* data() { return reinterpret_cast<std::byte*>(m_own.data()); }
    void swap(Rows& other) noexcept {
        std::swap(m_own, other.m_own);
        std::swap(m_base, other.m_base);
        std::swap(m_stride, other.m_stride);
        std::swap(m_count, other.m_count);
    }

    std::vector<T> m_own;
    std::byte* m_base = nullptr;
    std::size_t m_stride = sizeof(T);
    std::uint32_t m_count = 0;
};

}  // namespace cqsim
