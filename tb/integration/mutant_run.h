// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a shipped scenario with a broken block and says which rules failed.
#pragma once

#include "tb/integration/mutants.h"
#include "tb/report/run.h"

#include <set>
#include <string>
#include <vector>

namespace cqsim::tb::test {

struct MutantRun {
    bool passed = false;
    bool stalled = false;
    std::set<std::string> rules;  ///< that failed
    std::string summary;
};

Scenario shipped(const std::string& name, const std::vector<std::string>& overrides = {});
/// `observer` sees every record.
MutantRun run_with(const Scenario& scenario,
                   const EngineFactories& factories,
                   RecordSubscriber* observer = nullptr);
MutantRun run_with(const std::string& shipped_scenario, const EngineFactories& factories);

/// For the tests: the run failed, and this rule is among those that the checkers name.
bool names_rule(const MutantRun& run, const std::string& rule);
/// For the tests: the run failed, by a rule or by what the scenario expects.
bool fails(const MutantRun& run);
/// For the tests: it did not.
bool passes(const MutantRun& run);

}  // namespace cqsim::tb::test
