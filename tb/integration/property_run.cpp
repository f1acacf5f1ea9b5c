// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/property_run.h"

#include "tb/integration/ledger.h"
#include "tb/integration/scenario_draw.h"
#include "tb/scenario/reader.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace cqsim::tb::test {
namespace {

using Lines = std::string;

/// Rules that failed, with what they say first.
Lines failed_rules(const nlohmann::json& result) {
    Lines lines;
    for (const auto& rule : result.at("rules").items()) {
        if (rule.value().at("failed") != 0) {
            lines += "rule " + rule.key() + " fails\n";
        }
    }
    if (lines.empty()) {
        return lines;
    }
    std::size_t left = 3;
    for (const auto& failure : result.at("failures")) {
        if (failure.at("rule") != "step" && left-- != 0) {
            lines += "  at " + std::to_string(failure.at("time_ps").get<std::uint64_t>()) +
                     " ps, " + failure.at("object").get<std::string>() + ": " +
                     failure.at("text").get<std::string>() + '\n';
        }
    }
    return lines;
}

/// D4: posted = completed + unsignaled_retired + flushed + lost + discarded + outstanding, each as
/// the ledger has it.
Lines differing_counts(const nlohmann::json& result,
                       const Scenario& scenario,
                       const Ledger& ledger) {
    Lines lines;
    for (std::size_t group = 0; group < scenario.qp.size(); ++group) {
        const auto& told = result.at("qp").at(scenario.qp[group].name);
        const EndCounts& counts = ledger.counts(group);
        std::uint64_t sum = 0;
        const auto compare = [&](const char* key, std::uint64_t counted) {
            const auto number = told.at(key).get<std::uint64_t>();
            if (number != counted) {
                lines += "qp." + scenario.qp[group].name + "." + key + " is " +
                         std::to_string(number) + "; there were " + std::to_string(counted) + '\n';
            }
            return number;
        };
        sum += compare("completed", counts[RequestEnd::Reported]);
        sum += compare("flushed", counts[RequestEnd::Flushed]);
        sum += compare("unsignaled_retired", counts[RequestEnd::Retired]);
        sum += compare("lost", counts[RequestEnd::Lost]);
        sum += compare("discarded", counts[RequestEnd::Discarded]);
        sum += compare("outstanding", counts[RequestEnd::Outstanding]);
        if (compare("posted", counts.posted) != sum) {
            lines += "qp." + scenario.qp[group].name + ": the ends do not add up to posted\n";
        }
    }
    return lines;
}

/// S2.11: each request that a QP took from an SRQ is back, lost or held, as the ledger has it.
Lines differing_srqs(const nlohmann::json& result, const Scenario& scenario, const Ledger& ledger) {
    Lines lines;
    for (std::size_t group = 0; group < scenario.srq.size(); ++group) {
        const std::string& name = scenario.srq[group].name;
        const auto& told = result.at("srq").at(name);
        const SrqCounts& counts = ledger.srq_counts(group);
        const auto compare = [&](const char* key, std::uint64_t counted) {
            if (told.at(key) != counted) {
                lines += "srq." + name + "." + key + " is " + told.at(key).dump() +
                         "; there were " + std::to_string(counted) + '\n';
            }
        };
        compare("posted", counts.posted);
        compare("taken", counts.taken);
        compare("returned", counts.returned);
        compare("lost", counts.lost);
        compare("held", counts.held);
        compare("waiting", counts.posted - counts.taken);
        compare("refused", 0);
    }
    return lines;
}

}  // namespace

std::string audit(const std::string& toml,
                  Coverage& coverage,
                  const std::optional<EngineFactories>& factories) {
    const Scenario scenario = read_scenario_text(toml, "drawn.toml");
    Ledger ledger(scenario);
    RunOptions options;
    options.observer = &ledger;
    options.factories = factories;
    const RunReport report = run_scenario(scenario, options);
    if (report.exit != ExitCode::Pass && report.exit != ExitCode::Failed &&
        report.exit != ExitCode::Stalled) {
        return "no run: " + report.error + '\n';
    }
    ledger.finish();
    coverage = ledger.coverage();
    const auto result = nlohmann::json::parse(report.result_json);
    Lines wrong = failed_rules(result);
    for (const std::string& fault : ledger.faults()) {
        wrong += fault + '\n';
    }
    return wrong + differing_counts(result, scenario, ledger) +
           differing_srqs(result, scenario, ledger);
}

std::string audit_seed(std::uint64_t seed, Coverage& coverage) {
    const std::string toml = drawn_scenario(seed);
    std::string wrong;
    try {
        wrong = audit(toml, coverage);
    } catch (const std::exception& error) {
        wrong = error.what();
    }
    if (wrong.empty()) {
        return wrong;
    }
    const std::string path = "drawn_" + std::to_string(seed) + ".toml";
    std::ofstream(path) << toml;
    return "seed " + std::to_string(seed) + ", `cqsim run " + path + "`:\n" + wrong;
}

}  // namespace cqsim::tb::test
