// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the soak runs: a scenario that does the same again and again.
#pragma once

#include "tb/scenario/scenario.h"

#include <cstdint>

namespace cqsim::tb::bench {

/// Simulated time after which all repeats.
inline constexpr TimePs kSoakCycle = from_ns(500'000);
/// Requests that end in a cycle, at least.
inline constexpr std::uint64_t kSoakCompletions = 50'000;

/// So many cycles, at most 100,000. Each has traffic of all kinds, failures and flushes, a CQ that
/// overruns, is destroyed and created again, QPs that are reset or destroyed in mid-traffic and
/// swept out of their rings, CQs that report each completion, moderated, solicited and by hand.
/// `other_policies`: of each choice that the device leaves, the one that is not the default.
Scenario soak_scenario(std::uint64_t cycles, bool other_policies);

}  // namespace cqsim::tb::bench
