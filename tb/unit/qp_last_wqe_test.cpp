// SPDX-License-Identifier: Apache-2.0
// S2.26: when a QP on an SRQ has reached its last request.
#include "models/qp/qp_rules.h"

#include <catch2/catch.hpp>

namespace {

using namespace cqsim;

constexpr Qpn kOnSrq{1};
constexpr Qpn kOnItsOwn{2};

/// A QP on an SRQ and one that is on none, both in RTS.
QpRules rules_with_srq() {
    QpRules rules(Rows<QpRow>(4), 2);
    for (const Qpn qpn : {kOnSrq, kOnItsOwn}) {
        CreateQp command;
        command.qpn = qpn;
        command.send_cq = Cqn{0};
        command.recv_cq = Cqn{1};
        command.srqn = qpn == kOnSrq ? Srqn{3} : kNoSrq;
        REQUIRE(rules.create(command).result == CommandResult::Ok);
        for (const QpState state : {QpState::Init, QpState::Rtr, QpState::Rts}) {
            REQUIRE(rules.modify({qpn, state}).result == CommandResult::Ok);
        }
    }
    return rules;
}

}  // namespace

TEST_CASE("S2.26 a QP on an SRQ reaches its last request in ERR, and in no other state") {
    QpRules rules = rules_with_srq();
    const QpRules before = rules;
    CHECK_FALSE(rules.last_wqe_ended(kOnSrq, 1));  // it is in RTS
    CHECK(rules == before);
    rules.modify({kOnSrq, QpState::Sqd, false});
    CHECK_FALSE(rules.last_wqe_ended(kOnSrq, 1));
    rules.modify({kOnSrq, QpState::Err});
    const QpRules in_error = rules;
    CHECK(rules.last_wqe_ended(kOnSrq, 1));
    CHECK_FALSE(rules == in_error);
    CHECK(rules.hash() != in_error.hash());
}

TEST_CASE("S2.26 a QP reaches its last request once in a life") {
    QpRules rules = rules_with_srq();
    rules.modify({kOnSrq, QpState::Err});
    CHECK(rules.last_wqe_ended(kOnSrq, 1));
    CHECK_FALSE(rules.last_wqe_ended(kOnSrq, 1));
    rules.modify({kOnSrq, QpState::Err});  // from ERR to ERR: the same life
    CHECK_FALSE(rules.last_wqe_ended(kOnSrq, 1));
    rules.modify({kOnSrq, QpState::Reset});
    rules.finish_life(kOnSrq);
    rules.modify({kOnSrq, QpState::Err});
    CHECK_FALSE(rules.last_wqe_ended(kOnSrq, 1));  // said of the life before
    CHECK(rules.last_wqe_ended(kOnSrq, 2));
}

TEST_CASE("S2.26 a QP with a receive queue of its own has no last request") {
    QpRules rules = rules_with_srq();
    rules.modify({kOnItsOwn, QpState::Err});
    CHECK_FALSE(rules.last_wqe_ended(kOnItsOwn, 1));
}

TEST_CASE("S2.26 a number that is created again without an SRQ has no last request") {
    QpRules rules = rules_with_srq();
    REQUIRE(rules.destroy(kOnSrq).result == CommandResult::Ok);
    rules.finish_life(kOnSrq);
    REQUIRE(rules.create({kOnSrq, Cqn{0}, Cqn{0}, 1, 1, false}).result == CommandResult::Ok);
    rules.modify({kOnSrq, QpState::Err});
    CHECK_FALSE(rules.last_wqe_ended(kOnSrq, 2));
}
