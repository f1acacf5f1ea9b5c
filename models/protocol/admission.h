// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/verbs/ids.h"

namespace cqsim {

/// What a tap learns when it admits a completion into the block.
struct Admission {
    Cqn cqn = kNoCq;
    std::uint16_t generation = 0;
    bool sq_sig_all = false;
};

}  // namespace cqsim
