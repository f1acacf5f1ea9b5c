// SPDX-License-Identifier: Apache-2.0
// A message that fails its QP without a receive request to blame (S2.16 class C, S1.14).
#include "models/qp/qp_rules.h"

#include <catch2/catch.hpp>

namespace cqsim {
namespace {

constexpr Qpn kViolated{1};

QpRules running() {
    QpRules rules(Rows<QpRow>(2), 1);
    rules.create({kViolated, Cqn{0}, Cqn{0}, 8, 8, false, QpType::Rc});
    for (const QpState state : {QpState::Init, QpState::Rtr, QpState::Rts}) {
        REQUIRE(rules.modify({kViolated, state}).result == CommandResult::Ok);
    }
    return rules;
}

}  // namespace

TEST_CASE("S2.16 C a violation moves the QP to ERR, without QP_FATAL") {
    QpRules rules = running();
    const QpRules::Effect effect = rules.violated(kViolated, 1);
    CHECK(effect.told);
    CHECK(effect.before == QpState::Rts);
    CHECK(effect.after == QpState::Err);
    CHECK_FALSE(effect.qp_fatal);
    CHECK(rules.row(kViolated).state() == QpState::Err);
}

TEST_CASE("S2.16 C a violation of an earlier life, or in ERR, changes nothing") {
    QpRules rules = running();
    const QpRules before = rules;
    CHECK_FALSE(rules.violated(kViolated, 0).told);
    CHECK(rules == before);
    rules.violated(kViolated, 1);
    const QpRules failed = rules;
    CHECK_FALSE(rules.violated(kViolated, 1).told);
    CHECK(rules == failed);
}

}  // namespace cqsim
