// SPDX-License-Identifier: Apache-2.0
/// \file
/// What `cqsim run` was asked for.
#pragma once

#include "models/observe/record.h"
#include "tb/app/command_line.h"
#include "tb/app/kernel_reports.h"

#include <optional>
#include <string>
#include <vector>

namespace cqsim::tb::app {

/// The options that say which scenario it is: `--set` and `--seed`.
void add_scenario_options(boost::program_options::options_description& options);
/// Them as overrides for the scenario's reader, in order; the seed last.
/// \throws UsageError for a seed that is none.
std::vector<std::string> overrides_of(const CommandLine& line);

/// "all", "none", or kinds with commas between.
/// \throws UsageError for an unknown kind, with the nearest known one.
KindMask parse_kinds(const std::string& text);
/// \throws UsageError
LogLevel parse_log_level(const std::string& text);

/// Where the waves go: `given`, or `standard` if that is empty.
/// \throws UsageError for a name that GTKWave would not take, or that is no waves' place.
std::string vcd_path(const std::string& given, const std::string& standard);

}  // namespace cqsim::tb::app
