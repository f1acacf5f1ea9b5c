// SPDX-License-Identifier: Apache-2.0
// When slots of send queues come back (S2.5, K26), when they never will (S2.6), who is signaled,
// and what waits for room in a CQ (S5.13).
#include "tb/unit/pipeline_bench.h"

namespace {

using namespace cqsim;
using namespace cqsim::tb;
using namespace cqsim::tb::test;

constexpr Qpn kRcQp = PipelineBench::kRc;
constexpr Qpn kUdQp = PipelineBench::kUd;
constexpr std::uint32_t kSlots = PipelineBench::kDepth;

/// Sends of the RC QP, one each 100 ns that takes 50.
StreamConfig sends_of_rc(std::uint64_t count) {
    StreamConfig traffic;
    traffic.first = kRcQp;
    traffic.period = from_ns(100);
    traffic.latency = from_ns(50);
    traffic.count = count;
    return traffic;
}

PostResult post_one(PipelineBench& bench, Qpn qpn, bool signaled = true) {
    PostRequest request;
    request.signaled = signaled;
    request.latency = from_ns(100);
    return bench.tx.post(qpn, request);
}

/// Numbers, from 1, of the sends of the RC QP that asked for a completion.
std::vector<std::uint32_t> signaled_of(const PipelineBench& bench) {
    std::vector<std::uint32_t> numbers;
    for (const Completion& completion : bench.tx_tap.taken) {
        if (completion.qpn == kRcQp && completion.signaled) {
            numbers.push_back(completion.wqe_index + 1);
        }
    }
    return numbers;
}

}  // namespace

TEST_CASE("S2.5 K26 poll: a send queue stays full when its requests have ended") {
    PipelineBench bench;
    bench.send(kRcQp, kSlots, 100);
    CHECK(post_one(bench, kRcQp) == PostResult::Full);
    bench.run(1000);
    REQUIRE(bench.tx_tap.taken.size() == kSlots);
    CHECK(post_one(bench, kRcQp) == PostResult::Full);
    bench.tx_software->polled(kRcQp, 0, wr_id_of(kRcQp, QueueKind::Send, 0, 1));
    CHECK(post_one(bench, kRcQp) == PostResult::Done);
    CHECK(post_one(bench, kRcQp) == PostResult::Full);
}

TEST_CASE("K26 completion: a slot is free when its request has ended, whoever polls") {
    PipelineBench bench(SlotRelease::Completion);
    bench.send(kRcQp, kSlots - 1, 500);
    CHECK(post_one(bench, kRcQp, false) == PostResult::Done);
    CHECK(post_one(bench, kRcQp) == PostResult::Full);
    bench.run(490);
    CHECK(post_one(bench, kRcQp) == PostResult::Full);
    bench.run(20);  // all have ended, in order
    bench.send(kRcQp, kSlots, 100);
    CHECK(post_one(bench, kRcQp) == PostResult::Full);
    // An entry that is polled later gives back nothing more.
    bench.tx_software->polled(kRcQp, 3, wr_id_of(kRcQp, QueueKind::Send, 3, 1));
    CHECK(post_one(bench, kRcQp) == PostResult::Full);
}

TEST_CASE("K26 completion: a slot is kept while the tap holds the completion back") {
    PipelineBench bench(SlotRelease::Completion);
    bench.tx_tap.reply = OfferStatus::Held;
    bench.send(kRcQp, kSlots, 100);
    bench.run(200);
    REQUIRE(bench.tx_tap.held.size() == 1);
    CHECK(post_one(bench, kRcQp) == PostResult::Full);
    bench.tx_tap.decide(OfferStatus::Taken);
    CHECK(post_one(bench, kRcQp) == PostResult::Done);
    CHECK(post_one(bench, kRcQp) == PostResult::Full);
}

