// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/time/time_ps.h"

namespace cqsim {

struct CommandConfig {
    /// From when the unit takes up a command to its effect; one at a time, in the order in which
    /// they came. 0: the effect comes with the call.
    TimePs service{};
};

}  // namespace cqsim
