// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/time/time_ps.h"

namespace cqsim {

/// What lies in a failed entry where a successful one has fields (S1.2).
enum class UndefinedPolicy : std::uint8_t {
    Poison,  ///< a pattern that a person recognises, from the run's seed
    Stale,   ///< the fields of the successful completion that was formed last; zeros before any
    Zero,
};

struct WriterConfig {
    TimePs service = from_ns(4);          ///< time to form one entry, 0 .. 1 ms
    std::uint32_t writes_in_flight = 32;  ///< writes not yet in memory, 1 .. 1024
    UndefinedPolicy undefined = UndefinedPolicy::Poison;

    static constexpr TimePs kMaxService = from_ns(1'000'000);
    static constexpr std::uint32_t kMaxWritesInFlight = 1024;
};

}  // namespace cqsim
