// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/verbs/ids.h"
#include "models/verbs/verbs.h"

namespace cqsim {

/// A QP entered a state, or software asked again for the one that it is in.
struct QpChange {
    Qpn qpn = kNoQp;
    /// The life that is in that state. To RESET: the next life, and the last one is over.
    std::uint16_t generation = 0;
    QpState before{};
    QpState after{};
};

}  // namespace cqsim
