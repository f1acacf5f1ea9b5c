// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a scenario may say and hardly means.
#pragma once

#include "tb/scenario/node.h"
#include "tb/scenario/scenario.h"

#include <string>
#include <vector>

namespace cqsim::tb {

/// "file:line:column: what will come of it; what would be right", a line each. The scenario is
/// without mistakes.
std::vector<std::string> warnings_of(const Scenario& scenario, const Node& document);

}  // namespace cqsim::tb
