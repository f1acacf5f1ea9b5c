// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random streams: one per module, seeded from the run's seed and the module's name (P6).
#pragma once

#include "models/rows/hash.h"

#include <cstdint>
#include <random>
#include <string_view>

namespace cqsim {

/// A stream that depends on nothing but {run seed, name}; a value like any rule state. The
/// distributions are our own: the library's differ between implementations.
class RandomStream {
  public:
    RandomStream(std::uint64_t run_seed, std::string_view name)
        : m_seed(mix(run_seed, name)),
          m_engine(m_seed) {}

    /// Uniform in 0 .. bound-1; `bound` at least 1. Unbiased by rejection.
    std::uint64_t below(std::uint64_t bound) {
        const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
        std::uint64_t draw = next();
        while (draw >= limit) {
            draw = next();
        }
        return draw % bound;
    }
    bool coin() { return (next() >> 63U) != 0; }

    friend bool operator==(const RandomStream& l, const RandomStream& r) {
        return l.m_seed == r.m_seed && l.m_draws == r.m_draws;
    }
    void hash_into(Hasher& hasher) const {
        hasher.add(m_seed);
        hasher.add(m_draws);
    }

  private:
    static std::uint64_t mix(std::uint64_t seed, std::string_view name) {
        Hasher hasher;
        hasher.add(seed);
        for (const char letter : name) {
            hasher.add(letter);
        }
        return hasher.value();
    }
    std::uint64_t next() {
        ++m_draws;
        return m_engine();
    }

    // The engine's state follows from these two.
    std::uint64_t m_seed;
    std::uint64_t m_draws = 0;
    std::mt19937_64 m_engine;
};

}  // namespace cqsim
