// SPDX-License-Identifier: Apache-2.0
// QP state and what a QP reports to (S1.11, S2.18, S5.3d, S5.3e, K06).
#include "models/qp/qp_rules.h"

#include <catch2/catch.hpp>

namespace {

using namespace cqsim;

constexpr Qpn kQp{3};
constexpr Qpn kOther{4};

QpRules rules_with_two_qps() {
    QpRules rules(Rows<QpRow>(8), 16);
    CHECK(rules.create({kQp, Cqn{10}, Cqn{11}, 64, 32, false}).result == CommandResult::Ok);
    CHECK(rules.create({kOther, Cqn{12}, Cqn{12}, 64, 32, true}).result == CommandResult::Ok);
    return rules;
}

}  // namespace

TEST_CASE("S3.9 each work queue of a QP reports to its own CQ") {
    const QpRules rules = rules_with_two_qps();
    CHECK(rules.lookup(kQp, QueueKind::Send).cqn == Cqn{10});
    CHECK(rules.lookup(kQp, QueueKind::Receive).cqn == Cqn{11});
    CHECK(rules.lookup(kOther, QueueKind::Send).cqn == Cqn{12});
    CHECK(rules.lookup(kOther, QueueKind::Receive).cqn == Cqn{12});
}

TEST_CASE("S2.1 a QP says whether all of its send requests are signaled") {
    const QpRules rules = rules_with_two_qps();
    CHECK_FALSE(rules.lookup(kQp, QueueKind::Send).sq_sig_all);
    CHECK(rules.lookup(kOther, QueueKind::Send).sq_sig_all);
}

TEST_CASE("A QP is created in RTS under a number that is in range and free") {
    QpRules rules(Rows<QpRow>(4), 16);
    CHECK(rules.row(kQp).state == QpState::Reset);
    CHECK(rules.create({kQp, Cqn{0}, Cqn{0}, 1, 1, false}).result == CommandResult::Ok);
    CHECK(rules.row(kQp).state == QpState::Rts);
    CHECK(rules.lookup(kQp, QueueKind::Send).generation == 1);
    CHECK(rules.create({kQp, Cqn{1}, Cqn{1}, 1, 1, true}).result == CommandResult::Invalid);
    CHECK(rules.lookup(kQp, QueueKind::Send).cqn == Cqn{0});
    CHECK(rules.create({Qpn{4}, Cqn{0}, Cqn{0}, 1, 1, false}).result == CommandResult::Invalid);
    CHECK(rules.create({kNoQp, Cqn{0}, Cqn{0}, 1, 1, false}).result == CommandResult::Invalid);
}

TEST_CASE("S3.9 a QP is not created with a CQ number that is out of range") {
    QpRules rules(Rows<QpRow>(4), 2);  // there are CQ 0 and 1
    const QpRules untouched = rules;
    for (const Cqn none : {Cqn{2}, Cqn{3}, Cqn{kMaxIds - 1}, Cqn{kMaxIds}, kNoCq}) {
        INFO("cqn " << index_of(none));
        CHECK(rules.create({kQp, none, Cqn{0}, 1, 1, false}).result == CommandResult::Invalid);
        CHECK(rules.create({kQp, Cqn{0}, none, 1, 1, false}).result == CommandResult::Invalid);
        CHECK(rules.create({kQp, none, none, 1, 1, false}).result == CommandResult::Invalid);
    }
    CHECK(rules == untouched);  // the number is still free, in its first life
    CHECK(rules.create({kQp, Cqn{1}, Cqn{0}, 1, 1, false}).result == CommandResult::Ok);
    CHECK_FALSE(QpRules(Rows<QpRow>(4), 2) == QpRules(Rows<QpRow>(4), 3));
    CHECK(QpRules(Rows<QpRow>(4), 2).hash() != QpRules(Rows<QpRow>(4), 3).hash());
}

TEST_CASE("D3 who creates a QP is told which life of its number that is") {
    Rows<QpRow> rows(4);
    rows[index_of(kQp)].generation = 41;  // as lives before this one leave it
    QpRules rules(std::move(rows), 1);
    const CreateQp command{kQp, Cqn{0}, Cqn{0}, 1, 1, false};
    const CommandAnswer created = rules.create(command);
    CHECK(created.result == CommandResult::Ok);
    CHECK(created.generation == 42);
    CHECK(rules.lookup(kQp, QueueKind::Send).generation == 42);
    const CommandAnswer refused = rules.create(command);  // it exists
    CHECK(refused.result == CommandResult::Invalid);
    CHECK(refused.generation == 0);
    CHECK(rules.row(kQp).generation == 42);
}

TEST_CASE("D3 a QP counts its completions inside the block") {
    QpRules rules = rules_with_two_qps();
    rules.entered(kQp, WcStatus::Success);
    rules.entered(kQp, WcStatus::WrFlushErr);
    rules.entered(kOther, WcStatus::Success);
    CHECK(rules.row(kQp).in_flight == 2);
    rules.left(kQp);
    CHECK(rules.row(kQp).in_flight == 1);
    CHECK(rules.row(kOther).in_flight == 1);
    rules.left(kQp);
    CHECK(rules.row(kQp).in_flight == 0);
}

