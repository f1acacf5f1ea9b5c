// SPDX-License-Identifier: Apache-2.0
// Each block taken away, or replaced by one that only passes on: which shipped scenario fails.
// README.md has the table.
#include "tb/integration/broken_event.h"
#include "tb/integration/mutant_run.h"

#include <catch2/catch.hpp>

namespace cqsim::tb::test {

TEST_CASE("without a send tap first_look fails") {
    CHECK(fails(run_with("first_look", broken_tap(QueueKind::Send, TapFault::DropsAll))));
}

TEST_CASE("with a send tap that passes all first_look fails") {
    CHECK(fails(run_with("first_look", broken_tap(QueueKind::Send, TapFault::PassesAllUncounted))));
}

TEST_CASE("without a receive tap first_look fails") {
    CHECK(fails(run_with("first_look", broken_tap(QueueKind::Receive, TapFault::DropsAll))));
}

TEST_CASE("with a receive tap that passes all destroy_in_traffic fails") {
    CHECK(fails(run_with("destroy_in_traffic",
                         broken_tap(QueueKind::Receive, TapFault::PassesAllUncounted))));
}

TEST_CASE("with an arbiter that passes all two_taps fails") {
    CHECK(fails(run_with("two_taps", broken_arbiter(ArbiterOrder::Arrival))));
}

TEST_CASE("with an arbiter that passes all back_pressure fails") {
    CHECK(fails(run_with("back_pressure", broken_arbiter(ArbiterOrder::Arrival))));
}

TEST_CASE("without a writer first_look fails") {
    WriterHooks hooks;
    hooks.completions.offered = [](Completion& /*completion*/) { return false; };
    CHECK(fails(run_with("first_look", broken_writer(hooks))));
}

TEST_CASE("with a writer that takes no time back_pressure fails") {
    CHECK(fails(run_with("back_pressure", pass_through_writer())));
}

TEST_CASE("with an overflow checker that passes all overrun fails") {
    CHECK(fails(run_with("overrun", broken_checker(CheckerFault::NeverFull))));
}

TEST_CASE("with a QP table that only looks up overrun fails") {
    QpTableFault fault;
    fault.ignores_failures = true;
    fault.ignores_refusals = true;
    CHECK(fails(run_with("overrun", broken_qp_table(fault))));
}

TEST_CASE("without a memory first_look fails") {
    WriterHooks hooks;
    hooks.dma.write = [](tlm::tlm_generic_payload& /*payload*/,
                         tlm::tlm_initiator_socket<>& /*socket*/) { return WriteFate::Swallow; };
    CHECK(fails(run_with("first_look", broken_writer(hooks))));
}

TEST_CASE("with a memory that takes no time back_pressure fails") {
    const Scenario scenario = shipped(
        "back_pressure", {"device.memory.write_latency=0 ps", "device.memory.bandwidth=unlimited"});
    CHECK(fails(run_with(scenario, EngineFactories::standard())));
}

TEST_CASE("without a host first_look fails") {
    Scenario scenario = shipped("first_look");
    scenario.host.clear();
    CHECK(fails(run_with(scenario, EngineFactories::standard())));
}

TEST_CASE("two_taps with rx_first: the order at the tie is turned round") {
    Scenario scenario = shipped("two_taps", {"device.completion_arbiter.tie_break=rx_first"});
    Expectation& order = scenario.expect.front();
    REQUIRE(order.kind == ExpectKind::Sequence);
    REQUIRE(order.patterns.size() == 2);
    std::swap(order.patterns[0], order.patterns[1]);
    CHECK(passes(run_with(scenario, EngineFactories::standard())));
}

TEST_CASE("two_taps with rx_first: tx_first's order does not come") {
    const Scenario scenario = shipped("two_taps", {"device.completion_arbiter.tie_break=rx_first"});
    CHECK(fails(run_with(scenario, EngineFactories::standard())));
}

TEST_CASE("K20 late_consumer_index overruns when the host is late") {
    const Scenario scenario = shipped("late_consumer_index", {"host.0.start=15 us"});
    const MutantRun run = run_with(scenario, EngineFactories::standard());
    CHECK(fails(run));
    CHECK(run.rules.empty());  // a legal overrun: no rule is broken, an expectation is
}

TEST_CASE("without an event arbiter interrupts fails") {
    EventHooks hooks;
    hooks.published = [](PublishedEntry&) { return 0U; };
    hooks.raised = [](AsyncReport&) { return 0U; };
    CHECK(fails(run_with("interrupts", broken_event(hooks))));
}

TEST_CASE("with an event arbiter that reports every entry case 49 fails") {
    EventHooks hooks;
    hooks.armed_at_birth = true;
    hooks.rearms = true;
    CHECK(fails(run_with("cases/49_arm_before_the_first_completion", broken_event(hooks))));
}

TEST_CASE("without a doorbell unit event_queue_full fails") {
    EventHooks hooks;
    hooks.armed = [](Cqn&, std::uint32_t&, ArmKind&) { return 0U; };
    CHECK(fails(run_with("event_queue_full", broken_event(hooks))));
}

}  // namespace cqsim::tb::test
