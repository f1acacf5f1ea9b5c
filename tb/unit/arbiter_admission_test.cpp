// SPDX-License-Identifier: Apache-2.0
// The bounded input of the arbiter (D3): a shared pool that holds, and credits per requester.
#include "tb/unit/arbiter_bench.h"

#include <catch2/catch.hpp>

namespace {

using namespace cqsim;
using namespace cqsim::test;
using Offer = ArbiterRules::Offer;

ArbiterConfig pool_of(std::uint32_t depth) {
    ArbiterConfig config;
    config.policy = ArbiterPolicy::Fifo;
    config.depth = depth;
    return config;
}

ArbiterConfig credits_of(std::uint32_t credits, Requester requester) {
    ArbiterConfig config;
    config.requester = requester;
    config.admission = AdmissionPolicy::Credits;
    config.credits = credits;
    return config;
}

/// Whether `room` is a credit for this work queue.
bool credits(const ArbiterRules::Room& room, std::uint32_t qp, QueueKind queue) {
    return room.credit && !room.held_taken && room.work_queue.qpn == Qpn{qp} &&
           room.work_queue.queue == queue && room.port == port_of(queue);
}

}  // namespace

TEST_CASE("D3 the pool takes as many as its depth and then holds one on each port") {
    ArbiterBench bench(pool_of(2));
    CHECK(bench.send(1, 10, 0) == Offer::Taken);
    CHECK(bench.receive(2, 20, 1) == Offer::Taken);
    CHECK(bench.send(3, 30, 2) == Offer::Held);
    CHECK(bench.receive(4, 40, 3) == Offer::Held);
    CHECK(bench.rules.inside() == 2);
}

TEST_CASE("D3 a freed place goes to the held completion and it keeps the time of its arrival") {
    ArbiterBench bench(pool_of(1));
    bench.send(1, 10, 0);
    bench.send(2, 15, 0);
    CHECK(bench.serve() == 1);
    REQUIRE(bench.room.held_taken);
    CHECK_FALSE(bench.room.credit);
    CHECK(bench.room.port == ArbiterPort::Tx);
    CHECK(bench.rules.completion(bench.room.entry).serial == 2);
    CHECK(bench.rules.arrived(bench.room.entry) == TimePs{15});
    CHECK(bench.rules.inside() == 1);
    CHECK(bench.serve() == 2);
    CHECK_FALSE(bench.room.held_taken);
    CHECK(bench.rules.empty());
}

TEST_CASE("D3 while both ports are held freed places go to them alternately") {
    ArbiterBench bench(pool_of(1));
    bench.send(1, 10, 0);
    bench.send(2, 10, 0);
    bench.receive(101, 10, 1);
    std::uint64_t next_sent = 3;
    std::uint64_t next_received = 102;
    Serials served;
    for (int i = 0; i < 6; ++i) {
        served.push_back(bench.serve());
        REQUIRE(bench.room.held_taken);
        if (bench.room.port == ArbiterPort::Tx) {
            REQUIRE(bench.send(next_sent++, 20, 0) == Offer::Held);
        } else {
            REQUIRE(bench.receive(next_received++, 20, 1) == Offer::Held);
        }
    }
    CHECK(served == Serials{1, 101, 2, 102, 3, 103});
}

TEST_CASE("D3 with one port held a freed place goes to it whichever port was served") {
    ArbiterBench bench(pool_of(2));
    bench.send(1, 10, 0);
    bench.receive(2, 20, 1);
    bench.send(3, 30, 0);
    CHECK(bench.serve() == 1);
    REQUIRE(bench.room.held_taken);
    CHECK(bench.room.port == ArbiterPort::Tx);
    bench.send(4, 40, 0);
    CHECK(bench.serve() == 2);  // a receive
    REQUIRE(bench.room.held_taken);
    CHECK(bench.room.port == ArbiterPort::Tx);
    CHECK(bench.serve_all() == Serials{3, 4});
}

TEST_CASE("S3.10 a held completion stays behind those of its port that were taken before it") {
    ArbiterBench bench(pool_of(2));
    bench.send(1, 10, 0);
    const EntryId first = bench.rules.next();
    bench.send(2, 20, 0);                        // fills the place that is left
    CHECK(bench.send(3, 20, 0) == Offer::Held);  // 1 has not been released yet
    CHECK(bench.rules.release(first).held_taken);
    CHECK(bench.serve_all() == Serials{2, 3});
}

