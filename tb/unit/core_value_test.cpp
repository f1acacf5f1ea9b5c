// SPDX-License-Identifier: Apache-2.0
// The untimed composition by itself: a value, and its few rules of order.
#include "tb/unit/core_untimed_run.h"

#include <catch2/catch.hpp>

#include <functional>

namespace {

using namespace cqsim;
using namespace cqsim::test;

/// A CQ that reports to EQ 1, and two QPs on it that can send.
struct SmallCore {
    explicit SmallCore(const ArbiterConfig& arbiter = {})
        : core(config(arbiter)) {
        command(CreateEq{Eqn{1}, EqKind::Completion, 0x10'000, 4, 2});
        command(CreateCq{Cqn{0}, 0x1000, 0x8000, 4, 1, {}});
        for (std::uint32_t qp = 0; qp < 2; ++qp) {
            command(CreateQp{Qpn{qp}, Cqn{0}, Cqn{0}, 4, 4, true});
            for (const QpState state : {QpState::Init, QpState::Rtr, QpState::Rts}) {
                command(ModifyQp{Qpn{qp}, state});
            }
        }
    }

    static CoreConfig config(const ArbiterConfig& arbiter) {
        CoreConfig config;
        config.qps = 2;
        config.cqs = 1;
        config.arbiter = arbiter;
        config.overflow.index_width = 8;
        config.event.eqs = 2;
        config.event.msix_address = 0xFEE0'0000;
        return config;
    }
    void command(const Command& command) {
        CommandAnswer answer;
        REQUIRE(core.submit(0, command, answer, out) == CommandStatus::Done);
        REQUIRE(answer.result == CommandResult::Ok);
    }
    Core::Offered offer(std::uint32_t qp) {
        Completion completion;
        completion.serial = ++serial;
        completion.qpn = Qpn{qp};
        completion.generation = 1;
        return core.offer(completion, out);
    }
    void ring(std::uint64_t offset, std::uint64_t value) {
        std::array<unsigned char, 8> bytes{};
        std::memcpy(bytes.data(), &value, bytes.size());
        REQUIRE(core.access_bar({offset, bytes.data(), 8, 8, true, false}, out) == BusAnswer::Ok);
    }
    /// The kinds of what happened since the last call.
    std::vector<Kind> kinds() {
        std::vector<Kind> kinds;
        for (const Record& record : out.records) {
            kinds.push_back(record.kind);
        }
        out.clear();
        return kinds;
    }

    Core core;
    CoreOutput out;
    std::uint64_t serial = 0;
};

using Kinds = std::vector<Kind>;

}  // namespace

TEST_CASE("P2 a copy of the composition in mid-run continues as the original does") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        INFO("seed " << seed);
        UntimedRun run(seed, 400);
        for (int stamp = 0; stamp < 30; ++stamp) {
            run.begin();
            run.settle();
        }
        run.begin();  // completions wait inside, periods run, events wait for their entries
        UntimedRun copy = run;
        REQUIRE(copy.device.core == run.device.core);
        REQUIRE(copy.device.core.hash() == run.device.core.hash());
        run.settle();
        copy.settle();
        REQUIRE(copy.device.core == run.device.core);
        run.play();
        copy.play();
        const std::string differs = difference(run.device.history, copy.device.history);
        REQUIRE(differs.empty());
        REQUIRE(copy.device.core == run.device.core);
        REQUIRE(copy.device.core.hash() == run.device.core.hash());
    }
}

TEST_CASE("P2 every input and every step of the block changes the value and its hash") {
    SmallCore at;
    at.ring(bar::kEqArm, bar::eq_index(Eqn{1}, 0));
    const std::vector<std::function<void()>> changes{
        [&] { at.ring(bar::kCqArm, bar::cq_arm(Cqn{0}, 0, ArmKind::Next)); },
        [&] {
            at.command(ModifyCq{Cqn{0}, {2, TimePs{500}}});
        },
        [&] { at.offer(0); },
        [&] { at.core.serve(at.out); },
        [&] { at.core.land(true, at.out); },
        [&] { at.core.advance(TimePs{500}); },
        [&] { at.core.report(at.out); },  // the period is over
        [&] { at.core.report(at.out); },  // its entry
        [&] { at.core.land(true, at.out); },
        [&] { at.core.report(at.out); },  // the interrupt
        [&] { at.core.land(true, at.out); },
        [&] { at.ring(bar::kEqUpdate, bar::eq_index(Eqn{1}, 1)); },
        [&] { at.core.write_doorbell_record(Cqn{0}, 1); },
        [&] {
            at.command(ModifyQp{Qpn{0}, QpState::Sqd, true});
        },
        [&] { at.core.drained(Qpn{0}, 1, at.out); },
        [&] { at.command(DestroyQp{Qpn{0}}); },
    };
    for (std::size_t i = 0; i < changes.size(); ++i) {
        INFO("change " << i);
        const Core before = at.core;
        changes[i]();
        CHECK_FALSE(before == at.core);
        CHECK(before.hash() != at.core.hash());
    }
    CHECK_FALSE(at.core.serve(at.out));
    CHECK_FALSE(at.core.land(true, at.out));
    CHECK_FALSE(at.core.report(at.out));
    CHECK(at.core.in_flight() == nullptr);
}

