// SPDX-License-Identifier: Apache-2.0
/// \file
/// Traffic that does not go on, in words.
#pragma once

#include "tb/pipeline/pipeline.h"
#include "tb/scenario/scenario.h"

#include <string>
#include <vector>

namespace cqsim::tb {

/// Sends whose queue is full of requests that no completion will ever retire (S2.6): the QPs, and
/// what would be right. Empty if it is none.
std::string never_retired(const Scenario& scenario, const ParkedStream& stream);
/// What a stream of sends waits for, a line for each reason.
std::vector<std::string> sends_wait(const Scenario& scenario, const ParkedStream& stream);
/// What a stream of messages waits for.
std::string messages_wait(const Scenario& scenario, const ParkedStream& stream);

}  // namespace cqsim::tb
