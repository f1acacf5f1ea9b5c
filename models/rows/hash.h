// SPDX-License-Identifier: Apache-2.0
/// \file
/// Equality and hash of rule states (P2). Same state, same hash, in every run (P6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

namespace cqsim {

/// Collects the parts of a state into one 64-bit hash (FNV-1a over bytes).
class Hasher {
  public:
    /// A value without padding, a class with `hash_into(Hasher&)`, or a vector of either.
    template <class T>
    void add(const T& part) {
        if constexpr (has_hash_into<T>(0)) {
            part.hash_into(*this);
        } else {
            static_assert(std::has_unique_object_representations_v<T>);
            const auto* byte = reinterpret_cast<const unsigned char*>(&part);
            for (std::size_t i = 0; i < sizeof(T); ++i) {
                m_hash = (m_hash ^ byte[i]) * 0x100000001B3ULL;
            }
        }
    }
    template <class T>
    void add(const std::vector<T>& parts) {
        add(parts.size());
        for (const T& part : parts) {
            add(part);
        }
    }
    std::uint64_t value() const { return m_hash; }

  private:
    template <class T>
    static constexpr auto has_hash_into(int)
        -> decltype(std::declval<const T&>().hash_into(std::declval<Hasher&>()), true) {
        return true;
    }
    template <class T>
    static constexpr bool has_hash_into(long) {
        return false;
    }

    std::uint64_t m_hash = 0xCBF29CE484222325ULL;
};

/// The hash of a tuple of references, as a rule class's `state()` gives it.
template <class Tuple>
std::uint64_t hash_of(const Tuple& state) {
    Hasher hasher;
    std::apply([&hasher](const auto&... part) { (hasher.add(part), ...); }, state);
    return hasher.value();
}

}  // namespace cqsim