TEST_CASE("S6.15 entry, event, its entry and its interrupt follow one another") {
    SmallCore at;
    at.ring(bar::kEqArm, bar::eq_index(Eqn{1}, 0));
    at.ring(bar::kCqArm, bar::cq_arm(Cqn{0}, 0, ArmKind::Next));
    at.offer(0);
    at.kinds();
    REQUIRE(at.core.serve(at.out));
    CHECK(at.kinds() == Kinds{Kind::Grant, Kind::Slot, Kind::CqeWrite, Kind::Outcome});
    CHECK_FALSE(at.core.report(at.out));  // nothing to report before the entry is in memory
    REQUIRE(at.core.in_flight() != nullptr);
    CHECK(at.core.in_flight()->address == 0x1000);
    REQUIRE(at.core.land(true, at.out));
    CHECK(at.kinds() == Kinds{Kind::CqeVisible, Kind::Event});
    REQUIRE(at.core.report(at.out));
    CHECK_FALSE(at.core.report(at.out));  // no interrupt before the entry is in memory
    CHECK(at.kinds().empty());
    REQUIRE(at.core.land(true, at.out));
    CHECK(at.kinds() == Kinds{Kind::Eqe});
    REQUIRE(at.core.report(at.out));
    REQUIRE(at.core.in_flight() != nullptr);
    CHECK(at.core.in_flight()->address == 0xFEE0'0008);  // vector 2
    REQUIRE(at.core.land(true, at.out));
    CHECK(at.kinds() == Kinds{Kind::Irq});
}

TEST_CASE("S5.3j an entry that cannot be written puts its CQ and its QP in error") {
    SmallCore at;
    at.offer(0);
    at.core.serve(at.out);
    at.kinds();
    REQUIRE(at.core.land(false, at.out));
    CHECK(at.kinds() == Kinds{Kind::Async, Kind::QpState, Kind::Async});
    CHECK(at.core.cq(Cqn{0}).state == CqState::Error);
    CHECK(at.core.qp(Qpn{0}).state() == QpState::Err);
    CHECK(at.core.qp(Qpn{1}).state() == QpState::Rts);  // S5.3e: not before it uses the CQ
}

TEST_CASE("D3 a completion that is held is inside: the end of its QP's life waits for it") {
    ArbiterConfig arbiter;
    arbiter.depth = 1;
    SmallCore at(arbiter);
    REQUIRE(at.offer(0) == Core::Offered::Taken);
    REQUIRE(at.offer(1) == Core::Offered::Held);
    CHECK(at.core.qp(Qpn{1}).in_flight() == 1);
    at.out.clear();
    CommandAnswer answer;
    CHECK(at.core.submit(7, DestroyQp{Qpn{1}}, answer, at.out) == CommandStatus::Accepted);
    REQUIRE(at.core.serve(at.out));
    REQUIRE(at.out.rooms.size() == 1);
    CHECK(at.out.rooms[0].queue == QueueKind::Send);
    CHECK(at.out.rooms[0].qpn == kNoQp);
    CHECK(at.out.done.empty());
    at.kinds();
    REQUIRE(at.core.serve(at.out));
    REQUIRE(at.out.done.size() == 1);
    CHECK(at.out.done[0].ticket == 7);
    CHECK(at.out.done[0].answer.result == CommandResult::Ok);
    CHECK(at.kinds() == Kinds{Kind::Grant, Kind::Outcome, Kind::Destroy});
    CHECK_FALSE(at.core.serve(at.out));
}

TEST_CASE("S1.2 what failed entries will show is part of the value") {
    CoreConfig config = SmallCore::config({});
    config.undefined = UndefinedPolicy::Zero;
    const Core zero(config);
    config.undefined = UndefinedPolicy::Stale;
    const Core stale(config);
    CHECK_FALSE(zero == stale);
    CHECK(zero.hash() != stale.hash());
}
