// SPDX-License-Identifier: Apache-2.0
// Event queues, turns and interrupts (S3.5, S6.15, S6.21 to S6.25, S5.9, K13, K22).
#include "tb/unit/event_bench.h"

namespace {

using namespace cqsim;
using namespace cqsim::test;

EventConfig back_pressure() {
    EventConfig config = event_config();
    config.eq_overflow = EqOverflowPolicy::BackPressure;
    return config;
}

/// EQ 0 with `depth` entries and so many CQs on it.
EventBench bench_of(std::uint32_t depth,
                    std::uint32_t cqs,
                    const EventConfig& config = event_config()) {
    EventBench bench(config);
    REQUIRE(bench.eq(0, depth) == CommandResult::Ok);
    for (std::uint32_t cq = 0; cq < cqs; ++cq) {
        REQUIRE(bench.attach(cq) == CommandResult::Ok);
    }
    return bench;
}

void fire(EventBench& bench, std::uint32_t cq) {
    bench.arm(cq);
    CHECK(bench.publish(cq));
}

constexpr AsyncReport kQp7Fatal{AsyncEvent::QpFatal, kNoCq, Qpn{7}};

}  // namespace

TEST_CASE("S6.21 an event queue is created only with values that are possible") {
    EventBench bench;
    const auto create = [&bench](std::uint16_t eqn,
                                 std::uint32_t depth,
                                 std::uint16_t vector,
                                 std::uint64_t ring = kEqRing,
                                 EqKind kind = EqKind::Completion) {
        return bench.rules.create_eq({Eqn{eqn}, kind, ring, depth, vector});
    };
    CHECK(create(4, 4, 0) == CommandResult::Invalid);  // there are EQ 0 .. 3
    CHECK(create(kNoEqn, 4, 0) == CommandResult::Invalid);
    CHECK(create(0, 0, 0) == CommandResult::Invalid);
    CHECK(create(0, 6, 0) == CommandResult::Invalid);  // no power of two
    CHECK(create(0, 1U << 21, 0) == CommandResult::Invalid);
    CHECK(create(0, 4, 8) == CommandResult::Invalid);  // there are vectors 0 .. 7
    CHECK(create(0, 4, 0, kEqRing + 32) == CommandResult::Invalid);
    CHECK(create(0, 1U << 20, 7) == CommandResult::Ok);
    CHECK(create(0, 4, 0) == CommandResult::Invalid);                     // in use
    CHECK(create(1, 4, 7, kEqRing, EqKind::Async) == CommandResult::Ok);  // a vector may be shared
    CHECK(create(2, 4, 0, kEqRing, EqKind::Async) == CommandResult::Invalid);  // a second one
}

TEST_CASE("S4.4 a CQ reports to a completion event queue that exists, or to none") {
    EventBench bench = bench_of(4, 0);
    REQUIRE(bench.eq(1, 4, EqKind::Async) == CommandResult::Ok);
    CHECK(bench.attach(0, 1) == CommandResult::Invalid);
    CHECK(bench.attach(0, 2) == CommandResult::Invalid);
    CHECK(bench.attach(EventBench::kCqs - 1, kNoEqn) == CommandResult::Ok);
    CHECK(bench.rules.attach({Cqn{EventBench::kCqs}, 0, 0, 0, 0, {}}) == CommandResult::Invalid);
    CHECK(bench.attach(0, 0) == CommandResult::Ok);
    CHECK(bench.attach(0, 0) == CommandResult::Invalid);
}

TEST_CASE("S3.5 the owner bit of an event queue is 0 in its first lap and changes with every lap") {
    EventBench bench = bench_of(4, 1);
    for (std::uint32_t i = 0; i < 12; ++i) {  // three laps
        fire(bench, 0);
        std::string entry = "eq0[" + std::to_string(i % 4);
        entry += "]=cq0 own" + std::to_string(i / 4 % 2);
        CHECK(bench.run() == Sent{entry});
        CHECK(bench.consume(0, i + 1) == CommandResult::Ok);
    }
}