TEST_CASE("S1.11 every status but SUCCESS and WR_FLUSH_ERR moves the QP to ERR") {
    for (std::uint8_t number = 0; number <= 23; ++number) {
        QpRules rules = rules_with_two_qps();
        const QpRules::Effect effect = rules.entered(kQp, static_cast<WcStatus>(number));
        const bool moves = number != 0 && number != 5;
        INFO("status " << unsigned{number});
        CHECK(effect.to_err == moves);
        CHECK_FALSE(effect.qp_fatal);
        CHECK(rules.row(kQp).state == (moves ? QpState::Err : QpState::Rts));
        CHECK(rules.row(kQp).in_flight == 1);
        CHECK(rules.row(kOther).state == QpState::Rts);
    }
}

TEST_CASE("S2.19 a QP goes to ERR once and says which state it left") {
    QpRules rules = rules_with_two_qps();
    const QpRules::Effect first = rules.entered(kQp, WcStatus::RetryExcErr);
    CHECK(first.to_err);
    CHECK(first.before == QpState::Rts);
    CHECK_FALSE(rules.entered(kQp, WcStatus::LocProtErr).to_err);
    CHECK_FALSE(rules.entered(kQp, WcStatus::WrFlushErr).to_err);
    CHECK(rules.row(kQp).state == QpState::Err);
}

TEST_CASE("S5.3d a QP that cannot use its CQ goes to ERR with QP_FATAL") {
    QpRules rules = rules_with_two_qps();
    const QpRules::Effect effect = rules.cq_unusable(kQp, 1);
    CHECK(effect.to_err);
    CHECK(effect.qp_fatal);
    CHECK(effect.before == QpState::Rts);
    CHECK(rules.row(kQp).state == QpState::Err);
}

TEST_CASE("K06 QP_FATAL is raised once per QP") {
    QpRules rules = rules_with_two_qps();
    CHECK(rules.cq_unusable(kQp, 1).qp_fatal);
    const QpRules::Effect second = rules.cq_unusable(kQp, 1);
    CHECK_FALSE(second.to_err);
    CHECK_FALSE(second.qp_fatal);
    CHECK(rules.cq_unusable(kOther, 1).qp_fatal);
}

TEST_CASE("S5.3d a QP that is in ERR already still gets its QP_FATAL when its CQ is unusable") {
    QpRules rules = rules_with_two_qps();
    rules.entered(kQp, WcStatus::RetryExcErr);
    const QpRules::Effect effect = rules.cq_unusable(kQp, 1);
    CHECK_FALSE(effect.to_err);
    CHECK(effect.qp_fatal);
}

TEST_CASE("S5.3e the other QPs of a CQ in error are untouched until they try to use it") {
    QpRules rules = rules_with_two_qps();
    rules.cq_unusable(kQp, 1);
    CHECK(rules.row(kOther).state == QpState::Rts);
    CHECK(rules.cq_unusable(kOther, 1).to_err);
}

TEST_CASE("D3 a completion of an earlier life of the number does nothing to the QP") {
    QpRules rules = rules_with_two_qps();
    const QpRules::Effect effect = rules.cq_unusable(kQp, 0);
    CHECK_FALSE(effect.to_err);
    CHECK_FALSE(effect.qp_fatal);
    CHECK(rules.row(kQp).state == QpState::Rts);
}

TEST_CASE("P2 a copied QP table equals the original and answers as it does") {
    QpRules original = rules_with_two_qps();
    original.entered(kQp, WcStatus::Success);
    original.entered(kQp, WcStatus::RetryExcErr);
    QpRules copy = original;
    REQUIRE(copy == original);
    REQUIRE(copy.hash() == original.hash());
    for (QpRules* rules : {&original, &copy}) {
        const QpRules::Effect effect = rules->cq_unusable(kQp, 1);
        CHECK_FALSE(effect.to_err);
        CHECK(effect.qp_fatal);
        rules->left(kQp);
        CHECK(rules->entered(kOther, WcStatus::RemOpErr).to_err);
    }
    CHECK(copy == original);
    CHECK(copy.hash() == original.hash());
    copy.left(kQp);
    CHECK_FALSE(copy == original);
    CHECK(copy.hash() != original.hash());
    CHECK(original.row(kQp).in_flight == 1);
}

TEST_CASE("P2 a copy of a QP table that lies on shared lines has rows of its own") {
    LineSlab lines(8);
    QpRules original(Rows<QpRow>(lines, 16), 16);
    REQUIRE(original.create({kQp, Cqn{0}, Cqn{1}, 4, 4, false}).result == CommandResult::Ok);
    QpRules copy = original;
    REQUIRE(copy == original);
    REQUIRE(copy.hash() == original.hash());
    original.entered(kQp, WcStatus::RetryExcErr);
    CHECK(copy.row(kQp).state == QpState::Rts);
    CHECK_FALSE(copy == original);
    QpRules elsewhere(Rows<QpRow>(8), 16);  // where rows lie is not part of the state
    REQUIRE(elsewhere.create({kQp, Cqn{0}, Cqn{1}, 4, 4, false}).result == CommandResult::Ok);
    CHECK(elsewhere == copy);
    CHECK(elsewhere.hash() == copy.hash());
}
