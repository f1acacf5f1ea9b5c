// SPDX-License-Identifier: Apache-2.0
// Routes of commands, and what must hold before each (S4, S7, K16).
#include "models/command/command_rules.h"

#include "tb/unit/command_owners.h"

#include <catch2/catch.hpp>

#include <array>

namespace {

using namespace cqsim;
using namespace cqsim::test;
using Result = CommandResult;

constexpr std::array kRefusals{
    Result::NoEntry, Result::NoMemory, Result::Busy, Result::Invalid, Result::Unsupported};

/// \returns the result of a command that must be answered at once.
CommandAnswer answer_of(Owners& owners, const Command& command, const CommandConfig& config = {}) {
    CommandRoute route(owners, owners, owners, config);
    CommandAnswer answer;
    REQUIRE(route.done(command, answer));
    return answer;
}
Result result_of(Owners& owners, const Command& command, const CommandConfig& config = {}) {
    return answer_of(owners, command, config).result;
}

}  // namespace

TEST_CASE("S6.21 the event arbiter creates event queues and modifies how CQs report") {
    Owners owners;
    CHECK(result_of(owners, create_eq(5)) == Result::Ok);
    CHECK(result_of(owners, ModifyCq{Cqn{7}, {}}) == Result::Ok);
    CHECK(owners.calls == Calls{"create_eq 5", "modify_cq 7"});
    for (const Result refusal : kRefusals) {
        owners.eq_created = owners.cq_modified = refusal;
        CHECK(result_of(owners, create_eq(5)) == refusal);
        CHECK(result_of(owners, ModifyCq{Cqn{7}, {}}) == refusal);
    }
}

TEST_CASE("S4.4 a CQ is created, then attached to its event queue") {
    Owners owners;
    CHECK(result_of(owners, create_cq(3)) == Result::Ok);
    CHECK(owners.calls == Calls{"create_cq 3", "attach_cq 3"});
}

TEST_CASE("S4.2 a CQ that cannot be created is not attached") {
    for (const Result refusal : kRefusals) {
        Owners owners;
        owners.cq_created = refusal;
        CHECK(result_of(owners, create_cq(3)) == refusal);
        CHECK(owners.calls == Calls{"create_cq 3"});
    }
}

TEST_CASE("S4.2 nothing is made of a CQ that cannot be attached") {
    for (const Result refusal : kRefusals) {
        Owners owners;
        owners.cq_attachable = refusal;
        CHECK(result_of(owners, create_cq(3)) == refusal);
        CHECK(owners.calls.empty());
    }
}

TEST_CASE("S4.2 a flag that no device knows is answered unsupported, and nobody is asked") {
    Owners owners;
    CreateCq command = create_cq(3);
    command.flags = 4;
    CHECK(result_of(owners, command) == Result::Unsupported);
    command.flags = kIgnoreOverrun | kCollapsed | 128;
    CHECK(result_of(owners, command) == Result::Unsupported);
    CHECK(owners.calls.empty());
    command.flags = kIgnoreOverrun | kCollapsed;
    CHECK(result_of(owners, command) == Result::Ok);
}

TEST_CASE("S4.15 a query is answered by both owners of a CQ's context") {
    Owners owners;
    const CommandAnswer answer = answer_of(owners, QueryCq{Cqn{3}});
    CHECK(answer.result == Result::Ok);
    CHECK(owners.calls == Calls{"query_cq 3", "query_events 3"});
    CHECK(answer.cq.state == CqState::Ok);  // as the overflow checker said
    CHECK(answer.cq.producer == 7);
    CHECK(answer.cq.eqn == 5);  // as the event arbiter said
}

TEST_CASE("S4.15 a CQ that does not exist has no context") {
    Owners owners;
    owners.cq_queried = Result::NoEntry;
    CHECK(result_of(owners, QueryCq{Cqn{3}}) == Result::NoEntry);
    CHECK(owners.calls == Calls{"query_cq 3"});
}

TEST_CASE("S4.2 all or nothing: a CQ that cannot be attached is taken back") {
    for (const Result refusal : kRefusals) {
        Owners owners;
        owners.cq_attached = refusal;
        CHECK(result_of(owners, create_cq(3)) == refusal);
        CHECK(owners.calls == Calls{"create_cq 3", "attach_cq 3", "destroy_cq 3"});
    }
}

TEST_CASE("S4.12 a CQ without work queues is destroyed, and then detached") {
    Owners owners;
    owners.cqs = {Cqn{3}};
    CHECK(result_of(owners, DestroyCq{Cqn{3}}) == Result::Ok);
    CHECK(owners.calls == Calls{"destroy_cq 3", "detach_cq 3"});
}

TEST_CASE("S4.11 K16 a CQ is not destroyed while a work queue is associated with it") {
    Owners owners;
    owners.cqs = {Cqn{3}};
    owners.work_queues = 1;
    CHECK(result_of(owners, DestroyCq{Cqn{3}}) == Result::Busy);
    owners.work_queues = 2;
    CHECK(result_of(owners, DestroyCq{Cqn{3}}) == Result::Busy);
    CHECK(owners.calls.empty());
    const CommandConfig like_rxe{TimePs{}, Result::Invalid};
    CHECK(result_of(owners, DestroyCq{Cqn{3}}, like_rxe) == Result::Invalid);
    CHECK(owners.calls.empty());
    owners.work_queues = 0;
    CHECK(result_of(owners, DestroyCq{Cqn{3}}, like_rxe) == Result::Ok);
}