TEST_CASE("K13 exactly full is no error; the next event is the overflow") {
    EventBench bench = bench_of(4, 6);
    for (std::uint32_t cq = 0; cq < 4; ++cq) {
        fire(bench, cq);
    }
    CHECK(bench.run().size() == 4);
    CHECK_FALSE(bench.queue(0).error);

    fire(bench, 4);
    fire(bench, 5);
    CHECK(bench.run() == Sent{"fatal eq0"});
    CHECK(bench.queue(0).error);
    CHECK(bench.queue(0).dropped == 2);  // what waits behind it is dropped as well
    CHECK(bench.rules.unheard() == 1);   // DEVICE_FATAL; there is no queue for it

    // Sticky, even after software has read everything; once.
    CHECK(bench.consume(0, 4) == CommandResult::Ok);
    fire(bench, 0);
    CHECK(bench.run().empty());
    CHECK(bench.queue(0).dropped == 3);
    CHECK(bench.rules.idle());
}

TEST_CASE("K13 DEVICE_FATAL goes to the queue for asynchronous events") {
    EventBench bench = bench_of(1, 2);
    REQUIRE(bench.eq(1, 4, EqKind::Async) == CommandResult::Ok);
    fire(bench, 0);
    fire(bench, 1);
    CHECK(bench.run() == Sent{"eq0[0]=cq0 own0", "fatal eq0", "eq1[0]=async8 own0"});
    CHECK(bench.rules.unheard() == 0);
}

TEST_CASE("K13 when the queue for asynchronous events overflows nothing can carry DEVICE_FATAL") {
    EventBench bench = bench_of(4, 1);
    REQUIRE(bench.eq(1, 1, EqKind::Async) == CommandResult::Ok);
    bench.rules.raise(kQp7Fatal);
    bench.rules.raise(kQp7Fatal);
    bench.rules.raise(kQp7Fatal);
    CHECK(bench.run() == Sent{"eq1[0]=async1 qp7 own0", "fatal eq1"});
    CHECK(bench.queue(1).dropped == 3);  // two reports and DEVICE_FATAL
    fire(bench, 0);
    CHECK(bench.run() == Sent{"eq0[0]=cq0 own0"});  // the other queue goes on
}

TEST_CASE("K13 back_pressure: events wait until software gives entries back, none is lost") {
    EventBench bench = bench_of(2, 5, back_pressure());
    REQUIRE(bench.eq(1, 1, EqKind::Async) == CommandResult::Ok);
    for (std::uint32_t cq = 0; cq < 5; ++cq) {
        fire(bench, cq);
    }
    bench.rules.raise(kQp7Fatal);
    bench.rules.raise({AsyncEvent::CqErr, Cqn{6}, kNoQp});
    CHECK(bench.run() == Sent{"eq1[0]=async1 qp7 own0", "eq0[0]=cq0 own0", "eq0[1]=cq1 own0"});
    CHECK_FALSE(bench.rules.idle());
    CHECK(bench.rules.waiting() == 4);
    CHECK(bench.rules.wake_at() == kNever);
    CHECK(bench.consume(0, 1) == CommandResult::Ok);
    CHECK(bench.run() == Sent{"eq0[0]=cq2 own1"});
    CHECK(bench.consume(1, 1) == CommandResult::Ok);
    CHECK(bench.consume(0, 3) == CommandResult::Ok);
    CHECK(bench.run() == Sent{"eq1[0]=async0 own1", "eq0[1]=cq3 own1", "eq0[0]=cq4 own0"});
    CHECK(bench.rules.idle());
    CHECK(bench.queue(0).dropped == 0);
}

TEST_CASE("S6.25 a CQ waits for its entry once; an event meanwhile shares it") {
    EventBench bench = bench_of(4, 2);
    fire(bench, 0);
    fire(bench, 1);
    fire(bench, 0);
    CHECK(bench.events.size() == 3);
    CHECK(bench.rules.waiting() == 2);
    CHECK(bench.run() == Sent{"eq0[0]=cq0 own0", "eq0[1]=cq1 own0"});
    fire(bench, 0);
    CHECK(bench.run() == Sent{"eq0[2]=cq0 own0"});
}

