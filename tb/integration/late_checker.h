// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/engine/cq_event_engine.h"

namespace cqsim::tb::test {

/// Engines whose overflow checker decides when it is asked, and answers so much later (design D1):
/// what a checker in RTL behind a transactor looks like.
EngineFactories late_checker(TimePs delay);

}  // namespace cqsim::tb::test
