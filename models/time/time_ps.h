// SPDX-License-Identifier: Apache-2.0
/// \file
/// Simulated time without SystemC: what rules and records carry (P2).
#pragma once

#include <cstdint>

namespace cqsim {

/// A time stamp or a span in integer picoseconds, 0 .. 2^64-1 (about 213 days).
struct TimePs {
    std::uint64_t ps = 0;

    friend constexpr bool operator==(TimePs l, TimePs r) { return l.ps == r.ps; }
    friend constexpr bool operator!=(TimePs l, TimePs r) { return l.ps != r.ps; }
    friend constexpr bool operator<(TimePs l, TimePs r) { return l.ps < r.ps; }
    friend constexpr bool operator<=(TimePs l, TimePs r) { return l.ps <= r.ps; }
    friend constexpr bool operator>(TimePs l, TimePs r) { return l.ps > r.ps; }
    friend constexpr bool operator>=(TimePs l, TimePs r) { return l.ps >= r.ps; }
    friend constexpr TimePs operator+(TimePs l, TimePs r) { return {l.ps + r.ps}; }
    friend constexpr TimePs operator-(TimePs l, TimePs r) { return {l.ps - r.ps}; }
    friend constexpr TimePs operator*(TimePs l, std::uint64_t n) { return {l.ps * n}; }
    constexpr TimePs& operator+=(TimePs r) {
        ps += r.ps;
        return *this;
    }
};

/// Later than anything that happens.
inline constexpr TimePs kNever{UINT64_MAX};

constexpr TimePs later_of(TimePs l, TimePs r) {
    return l < r ? r : l;
}

constexpr TimePs from_ns(std::uint64_t ns) {
    return {ns * 1000};
}

}  // namespace cqsim