TEST_CASE("K26 completion: traffic that found the queue full goes on when a request ends") {
    PipelineBench bench(SlotRelease::Completion);
    StreamConfig traffic = sends_of_rc(20);
    traffic.latency = from_ns(3000);
    traffic.signal_every = 100;
    bench.tx.add_stream(traffic);
    bench.run(2900);
    CHECK(bench.count("post") == kSlots);
    REQUIRE(bench.tx.parked().size() == 1);
    CHECK(bench.tx.parked().front().for_slot.count == 1);
    CHECK(bench.tx.parked().front().for_ever.count == 0);
    bench.run(10'000);
    CHECK(bench.count("post") == 20);
}

TEST_CASE("K26 is about send queues: a receive's slot comes back when it is polled") {
    PipelineBench bench(SlotRelease::Completion);
    bench.rx.fill(kRcQp);
    bench.rx.fail(kRcQp, WcStatus::LocLenErr, 0);
    bench.run(1000);
    REQUIRE(bench.rx_tap.taken.size() == kSlots);
    CHECK(bench.rx.post(kRcQp, PostRequest{}) == PostResult::Full);
    bench.rx_software->polled(kRcQp, 0, wr_id_of(kRcQp, QueueKind::Receive, 0, 1));
    CHECK(bench.rx.post(kRcQp, PostRequest{}) == PostResult::Done);
}

TEST_CASE("S2.6 a full queue of unsignaled successes will never be retired, and any other may") {
    PipelineBench bench;
    for (std::uint32_t i = 1; i < kSlots; ++i) {
        REQUIRE(post_one(bench, kRcQp, false) == PostResult::Done);
    }
    bench.run(1000);
    CHECK_FALSE(bench.tx.nothing_to_retire(kRcQp));  // one slot is free
    REQUIRE(post_one(bench, kRcQp, false) == PostResult::Done);
    CHECK_FALSE(bench.tx.nothing_to_retire(kRcQp));  // it may fail
    bench.run(1000);
    CHECK(bench.tx.nothing_to_retire(kRcQp));
    for (std::uint32_t i = 0; i < kSlots; ++i) {
        REQUIRE(post_one(bench, kUdQp, i != 3) == PostResult::Done);
    }
    bench.run(1000);
    CHECK_FALSE(bench.tx.nothing_to_retire(kUdQp));  // a poll retires it
}

TEST_CASE("S2.2 S2.6 a failed request is told of, so that a poll retires it") {
    PipelineBench bench;
    for (std::uint32_t i = 0; i < kSlots; ++i) {
        REQUIRE(post_one(bench, kUdQp, false) == PostResult::Done);
    }
    REQUIRE(bench.tx.fail(kUdQp, WcStatus::GeneralErr, 0) == FailResult::Done);
    bench.run(1000);
    CHECK_FALSE(bench.tx.nothing_to_retire(kUdQp));
}

TEST_CASE("S2.6 traffic of unsignaled sends waits for ever, and its QP is named") {
    PipelineBench bench;
    StreamConfig traffic = sends_of_rc(20);
    traffic.signal_every = 100;
    bench.tx.add_stream(traffic);
    bench.run(5000);
    CHECK(bench.count("post") == kSlots);
    const std::vector<ParkedStream> waiting = bench.tx.parked();
    REQUIRE(waiting.size() == 1);
    CHECK(waiting.front().for_ever.first == kRcQp);
    CHECK(waiting.front().for_ever.count == 1);
    CHECK(waiting.front().for_slot.count == 0);
}

TEST_CASE("S2.6 the last send of counted traffic is signaled if software says so") {
    PipelineBench bench;
    StreamConfig traffic = sends_of_rc(7);
    traffic.signal_every = 4;
    bench.tx.add_stream(traffic);
    bench.run(2000);
    CHECK(signaled_of(bench) == std::vector<std::uint32_t>{4});
    bench.tx_software->polled(kRcQp, 6, wr_id_of(kRcQp, QueueKind::Send, 6, 1));
    traffic.start = from_ns(3000);
    traffic.signal_last = true;
    bench.tx.add_stream(traffic);
    bench.run(4000);
    CHECK(signaled_of(bench) == std::vector<std::uint32_t>{4, 8, 12, 14});
}

TEST_CASE(
    "S5.13 without a credit of the CQ nothing is posted, and one that comes back is for any QP") {
    PipelineBench bench(SlotRelease::Poll, CqCredits(CqCreditPolicy::PerWqe, {5}, 2));
    for (int i = 0; i < 3; ++i) {
        REQUIRE(post_one(bench, kUdQp) == PostResult::Done);
    }
    bench.tx.add_stream(sends_of_rc(4));
    bench.run(2000);
    CHECK(bench.tx.posted(kRcQp) == 2);
    CHECK(post_one(bench, kUdQp) == PostResult::NoCredit);
    REQUIRE(bench.tx.parked().size() == 1);
    CHECK(bench.tx.parked().front().for_credit.first == kRcQp);
    bench.tx_software->polled(kUdQp, 1, wr_id_of(kUdQp, QueueKind::Send, 1, 1));
    bench.run(2000);
    CHECK(bench.tx.posted(kRcQp) == 4);
    CHECK(post_one(bench, kUdQp) == PostResult::NoCredit);
}

TEST_CASE("S5.13 S7.3 what a QP held comes back at its reset, and wakes whoever waits for it") {
    PipelineBench bench(SlotRelease::Poll, CqCredits(CqCreditPolicy::PerWqe, {5}, 2));
    for (int i = 0; i < 3; ++i) {
        REQUIRE(post_one(bench, kUdQp) == PostResult::Done);
    }
    bench.tx.add_stream(sends_of_rc(4));
    bench.run(2000);
    REQUIRE(bench.tx.posted(kRcQp) == 2);
    bench.modify(kUdQp, QpState::Reset);
    bench.run(2000);
    CHECK(bench.tx.posted(kRcQp) == 4);
}
