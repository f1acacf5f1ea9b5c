// SPDX-License-Identifier: Apache-2.0
/// \file
/// What cqsim-bench prints: measurements and what they mean, as JSON.
#pragma once

#include "tb/bench/configurations.h"

#include <nlohmann/json_fwd.hpp>

namespace cqsim::tb::bench {

/// What holds for every configuration: without it the numbers mean nothing.
nlohmann::ordered_json conditions();

/// Medians over `repeats` pairs of floor and block.
nlohmann::ordered_json rate(const Configuration& configuration, int repeats);

/// How much dearer a completion is with 1,000,000 QPs than with one, by medians.
nlohmann::ordered_json growth(int repeats, std::uint64_t completions);

/// Bytes that a QP and a CQ take, with and without observers.
nlohmann::ordered_json memory();

}  // namespace cqsim::tb::bench
