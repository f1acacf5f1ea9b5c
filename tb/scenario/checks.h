// SPDX-License-Identifier: Apache-2.0
/// \file
/// What concerns a scenario as a whole, after each table was read.
#pragma once

#include "tb/scenario/node.h"
#include "tb/scenario/scenario.h"

namespace cqsim::tb {

/// Numbers the objects, sorts the steps by time (stable), and reports what does not fit together.
/// `document` is what the scenario was read from: it gives the places. A value that was already
/// found wrong is not judged again.
void finish_scenario(Scenario& scenario, const Node& document, ErrorList& errors);

}  // namespace cqsim::tb
