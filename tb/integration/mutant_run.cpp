// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/mutant_run.h"

#include "tb/scenario/reader.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace cqsim::tb::test {

Scenario shipped(const std::string& name, const std::vector<std::string>& overrides) {
    return read_scenario(CQSIM_SCENARIO_DIR "/" + name + ".toml", overrides);
}

MutantRun run_with(const Scenario& scenario,
                   const EngineFactories& factories,
                   RecordSubscriber* observer) {
    RunOptions options;
    options.observer = observer;
    options.factories = factories;
    const RunReport report = run_scenario(scenario, options);
    CAPTURE(report.error);
    REQUIRE((report.exit == ExitCode::Pass || report.exit == ExitCode::Failed ||
             report.exit == ExitCode::Stalled));
    MutantRun run;
    run.passed = report.exit == ExitCode::Pass;
    run.stalled = report.exit == ExitCode::Stalled;
    run.summary = report.summary;
    const auto result = nlohmann::json::parse(report.result_json);
    for (const auto& rule : result.at("rules").items()) {
        if (rule.value().at("failed") != 0) {
            run.rules.insert(rule.key());
        }
    }
    return run;
}

MutantRun run_with(const std::string& shipped_scenario, const EngineFactories& factories) {
    return run_with(shipped(shipped_scenario), factories);
}

bool names_rule(const MutantRun& run, const std::string& rule) {
    UNSCOPED_INFO(run.summary);
    return !run.passed && run.rules.count(rule) != 0;
}

bool fails(const MutantRun& run) {
    UNSCOPED_INFO(run.summary);
    return !run.passed;
}

bool passes(const MutantRun& run) {
    UNSCOPED_INFO(run.summary);
    return run.passed;
}

}  // namespace cqsim::tb::test
