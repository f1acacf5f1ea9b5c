// SPDX-License-Identifier: Apache-2.0
// Which of a QP's two queues flushes first (S2.21, K18): both pipelines and the QP table.
#include "models/random/random.h"
#include "tb/unit/pipeline_bench.h"

#include <catch2/catch.hpp>

namespace {

using namespace cqsim;
using namespace cqsim::tb;
using namespace cqsim::tb::test;

constexpr Qpn kFlushedRc = PipelineBench::kRc;
constexpr Qpn kFlushedUd = PipelineBench::kUd;
constexpr std::uint64_t kLong = 100'000;  // ns: longer than any of these tests

/// The flushes in order: an s for each of a send, an r for each of a receive.
std::string flush_pattern(PipelineBench& bench) {
    bench.stream.drain();
    std::string pattern;
    for (const std::string& line : bench.log) {
        if (line.find("WR_FLUSH_ERR") != std::string::npos) {
            pattern += line.find("complete send") == 0 ? 's' : 'r';
        }
    }
    return pattern;
}

void check_all_answered(PipelineBench& bench) {
    bench.answer_all(bench.tx_tap);
    bench.answer_all(bench.rx_tap);
    CHECK(bench.tx.unanswered() == 0);
    CHECK(bench.rx.unanswered() == 0);
}

/// Random happenings to both QPs; then ERR.
void check_whatever_happens(FlushOrder order) {
    PipelineBench bench({order, ResetFrom::Any});
    RandomStream random(7 + static_cast<std::uint64_t>(order), "flush_order_test");
    for (int i = 0; i < 4000; ++i) {
        const Qpn qpn{static_cast<std::uint32_t>(random.below(2))};
        const std::uint64_t draw = random.below(100);
        PlayedTap& tap = random.coin() ? bench.tx_tap : bench.rx_tap;
        PostRequest request;
        request.latency = from_ns(random.below(40));
        if (draw < 30) {
            bench.tx.post(qpn, request);
        } else if (draw < 50) {
            bench.rx.post(qpn, request);
        } else if (draw < 56) {
            bench.tx.fail(qpn, WcStatus::LocProtErr, 0);
        } else if (draw < 60) {
            bench.rx.fail(qpn, WcStatus::LocProtErr, 0);
        } else if (draw < 70 && tap.held.empty()) {
            tap.reply = random.coin() ? OfferStatus::Held : OfferStatus::Taken;
        } else if (draw < 80 && !tap.held.empty()) {
            tap.decide(OfferStatus::Taken);
        } else if (draw < 84 && bench.table.in_flight(qpn) == 0) {
            bench.modify(qpn, QpState::Reset);
            bench.bring_up(qpn);
        } else if (draw < 88 && bench.table.state(qpn) != QpState::Reset) {
            bench.modify(qpn, QpState::Err);
        } else {
            bench.run(random.below(30) + 1);
            bench.answer_all(tap);
        }
    }
    for (const Qpn qpn : {kFlushedRc, kFlushedUd}) {
        if (bench.table.state(qpn) != QpState::Err) {
            bench.modify(qpn, QpState::Err);
        }
    }
    for (int i = 0; i < 100; ++i) {
        for (PlayedTap* tap : {&bench.tx_tap, &bench.rx_tap}) {
            tap->reply = OfferStatus::Taken;
            if (!tap->held.empty()) {
                tap->decide(OfferStatus::Taken);
            }
        }
        bench.run(50);
    }
    check_all_answered(bench);
    CHECK(bench.count("complete send") > 100);
    CHECK(flush_pattern(bench).size() > 100);
}

}  // namespace

TEST_CASE("K18 sq_then_rq: the receive queue flushes when the send queue is through") {
    PipelineBench bench({FlushOrder::SqThenRq, ResetFrom::Any});
    bench.send(kFlushedRc, 3, kLong);
    bench.rx.fill(kFlushedRc);
    bench.modify(kFlushedRc, QpState::Err);
    CHECK(bench.count("flush") == 1);  // the receive queue has not begun
    bench.run(200);
    CHECK(flush_pattern(bench) == "sssrrrrrrrr");
    CHECK(bench.count("flush") == 2);
    check_all_answered(bench);
}

