// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where scenarios are.
#pragma once

#include <string>
#include <vector>

namespace cqsim::tb::app {

/// The folder of scenarios that come by name: CQSIM_SCENARIOS of the environment, or ./scenarios.
std::string scenario_folder();

/// The names of the scenarios in the folder and below it, without ".toml", sorted; profiles left
/// out. Empty if there is no such folder.
std::vector<std::string> scenario_names();
/// The names of the device profiles (scenarios/profiles), sorted.
std::vector<std::string> profile_names();

/// The file that a user means: the path as given, or the scenario of that name in the folder.
/// \throws UsageError if there is neither, with the nearest name.
std::string find_scenario(const std::string& given);

}  // namespace cqsim::tb::app
