// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scenario files in, typed scenarios out; and back.
#pragma once

#include "tb/scenario/errors.h"
#include "tb/scenario/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace cqsim::tb {

/// Reads a scenario file (scenarios/README.md has the language) and applies `overrides`, each
/// "KEY=VALUE" as given to `--set`, in order.
/// \throws ScenarioErrors with everything that is wrong, up to ErrorList::kMax mistakes.
Scenario read_scenario(const std::string& path, const std::vector<std::string>& overrides = {});

/// The same for a text; `file` stands in positions, and its stem is the scenario's name.
Scenario read_scenario_text(std::string_view text,
                            const std::string& file,
                            const std::vector<std::string>& overrides = {});

/// The resolved configuration: every key explicit, with units. Read again, it gives the same run
/// and the same text.
std::string to_toml(const Scenario& scenario);

}  // namespace cqsim::tb