TEST_CASE("K18 rq_then_sq: the send queue flushes when the receive queue is through") {
    PipelineBench bench({FlushOrder::RqThenSq, ResetFrom::Any});
    bench.send(kFlushedRc, 3, kLong);
    bench.rx.fill(kFlushedRc);
    bench.modify(kFlushedRc, QpState::Err);
    CHECK(bench.count("flush") == 1);
    bench.run(200);
    CHECK(flush_pattern(bench) == "rrrrrrrrsss");
    CHECK(bench.count("flush") == 2);
    check_all_answered(bench);
}

TEST_CASE("K18 interleaved: both queues flush at once") {
    PipelineBench bench({FlushOrder::Interleaved, ResetFrom::Any});
    bench.send(kFlushedRc, 3, kLong);
    bench.rx.fill(kFlushedRc);
    bench.modify(kFlushedRc, QpState::Err);
    CHECK(bench.count("flush") == 2);
    bench.run(200);
    CHECK(flush_pattern(bench) == "srsrsrrrrrr");  // one of each every flush_service
    check_all_answered(bench);
}

TEST_CASE("K18 a queue that holds nothing keeps the other one waiting for nothing") {
    PipelineBench sends({FlushOrder::RqThenSq, ResetFrom::Any});
    sends.send(kFlushedRc, 2, kLong);
    sends.modify(kFlushedRc, QpState::Err);
    sends.run(200);
    CHECK(flush_pattern(sends) == "ss");
    check_all_answered(sends);
}

TEST_CASE("K18 a send queue that holds nothing lets the receives flush at once") {
    PipelineBench receives({FlushOrder::SqThenRq, ResetFrom::Any});
    receives.rx.fill(kFlushedRc);
    receives.modify(kFlushedRc, QpState::Err);
    CHECK(receives.count("flush") == 1);
    receives.run(200);
    CHECK(flush_pattern(receives) == "rrrrrrrr");
    check_all_answered(receives);
}

TEST_CASE("S2.18 K18 what is posted in ERR flushes, and no queue waits for it") {
    PipelineBench bench({FlushOrder::SqThenRq, ResetFrom::Any});
    bench.send(kFlushedRc, 2, kLong);
    bench.rx.post(kFlushedRc, PostRequest{});
    bench.modify(kFlushedRc, QpState::Err);
    bench.send(kFlushedRc, 3, kLong);          // behind what the receive queue waits for
    bench.rx.post(kFlushedRc, PostRequest{});  // behind the receive that waits
    bench.run(5);                              // two flushes of the send queue: 0 and 4 ns
    CHECK(flush_pattern(bench) == "ssr");      // and at 4 ns the receive queue may begin
    bench.run(200);
    CHECK(flush_pattern(bench).size() == 7);
    bench.rx.post(kFlushedRc, PostRequest{});
    bench.run(200);
    CHECK(flush_pattern(bench).back() == 'r');
    bench.send(kFlushedRc, 1, kLong);
    bench.run(200);
    CHECK(flush_pattern(bench).back() == 's');
    check_all_answered(bench);
}

TEST_CASE("K18 the second queue waits until the last of the first is accepted, however late") {
    PipelineBench bench({FlushOrder::SqThenRq, ResetFrom::Any});
    bench.tx_tap.reply = OfferStatus::Held;
    bench.send(kFlushedRc, 1, kLong);
    bench.rx.fill(kFlushedRc);
    bench.modify(kFlushedRc, QpState::Err);
    bench.run(200);
    CHECK(flush_pattern(bench) == "s");
    bench.tx_tap.reply = OfferStatus::Taken;
    bench.tx_tap.decide(OfferStatus::Taken);
    bench.run(200);
    CHECK(flush_pattern(bench) == "srrrrrrrr");
    check_all_answered(bench);
}

