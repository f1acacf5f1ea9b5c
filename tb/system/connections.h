// SPDX-License-Identifier: Apache-2.0
/// \file
/// From the [[connection]] tables of a scenario to QPs that are connected.
#pragma once

#include "tb/pipeline/pipeline.h"
#include "tb/record/run_header.h"
#include "tb/scenario/scenario.h"
#include "tb/wire/wire.h"

#include <vector>

namespace cqsim::tb {

/// Connects them. Before the first instant.
void connect(const Scenario& scenario, Wire& wire, Pipeline& tx, Pipeline& rx);

/// The same for the header of the event log.
std::vector<ConnectedRange> connected_ranges(const Scenario& scenario);

}  // namespace cqsim::tb
