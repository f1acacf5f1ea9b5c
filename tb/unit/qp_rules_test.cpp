// SPDX-License-Identifier: Apache-2.0
// QP state and what a QP reports to (S1.11, S2.18, S5.3d, S5.3e, S7.1 to S7.3, K06, D3).
#include "models/qp/qp_rules.h"

#include <catch2/catch.hpp>

#include <array>

namespace {

using namespace cqsim;

constexpr Qpn kQp{3};
constexpr Qpn kOther{4};
constexpr std::uint32_t kCqs = 16;

void bring_up(QpRules& rules, Qpn qpn) {
    for (const QpState state : {QpState::Init, QpState::Rtr, QpState::Rts}) {
        REQUIRE(rules.modify({qpn, state}).result == CommandResult::Ok);
    }
}

/// kQp reports sends to CQ 10 and receives to CQ 11, kOther both to CQ 12; both are in RTS.
QpRules rules_with_two_qps(QpType type = QpType::Rc) {
    QpRules rules(Rows<QpRow>(8), kCqs);
    CHECK(rules.create({kQp, Cqn{10}, Cqn{11}, 64, 32, false, type}).result == CommandResult::Ok);
    CHECK(rules.create({kOther, Cqn{12}, Cqn{12}, 64, 32, true, type}).result == CommandResult::Ok);
    bring_up(rules, kQp);
    bring_up(rules, kOther);
    return rules;
}

QpRules::Effect failed(QpRules& rules, Qpn qpn, WcStatus status = WcStatus::RetryExcErr) {
    return rules.request_failed(qpn, 1, QueueKind::Send, status);
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

TEST_CASE("A QP is created in RESET under a number that is in range and free") {
    QpRules rules(Rows<QpRow>(4), kCqs);
    const CommandAnswer created = rules.create({kQp, Cqn{0}, Cqn{0}, 1, 1, false});
    CHECK(created.result == CommandResult::Ok);
    CHECK(created.generation == 1);
    CHECK(rules.row(kQp).state() == QpState::Reset);
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
    rows[index_of(kQp)].generation = 42;  // as the destroy of the QP before it leaves the number
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
    rules.entered(kQp, QueueKind::Send);
    rules.entered(kQp, QueueKind::Send);
    rules.entered(kOther, QueueKind::Send);
    CHECK(rules.row(kQp).in_flight() == 2);
    rules.left(kQp, QueueKind::Send);
    CHECK(rules.row(kQp).in_flight() == 1);
    CHECK(rules.row(kOther).in_flight() == 1);
    rules.left(kQp, QueueKind::Send);
    CHECK(rules.row(kQp).in_flight() == 0);
}

TEST_CASE("S2.22 to S2.24, K21 which state software may ask for, all pairs") {
    // By ibv_modify_qp.3 as the sheet quotes it; a row per state that the QP is in.
    constexpr std::array<std::array<int, 7>, 7> kMay{{
        // RESET INIT RTR RTS SQD SQE ERR
        {1, 1, 0, 0, 0, 0, 1},  // RESET
        {1, 1, 1, 0, 0, 0, 1},  // INIT
        {1, 0, 0, 1, 0, 0, 1},  // RTR
        {1, 0, 0, 1, 1, 0, 1},  // RTS
        {1, 0, 0, 1, 1, 0, 1},  // SQD
        {1, 0, 0, 1, 0, 0, 1},  // SQE
        {1, 0, 0, 0, 0, 0, 1},  // ERR
    }};
    for (std::uint8_t from = 0; from < 7; ++from) {
        for (std::uint8_t to = 0; to < 7; ++to) {
            INFO(name(static_cast<QpState>(from)) << " to " << name(static_cast<QpState>(to)));
            QpRules rules(Rows<QpRow>(8), kCqs);
            REQUIRE(rules.create({kQp, Cqn{0}, Cqn{0}, 1, 1, false, QpType::Uc}).result ==
                    CommandResult::Ok);
            const auto state = static_cast<QpState>(from);
            if (state == QpState::Err) {
                rules.modify({kQp, QpState::Err});
            } else if (state != QpState::Reset) {
                rules.modify({kQp, QpState::Init});
                if (state != QpState::Init) {
                    rules.modify({kQp, QpState::Rtr});
                }
                if (from >= 3) {
                    rules.modify({kQp, QpState::Rts});
                }
                if (state == QpState::Sqd) {
                    rules.modify({kQp, QpState::Sqd});
                } else if (state == QpState::Sqe) {
                    failed(rules, kQp);
                }
            }
            REQUIRE(rules.row(kQp).state() == state);
            const QpRules untouched = rules;
            const QpRules::Answer answer = rules.modify({kQp, static_cast<QpState>(to)});
            if (kMay.at(from).at(to) != 0) {
                CHECK(answer.result == CommandResult::Ok);
                CHECK(answer.effect.told);
                CHECK(answer.effect.before == state);
                CHECK(answer.effect.after == static_cast<QpState>(to));
                CHECK(answer.effect.changed() == (from != to));
                CHECK(answer.ends_life == (to == 0));
                CHECK(rules.row(kQp).state() == static_cast<QpState>(to));
            } else {
                CHECK(answer.result == CommandResult::Invalid);
                CHECK_FALSE(answer.effect.told);
                CHECK(rules == untouched);
            }
        }
    }
}

TEST_CASE("A command to a QP that does not exist changes nothing") {
    QpRules rules = rules_with_two_qps();
    const QpRules untouched = rules;
    for (const Qpn none : {Qpn{0}, Qpn{8}, kNoQp}) {
        CHECK(rules.modify({none, QpState::Init}).result == CommandResult::NoEntry);
        CHECK(rules.destroy(none).result == CommandResult::NoEntry);
    }
    CHECK(rules == untouched);
}

TEST_CASE("S1.11, S2.22 what each failure does to a QP of each type") {
    for (const QpType type : kQpTypes) {
        const bool reliable =
            type == QpType::Rc || type == QpType::XrcSend || type == QpType::XrcRecv;
        for (const QueueKind queue : {QueueKind::Send, QueueKind::Receive}) {
            for (std::uint8_t number = 0; number <= 23; ++number) {
                QpRules rules = rules_with_two_qps(type);
                const auto status = static_cast<WcStatus>(number);
                const QpRules::Effect effect = rules.request_failed(kQp, 1, queue, status);
                QpState after = QpState::Err;
                const bool cut_short = !reliable && type != QpType::RawPacket &&
                                       queue == QueueKind::Receive &&
                                       (number == 9 || number == 16);  // S2.16, class E: UC and UD
                if (number == 0 || number == 5 || (number == 21 && type == QpType::Ud) ||
                    cut_short) {
                    after = QpState::Rts;  // SUCCESS, the flush, and GENERAL_ERR of a datagram
                } else if (!reliable && queue == QueueKind::Send) {
                    after = QpState::Sqe;
                }
                INFO(name(type) << ' ' << name(queue) << ' ' << name(status));
                CHECK(rules.row(kQp).state() == after);
                CHECK(effect.told == (after != QpState::Rts));
                CHECK_FALSE(effect.qp_fatal);
                CHECK(rules.row(kOther).state() == QpState::Rts);
            }
        }
    }
}

TEST_CASE("S2.19 a QP goes to ERR once and says which state it left") {
    QpRules rules = rules_with_two_qps();
    const QpRules::Effect first = failed(rules, kQp);
    CHECK(first.told);
    CHECK(first.before == QpState::Rts);
    CHECK(first.after == QpState::Err);
    CHECK_FALSE(failed(rules, kQp, WcStatus::LocProtErr).told);
    CHECK(rules.row(kQp).state() == QpState::Err);
}

TEST_CASE("S5.3d a QP that cannot use its CQ goes to ERR with QP_FATAL") {
    QpRules rules = rules_with_two_qps();
    const QpRules::Effect effect = rules.cq_unusable(kQp, 1);
    CHECK(effect.told);
    CHECK(effect.qp_fatal);
    CHECK(effect.before == QpState::Rts);
    CHECK(rules.row(kQp).state() == QpState::Err);
}

TEST_CASE("K06 QP_FATAL is raised once per QP, and again in a new life") {
    QpRules rules = rules_with_two_qps();
    CHECK(rules.cq_unusable(kQp, 1).qp_fatal);
    const QpRules::Effect second = rules.cq_unusable(kQp, 1);
    CHECK_FALSE(second.told);
    CHECK_FALSE(second.qp_fatal);
    CHECK(rules.cq_unusable(kOther, 1).qp_fatal);
    rules.modify({kQp, QpState::Reset});
    REQUIRE(rules.finish_life(kQp));
    bring_up(rules, kQp);
    CHECK(rules.cq_unusable(kQp, 2).qp_fatal);
}

TEST_CASE("S5.3d a QP that is in ERR already still gets its QP_FATAL when its CQ is unusable") {
    QpRules rules = rules_with_two_qps();
    failed(rules, kQp);
    const QpRules::Effect effect = rules.cq_unusable(kQp, 1);
    CHECK_FALSE(effect.told);
    CHECK(effect.qp_fatal);
}

TEST_CASE("S5.3e the other QPs of a CQ in error are untouched until they try to use it") {
    QpRules rules = rules_with_two_qps();
    rules.cq_unusable(kQp, 1);
    CHECK(rules.row(kOther).state() == QpState::Rts);
    CHECK(rules.cq_unusable(kOther, 1).told);
}

TEST_CASE("D3 a completion or a failure of an earlier life of the number does nothing to the QP") {
    QpRules rules = rules_with_two_qps();
    rules.modify({kQp, QpState::Reset});
    REQUIRE(rules.finish_life(kQp));
    bring_up(rules, kQp);
    const QpRules untouched = rules;
    const QpRules::Effect effect = rules.cq_unusable(kQp, 1);
    CHECK_FALSE(effect.told);
    CHECK_FALSE(effect.qp_fatal);
    CHECK_FALSE(failed(rules, kQp).told);
    CHECK_FALSE(rules.drained(kQp, 1));
    CHECK(rules == untouched);
    CHECK_FALSE(rules.live(kQp, 1));
    CHECK(rules.live(kQp, 2));
}

TEST_CASE("S7.1, D3 a reset begins a new life at once and is done when nothing is in flight") {
    QpRules rules = rules_with_two_qps();
    rules.entered(kQp, QueueKind::Send);
    rules.entered(kQp, QueueKind::Send);
    const QpRules::Answer answer = rules.modify({kQp, QpState::Reset});
    CHECK(answer.result == CommandResult::Ok);
    CHECK(answer.ends_life);
    CHECK(answer.generation == 1);
    CHECK(rules.row(kQp).state() == QpState::Reset);
    CHECK(rules.live(kQp, 2));
    CHECK_FALSE(rules.finish_life(kQp));
    CHECK(rules.modify({kQp, QpState::Init}).result == CommandResult::Busy);
    CHECK(rules.modify({kQp, QpState::Reset}).result == CommandResult::Busy);
    CHECK(rules.destroy(kQp).result == CommandResult::Busy);
    CHECK(rules.create({kQp, Cqn{0}, Cqn{0}, 1, 1, false}).result == CommandResult::Invalid);
    rules.left(kQp, QueueKind::Send);
    CHECK_FALSE(rules.finish_life(kQp));
    rules.left(kQp, QueueKind::Send);
    CHECK(rules.finish_life(kQp));
    CHECK_FALSE(rules.finish_life(kQp));                       // once
    CHECK(rules.lookup(kQp, QueueKind::Send).cqn == Cqn{10});  // the QP is the same
    bring_up(rules, kQp);
    CHECK(rules.row(kQp).generation == 2);
}

TEST_CASE("S7.1 a destroy frees the number when nothing is in flight") {
    QpRules rules = rules_with_two_qps();
    rules.entered(kQp, QueueKind::Send);
    CHECK(rules.destroy(kQp).ends_life);
    CHECK_FALSE(rules.finish_life(kQp));
    CHECK(rules.row(kQp).exists());
    rules.left(kQp, QueueKind::Send);
    CHECK(rules.finish_life(kQp));
    CHECK(rules.modify({kQp, QpState::Init}).result == CommandResult::NoEntry);
    const CommandAnswer created = rules.create({kQp, Cqn{1}, Cqn{2}, 1, 1, true, QpType::Ud});
    CHECK(created.result == CommandResult::Ok);
    CHECK(created.generation == 2);
    CHECK(rules.row(kQp).state() == QpState::Reset);
    CHECK(rules.lookup(kQp, QueueKind::Send).cqn == Cqn{1});
}

TEST_CASE("D3 no life has generation 0") {
    CHECK(QpRules::after(1) == 2);
    CHECK(QpRules::after(0xFFFF) == 1);
    CHECK(QpRules::before(1) == 0xFFFF);
    CHECK(QpRules::before(2) == 1);
}

TEST_CASE("S4.11 the work queues that report to a CQ are counted until their QP is gone") {
    QpRules rules = rules_with_two_qps();
    CHECK(rules.work_queues_on(Cqn{10}) == 1);
    CHECK(rules.work_queues_on(Cqn{11}) == 1);
    CHECK(rules.work_queues_on(Cqn{12}) == 2);
    CHECK(rules.work_queues_on(Cqn{0}) == 0);
    CHECK(rules.work_queues_on(kNoCq) == 0);
    rules.entered(kQp, QueueKind::Send);
    rules.destroy(kQp);
    CHECK(rules.work_queues_on(Cqn{10}) == 1);
    rules.left(kQp, QueueKind::Send);
    rules.finish_life(kQp);
    CHECK(rules.work_queues_on(Cqn{10}) == 0);
    CHECK(rules.work_queues_on(Cqn{11}) == 0);
    rules.modify({kOther, QpState::Reset});
    rules.finish_life(kOther);
    CHECK(rules.work_queues_on(Cqn{12}) == 2);  // a reset QP still reports there
}

TEST_CASE("S2.23 SQ_DRAINED is raised once, in SQD, for who asked for it") {
    QpRules rules = rules_with_two_qps();
    CHECK_FALSE(rules.drained(kQp, 1));  // not in SQD
    rules.modify({kQp, QpState::Sqd, false});
    CHECK_FALSE(rules.drained(kQp, 1));  // not asked for
    rules.modify({kQp, QpState::Sqd, true});
    CHECK(rules.drained(kQp, 1));
    CHECK_FALSE(rules.may_be_drained(kQp));  // once
    rules.modify({kQp, QpState::Sqd, true});
    rules.modify({kQp, QpState::Rts});
    rules.modify({kQp, QpState::Sqd, false});
    CHECK_FALSE(rules.drained(kQp, 1));  // the wish went with the state
}

TEST_CASE("S2.23 a send queue is not drained while an entry of a send is to be written") {
    QpRules rules = rules_with_two_qps();
    rules.entered(kQp, QueueKind::Send);
    rules.entered(kQp, QueueKind::Receive);  // does not count
    rules.modify({kQp, QpState::Sqd, true});
    CHECK_FALSE(rules.drained(kQp, 1));
    rules.left(kQp, QueueKind::Send);
    CHECK(rules.drained(kQp, 1));
}

TEST_CASE("P2 a copied QP table equals the original and answers as it does") {
    QpRules original = rules_with_two_qps();
    original.entered(kQp, QueueKind::Send);
    failed(original, kQp);
    QpRules copy = original;
    REQUIRE(copy == original);
    REQUIRE(copy.hash() == original.hash());
    for (QpRules* rules : {&original, &copy}) {
        const QpRules::Effect effect = rules->cq_unusable(kQp, 1);
        CHECK_FALSE(effect.told);
        CHECK(effect.qp_fatal);
        rules->destroy(kQp);
        rules->left(kQp, QueueKind::Send);
        CHECK(rules->finish_life(kQp));
        CHECK(failed(*rules, kOther, WcStatus::RemOpErr).told);
    }
    CHECK(copy == original);
    CHECK(copy.hash() == original.hash());
    copy.entered(kQp, QueueKind::Send);
    CHECK_FALSE(copy == original);
    CHECK(copy.hash() != original.hash());
    QpRules fewer = rules_with_two_qps();
    fewer.destroy(kQp);
    CHECK(fewer.finish_life(kQp));
    CHECK(fewer.hash() != rules_with_two_qps().hash());
}

TEST_CASE("P2 a copy of a QP table that lies on shared lines has rows of its own") {
    LineSlab lines(8);
    QpRules original(Rows<QpRow>(lines, 16), kCqs);
    REQUIRE(original.create({kQp, Cqn{0}, Cqn{1}, 4, 4, false}).result == CommandResult::Ok);
    QpRules copy = original;
    REQUIRE(copy == original);
    REQUIRE(copy.hash() == original.hash());
    original.modify({kQp, QpState::Err});
    CHECK(copy.row(kQp).state() == QpState::Reset);
    CHECK_FALSE(copy == original);
    QpRules elsewhere(Rows<QpRow>(8), kCqs);  // where rows lie is not part of the state
    REQUIRE(elsewhere.create({kQp, Cqn{0}, Cqn{1}, 4, 4, false}).result == CommandResult::Ok);
    CHECK(elsewhere == copy);
    CHECK(elsewhere.hash() == copy.hash());
}
