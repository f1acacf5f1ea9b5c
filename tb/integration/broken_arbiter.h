// SPDX-License-Identifier: Apache-2.0
/// \file
/// An arbiter written anew and simply, with an order of service of its own.
#pragma once

#include "models/engine/cq_event_engine.h"

#include <memory>

namespace cqsim::tb::test {

enum class ArbiterOrder : std::uint8_t {
    Arrival,      ///< a pass-through: what comes goes on at once; no bound, no choice, no tie-break
    NewestFirst,  ///< a stack
};

std::unique_ptr<CompletionArbiterPorts> make_broken_arbiter(const char* name,
                                                            const BlockContext& context,
                                                            ArbiterOrder order);

}  // namespace cqsim::tb::test