TEST_CASE("D3 a requester without credits is refused and the others are not") {
    ArbiterBench bench(credits_of(2, Requester::Qp));
    CHECK(bench.send(1, 10, 0) == Offer::Taken);
    CHECK(bench.receive(2, 10, 0) == Offer::Taken);
    CHECK(bench.send(3, 10, 0) == Offer::NoCredit);
    CHECK(bench.receive(4, 10, 0) == Offer::NoCredit);
    CHECK(bench.send(5, 10, 1) == Offer::Taken);
    CHECK(bench.rules.inside() == 3);
}

TEST_CASE("D3 a refused work queue gets exactly one credit however often it was refused") {
    ArbiterBench bench(credits_of(2, Requester::Qp));
    bench.send(1, 10, 0);
    bench.send(2, 10, 0);
    CHECK(bench.send(3, 20, 0) == Offer::NoCredit);
    CHECK(bench.send(3, 30, 0) == Offer::NoCredit);
    CHECK(bench.serve() == 1);
    CHECK(credits(bench.room, 0, QueueKind::Send));
    CHECK(bench.serve() == 2);
    CHECK_FALSE(bench.room.credit);
    CHECK(bench.send(3, 40, 0) == Offer::Taken);
    CHECK(bench.serve() == 3);
    CHECK_FALSE(bench.room.credit);
}

TEST_CASE("D3 credits come back in the order of the refusals") {
    ArbiterBench bench(credits_of(3, Requester::Tap));
    bench.send(1, 10, 0);
    bench.send(2, 10, 1);
    bench.send(3, 10, 2);
    CHECK(bench.send(4, 20, 3) == Offer::NoCredit);
    CHECK(bench.send(5, 20, 1) == Offer::NoCredit);
    CHECK(bench.send(6, 20, 2) == Offer::NoCredit);
    CHECK(bench.serve() == 1);
    CHECK(credits(bench.room, 3, QueueKind::Send));
    CHECK(bench.serve() == 2);
    CHECK(credits(bench.room, 1, QueueKind::Send));
    CHECK(bench.serve() == 3);
    CHECK(credits(bench.room, 2, QueueKind::Send));
}

TEST_CASE("D3 who is refused again after a credit waits behind the others") {
    ArbiterBench bench(credits_of(1, Requester::Cq));
    bench.send(1, 10, 0, 2);
    CHECK(bench.send(2, 20, 1, 2) == Offer::NoCredit);
    CHECK(bench.receive(3, 20, 4, 2) == Offer::NoCredit);
    CHECK(bench.serve() == 1);
    CHECK(credits(bench.room, 1, QueueKind::Send));
    CHECK(bench.send(4, 30, 5, 2) == Offer::Taken);     // overtakes: a credit reserves nothing
    CHECK(bench.send(2, 40, 1, 2) == Offer::NoCredit);  // hence to the end
    CHECK(bench.serve() == 4);
    CHECK(credits(bench.room, 4, QueueKind::Receive));
    CHECK(bench.receive(3, 50, 4, 2) == Offer::Taken);
    CHECK(bench.serve() == 3);
    CHECK(credits(bench.room, 1, QueueKind::Send));
}

TEST_CASE("D3 serving one requester gives no credit to another's work queues") {
    ArbiterBench bench(credits_of(1, Requester::Qp));
    bench.send(1, 10, 0);
    bench.send(2, 20, 1);
    CHECK(bench.send(3, 30, 1) == Offer::NoCredit);
    CHECK(bench.serve() == 1);
    CHECK_FALSE(bench.room.credit);
    CHECK(bench.serve() == 2);
    CHECK(credits(bench.room, 1, QueueKind::Send));
}

TEST_CASE("D3 under credits and fifo each requester has its own credits") {
    ArbiterConfig config = credits_of(1, Requester::Qp);
    config.policy = ArbiterPolicy::Fifo;
    ArbiterBench bench(config);
    CHECK(bench.send(1, 10, 0) == Offer::Taken);
    CHECK(bench.send(2, 20, 1) == Offer::Taken);
    CHECK(bench.send(3, 30, 0) == Offer::NoCredit);
    CHECK(bench.serve() == 1);
    CHECK(credits(bench.room, 0, QueueKind::Send));
    CHECK(bench.send(3, 40, 0) == Offer::Taken);
    CHECK(bench.serve_all() == Serials{2, 3});
}

