// SPDX-License-Identifier: Apache-2.0
// Mode event of the host (S6.8), its interrupts and event queues. One interval is 100 ns: polls and
// arms of a CQ served from 0 on come at 0, 100, 200 ns, ...
#include "tb/unit/host_bench.h"

namespace cqsim::test {
namespace {

constexpr Qpn kQp{3};
constexpr TimePs kInterval = from_ns(100);

tb::EventSettings settings(tb::SleepOrder order = tb::SleepOrder::ArmThenPoll) {
    return {16, kInterval, {}, ArmKind::Next, order};
}

}  // namespace

TEST_CASE("S6.8 the host polls an empty CQ, arms it with its consumer index, polls again, sleeps") {
    HostBench bench("bench");
    bench.begin();
    bench.create_cq(kCq, 8);
    bench.entry(kCq, kQp, 0);
    bench.host.event_loop().serve(kCq, settings());
    run_to_the_end();
    CHECK(bench.handed == std::vector<Handed>{{TimePs{0}, kQp, 0}});
    CHECK(bench.rings ==
          std::vector<Ring>{{from_ns(100), bar::kCqArm, bar::cq_arm(kCq, 1, ArmKind::Next)}});
    CHECK(bench.host.event_loop().counts().polls == 2);
    CHECK(kernel_now() == from_ns(200));
    CHECK(bench.published(kCq) == 1);
}

TEST_CASE(
    "S6.8 an entry between the poll that found nothing and the arm is found by the poll after") {
    HostBench bench("bench");
    bench.begin();
    bench.create_cq(kCq, 8);
    bench.host.event_loop().serve(kCq, settings());
    bench.early.at(from_ns(100), [&] { bench.entry(kCq, kQp, 0); });  // just before the arm
    run_to_the_end();
    CHECK(bench.handed == std::vector<Handed>{{from_ns(200), kQp, 0}});
}

TEST_CASE("S6.8 an entry of the time of the arm, after it, is found by the poll after") {
    HostBench bench("bench");
    bench.begin();
    bench.create_cq(kCq, 8);
    bench.host.event_loop().serve(kCq, settings());
    bench.late.at(from_ns(100), [&] { bench.entry(kCq, kQp, 0); });
    run_to_the_end();
    CHECK(bench.handed == std::vector<Handed>{{from_ns(200), kQp, 0}});
}

TEST_CASE("S6.8 who sleeps after the arm without a poll loses the wake-up") {
    HostBench bench("bench");
    bench.begin();
    bench.create_cq(kCq, 8);
    bench.host.event_loop().serve(kCq, settings(tb::SleepOrder::ArmThenSleep));
    bench.early.at(from_ns(100), [&] { bench.entry(kCq, kQp, 0); });
    run_to_the_end();
    CHECK(bench.handed.empty());
    CHECK(bench.rings_at(bar::kCqArm).size() == 1);
}

TEST_CASE("S6.18 S6.22 an interrupt's handler reads events, acknowledges, arms the queue, drains") {
    HostBench bench("bench");
    bench.begin();
    bench.create_eq(0, 4, 2);
    bench.create_cq(kCq, 8);
    bench.host.event_loop().serve(kCq, settings());
    bench.early.at(from_ns(5000), [&] {
        bench.entry(kCq, kQp, 0);
        bench.completion_event(0, kCq);
        bench.interrupt(2);
    });
    run_to_the_end();
    // The handler at 6 us, the drain from there on: poll, arm at 6.1 us, poll, sleep.
    CHECK(bench.handed == std::vector<Handed>{{from_ns(6000), kQp, 0}});
    CHECK(bench.rings_at(bar::kEqArm) ==
          std::vector<Ring>{{TimePs{0}, bar::kEqArm, bar::eq_index(Eqn{0}, 0)},
                            {from_ns(6000), bar::kEqArm, bar::eq_index(Eqn{0}, 1)}});
    CHECK(bench.rings_at(bar::kCqArm).back() ==
          Ring{from_ns(6100), bar::kCqArm, bar::cq_arm(kCq, 1, ArmKind::Next)});
    const tb::EventCounts& counts = bench.host.event_loop().counts();
    CHECK(counts.interrupts == 1);
    CHECK(counts.events == 1);
    CHECK(counts.acks == 1);
    CHECK(counts.empty_wakes == 0);
}

TEST_CASE("S6.8 an event that comes while the host polls after its arm makes it arm again") {
    HostBench bench("bench");
    bench.begin();
    bench.create_eq(0, 4, 0);
    bench.create_cq(kCq, 8);
    bench.host.event_loop().serve(kCq, {16, from_ns(2000), {}, ArmKind::Next});
    // Armed at 2 us; the handler runs at 3.5 us, before the poll of 4 us.
    bench.early.at(from_ns(2500), [&] {
        bench.entry(kCq, kQp, 0);
        bench.completion_event(0, kCq);
        bench.interrupt(0);
    });
    run_to_the_end();
    CHECK(bench.handed == std::vector<Handed>{{from_ns(4000), kQp, 0}});
    CHECK(bench.rings_at(bar::kCqArm).size() == 2);
}

TEST_CASE("S6.9 an event without an entry is counted, and the host arms and sleeps again") {
    HostBench bench("bench");
    bench.begin();
    bench.create_eq(0, 4, 0);
    bench.create_cq(kCq, 8);
    bench.host.event_loop().serve(kCq, settings());
    bench.early.at(from_ns(5000), [&] {
        bench.completion_event(0, kCq);
        bench.interrupt(0);
    });
    run_to_the_end();
    CHECK(bench.host.event_loop().counts().empty_wakes == 1);
    CHECK(bench.rings_at(bar::kCqArm).size() == 2);
}

TEST_CASE("S6.20 55 a drain goes on batch by batch until the CQ is empty") {
    HostBench bench("bench");
    bench.begin();
    bench.create_eq(0, 4, 0);
    bench.create_cq(kCq, 64);
    bench.host.event_loop().serve(kCq, settings());
    bench.early.at(from_ns(5000), [&] {
        for (std::uint32_t i = 0; i < 40; ++i) {
            bench.entry(kCq, kQp, i);
        }
        bench.completion_event(0, kCq);
        bench.interrupt(0);
    });
    run_to_the_end();
    REQUIRE(bench.handed.size() == 40);  // 16 + 16 + 8
    CHECK(bench.handed[15].at == from_ns(6000));
    CHECK(bench.handed[16].at == from_ns(6100));
    CHECK(bench.handed[39].at == from_ns(6200));
    CHECK(bench.published(kCq) == 40);
}

TEST_CASE("Interrupts that come before the handler runs are answered by one run") {
    HostBench bench("bench");
    bench.begin();
    bench.create_eq(0, 64, 0);
    bench.create_cq(kCq, 8);
    bench.host.event_loop().serve(kCq, settings());
    for (std::uint64_t i = 0; i < 10; ++i) {
        bench.early.at(from_ns(5000 + 50 * i), [&] {
            bench.completion_event(0, kCq);
            bench.interrupt(0);
        });
    }
    run_to_the_end();
    const tb::EventCounts& counts = bench.host.event_loop().counts();
    CHECK(counts.interrupts == 10);
    CHECK(counts.events == 10);
    CHECK(counts.empty_wakes == 1);
    CHECK(bench.rings_at(bar::kEqArm).size() == 2);  // at creation, and once by the handler
}

TEST_CASE("Two event queues on one vector are both read at its interrupt, others are not") {
    HostBench bench("bench");
    bench.begin();
    bench.create_eq(0, 4, 1);
    bench.create_eq(1, 4, 1);
    bench.create_eq(2, 4, 3);
    bench.create_cq(kCq, 8);
    bench.create_cq(kOther, 8);
    bench.early.at(from_ns(5000), [&] {
        bench.completion_event(0, kCq);
        bench.completion_event(1, kOther);
        bench.completion_event(2, kCq);
        bench.interrupt(1);
    });
    run_to_the_end();
    CHECK(bench.host.queues().consumer(Eqn{0}) == 1);
    CHECK(bench.host.queues().consumer(Eqn{1}) == 1);
    CHECK(bench.host.queues().consumer(Eqn{2}) == 0);
    CHECK(bench.host.event_loop().counts().stray_events == 2);  // nobody serves these CQs
}

TEST_CASE("S3.5 S6.22 an event queue wraps, and its index is told at least every half of it") {
    HostBench bench("bench");
    bench.begin();
    bench.create_eq(0, 4, 0);
    bench.create_cq(kCq, 8);
    for (std::uint64_t round = 0; round < 3; ++round) {  // 3 + 3 + 3 entries in 4 slots
        bench.early.at(from_ns(10'000 * (round + 1)), [&] {
            for (int i = 0; i < 3; ++i) {
                bench.completion_event(0, kCq);
            }
            bench.interrupt(0);
        });
    }
    run_to_the_end();
    CHECK(bench.host.queues().consumer(Eqn{0}) == 9);
    // Told after 2 of each 3, and when empty.
    CHECK(bench.rings_at(bar::kEqUpdate) ==
          std::vector<Ring>{{from_ns(11'000), bar::kEqUpdate, bar::eq_index(Eqn{0}, 2)},
                            {from_ns(21'000), bar::kEqUpdate, bar::eq_index(Eqn{0}, 5)},
                            {from_ns(31'000), bar::kEqUpdate, bar::eq_index(Eqn{0}, 8)}});
    CHECK(bench.rings_at(bar::kEqArm).back() ==
          Ring{from_ns(31'000), bar::kEqArm, bar::eq_index(Eqn{0}, 9)});
}

TEST_CASE("S4.13 what lies unread of a CQ at its destroy never reaches the next of its number") {
    HostBench bench("bench");
    bench.begin();
    bench.create_eq(0, 4, 0);
    bench.create_eq(1, 4, 1);
    bench.create_cq(kCq, 8);
    bench.create_cq(kOther, 8);
    bench.host.event_loop().serve(kOther, settings());
    bench.early.at(from_ns(5000), [&] {
        bench.completion_event(0, kCq);
        bench.completion_event(0, kOther);
        bench.cq_error(1, kCq);
        bench.interrupt(0);
        bench.interrupt(1);
    });
    // Before the handlers of 6 us.
    bench.early.at(from_ns(5500), [&] {
        bench.host.driver().destroy_cq(0, kCq);
        bench.create_cq(kCq, 8);
        bench.host.event_loop().serve(kCq, settings());
        bench.host.driver().destroy_cq(0, kCq);  // drops nothing again
        bench.create_cq(kCq, 8);
        bench.host.event_loop().serve(kCq, {16, kInterval, from_ns(5500)});
    });
    // The next lap of the event queue: the same places, other entries.
    for (std::uint64_t round = 1; round <= 4; ++round) {
        bench.early.at(from_ns(10'000 * round), [&] {
            bench.completion_event(0, kCq);
            bench.interrupt(0);
        });
    }
    run_to_the_end();
    const tb::EventCounts& counts = bench.host.event_loop().counts();
    CHECK(counts.dropped == 2);
    CHECK(counts.cq_errors == 0);
    CHECK(counts.events == 5);       // one of kOther, four of the new kCq
    CHECK(counts.empty_wakes == 5);  // each of them, and no other
    CHECK(bench.host.queues().consumer(Eqn{0}) == 6);
    CHECK(bench.host.queues().consumer(Eqn{1}) == 1);
}

TEST_CASE("S4.13 what lies unread by hand holds no destroy back, and is read by nobody") {
    HostBench bench("bench");
    bench.begin();
    bench.host.driver().create_eq(0, Eqn{0}, EqKind::Completion, 8, 0, false);
    bench.create_eq(1, 4, 1);  // makes room for the producers of both
    bench.create_cq(kCq, 8);
    bench.create_cq(kOther, 8);
    for (const Cqn cqn : {kCq, kOther, kCq, kCq}) {  // case 57
        bench.completion_event(0, cqn);
    }
    tb::EventLoop& loop = bench.host.event_loop();
    for (int i = 0; i < 3; ++i) {
        REQUIRE(loop.read(Eqn{0}));
    }
    CHECK(loop.unacknowledged(kCq) == 2);
    CHECK_FALSE(loop.acknowledge(kOther, 3));
    CHECK(loop.acknowledge(kOther, 1));
    CHECK(loop.acknowledge(kCq, 2));
    const std::size_t before = bench.commands.size();
    bench.host.driver().destroy_cq(0, kCq);
    CHECK(bench.commands.size() == before + 1);
    bench.create_cq(kCq, 8);
    CHECK_FALSE(loop.read(Eqn{0}));
    CHECK(loop.unacknowledged(kCq) == 0);
    CHECK(bench.host.queues().consumer(Eqn{0}) == 4);
    bench.completion_event(0, kCq);  // of the new one
    CHECK(loop.read(Eqn{0}));
    CHECK(loop.unacknowledged(kCq) == 1);
}

TEST_CASE("K08 a CQ in error is drained once more and then neither polled nor armed") {
    HostBench bench("bench");
    bench.begin();
    bench.create_eq(0, 4, 0);
    bench.create_cq(kCq, 8);
    bench.host.event_loop().serve(kCq, settings());
    bench.early.at(from_ns(5000), [&] {
        bench.entry(kCq, kQp, 0);
        bench.cq_error(0, kCq);
        bench.interrupt(0);
    });
    bench.early.at(from_ns(9000), [&] {
        bench.entry(kCq, kQp, 1);
        bench.completion_event(0, kCq);
        bench.interrupt(0);
    });
    run_to_the_end();
    CHECK(bench.handed == std::vector<Handed>{{from_ns(6000), kQp, 0}});
    CHECK(bench.rings_at(bar::kCqArm).size() == 1);  // the first, before the error
    CHECK(bench.host.event_loop().counts().cq_errors == 1);
    CHECK(bench.host.event_loop().counts().async_events == 1);
}

}  // namespace cqsim::test
