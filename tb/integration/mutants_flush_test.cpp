// SPDX-License-Identifier: Apache-2.0
// What an error makes of the rest of a QP: each rule broken in a run of a shipped scenario, and
// which rule the checkers name. The expected rule is what spec.md says about the fault, before any
// run.
#include "tb/integration/retold.h"

#include <catch2/catch.hpp>

namespace cqsim::tb::test {
namespace {

MutantRun run_flushing(const char* scenario, const QpTableFault& fault) {
    return run_with(scenario, broken_qp_table(fault));
}

constexpr std::uint32_t kReliable = 1;  // in sqe.toml: RC; its first send fails, five flush

}  // namespace

TEST_CASE("control: a QP table between shims passes") {
    CHECK(passes(run_flushing("drain", {})));
}

TEST_CASE("S2.18 only the send queue is flushed") {
    QpTableFault fault;
    fault.forgets_receives = true;
    CHECK(names_rule(run_flushing("sqe", fault), "S2.18"));
}

TEST_CASE("S2.19 only the receive queue is flushed: successes come after an error") {
    QpTableFault fault;
    fault.forgets_sends = true;
    CHECK(names_rule(run_flushing("sqe", fault), "S2.19"));
}

TEST_CASE("S2.18 only the receive queue is flushed: successes come in ERR") {
    QpTableFault fault;
    fault.forgets_sends = true;
    CHECK(names_rule(run_flushing("receive_fails", fault), "S2.18"));
}

TEST_CASE("S2.18 a QP drained by markers goes on with its sends") {
    QpTableFault fault;
    fault.forgets_sends = true;
    CHECK(names_rule(run_flushing("drain", fault), "S2.18"));
}

TEST_CASE("S2.19 a second request of a queue fails with a cause of its own") {
    const RetoldRun run = run_with_pipeline("sqe", QueueKind::Send, [](Completion& completion) {
        if (index_of(completion.qpn) == kReliable && completion.wqe_index == 3) {
            completion.status = WcStatus::RetryExcErr;
        }
    });
    CHECK(names_rule(run.run, "S1.2"));
    CHECK(tells(run, {"S2.19"}));
}

TEST_CASE("S2.19 a request succeeds behind one of its queue that failed") {
    const RetoldRun run = run_with_pipeline("sqe", QueueKind::Send, [](Completion& completion) {
        if (index_of(completion.qpn) == kReliable && completion.wqe_index == 3) {
            completion.status = WcStatus::Success;
        }
    });
    CHECK(names_rule(run.run, "S1.2"));
    CHECK(run.told.count("S2.19") == 1);
}

TEST_CASE("S2.18 what is posted in ERR is not flushed") {
    QpTableFault fault;
    fault.leaves_later_ones = true;
    CHECK(names_rule(run_flushing("cases/44_room_for_the_markers", fault), "S2.18"));
}

TEST_CASE("S2.21 both queues flush at once where one is to come first") {
    QpTableFault fault;
    fault.ignores_turns = true;
    CHECK(names_rule(run_flushing("drain", fault), "S2.21"));
}

TEST_CASE("S2.18 the second queue waits for ever for the first") {
    QpTableFault fault;
    fault.forgets_flushed = true;
    CHECK(names_rule(run_flushing("drain", fault), "S2.18"));
}

TEST_CASE("S2.23 SQ_DRAINED while sends are in progress") {
    QpTableFault fault;
    fault.drained_at_once = true;
    CHECK(names_rule(run_flushing("sq_drain", fault), "S2.23"));
}

}  // namespace cqsim::tb::test
