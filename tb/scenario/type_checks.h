// SPDX-License-Identifier: Apache-2.0
/// \file
/// What does not go with the type of a QP: requests, messages, queues, failures (S1.2, S1.17).
#pragma once

#include "tb/scenario/specs.h"

namespace cqsim::tb {

/// Refuses traffic that a QP of the group cannot have.
void check_traffic_type(const TrafficEntry& entry, const Node& node, ReadContext& context);

/// Refuses a post, or a failure, that the QP of the step cannot have.
void check_step_type(const StepEntry& step, const Node& node, ReadContext& context);

}  // namespace cqsim::tb
