// SPDX-License-Identifier: Apache-2.0
// QP tables and command units that get the life of an object wrong, each in a shipped scenario:
// which rule the checkers name. The expected rule is what spec.md says about the fault, before any
// run.
#include "tb/integration/broken_commands.h"
#include "tb/integration/mutant_run.h"

#include <catch2/catch.hpp>

namespace cqsim::tb::test {
namespace {

MutantRun run_table(const char* scenario, const QpTableFault& fault) {
    return run_with(scenario, broken_qp_table(fault));
}

MutantRun run_commands(const char* scenario, const CommandFault& fault) {
    return run_with(scenario, broken_commands(fault));
}

}  // namespace

TEST_CASE("S7.2 S7.3 a life that ends while its completions are inside the block") {
    QpTableFault fault;
    fault.counts_nothing = true;
    const MutantRun run = run_table("destroy_qp", fault);
    CHECK(names_rule(run, "S7.3"));  // those without an answer
    CHECK(names_rule(run, "S7.2"));  // those whose entry is on its way
}

TEST_CASE("S7.2 a QP table that takes completions of a dead life for live ones") {
    QpTableFault fault;
    fault.revives_dead = true;
    CHECK(names_rule(run_table("destroy_in_traffic", fault), "S7.2"));
}

TEST_CASE("S7.3 a reset of which the pipelines do not hear") {
    QpTableFault fault;
    fault.hides = QpState::Reset;
    CHECK(names_rule(run_table("destroy_in_traffic", fault), "S7.3"));
}

TEST_CASE("S2.22 a QP table that tells no pipeline of SQE") {
    QpTableFault fault;
    fault.hides = QpState::Sqe;
    CHECK(names_rule(run_table("sqe", fault), "S2.22"));
}

TEST_CASE("S2.23 a QP table that tells no pipeline of SQD") {
    QpTableFault fault;
    fault.hides = QpState::Sqd;
    CHECK(names_rule(run_table("sq_drain", fault), "S2.23"));
}

TEST_CASE("S2.26 a QP table that never raises LAST_WQE_REACHED") {
    QpTableFault fault;
    fault.last_wqe = LastWqeSaid::Never;
    CHECK(names_rule(run_table("srq", fault), "S2.26"));
}

TEST_CASE("S2.26 a QP table that raises LAST_WQE_REACHED before the flushed receives") {
    QpTableFault fault;
    fault.last_wqe = LastWqeSaid::AtOnce;
    CHECK(names_rule(run_table("srq", fault), "S2.26"));
}

TEST_CASE("S2.26 a QP table that lets a QP on an SRQ take requests in ERR") {
    QpTableFault fault;
    fault.forgets_receives = true;
    CHECK(names_rule(run_table("srq", fault), "S2.26"));
}

TEST_CASE("S5.9 a QP table that never raises SRQ_LIMIT_REACHED") {
    QpTableFault fault;
    fault.limit_events = 0;
    CHECK(names_rule(run_table("srq", fault), "S5.9"));
}

TEST_CASE("S5.9 a QP table that raises SRQ_LIMIT_REACHED twice") {
    QpTableFault fault;
    fault.limit_events = 2;
    CHECK(names_rule(run_table("srq", fault), "S5.9"));
}

TEST_CASE("control: the command unit between shims passes without a fault") {
    CHECK(passes(run_commands("destroy_cq", {})));
}

TEST_CASE("S4.11 a command unit that destroys a CQ in use") {
    CommandFault fault;
    fault.destroys_used_cqs = true;
    CHECK(names_rule(run_commands("destroy_cq", fault), "S4.11"));
}

TEST_CASE("S4.5 a command unit that leaves the arm of a destroyed CQ") {
    CommandFault fault;
    fault.keeps_arms = true;
    CHECK(fails(run_commands("destroy_cq", fault)));
}

// No record says when software was answered: what the scenario expects says that it was too early.
TEST_CASE("S7.3 a command unit that acknowledges with work in flight fails reset_qp") {
    CommandFault fault;
    fault.acknowledges_early = true;
    CHECK(fails(run_commands("reset_qp", fault)));
}

TEST_CASE("S4.2 11 a command unit that folds the numbers of event queues") {
    CommandFault fault;
    fault.folds_eqns = true;
    CHECK(fails(run_commands("cases/11_vector_out_of_range", fault)));
}

TEST_CASE("S4.2 10 a command unit that makes less of a depth than was asked for") {
    CommandFault fault;
    fault.clamps_depths = true;
    CHECK(fails(run_commands("cases/10_depth_zero_max_rounding", fault)));
}

TEST_CASE("S4.2 a command unit that answers 'ok' to what was refused fails destroy_cq") {
    CommandFault fault;
    fault.accepts_all = true;
    CHECK(fails(run_commands("destroy_cq", fault)));
}

}  // namespace cqsim::tb::test