TEST_CASE("S4.11 a CQ that does not exist is not destroyed") {
    Owners owners;
    owners.cqs = {Cqn{3}};
    owners.work_queues = 1;  // no excuse to say Busy of a CQ that is not there
    CHECK(result_of(owners, DestroyCq{Cqn{4}}) == Result::NoEntry);
    CHECK(owners.calls.empty());
}

TEST_CASE("D2 a CQ with a granted slot stays attached") {
    Owners owners;
    owners.cqs = {Cqn{3}};
    owners.cq_destroyed = Result::Busy;
    CHECK(result_of(owners, DestroyCq{Cqn{3}}) == Result::Busy);
    CHECK(owners.calls == Calls{"destroy_cq 3"});
}

TEST_CASE("S7 a QP is created only when both its CQs exist") {
    Owners owners;
    owners.cqs = {Cqn{1}, Cqn{2}};
    owners.qp_created = {Result::Ok, 9};
    CHECK(result_of(owners, create_qp(6, 3, 2)) == Result::Invalid);
    CHECK(result_of(owners, create_qp(6, 1, 3)) == Result::Invalid);
    CHECK(result_of(owners, create_qp(6, 3, 4)) == Result::Invalid);
    CHECK(owners.calls.empty());
    const CommandAnswer answer = answer_of(owners, create_qp(6, 1, 2));
    CHECK(answer.result == Result::Ok);
    CHECK(answer.generation == 9);
    CHECK(result_of(owners, create_qp(6, 2, 2)) == Result::Ok);
    CHECK(owners.calls == Calls{"create_qp 6", "create_qp 6"});
    owners.qp_created = {Result::Invalid};
    CHECK(result_of(owners, create_qp(6, 1, 2)) == Result::Invalid);
}

TEST_CASE("S2.24 S7.3 the QP table answers to a modify and a destroy, at once or later") {
    Owners owners;
    const CommandConfig config;
    CommandRoute route(owners, owners, owners, config);
    CommandAnswer answer;
    owners.qp_answer = {Result::Ok, 4};
    CHECK(answer_of(owners, ModifyQp{Qpn{6}}).generation == 4);
    CHECK(answer_of(owners, DestroyQp{Qpn{6}}).generation == 4);
    for (const Result refusal : kRefusals) {
        owners.qp_answer = {refusal};
        CHECK(result_of(owners, ModifyQp{Qpn{6}}) == refusal);
        CHECK(result_of(owners, DestroyQp{Qpn{6}}) == refusal);
    }
    owners.calls.clear();
    owners.qp_status = CommandStatus::Accepted;
    CHECK_FALSE(route.done(ModifyQp{Qpn{6}}, answer));
    CHECK_FALSE(route.done(DestroyQp{Qpn{8}}, answer));
    CHECK(owners.calls == Calls{"modify_qp 6", "destroy_qp 8"});
}

TEST_CASE("S4 a refusal names the object that its command named") {
    const auto is = [](const Command& command, Cqn cqn, Qpn qpn, std::uint16_t eqn) {
        const CommandObject object = object_of(command);
        return object.cqn == cqn && object.qpn == qpn && object.eqn == eqn;
    };
    CreateCq with_eq = create_cq(3);
    with_eq.eqn = 5;
    CHECK(is(create_eq(5), kNoCq, kNoQp, 5));
    CHECK(is(with_eq, Cqn{3}, kNoQp, 0));
    CHECK(is(ModifyCq{Cqn{3}, {}}, Cqn{3}, kNoQp, 0));
    CHECK(is(QueryCq{Cqn{3}}, Cqn{3}, kNoQp, 0));
    CHECK(is(DestroyCq{Cqn{3}}, Cqn{3}, kNoQp, 0));
    CHECK(is(create_qp(6, 1, 2), kNoCq, Qpn{6}, 0));
    CHECK(is(ModifyQp{Qpn{6}}, kNoCq, Qpn{6}, 0));
    CHECK(is(DestroyQp{Qpn{6}}, kNoCq, Qpn{6}, 0));
}

TEST_CASE("P2 tickets are kept for a QP each, and the order in which they came leaves no trace") {
    OpenCommands<Qpn> first;
    OpenCommands<Qpn> second;
    CHECK(first.add(Qpn{6}, 60));
    CHECK(first.add(Qpn{2}, 20));
    CHECK_FALSE(first.add(Qpn{6}, 61));
    CHECK_FALSE(first == second);
    CHECK(second.add(Qpn{2}, 20));
    CHECK(first.hash() != second.hash());
    CHECK(second.add(Qpn{6}, 60));
    CHECK(first == second);
    CHECK(first.hash() == second.hash());
    CHECK(first.size() == 2);
    CHECK_FALSE(first.take(Qpn{3}).has_value());
    CHECK(first.take(Qpn{2}) == std::optional<std::uint32_t>{20});
    CHECK_FALSE(first.take(Qpn{2}).has_value());
    CHECK(first.take(Qpn{6}) == std::optional<std::uint32_t>{60});
    CHECK(first.size() == 0);
}