TEST_CASE("K22 asynchronous events go first, in order; then the event queues take turns") {
    EventBench bench = bench_of(8, 4);
    REQUIRE(bench.eq(1, 8) == CommandResult::Ok);
    REQUIRE(bench.eq(3, 8, EqKind::Async) == CommandResult::Ok);
    REQUIRE(bench.attach(4, 1) == CommandResult::Ok);
    REQUIRE(bench.attach(5, 1) == CommandResult::Ok);
    for (std::uint32_t cq = 0; cq < 6; ++cq) {
        fire(bench, cq);
    }
    bench.rules.raise(kQp7Fatal);
    bench.rules.raise({AsyncEvent::CqErr, Cqn{6}, kNoQp});
    CHECK(bench.run() == Sent{"eq3[0]=async1 qp7 own0",
                              "eq3[1]=async0 own0",
                              "eq0[0]=cq0 own0",
                              "eq1[0]=cq4 own0",
                              "eq0[1]=cq1 own0",
                              "eq1[1]=cq5 own0",
                              "eq0[2]=cq2 own0",
                              "eq0[3]=cq3 own0"});
}

TEST_CASE("S6.16 asynchronous events need no arm, and without a queue they are counted") {
    EventBench bench;
    bench.rules.raise(kQp7Fatal);
    CHECK(bench.rules.unheard() == 1);
    REQUIRE(bench.eq(2, 4, EqKind::Async) == CommandResult::Ok);
    bench.rules.raise({AsyncEvent::CqErr, Cqn{0}, kNoQp});
    CHECK(bench.run() == Sent{"eq2[0]=async0 own0"});
    CHECK(bench.rules.unheard() == 1);
}

TEST_CASE("S5.9 an asynchronous event of an SRQ names it in its entry, and no CQ and no QP") {
    EventBench bench;
    REQUIRE(bench.eq(2, 4, EqKind::Async) == CommandResult::Ok);
    bench.rules.raise({AsyncEvent::SrqLimitReached, kNoCq, kNoQp, Srqn{0x1234}});
    bench.rules.raise(kQp7Fatal);
    const eqe::Decoded limit = bench.rules.next(bench.now).write.event;
    CHECK(limit.type == eqe::type_of(AsyncEvent::SrqLimitReached));
    CHECK(limit.srqn == Srqn{0x1234});
    CHECK(limit.cqn == kNoCq);
    CHECK(limit.qpn == kNoQp);
    CHECK(bench.rules.next(bench.now).write.event.srqn == kNoSrq);  // of the QP
    std::array<std::byte, eqe::kBytes> bytes{};
    eqe::encode(limit, 0, bytes.data());
    CHECK(bytes[12] == std::byte{0x34});
    CHECK(bytes[13] == std::byte{0x12});
    CHECK(eqe::decode(bytes.data()).srqn == Srqn{0x1234});
}

TEST_CASE("S6.15 S6.22 an interrupt follows its entry into memory, once for an arm") {
    EventBench bench = bench_of(8, 3);
    CHECK(bench.consume(0, 0, true) == CommandResult::Ok);
    fire(bench, 0);
    fire(bench, 1);
    CHECK(bench.send() == Sent{"eq0[0]=cq0 own0", "eq0[1]=cq1 own0"});
    CHECK(bench.send().empty());  // nothing is in memory
    bench.land(1);
    CHECK(bench.send() == Sent{"irq1"});
    bench.land();
    CHECK(bench.send().empty());
    fire(bench, 2);
    CHECK(bench.run() == Sent{"eq0[2]=cq2 own0"});  // not armed again
}

TEST_CASE("S6.22 an event queue that is not armed does not interrupt") {
    EventBench bench = bench_of(8, 1);
    fire(bench, 0);
    CHECK(bench.run() == Sent{"eq0[0]=cq0 own0"});
    CHECK(bench.consume(0, 1, false) == CommandResult::Ok);
    fire(bench, 0);
    CHECK(bench.run() == Sent{"eq0[1]=cq0 own0"});
}

