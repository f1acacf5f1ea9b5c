// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs one scenario and says whether it passed: a process for each run, for ctest.
///
///   scenario_check FILE.toml OUT_DIR [--late-checker] [KEY=VALUE ...]
///
/// The exit code is that of the run; OUT_DIR gets the run's files. With --late-checker the engine
/// gets an overflow checker that answers 7 ns late.
#include "tb/integration/late_checker.h"
#include "tb/report/run.h"
#include "tb/scenario/reader.h"

#include <systemc>

#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace cqsim::tb;

int check_scenario(const std::vector<std::string>& words) {
    const bool late = words.size() > 2 && words[2] == "--late-checker";
    const std::vector<std::string> overrides(words.begin() + (late ? 3 : 2), words.end());
    const Scenario scenario = read_scenario(words[0], overrides);
    if (scenario.about.empty() || scenario.expect.empty()) {
        std::cerr << words[0] << ": a shipped scenario says what it is about and what it expects\n";
        return static_cast<int>(ExitCode::Usage);
    }
    RunOptions options;
    options.out_dir = words[1];
    if (late) {
        options.factories = test::late_checker(cqsim::from_ns(7));
    }
    const RunReport report = run_scenario(scenario, options);
    std::cout << report.summary;
    if (!report.error.empty()) {
        std::cerr << report.error << '\n';
    }
    return static_cast<int>(report.exit);
}

}  // namespace

int sc_main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() < 2) {
        std::cerr << "usage: scenario_check FILE.toml OUT_DIR [--late-checker] [KEY=VALUE ...]\n";
        return static_cast<int>(ExitCode::Usage);
    }
    try {
        return check_scenario(words);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return static_cast<int>(ExitCode::Usage);
    }
}
