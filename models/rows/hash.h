// SPDX-License-Identifier: Apache-2.0
/// \file
/// The hash of rule states (P2). Same state, same hash, in every run (P6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace cqsim {

/// Collects trivially copyable values without padding into one 64-bit hash (FNV-1a over bytes).
class Hasher {
 public:
    template <class T>
    void add(const T& value) {
        static_assert(std::has_unique_object_representations_v<T>);
        const auto* byte = reinterpret_cast<const unsigned char*>(&value);
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            m_hash = (m_hash ^ byte[i]) * 0x100000001B3ULL;
        }
    }
    template <class T>
    void add_all(const std::vector<T>& values) {
        add(values.size());
        for (const T& value : values) {
            add(value);
        }
    }
    std::uint64_t value() const { return m_hash; }

 private:
    std::uint64_t m_hash = 0xCBF29CE484222325ULL;
};

}  // namespace cqsim
