// SPDX-License-Identifier: Apache-2.0
/// \file
/// A drawn scenario is run, judged by the checkers, and its books are audited.
#pragma once

#include "tb/integration/coverage.h"
#include "tb/report/run.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cqsim::tb::test {

/// Runs a scenario with a ledger beside it. One per process.
///
/// \returns what is wrong, a line each, or nothing: a rule that fails, a request that is not
/// accounted for, a number of the result that is not the ledger's. A step that came at a bad moment
/// is refused, and that is no fault; nor is work that waits for software for ever.
std::string audit(const std::string& toml,
                  Coverage& coverage,
                  const std::optional<EngineFactories>& factories = std::nullopt);

/// The same for the scenario of a seed. Of one that fails, `drawn_<seed>.toml` is left in the
/// working directory for `cqsim run`.
std::string audit_seed(std::uint64_t seed, Coverage& coverage);

}  // namespace cqsim::tb::test