TEST_CASE("S6.22 an entry that lands between software's last look and its arm interrupts at once") {
    EventBench bench = bench_of(8, 2);
    fire(bench, 0);
    bench.run();
    fire(bench, 1);
    CHECK(bench.send() == Sent{"eq0[1]=cq1 own0"});
    // Software has read one entry and seen no second; that is in memory before the arm arrives.
    bench.land();
    CHECK(bench.consume(0, 1, true) == CommandResult::Ok);
    CHECK(bench.run() == Sent{"irq1"});

    // The other order: it arms first.
    fire(bench, 0);
    CHECK(bench.send() == Sent{"eq0[2]=cq0 own0"});
    CHECK(bench.consume(0, 2, true) == CommandResult::Ok);
    CHECK(bench.send().empty());
    bench.land();
    CHECK(bench.run() == Sent{"irq1"});
}

TEST_CASE("S6.22 an entry that software read before the write's answer came interrupts nobody") {
    EventBench bench = bench_of(8, 1);
    fire(bench, 0);
    bench.send();
    CHECK(bench.consume(0, 1, true) == CommandResult::Ok);
    bench.land();
    CHECK(bench.run().empty());
    fire(bench, 0);
    CHECK(bench.run() == Sent{"eq0[1]=cq0 own0", "irq1"});
}

TEST_CASE("S6.22 two event queues on one vector interrupt for themselves") {
    EventBench bench;
    for (const std::uint16_t eqn : {std::uint16_t{0}, std::uint16_t{1}}) {
        REQUIRE(bench.rules.create_eq({Eqn{eqn}, EqKind::Completion, kEqRing * (eqn + 1U), 4, 5}) ==
                CommandResult::Ok);
        REQUIRE(bench.attach(eqn, eqn) == CommandResult::Ok);
        CHECK(bench.consume(eqn, 0, true) == CommandResult::Ok);
    }
    fire(bench, 0);
    CHECK(bench.run() == Sent{"eq0[0]=cq0 own0", "irq5"});
    fire(bench, 0);
    fire(bench, 1);
    CHECK(bench.run() == Sent{"eq0[1]=cq0 own0", "eq1[0]=cq1 own0", "irq5"});
}

TEST_CASE("S6.22 consumer indices that no correct software writes are refused") {
    EventBench bench = bench_of(4, 3);
    CHECK(bench.consume(1, 0) == CommandResult::NoEntry);
    CHECK(bench.consume(9, 0) == CommandResult::NoEntry);
    CHECK(bench.consume(0, 1) == CommandResult::Invalid);  // nothing was written
    fire(bench, 0);
    fire(bench, 1);
    bench.run();
    CHECK(bench.consume(0, 3) == CommandResult::Invalid);
    CHECK(bench.consume(0, 2) == CommandResult::Ok);
    CHECK(bench.consume(0, 1, true) == CommandResult::Invalid);  // back
    CHECK(bench.consume(0, 2) == CommandResult::Ok);
    fire(bench, 2);
    CHECK(bench.run() == Sent{"eq0[2]=cq2 own0"});  // the refused write has not armed it
}

TEST_CASE("S6.23 a failed write of an entry puts its event queue in error") {
    EventBench bench = bench_of(8, 3);
    REQUIRE(bench.eq(1, 4, EqKind::Async) == CommandResult::Ok);
    CHECK(bench.consume(0, 0, true) == CommandResult::Ok);
    fire(bench, 0);
    fire(bench, 1);
    bench.send();
    bench.rules.landed(bench.open[1], true);  // in any order
    CHECK(bench.queue(0).in_memory == 0);
    bench.rules.landed(bench.open[0], false);
    bench.open.clear();
    CHECK(bench.queue(0).in_memory == 0);  // behind the hole software never reads
    CHECK(bench.queue(0).dropped == 2);
    CHECK(bench.run() == Sent{"fatal eq0", "eq1[0]=async8 own0"});
    fire(bench, 2);
    CHECK(bench.run().empty());
    CHECK(bench.queue(0).dropped == 3);
}

