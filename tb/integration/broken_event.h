// SPDX-License-Identifier: Apache-2.0
/// \file
/// Broken event arbiters, doorbells and publications: sets of factories for RunOptions.
#pragma once

#include "models/engine/cq_event_engine.h"
#include "tb/integration/shims.h"

#include <functional>

namespace cqsim::tb::test {

/// Where the links of the library's event arbiter are spoiled. An empty hook spoils nothing; one
/// that returns a number says how often the call is passed on.
struct EventHooks {
    std::function<unsigned(PublishedEntry&)> published;
    std::function<unsigned(AsyncReport&)> raised;
    std::function<unsigned(Cqn&, std::uint32_t& consumer, ArmKind&)> armed;
    std::function<unsigned(CreateCq&)> attached;  ///< of any number but 0, once
    DmaHooks dma;                                 ///< entries of event queues and interrupts
    bool deaf_to_failures = false;                ///< does not hear that a CQ went to error (S6.16)
    bool keeps_dead_cqs = false;                  ///< does not hear that a CQ was destroyed (S4.12)
    bool rearms = false;          ///< a CQ is armed again as soon as an entry was published
    bool armed_at_birth = false;  ///< a new CQ is armed (K25)
    bool never_full = false;      ///< takes entries of event queues for read that are not
};

EngineFactories broken_event(const EventHooks& hooks);
/// An overflow checker that publishes an entry when it grants the slot, not when the write is over.
EngineFactories eager_publication();

}  // namespace cqsim::tb::test
