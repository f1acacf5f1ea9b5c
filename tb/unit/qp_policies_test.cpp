// SPDX-License-Identifier: Apache-2.0
// What the QP table decides by policy: order of flush (S2.21, K18), states of reset (S7.4, K21).
#include "models/qp/qp_rules.h"

#include <catch2/catch.hpp>

#include <array>

namespace {

using namespace cqsim;

constexpr Qpn kPolicyQp{1};
constexpr std::array<QpState, 7> kAllStates{QpState::Reset,
                                            QpState::Init,
                                            QpState::Rtr,
                                            QpState::Rts,
                                            QpState::Sqd,
                                            QpState::Sqe,
                                            QpState::Err};

QpRules rules_of(FlushOrder order, ResetFrom reset_from = ResetFrom::Any) {
    QpRules rules(Rows<QpRow>(2), 1, {order, reset_from});
    rules.create({kPolicyQp, Cqn{0}, Cqn{0}, 8, 8, false, QpType::Ud});
    for (const QpState state : {QpState::Init, QpState::Rtr, QpState::Rts}) {
        REQUIRE(rules.modify({kPolicyQp, state}).result == CommandResult::Ok);
    }
    return rules;
}

/// What the two queues are told of it.
std::array<FlushTurn, 2> turns_of(const QpRules& rules, const QpRules::Effect& effect) {
    REQUIRE(effect.told);
    return rules.change(kPolicyQp, effect).turns;
}

using Turns = std::array<FlushTurn, 2>;
constexpr Turns kFree{FlushTurn::Free, FlushTurn::Free};

}  // namespace

TEST_CASE("K18 a QP that goes to ERR tells which queue is first and which one waits") {
    const std::array<Turns, 3> wanted{Turns{FlushTurn::First, FlushTurn::Waits},
                                      Turns{FlushTurn::Waits, FlushTurn::First},
                                      kFree};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto order = static_cast<FlushOrder>(i);
        CAPTURE(i);
        QpRules asked = rules_of(order);
        CHECK(turns_of(asked, asked.modify({kPolicyQp, QpState::Err}).effect) == wanted.at(i));
        QpRules failed = rules_of(order);
        CHECK(turns_of(failed,
                       failed.request_failed(
                           kPolicyQp, 1, QueueKind::Receive, WcStatus::LocLenErr)) == wanted.at(i));
        QpRules refused = rules_of(order);
        CHECK(turns_of(refused, refused.cq_unusable(kPolicyQp, 1)) == wanted.at(i));
    }
}

TEST_CASE("K18 no other change says anything of turns, nor does ERR in ERR") {
    QpRules rules = rules_of(FlushOrder::SqThenRq);
    CHECK(turns_of(rules, rules.modify({kPolicyQp, QpState::Sqd}).effect) == kFree);
    CHECK(turns_of(rules, rules.modify({kPolicyQp, QpState::Rts}).effect) == kFree);
    CHECK(turns_of(rules,
                   rules.request_failed(kPolicyQp, 1, QueueKind::Send, WcStatus::LocProtErr)) ==
          kFree);  // SQE: the send queue flushes alone
    CHECK(turns_of(rules, rules.modify({kPolicyQp, QpState::Err}).effect) ==
          Turns{FlushTurn::First, FlushTurn::Waits});
    CHECK(turns_of(rules, rules.modify({kPolicyQp, QpState::Err}).effect) == kFree);
    CHECK(turns_of(rules, rules.modify({kPolicyQp, QpState::Reset}).effect) == kFree);
}

TEST_CASE("K18 the second queue goes when the first is through, and by no other word") {
    QpRules rules = rules_of(FlushOrder::SqThenRq);
    CHECK_FALSE(rules.flushed(kPolicyQp, 1, QueueKind::Send).told);  // not in ERR
    rules.modify({kPolicyQp, QpState::Err});
    CHECK_FALSE(rules.flushed(kPolicyQp, 1, QueueKind::Receive).told);  // it is the second
    CHECK_FALSE(rules.flushed(kPolicyQp, 2, QueueKind::Send).told);     // of no life that goes on
    const QpRules::Effect through = rules.flushed(kPolicyQp, 1, QueueKind::Send);
    CHECK(turns_of(rules, through) == Turns{FlushTurn::Free, FlushTurn::Goes});
    CHECK_FALSE(through.changed());
    CHECK_FALSE(through.qp_fatal);

    QpRules other = rules_of(FlushOrder::RqThenSq);
    other.modify({kPolicyQp, QpState::Err});
    CHECK(turns_of(other, other.flushed(kPolicyQp, 1, QueueKind::Receive)) ==
          Turns{FlushTurn::Goes, FlushTurn::Free});
    QpRules both = rules_of(FlushOrder::Interleaved);
    both.modify({kPolicyQp, QpState::Err});
    CHECK_FALSE(both.flushed(kPolicyQp, 1, QueueKind::Send).told);
}

TEST_CASE("S7.4 K21 RESET is reached from any state, or from ERR and itself alone") {
    for (const QpState from : kAllStates) {
        CAPTURE(name(from));
        CHECK(may_modify(from, QpState::Reset, ResetFrom::Any));
        CHECK(may_modify(from, QpState::Reset, ResetFrom::Error) ==
              (from == QpState::Err || from == QpState::Reset));
        for (const QpState to : kAllStates) {
            if (to != QpState::Reset) {  // K21 is about nothing else
                CHECK(may_modify(from, to, ResetFrom::Any) ==
                      may_modify(from, to, ResetFrom::Error));
            }
        }
    }
}

TEST_CASE("K21 a reset that is refused changes nothing, and ERR leads out") {
    QpRules rules = rules_of(FlushOrder::SqThenRq, ResetFrom::Error);
    const QpRules before = rules;
    const QpRules::Answer refused = rules.modify({kPolicyQp, QpState::Reset});
    CHECK(refused.result == CommandResult::Invalid);
    CHECK_FALSE(refused.ends_life);
    CHECK(rules == before);
    rules.modify({kPolicyQp, QpState::Err});
    CHECK(rules.modify({kPolicyQp, QpState::Reset}).ends_life);
    REQUIRE(rules.finish_life(kPolicyQp));
    CHECK(rules.modify({kPolicyQp, QpState::Reset}).ends_life);  // from RESET itself
    REQUIRE(rules.finish_life(kPolicyQp));
    CHECK(rules.destroy(kPolicyQp).result == CommandResult::Ok);  // a destroy is no reset
}

TEST_CASE("S1.18 a QP keeps its type") {
    QpRules rules(Rows<QpRow>(1 + kQpTypes.size()), 1);
    std::uint32_t number = 0;
    for (const QpType type : kQpTypes) {
        rules.create({Qpn{number++}, Cqn{0}, Cqn{0}, 8, 8, false, type});
    }
    number = 0;
    for (const QpType type : kQpTypes) {
        CHECK(rules.row(Qpn{number++}).type() == type);
    }
}

TEST_CASE("P2 the policies are part of what a QP table is") {
    CHECK_FALSE(rules_of(FlushOrder::SqThenRq) == rules_of(FlushOrder::RqThenSq));
    CHECK_FALSE(rules_of(FlushOrder::SqThenRq, ResetFrom::Any) ==
                rules_of(FlushOrder::SqThenRq, ResetFrom::Error));
}
