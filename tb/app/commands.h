// SPDX-License-Identifier: Apache-2.0
/// \file
/// The commands of `cqsim`.
#pragma once

#include "tb/report/run.h"

#include <string>
#include <vector>

namespace cqsim::tb::app {

/// One command. `run` takes the words after the command's name, prints its results on standard
/// output and throws UsageError, ScenarioErrors or EventLogError for what the user got wrong.
struct Command {
    const char* name;
    const char* about;  ///< one line
    ExitCode (*run)(const std::vector<std::string>& arguments);
};

/// Simulates a scenario and judges it.
ExitCode run_command(const std::vector<std::string>& arguments);
/// Names what there is: scenarios, policies, profiles, waves.
ExitCode list_command(const std::vector<std::string>& arguments);
/// Prints the resolved configuration of a scenario.
ExitCode show_command(const std::vector<std::string>& arguments);
/// Runs the rule checkers over a recorded event log.
ExitCode check_command(const std::vector<std::string>& arguments);

}  // namespace cqsim::tb::app
