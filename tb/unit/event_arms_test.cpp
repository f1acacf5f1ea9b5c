// SPDX-License-Identifier: Apache-2.0
// When a CQ reports: arm, merge, moderation (S6.1 to S6.7, S4.9, S4.10, K09, K10, K15, K25).
#include "tb/unit/event_bench.h"

namespace {

using namespace cqsim;
using namespace cqsim::test;

/// An EQ, and CQ 0 with this moderation.
EventBench bench_of(const EventConfig& config, const Moderation& moderation = {}) {
    EventBench bench(config);
    REQUIRE(bench.eq(0) == CommandResult::Ok);
    REQUIRE(bench.attach(0, 0, moderation) == CommandResult::Ok);
    return bench;
}
EventBench bench_of(const Moderation& moderation = {}) {
    return bench_of(event_config(), moderation);
}

EventConfig level_config() {
    EventConfig config = event_config();
    config.arm = ArmPolicy::Level;
    return config;
}

EventConfig wait_config() {
    EventConfig config = event_config();
    config.solicited = ModerationBreak::Wait;
    return config;
}

constexpr Moderation kFourOr10us{4, from_ns(10'000)};

}  // namespace

TEST_CASE("S4.5 K25 a new CQ is not armed") {
    EventBench bench = bench_of();
    CHECK_FALSE(bench.publish(0, Mark::Failed));
    CHECK_FALSE(bench.publish(0, Mark::Solicited));
    CHECK(bench.run().empty());
}

TEST_CASE("S6.1 S6.6 an arm reports once, however often it is repeated") {
    EventBench bench = bench_of();
    CHECK_FALSE(bench.publish(0));
    CHECK_FALSE(bench.arm(0));
    CHECK_FALSE(bench.arm(0));
    CHECK_FALSE(bench.arm(0));
    REQUIRE(bench.publish(0));
    CHECK(bench.events[0].cqn == Cqn{0});
    CHECK(bench.events[0].eqn == Eqn{0});
    CHECK(bench.events[0].index == 1);
    CHECK(bench.events[0].entries == 1);
    CHECK(bench.events[0].cause == EventCause::Entry);
    CHECK_FALSE(bench.publish(0));
    CHECK_FALSE(bench.publish(0, Mark::Failed));
    CHECK(bench.run() == Sent{"eq0[0]=cq0 own0"});
}

TEST_CASE("S6.5 K10 the merge table: what is armed before, and what is asked for") {
    enum class Arm : std::uint8_t { None, Next, Solicited };
    struct Row {
        Arm before;
        Arm asked;
        Arm after;
    };
    // S6.5: an arm for any entry is never narrowed, one for solicited entries is widened.
    const std::array<Row, 9> table{{{Arm::None, Arm::None, Arm::None},
                                    {Arm::None, Arm::Next, Arm::Next},
                                    {Arm::None, Arm::Solicited, Arm::Solicited},
                                    {Arm::Next, Arm::None, Arm::Next},
                                    {Arm::Next, Arm::Next, Arm::Next},
                                    {Arm::Next, Arm::Solicited, Arm::Next},
                                    {Arm::Solicited, Arm::None, Arm::Solicited},
                                    {Arm::Solicited, Arm::Next, Arm::Next},
                                    {Arm::Solicited, Arm::Solicited, Arm::Solicited}}};
    for (const Row& row : table) {
        for (const Mark mark : {Mark::Plain, Mark::Solicited, Mark::Failed}) {
            EventBench bench = bench_of();
            for (const Arm arm : {row.before, row.asked}) {
                if (arm != Arm::None) {
                    bench.arm(0, arm == Arm::Next ? ArmKind::Next : ArmKind::Solicited);
                }
            }
            const bool reports = row.after == Arm::Next ||
                                 (row.after == Arm::Solicited && mark != Mark::Plain);  // S6.2
            INFO("before " << int(row.before) << ", asked " << int(row.asked) << ", mark "
                           << int(mark));
            CHECK(bench.publish(0, mark) == reports);
            // S6.1: it is spent exactly if it has reported.
            const bool left = row.after != Arm::None && !reports;
            CHECK(bench.publish(0, Mark::Failed) == left);
        }
    }
}

TEST_CASE("S6.2 an arm for solicited entries lets others pass, and counts them in its event") {
    EventBench bench = bench_of();
    bench.arm(0, ArmKind::Solicited);
    CHECK_FALSE(bench.publish(0));
    CHECK_FALSE(bench.publish(0));
    REQUIRE(bench.publish(0, Mark::Solicited));
    CHECK(bench.events[0].entries == 3);
    CHECK(bench.events[0].index == 2);
}

TEST_CASE("S6.1 S6.14 arm and publication of one time stamp: the order of the calls decides") {
    EventBench first_armed = bench_of();
    first_armed.now = from_ns(5);
    first_armed.arm(0);
    CHECK(first_armed.publish(0));

    EventBench first_published = bench_of();
    first_published.now = from_ns(5);
    first_published.publish(0);
    CHECK_FALSE(first_published.arm(0));  // S6.8: software polls once more after its arm
    CHECK(first_published.publish(0));
}

TEST_CASE("K09 level: what is neither consumed nor reported fires at the arm") {
    EventBench bench = bench_of(level_config());
    bench.publish(0);
    bench.publish(0);
    CHECK(bench.arm(0, ArmKind::Next, 1));  // entry 1 is not consumed
    CHECK(bench.events[0].cause == EventCause::Entry);
    CHECK(bench.events[0].index == 1);
    CHECK(bench.events[0].entries == 0);          // none since the arm
    CHECK_FALSE(bench.arm(0, ArmKind::Next, 1));  // S6.7: it was reported
    CHECK(bench.publish(0));
    CHECK_FALSE(bench.arm(0, ArmKind::Next, 3));  // everything is consumed
    CHECK(bench.publish(0));
}

TEST_CASE("K09 level: an arm for solicited entries looks at those alone") {
    EventBench bench = bench_of(level_config());
    bench.publish(0, Mark::Solicited);
    bench.publish(0);
    CHECK_FALSE(bench.arm(0, ArmKind::Solicited, 1));  // the solicited one is consumed
    CHECK(bench.arm(0, ArmKind::Next, 1));             // S6.5: widened; entry 1 is not
    bench.publish(0, Mark::Failed);
    bench.publish(0);
    CHECK(bench.arm(0, ArmKind::Solicited, 2));
}

TEST_CASE("K09 level: narrow indices wrap, and an old report hides nothing") {
    EventConfig config = level_config();
    for (const std::uint32_t first : {0U, 8U, 12U}) {
        EventBench bench(config, {0xF, first});
        REQUIRE(bench.eq(0, 64) == CommandResult::Ok);
        REQUIRE(bench.attach(0) == CommandResult::Ok);
        std::uint32_t published = first;
        for (std::uint32_t entries = 1; entries <= 40; ++entries) {
            bench.publish(0, entries % 3 == 0 ? Mark::Solicited : Mark::Plain);
            ++published;
            EventBench copy = bench;
            INFO("first " << first << ", entries " << entries);
            CHECK_FALSE(copy.arm(0, ArmKind::Next, published & 0xF));
            copy = bench;
            CHECK(copy.arm(0, ArmKind::Next, (published - 1) & 0xF));
            copy = bench;
            CHECK(copy.arm(0, ArmKind::Solicited, (published - 1) & 0xF) == (entries % 3 == 0));
        }
    }
}

TEST_CASE("K09 edge: the consumer index that an arm carries says nothing") {
    EventBench bench = bench_of();
    bench.publish(0);
    CHECK_FALSE(bench.arm(0, ArmKind::Next, 0));
}

TEST_CASE("S4.9 moderation by count counts from the arm") {
    EventBench bench = bench_of(kFourOr10us);
    bench.publish(0);
    bench.publish(0);
    bench.publish(0);
    bench.arm(0);
    CHECK_FALSE(bench.publish(0));
    CHECK_FALSE(bench.publish(0));
    CHECK_FALSE(bench.publish(0));
    REQUIRE(bench.publish(0));
    CHECK(bench.events[0].cause == EventCause::Count);
    CHECK(bench.events[0].entries == 4);
    CHECK_FALSE(bench.advance(from_ns(10'000)));  // the period ended with the event
}

TEST_CASE("S4.9 the period runs from the first entry since the arm, and flushes the tail") {
    EventBench bench = bench_of(kFourOr10us);
    bench.arm(0);
    CHECK_FALSE(bench.advance(from_ns(50'000)));  // nothing to report
    bench.publish(0);
    bench.now = from_ns(55'000);
    bench.publish(0);
    CHECK(bench.rules.wake_at() == from_ns(60'000));
    CHECK_FALSE(bench.advance(TimePs{59'999'999}));
    REQUIRE(bench.advance(from_ns(60'000)));
    CHECK(bench.events[0].cause == EventCause::Period);
    CHECK(bench.events[0].entries == 2);
    CHECK(bench.events[0].index == 1);
    CHECK_FALSE(bench.publish(0));
    CHECK_FALSE(bench.advance(from_ns(90'000)));
    CHECK(bench.rules.arms().next_due() == kNever);
}

TEST_CASE("S4.9 a period begun anew ends in its own time, not with the one before") {
    EventBench bench = bench_of(kFourOr10us);
    bench.arm(0);
    bench.publish(0);  // its period would end at 10 us
    bench.now = from_ns(1'000);
    for (int i = 0; i < 3; ++i) {
        bench.publish(0);
    }
    REQUIRE(bench.events.size() == 1);
    bench.now = from_ns(4'000);
    bench.arm(0);
    bench.publish(0);  // ends at 14 us
    CHECK_FALSE(bench.advance(from_ns(10'000)));
    CHECK_FALSE(bench.advance(TimePs{13'999'999}));
    CHECK(bench.advance(from_ns(14'000)));
}

TEST_CASE("S4.9 the longest period, across the 2^32 ps boundary of time") {
    EventBench bench = bench_of(Moderation{2, EventConfig::kMaxPeriod});
    bench.now = TimePs{0xFFFF'FFFF};
    bench.arm(0);
    bench.publish(0);
    const TimePs end = TimePs{0xFFFF'FFFF} + EventConfig::kMaxPeriod;
    CHECK_FALSE(bench.advance(end - TimePs{1}));
    CHECK(bench.advance(end));
}

TEST_CASE("S4.10 K15 break: a solicited or failed entry reports at once") {
    for (const Mark mark : {Mark::Solicited, Mark::Failed}) {
        EventBench bench = bench_of(kFourOr10us);
        bench.arm(0);
        bench.publish(0);
        REQUIRE(bench.publish(0, mark));
        CHECK(bench.events[0].cause == EventCause::Break);
        CHECK(bench.events[0].entries == 2);
    }
}

TEST_CASE("K15 wait: a solicited or failed entry counts like any other") {
    EventBench bench = bench_of(wait_config(), kFourOr10us);
    bench.arm(0);
    CHECK_FALSE(bench.publish(0, Mark::Solicited));
    CHECK_FALSE(bench.publish(0, Mark::Failed));
    CHECK_FALSE(bench.publish(0));
    REQUIRE(bench.publish(0));
    CHECK(bench.events[0].cause == EventCause::Count);
}

TEST_CASE("K15 wait: under an arm for solicited entries others do not count") {
    EventBench bench = bench_of(wait_config(), Moderation{2, from_ns(10'000)});
    bench.arm(0, ArmKind::Solicited);
    bench.publish(0);
    bench.publish(0);
    CHECK_FALSE(bench.advance(from_ns(20'000)));  // and start no period
    CHECK_FALSE(bench.publish(0, Mark::Solicited));
    bench.publish(0);
    CHECK(bench.publish(0, Mark::Failed));
    CHECK(bench.events[0].entries == 5);
}

TEST_CASE("S4.9 moderation without a period, or with one that is too long, is refused") {
    EventBench bench = bench_of();
    const TimePs too_long = EventConfig::kMaxPeriod + TimePs{1};
    CHECK(bench.attach(1, 0, {2, {}}) == CommandResult::Invalid);
    CHECK(bench.attach(1, 0, {2, too_long}) == CommandResult::Invalid);
    CHECK(bench.attach(1, 0, {1, {}}) == CommandResult::Ok);
    CHECK(bench.attach(2, 0, {65'535, EventConfig::kMaxPeriod}) == CommandResult::Ok);
    CHECK(bench.modify(0, {2, {}}) == CommandResult::Invalid);
    CHECK(bench.modify(0, {0, too_long}) == CommandResult::Invalid);
    CHECK(bench.modify(0, {2, from_ns(1)}) == CommandResult::Ok);
    CHECK(bench.modify(5, {}) == CommandResult::NoEntry);
    REQUIRE(bench.attach(3, kNoEqn) == CommandResult::Ok);
    CHECK(bench.modify(3, {}) == CommandResult::NoEntry);
}

TEST_CASE("S4.9 entries that wait are reported by the new limits") {
    EventBench start = bench_of(kFourOr10us);
    start.arm(0);
    start.publish(0);
    start.now = from_ns(6'000);
    start.publish(0);

    EventBench count = start;
    count.modify(0, {2, from_ns(10'000)});
    REQUIRE(count.events.size() == 1);
    CHECK(count.events[0].cause == EventCause::Count);

    EventBench off = start;
    off.modify(0, {});
    REQUIRE(off.events.size() == 1);
    CHECK(off.events[0].cause == EventCause::Entry);
    CHECK_FALSE(off.advance(from_ns(20'000)));

    EventBench over = start;  // the period since the first entry is over already
    over.modify(0, {4, from_ns(5'000)});
    REQUIRE(over.events.size() == 1);
    CHECK(over.events[0].cause == EventCause::Period);

    EventBench shorter = start;
    shorter.modify(0, {4, from_ns(8'000)});
    CHECK_FALSE(shorter.advance(TimePs{7'999'999}));
    CHECK(shorter.advance(from_ns(8'000)));

    EventBench longer = start;
    longer.modify(0, {4, from_ns(30'000)});
    CHECK_FALSE(longer.advance(TimePs{29'999'999}));
    CHECK(longer.advance(from_ns(30'000)));
    CHECK_FALSE(longer.advance(from_ns(90'000)));
}

TEST_CASE("S4.9 a shorter period counts although the last one's time is still noted") {
    EventBench bench = bench_of(kFourOr10us);
    bench.arm(0);
    bench.publish(0);
    bench.publish(0, Mark::Failed);  // reported; the period of 10 us is void
    bench.modify(0, {4, from_ns(1'000)});
    bench.arm(0);
    bench.publish(0);
    CHECK(bench.advance(from_ns(1'000)));
}

TEST_CASE("S4.9 void timer entries go when their time is over, however often a CQ changes") {
    for (const bool anew : {false, true}) {
        EventBench bench = bench_of(kFourOr10us);
        for (std::uint64_t us = 1; us <= 100; ++us) {  // never a period's end: counts come first
            bench.advance(from_ns(1'000 * us));
            if (anew) {
                bench.rules.detach(Cqn{0});
                REQUIRE(bench.attach(0, 0, kFourOr10us) == CommandResult::Ok);
            } else {
                REQUIRE(bench.modify(0, kFourOr10us) == CommandResult::Ok);
            }
            bench.arm(0);
            for (int i = 0; i < 5; ++i) {
                bench.publish(0);
                bench.arm(0);
            }
            // One for each of the last 10 us, and the one that runs.
            REQUIRE(bench.rules.arms().timers() <= 11);
        }
    }
}

TEST_CASE("S6.1 arms name what there is") {
    EventBench bench = bench_of();
    CqEvent event;
    bool fired = false;
    CHECK(bench.rules.arm(Cqn{1}, 0, ArmKind::Next, fired, event) == CommandResult::NoEntry);
    CHECK(bench.rules.arm(kNoCq, 0, ArmKind::Next, fired, event) == CommandResult::NoEntry);
    REQUIRE(bench.attach(1, kNoEqn) == CommandResult::Ok);
    CHECK(bench.rules.arm(Cqn{1}, 0, ArmKind::Next, fired, event) == CommandResult::Invalid);
    CHECK_FALSE(bench.publish(1));
}

TEST_CASE("S6.16 after its error a CQ reports nothing more") {
    EventBench armed = bench_of(kFourOr10us);
    armed.arm(0);
    armed.publish(0);
    armed.rules.fail(Cqn{0});
    CHECK_FALSE(armed.advance(from_ns(10'000)));
    CHECK_FALSE(armed.publish(0, Mark::Failed));  // D2: granted slots still commit
    CHECK_FALSE(armed.arm(0));
    CHECK_FALSE(armed.publish(0, Mark::Failed));

    EventBench pending = bench_of();
    pending.arm(0);
    REQUIRE(pending.publish(0));
    pending.rules.fail(Cqn{0});
    CHECK(pending.run().empty());
}

TEST_CASE("S4.12 a CQ that goes takes along what it had to report") {
    EventBench bench = bench_of(kFourOr10us);
    bench.arm(0);
    bench.publish(0);
    bench.rules.detach(Cqn{0});
    CHECK_FALSE(bench.advance(from_ns(10'000)));
    REQUIRE(bench.attach(0, 0, kFourOr10us) == CommandResult::Ok);
    bench.arm(0);
    bench.publish(0);  // at 10 us; the old life's entry in the timer says nothing to it
    CHECK_FALSE(bench.advance(TimePs{19'999'999}));
    CHECK(bench.advance(from_ns(20'000)));
    bench.rules.detach(Cqn{0});
    CHECK(bench.run().empty());
    REQUIRE(bench.attach(0) == CommandResult::Ok);
    CHECK(bench.run().empty());
}
