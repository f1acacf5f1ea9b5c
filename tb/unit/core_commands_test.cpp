// SPDX-License-Identifier: Apache-2.0
// The life of a CQ by its commands, through the composition: answers, contexts, and that a refusal
// leaves nothing behind (S4).
#include "models/core/core.h"
#include "models/doorbell/bar_map.h"

#include <catch2/catch.hpp>

#include <array>
#include <cstring>
#include <vector>

namespace {

using namespace cqsim;
using Result = CommandResult;

constexpr std::uint32_t kCqs = 4;

CreateCq create_cq(std::uint32_t cqn, std::uint32_t depth = 4, std::uint16_t eqn = 1) {
    CreateCq command;
    command.cqn = Cqn{cqn};
    command.ring_address = 0x1'0000 + std::uint64_t{0x1000} * cqn;
    command.doorbell_record_address = 0x8000 + std::uint64_t{8} * cqn;
    command.depth = depth;
    command.eqn = eqn;
    return command;
}

/// Event queue 1 for completions, 2 for asynchronous events, and what a test adds.
struct Life {
    explicit Life(const CoreConfig& config)
        : core(config) {
        CHECK(result_of(CreateEq{Eqn{1}, EqKind::Completion, 0x10'0000, 16, 2}) == Result::Ok);
        CHECK(result_of(CreateEq{Eqn{2}, EqKind::Async, 0x20'0000, 16, 3}) == Result::Ok);
    }
    Life()
        : Life(config()) {}

    static CoreConfig config() {
        CoreConfig config;
        config.qps = 2;
        config.cqs = kCqs;
        config.overflow.index_width = 8;
        config.overflow.max_depth = 16;
        config.event.eqs = 4;
        return config;
    }
    Result result_of(const Command& command) {
        answer = {};
        out.clear();
        REQUIRE(core.submit(0, command, answer, out) == CommandStatus::Done);
        return answer.result;
    }
    CqContext context_of(std::uint32_t cqn) {
        CHECK(result_of(QueryCq{Cqn{cqn}}) == Result::Ok);
        return answer.cq;
    }
    /// A QP that sends into the CQ.
    void create_qp(std::uint32_t qpn, std::uint32_t cqn) {
        CHECK(result_of(CreateQp{Qpn{qpn}, Cqn{cqn}, Cqn{cqn}, 64, 64, true}) == Result::Ok);
        for (const QpState state : {QpState::Init, QpState::Rtr, QpState::Rts}) {
            CHECK(result_of(ModifyQp{Qpn{qpn}, state}) == Result::Ok);
        }
    }
    void complete(std::uint32_t qpn, std::uint32_t entries) {
        for (std::uint32_t i = 0; i < entries; ++i) {
            Completion completion;
            completion.serial = ++serial;
            completion.qpn = Qpn{qpn};
            completion.generation = 1;
            REQUIRE(core.offer(completion, out) == Core::Offered::Taken);
            while (core.serve(out) || core.land(true, out)) {
            }
        }
    }
    void arm(std::uint32_t cqn, ArmKind kind) {
        const std::uint64_t value = bar::cq_arm(Cqn{cqn}, 0, kind);
        std::array<unsigned char, 8> bytes{};
        std::memcpy(bytes.data(), &value, bytes.size());
        REQUIRE(core.access_bar({bar::kCqArm, bytes.data(), 8, 8, true, false}, out) ==
                BusAnswer::Ok);
    }
    /// Refused, with a record of it, and nothing is different from before.
    void check_refused(const Command& command, Result refusal) {
        const Core before = core;
        INFO("command " << command.index());
        CHECK(result_of(command) == refusal);
        CHECK(core == before);
        CHECK(core.hash() == before.hash());
        CHECK(answer.cq == CqContext{});
        REQUIRE(out.records.size() == 1);
        CHECK(out.records[0].kind == Kind::Refuse);
        CHECK(out.records[0].state == static_cast<std::uint8_t>(refusal));
        CHECK(out.writes.empty());
    }

    Core core;
    CoreOutput out;
    CommandAnswer answer;
    std::uint64_t serial = 0;
};

}  // namespace

TEST_CASE("S4.1 a CQ is usable after one command: it has no domain and no states to go through") {
    Life life;
    CHECK(life.result_of(create_cq(0)) == Result::Ok);
    CHECK(life.context_of(0).state == CqState::Ok);
    life.create_qp(0, 0);
    life.out.clear();
    life.complete(0, 1);
    REQUIRE(life.out.writes.size() == 1);
    CHECK(life.out.writes[0].address == 0x1'0000);
}

TEST_CASE("S4.15 a query tells the context that its owners keep") {
    Life life;
    CreateCq command = create_cq(1, 8);
    command.moderation = {2, from_ns(4000)};
    CHECK(life.result_of(command) == Result::Ok);
    CqContext expected;
    expected.state = CqState::Ok;
    expected.eqn = 1;
    expected.depth = 8;
    expected.moderation = {2, from_ns(4000)};
    CHECK(life.context_of(1) == expected);  // S4.5: not armed
    life.create_qp(0, 1);
    life.complete(0, 3);
    expected.producer = 3;
    CHECK(life.context_of(1) == expected);
    Completion on_its_way;
    on_its_way.qpn = Qpn{0};
    on_its_way.generation = 1;
    life.core.offer(on_its_way, life.out);
    life.core.serve(life.out);
    expected.producer = 4;  // the slot is granted, its entry not in memory
    CHECK(life.context_of(1) == expected);
    life.core.land(true, life.out);
    life.core.write_doorbell_record(Cqn{1}, 2);
    CHECK(life.context_of(1) == expected);  // K20: the record is read when the CQ looks full
    life.arm(1, ArmKind::Solicited);
    expected.armed = ArmState::Solicited;
    CHECK(life.context_of(1) == expected);
    life.arm(1, ArmKind::Next);  // S6.5
    expected.armed = ArmState::Next;
    CHECK(life.context_of(1) == expected);
    CHECK(life.result_of(ModifyCq{Cqn{1}, {65535, from_ns(4'095'000)}}) == Result::Ok);
    expected.moderation = {65535, from_ns(4'095'000)};
    CHECK(life.context_of(1) == expected);
    life.complete(0, 5);  // the ninth: read first, and there is room
    expected.producer = 9;
    expected.consumer = 2;
    CHECK(life.context_of(1) == expected);
    life.core.write_doorbell_record(Cqn{1}, 2);
    life.complete(0, 2);  // one more fits; the next is the overrun (S5.3a)
    expected.producer = 10;
    expected.state = CqState::Error;
    expected.armed = ArmState::No;  // S6.16
    CHECK(life.context_of(1) == expected);
}

TEST_CASE("S4.15 the record of a query says what the answer says") {
    Life life;
    CHECK(life.result_of(create_cq(1, 8)) == Result::Ok);
    life.create_qp(0, 1);
    life.complete(0, 3);
    life.arm(1, ArmKind::Solicited);
    life.context_of(1);
    REQUIRE(life.out.records.size() == 1);
    const Record& record = life.out.records[0];
    CHECK(record.kind == Kind::Query);
    CHECK(record.cqn == Cqn{1});
    CHECK(record.index == 3);
    CHECK(record.a == 0);
    CHECK(record.wr_id == 8);
    CHECK(record.state == 1);
    CHECK(record.b == 2);
}

TEST_CASE("S4.15 to ask changes nothing") {
    Life life;
    CHECK(life.result_of(create_cq(1, 8)) == Result::Ok);
    life.arm(1, ArmKind::Next);
    const Core before = life.core;
    life.context_of(1);
    CHECK(life.core == before);
    CHECK(life.core.hash() == before.hash());
}

TEST_CASE("S4.2 a CQ that cannot be is refused, and nothing is left of it") {
    Life life;
    CHECK(life.result_of(create_cq(0)) == Result::Ok);
    life.arm(0, ArmKind::Next);
    for (const std::uint32_t depth : {0U, 3U, 17U, 32U, 0x8000'0000U, 0xFFFF'FFFFU}) {
        life.check_refused(create_cq(1, depth), Result::Invalid);
    }
    life.check_refused(create_cq(kCqs), Result::Invalid);
    life.check_refused(create_cq(0), Result::Invalid);  // the number is in use
    for (const std::uint16_t eqn : {std::uint16_t{0},   // there is none of the number
                                    std::uint16_t{2},   // for asynchronous events
                                    std::uint16_t{5},   // folded by 4 it were 1
                                    std::uint16_t{4096}}) {
        life.check_refused(create_cq(1, 4, eqn), Result::Invalid);
    }
    CreateCq flagged = create_cq(1);
    flagged.flags = 4;
    life.check_refused(flagged, Result::Unsupported);
    CreateCq moderated = create_cq(1);
    moderated.moderation = {0x1'0000, from_ns(1)};
    life.check_refused(moderated, Result::Invalid);
    CHECK(life.result_of(create_cq(1, 16)) == Result::Ok);  // the largest there is
}

TEST_CASE("S4.2 a device has room for so many CQs, and one that goes makes room") {
    CoreConfig config = Life::config();
    config.overflow.max_cqs = 2;
    Life life(config);
    CHECK(life.result_of(create_cq(0)) == Result::Ok);
    CHECK(life.result_of(create_cq(3)) == Result::Ok);
    life.check_refused(create_cq(1), Result::NoMemory);
    life.check_refused(create_cq(1, 3), Result::Invalid);  // what cannot be at all comes first
    life.check_refused(create_cq(3), Result::Invalid);
    CHECK(life.result_of(DestroyCq{Cqn{0}}) == Result::Ok);
    CHECK(life.result_of(create_cq(1)) == Result::Ok);
    life.check_refused(create_cq(0), Result::NoMemory);
}

TEST_CASE("S4.9 moderation beyond 16 bits of entries and 12 bits of microseconds is refused") {
    Life life;
    CreateCq command = create_cq(0);
    command.moderation = {3, from_ns(1000)};
    CHECK(life.result_of(command) == Result::Ok);
    life.check_refused(ModifyCq{Cqn{0}, {0x1'0000, from_ns(1000)}}, Result::Invalid);
    life.check_refused(ModifyCq{Cqn{0}, {0x1'0003, from_ns(1000)}}, Result::Invalid);
    life.check_refused(ModifyCq{Cqn{0}, {3, from_ns(4'096'000)}}, Result::Invalid);
    life.check_refused(ModifyCq{Cqn{0}, {3, TimePs{}}}, Result::Invalid);  // the last ones
    CHECK(life.context_of(0).moderation.count == 3);
}

TEST_CASE("S4.9 a device without moderation says so") {
    CoreConfig config = Life::config();
    config.event.moderation = false;
    Life life(config);
    CreateCq command = create_cq(0);
    command.moderation = {3, from_ns(1000)};
    life.check_refused(command, Result::Unsupported);
    CHECK(life.result_of(create_cq(0)) == Result::Ok);
    life.check_refused(ModifyCq{Cqn{0}, {3, from_ns(1000)}}, Result::Unsupported);
    life.check_refused(ModifyCq{Cqn{0}, {}}, Result::Unsupported);
    life.check_refused(ModifyCq{Cqn{1}, {}}, Result::NoEntry);
}

TEST_CASE("S4.11 to S4.15 a CQ that is not there, never was or not any more, is no entry") {
    Life life;
    CHECK(life.result_of(create_cq(0)) == Result::Ok);
    CHECK(life.result_of(create_cq(1)) == Result::Ok);
    CHECK(life.result_of(DestroyCq{Cqn{1}}) == Result::Ok);
    for (const std::uint32_t cqn : {1U, 2U, kCqs, kMaxIds - 1}) {
        life.check_refused(ModifyCq{Cqn{cqn}, {}}, Result::NoEntry);
        life.check_refused(QueryCq{Cqn{cqn}}, Result::NoEntry);
        life.check_refused(DestroyCq{Cqn{cqn}}, Result::NoEntry);
    }
}

TEST_CASE("S4.11 K16 a CQ in use is not destroyed, by the word that the device has for it") {
    for (const Result word : {Result::Busy, Result::Invalid}) {
        CoreConfig config = Life::config();
        config.command.in_use = word;
        Life life(config);
        CHECK(life.result_of(create_cq(0)) == Result::Ok);
        life.create_qp(0, 0);
        life.complete(0, 2);
        life.check_refused(DestroyCq{Cqn{0}}, word);
        CHECK(life.context_of(0).producer == 2);
        CHECK(life.result_of(DestroyQp{Qpn{0}}) == Result::Ok);
        life.arm(0, ArmKind::Next);
        CHECK(life.result_of(DestroyCq{Cqn{0}}) == Result::Ok);  // S4.12: armed, with entries
        CHECK(life.result_of(create_cq(0)) == Result::Ok);
        const CqContext anew = life.context_of(0);
        CHECK(anew.producer == 0);
        CHECK(anew.armed == ArmState::No);  // S4.5
    }
}