TEST_CASE("S6.23 a second failed write of the same event queue is no second DEVICE_FATAL") {
    EventBench bench = bench_of(8, 2);
    fire(bench, 0);
    fire(bench, 1);
    bench.send();
    bench.rules.landed(bench.open[0], false);
    bench.rules.landed(bench.open[1], false);
    bench.open.clear();
    CHECK(bench.run() == Sent{"fatal eq0"});
    CHECK(bench.queue(0).dropped == 2);
    CHECK(bench.rules.unheard() == 1);
}

TEST_CASE("S6.15 entries count in the order of the ring, whatever order their writes end in") {
    EventBench bench = bench_of(8, 2);
    CHECK(bench.consume(0, 0, true) == CommandResult::Ok);
    fire(bench, 0);
    fire(bench, 1);
    bench.send();
    bench.rules.landed(bench.open[1], true);
    CHECK(bench.send().empty());
    bench.rules.landed(bench.open[0], true);
    CHECK(bench.queue(0).in_memory == 2);
    CHECK(bench.send() == Sent{"irq1"});
}

TEST_CASE("S6.15 an interrupt whose write fails is counted") {
    EventBench bench = bench_of(8, 1);
    CHECK(bench.consume(0, 0, true) == CommandResult::Ok);
    fire(bench, 0);
    bench.send();
    bench.land();
    REQUIRE(bench.send() == Sent{"irq1"});
    bench.rules.landed(bench.open[0], false);
    CHECK(bench.rules.queues().lost_interrupts() == 1);
    CHECK_FALSE(bench.queue(0).error);
}

TEST_CASE("D7 the path forms one entry each service time, and the window holds it up") {
    EventConfig config = event_config();
    config.eqe_service = from_ns(4);
    config.writes_in_flight = 3;
    EventBench bench = bench_of(8, 6, config);
    bench.now = from_ns(100);
    for (std::uint32_t cq = 0; cq < 6; ++cq) {
        fire(bench, cq);
    }
    EventRules::Action action = bench.rules.next(bench.now);
    CHECK(action.at == from_ns(104));
    bench.open.push_back(action.write.place);
    CHECK(bench.send().empty());
    CHECK(bench.rules.wake_at() == from_ns(104));
    bench.now = from_ns(104);
    CHECK(bench.send().size() == 1);
    bench.now = from_ns(108);
    CHECK(bench.send().size() == 1);
    CHECK(bench.rules.wake_at() == kNever);  // three in flight
    bench.now = from_ns(200);
    CHECK(bench.send().empty());
    bench.land(1);
    CHECK(bench.rules.wake_at() == from_ns(112));
    CHECK(bench.send() == Sent{"eq0[3]=cq3 own0"});
}

TEST_CASE("S4.12 S6.16 what waits for a CQ that is gone or in error takes no entry") {
    EventBench bench = bench_of(8, 4);
    for (std::uint32_t cq = 0; cq < 4; ++cq) {
        fire(bench, cq);
    }
    bench.rules.detach(Cqn{1});
    bench.rules.fail(Cqn{2});
    CHECK(bench.run() == Sent{"eq0[0]=cq0 own0", "eq0[1]=cq3 own0"});
    CHECK(bench.queue(0).dropped == 2);  // and is counted
}

TEST_CASE("S4.12 a number that is used again does not inherit what waited") {
    EventBench bench = bench_of(8, 2);
    REQUIRE(bench.eq(1) == CommandResult::Ok);
    fire(bench, 0);
    bench.rules.detach(Cqn{0});
    REQUIRE(bench.attach(0, 1) == CommandResult::Ok);
    fire(bench, 1);
    fire(bench, 0);
    CHECK(bench.run() == Sent{"eq0[0]=cq1 own0", "eq1[0]=cq0 own0"});
}
