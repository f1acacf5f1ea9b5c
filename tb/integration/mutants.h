// SPDX-License-Identifier: Apache-2.0
/// \file
/// Engines with one broken block: sets of factories for RunOptions.
#pragma once

#include "tb/integration/broken_arbiter.h"
#include "tb/integration/broken_checker.h"
#include "tb/integration/shims.h"

namespace cqsim::tb::test {

enum class TapFault : std::uint8_t {
    ReportsAll,          ///< unsignaled successes too
    DropsFailures,       ///< unsignaled failures not
    DropsEveryThird,     ///< of its queue's requests
    DropsAll,            ///< no tap at all: nothing is reported
    PassesAllUncounted,  ///< a pass-through: stamps, reports all, tells the QP table nothing
};

/// What a QP table does not do, or does wrongly.
struct QpTableFault {
    bool swaps_cqs = false;          ///< sends report to the receive CQ, receives to the send CQ
    bool ignores_sig_all = false;    ///< S2.1
    bool ignores_failures = false;   ///< a failed completion does not move the QP to ERR
    bool ignores_refusals = false;   ///< a refused one does not
    bool forgets_receives = false;   ///< the receive pipeline does not hear that the QP failed
    bool forgets_sends = false;      ///< the send pipeline does not
    bool ignores_turns = false;      ///< K18: both queues flush at once
    bool forgets_flushed = false;    ///< K18: does not hear that the first queue is through
    bool drained_at_once = false;    ///< S2.23: hears in SQD that no send is in progress
    bool leaves_later_ones = false;  ///< the pipelines flush what they hold in ERR, no later post
    bool counts_nothing = false;     ///< a life ends with its completions inside the block (D3)
    bool revives_dead = false;       ///< says of any life that it goes on
    std::optional<QpState> hides{};  ///< no pipeline hears that a QP went to this state
    LastWqeSaid last_wqe = LastWqeSaid::Behind;
    unsigned limit_events = 1;  ///< for each limit of an SRQ that is passed
};

/// Where the writer's links are spoiled.
struct WriterHooks {
    CompletionHooks completions;  ///< from the arbiter
    SlotHooks slots;              ///< to the overflow checker
    DmaHooks dma;                 ///< to memory
};

EngineFactories broken_tap(QueueKind queue, TapFault fault);
EngineFactories broken_arbiter(ArbiterOrder order);
EngineFactories broken_writer(const WriterHooks& hooks);
/// Takes no time and has no window: the entry is in memory when the completion is offered.
EngineFactories pass_through_writer();
EngineFactories broken_checker(CheckerFault fault);
EngineFactories broken_qp_table(const QpTableFault& fault);

}  // namespace cqsim::tb::test