TEST_CASE("P2 a copied arbiter gives the credits that the original owes") {
    ArbiterBench original(credits_of(1, Requester::Qp));
    original.send(1, 10, 0);
    original.send(2, 20, 0);
    original.receive(3, 20, 0);
    ArbiterBench copy = original;
    REQUIRE(copy.rules == original.rules);
    REQUIRE(copy.rules.hash() == original.rules.hash());
    for (ArbiterBench* bench : {&original, &copy}) {
        CHECK(bench->serve() == 1);
        CHECK(credits(bench->room, 0, QueueKind::Send));
        CHECK(bench->send(2, 30, 0) == Offer::Taken);
    }
    CHECK(copy.rules == original.rules);
    copy.send(4, 30, 0);  // refused: its work queue waits
    CHECK_FALSE(copy.rules == original.rules);
    CHECK(copy.rules.hash() != original.rules.hash());
}

TEST_CASE("P2 a held completion is part of the arbiter's state") {
    ArbiterBench original(pool_of(1));
    original.send(1, 10, 0);
    ArbiterBench copy = original;
    CHECK(copy.send(2, 10, 0) == Offer::Held);
    CHECK_FALSE(copy.rules == original.rules);
    CHECK(copy.rules.hash() != original.rules.hash());
    ArbiterBench on_the_other_port = original;
    CHECK(on_the_other_port.receive(2, 10, 0) == Offer::Held);
    CHECK_FALSE(on_the_other_port.rules == copy.rules);
    CHECK(on_the_other_port.rules.hash() != copy.rules.hash());
}

TEST_CASE("P2 arbiters whose seeded ties will fall otherwise are not equal") {
    ArbiterConfig config = pool_of(4);
    config.tie_break = TieBreak::Seeded;
    CHECK_FALSE(ArbiterBench(config, 1).rules == ArbiterBench(config, 2).rules);
    CHECK(ArbiterBench(config, 1).rules == ArbiterBench(config, 1).rules);
}

TEST_CASE("D3 a credit that is declined goes to whoever waits next for the same requester") {
    ArbiterBench bench(credits_of(1, Requester::Cq));
    bench.send(1, 10, 0, 1);
    REQUIRE(bench.send(2, 20, 1, 1) == Offer::NoCredit);
    REQUIRE(bench.receive(3, 30, 2, 1) == Offer::NoCredit);
    REQUIRE(bench.send(4, 40, 3, 2) == Offer::Taken);  // another CQ
    bench.serve();
    REQUIRE(credits(bench.room, 1, QueueKind::Send));
    const ArbiterRules::Room next = bench.rules.decline(ArbiterPort::Tx, Qpn{1});
    CHECK(credits(next, 2, QueueKind::Receive));
    CHECK(bench.receive(3, 50, 2, 1) == Offer::Taken);
    CHECK(bench.send(5, 60, 1, 1) == Offer::NoCredit);  // the CQ's one place is in use
    CHECK(bench.rules.decline(ArbiterPort::Rx, Qpn{2}).credit);
    CHECK_FALSE(bench.rules.decline(ArbiterPort::Tx, Qpn{1}).credit);  // nobody waits
}

TEST_CASE("P2 arbiters that are configured otherwise are not equal") {
    const ArbiterConfig config = pool_of(4);
    std::vector<ArbiterConfig> others(6, config);
    others[0].policy = ArbiterPolicy::RoundRobin;
    others[1].requester = Requester::Cq;
    others[2].admission = AdmissionPolicy::Credits;
    others[3].depth = 5;
    others[4].credits = 5;
    others[5].tie_break = TieBreak::RxFirst;
    const ArbiterBench bench(config);
    for (std::size_t i = 0; i < others.size(); ++i) {
        const ArbiterBench other(others[i]);
        INFO("configuration " << i);
        CHECK_FALSE(bench.rules == other.rules);
        CHECK(bench.rules.hash() != other.rules.hash());
    }
    CHECK(bench.rules == ArbiterBench(config).rules);
    CHECK(bench.rules.hash() == ArbiterBench(config).rules.hash());
}
