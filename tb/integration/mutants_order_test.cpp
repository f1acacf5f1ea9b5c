// SPDX-License-Identifier: Apache-2.0
// Broken arbiters, overflow checkers and QP tables, each in a shipped scenario: which rule the
// checkers name. The expected rule is what spec.md says about the fault, before any run.
#include "tb/integration/mutant_run.h"

#include <catch2/catch.hpp>

namespace cqsim::tb::test {
namespace {

MutantRun run_checker(const char* scenario, CheckerFault fault) {
    return run_with(scenario, broken_checker(fault));
}

}  // namespace

TEMPLATE_TEST_CASE_SIG(
    "control: the simple checker passes without a fault", "", ((int which), which), 0, 1, 2) {
    const std::array<const char*, 3> scenarios{"exactly_full", "overrun", "first_look"};
    CHECK(passes(run_checker(scenarios.at(static_cast<std::size_t>(which)), CheckerFault::None)));
}

TEST_CASE("S3.10 an arbiter that serves the newest of a work queue first") {
    CHECK(
        names_rule(run_with("back_pressure", broken_arbiter(ArbiterOrder::NewestFirst)), "S3.10"));
}

TEST_CASE("S3.3 a checker whose owner value never changes") {
    CHECK(names_rule(run_checker("exactly_full", CheckerFault::OwnerStuck), "S3.3"));
}

TEST_CASE("S3.3 a checker that gives the first slot of a lap the owner of the lap before") {
    CHECK(names_rule(run_checker("exactly_full", CheckerFault::OwnerLate), "S3.3"));
}

TEST_CASE("S3.10 a checker that gives each slot its neighbour's address") {
    CHECK(names_rule(run_checker("exactly_full", CheckerFault::SwapsSlots), "S3.10"));
}

TEST_CASE("S3.13 a checker that gives a slot an index too far") {
    CHECK(names_rule(run_checker("exactly_full", CheckerFault::SkipsIndex), "S3.13"));
}

TEST_CASE("S3.14 and S5.3i a checker for which no CQ is full") {
    const MutantRun run = run_checker("overrun", CheckerFault::NeverFull);
    CHECK(names_rule(run, "S3.14"));
    CHECK(names_rule(run, "S5.3i"));
}

TEST_CASE("S5.3a a checker that believes an old consumer index") {
    CHECK(names_rule(run_checker("exactly_full", CheckerFault::StaleIndex), "S5.3a"));
}

TEST_CASE("S5.3a a checker that declares an overrun with one slot free") {
    CHECK(names_rule(run_checker("exactly_full", CheckerFault::FullTooEarly), "S5.3a"));
}

TEST_CASE("S5.3b a checker that raises CQ_ERR at each attempt") {
    CHECK(names_rule(run_checker("overrun", CheckerFault::ErrPerAttempt), "S5.3b"));
}

TEST_CASE("S5.3b a checker that raises no CQ_ERR") {
    CHECK(names_rule(run_checker("overrun", CheckerFault::NoErr), "S5.3b"));
}

TEST_CASE("S5.3c a checker whose CQ recovers when it is drained") {
    CHECK(names_rule(run_checker("overrun", CheckerFault::Recovers), "S5.3c"));
}

TEST_CASE("S5.3d a checker that tells no QP") {
    CHECK(names_rule(run_checker("overrun", CheckerFault::FailsNoQp), "S5.3d"));
}

TEST_CASE("S5.3d a QP table that does not fail a QP whose completion was refused") {
    QpTableFault fault;
    fault.ignores_refusals = true;
    CHECK(names_rule(run_with("overrun", broken_qp_table(fault)), "S5.3d"));
}

TEST_CASE("S5.3e a checker that fails every QP at once") {
    CHECK(names_rule(run_checker("overrun", CheckerFault::FailsAllQps), "S5.3e"));
}

TEST_CASE("S3.9 a QP table that swaps the two CQs of a QP") {
    QpTableFault fault;
    fault.swaps_cqs = true;
    CHECK(names_rule(run_with("overrun", broken_qp_table(fault)), "S3.9"));
}

TEST_CASE("S2.1 a QP table that forgets sq_sig_all") {
    QpTableFault fault;
    fault.ignores_sig_all = true;
    CHECK(names_rule(run_with("overrun", broken_qp_table(fault)), "S2.1"));
}

TEST_CASE("S2.18 a QP table that does not tell the receive pipeline") {
    QpTableFault fault;
    fault.forgets_receives = true;
    CHECK(names_rule(run_with("receive_fails", broken_qp_table(fault)), "S2.18"));
}

TEST_CASE("S2.18 a QP table that leaves a QP in RTS after a failed completion") {
    QpTableFault fault;
    fault.ignores_failures = true;
    CHECK(names_rule(run_with("receive_fails", broken_qp_table(fault)), "S2.18"));
}

}  // namespace cqsim::tb::test
