// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/observe/record.h"
#include "models/time/time_ps.h"

namespace cqsim {

struct CommandConfig {
    /// From when the unit takes up a command to its effect; one at a time, in the order in which
    /// they came. 0: the effect comes with the call.
    TimePs service{};
    /// To the destroy of a CQ to which a QP reports (S4.11, K16): Busy or Invalid.
    CommandResult in_use = CommandResult::Busy;
};

}  // namespace cqsim
