// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/engine/cq_event_engine.h"

namespace cqsim::tb::test {

/// What a command unit does wrongly.
struct CommandFault {
    bool destroys_used_cqs = false;   ///< does not ask whether QPs report to a CQ (S4.11)
    bool keeps_arms = false;          ///< a destroyed CQ stays known to the event arbiter (S4.12)
    bool acknowledges_early = false;  ///< the end of a QP, with its work in flight (D3, S7.2)
    bool accepts_all = false;         ///< answers 'ok' to whatever the owners of the state refuse
    bool folds_eqns = false;          ///< takes event queue numbers modulo their count (S4.2)
    bool clamps_depths = false;       ///< makes a CQ as large as it can, without a word (S4.2)
};

EngineFactories broken_commands(const CommandFault& fault);

}  // namespace cqsim::tb::test