TEST_CASE("K18 a QP that has no credit for its last send flush makes its receives wait for it") {
    PipelineBench bench({FlushOrder::SqThenRq, ResetFrom::Any});
    bench.tx_tap.reply = OfferStatus::NoCredit;
    bench.send(kFlushedRc, 1, kLong);
    bench.rx.fill(kFlushedRc);
    bench.modify(kFlushedRc, QpState::Err);
    bench.run(200);
    CHECK(flush_pattern(bench) == "s");
    bench.tx_tap.reply = OfferStatus::Taken;
    bench.tx_tap.give_credit(kFlushedRc, QueueKind::Send);
    bench.run(200);
    CHECK(flush_pattern(bench) == "srrrrrrrr");
    check_all_answered(bench);
}

TEST_CASE("K18 a reset while a queue waits for its turn ends the wait with the life") {
    PipelineBench bench({FlushOrder::SqThenRq, ResetFrom::Any});
    bench.tx_tap.reply = OfferStatus::Held;
    bench.send(kFlushedRc, 2, kLong);
    bench.rx.fill(kFlushedRc);
    bench.modify(kFlushedRc, QpState::Err);
    bench.run(100);
    CHECK(bench.modify(kFlushedRc, QpState::Reset) == CommandStatus::Accepted);
    CHECK(bench.count("outcome recv") == PipelineBench::kDepth);
    bench.tx_tap.reply = OfferStatus::Taken;
    bench.tx_tap.decide(OfferStatus::Taken);
    bench.run(10);
    bench.tx_tap.answer(Outcome::Cancelled);
    REQUIRE(bench.done.size() == 1);
    bench.bring_up(kFlushedRc);
    bench.rx.fill(kFlushedRc);
    bench.log.clear();
    bench.modify(kFlushedRc, QpState::Err);
    bench.run(100);
    CHECK(flush_pattern(bench) == "rrrrrrrr");
    check_all_answered(bench);
}

TEST_CASE("K18 a destroy while a queue waits is done at once") {
    PipelineBench bench({FlushOrder::RqThenSq, ResetFrom::Any});
    bench.send(kFlushedRc, 2, kLong);
    bench.rx.fill(kFlushedRc);
    bench.modify(kFlushedRc, QpState::Err);
    bench.run(5);
    while (!bench.rx_tap.taken.empty()) {
        bench.rx_tap.answer(Outcome::Granted);
    }
    CHECK(bench.destroy(kFlushedRc) == CommandStatus::Done);
    CHECK(bench.count("complete send") == 0);
    bench.run(200);
    CHECK(bench.count("complete send") == 0);
    check_all_answered(bench);
}

TEST_CASE("S2.22 K18 SQE flushes sends at once; in ERR the rest of them takes its turn") {
    PipelineBench bench({FlushOrder::RqThenSq, ResetFrom::Any});
    bench.send(kFlushedUd, 5, kLong);
    bench.rx.post(kFlushedUd, PostRequest{});
    bench.rx.post(kFlushedUd, PostRequest{});
    bench.tx.fail(kFlushedUd, WcStatus::LocProtErr, 0);  // ends the first
    bench.run(5);
    CHECK(flush_pattern(bench) == "ss");
    bench.modify(kFlushedUd, QpState::Err);
    bench.run(200);
    CHECK(flush_pattern(bench) == "ssrrss");
    CHECK(bench.count("flush send") == 1);  // what SQE began goes on
    CHECK(bench.count("flush recv") == 1);
    check_all_answered(bench);
}

TEST_CASE("K18 sq_then_rq: whatever happens to a QP, after ERR each request has an answer") {
    check_whatever_happens(FlushOrder::SqThenRq);
}

TEST_CASE("K18 rq_then_sq: whatever happens to a QP, after ERR each request has an answer") {
    check_whatever_happens(FlushOrder::RqThenSq);
}

TEST_CASE("K18 interleaved: whatever happens to a QP, after ERR each request has an answer") {
    check_whatever_happens(FlushOrder::Interleaved);
}
