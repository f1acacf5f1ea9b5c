// SPDX-License-Identifier: Apache-2.0
// QP tables that get the life of a QP wrong, each in a shipped scenario: which rule the checkers
// name. The expected rule is what spec.md says about the fault, before any run.
#include "tb/integration/mutant_run.h"

#include <catch2/catch.hpp>

namespace cqsim::tb::test {
namespace {

MutantRun run_table(const char* scenario, const QpTableFault& fault) {
    return run_with(scenario, broken_qp_table(fault));
}

}  // namespace

TEST_CASE("S7.3 a life that ends while its completions are inside the block") {
    QpTableFault fault;
    fault.counts_nothing = true;
    CHECK(names_rule(run_table("destroy_in_traffic", fault), "S7.3"));
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

}  // namespace cqsim::tb::test
