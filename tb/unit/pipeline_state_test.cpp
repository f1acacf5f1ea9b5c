// SPDX-License-Identifier: Apache-2.0
// What the states of a QP make of its work queues (S2.18, S2.19, S2.22 to S2.24).
#include "tb/unit/pipeline_bench.h"

namespace {

using namespace cqsim;
using namespace cqsim::tb;
using namespace cqsim::tb::test;

constexpr Qpn kRc = PipelineBench::kRc;
constexpr Qpn kUd = PipelineBench::kUd;

}  // namespace

TEST_CASE("S2.24 which posts each state accepts") {
    PipelineBench bench;
    bench.modify(kRc, QpState::Reset);
    const auto accepts = [&bench](bool sends, bool receives) {
        CHECK((bench.tx.post(kRc, PostRequest{}) == PostResult::Done) == sends);
        CHECK((bench.rx.post(kRc, PostRequest{}) == PostResult::Done) == receives);
    };
    accepts(false, false);
    bench.modify(kRc, QpState::Init);
    accepts(false, true);
    bench.modify(kRc, QpState::Rtr);
    accepts(false, true);
    bench.modify(kRc, QpState::Rts);
    accepts(true, true);
    bench.modify(kRc, QpState::Sqd);
    accepts(true, true);
    bench.modify(kRc, QpState::Err);
    accepts(true, true);
    CHECK(bench.tx.post(Qpn{kUd}, PostRequest{}) == PostResult::Done);
}

TEST_CASE(
    "S2.18 a request that fails moves its QP to ERR in that instant, though the tap holds it") {
    PipelineBench bench;
    bench.tx_tap.reply = OfferStatus::Held;
    bench.send(kRc, 2, 500);
    bench.rx.fill(kRc);
    CHECK(bench.tx.fail(kRc, WcStatus::RetryExcErr, 0) == FailResult::Done);
    CHECK(bench.table.state(kRc) == QpState::Err);
    CHECK(bench.tx.fail(kRc, WcStatus::RetryExcErr, 0) == FailResult::Stopped);  // S2.19
    CHECK(bench.rx.fail(kRc, WcStatus::LocProtErr, 0) == FailResult::Stopped);
    bench.run(100);
    CHECK(bench.count("complete send") == 1);  // the rest waits behind the held one
    CHECK(bench.count("complete recv") == 0);  // and the receives behind the sends (K18)
    bench.tx_tap.reply = OfferStatus::Taken;
    bench.tx_tap.decide(OfferStatus::Taken);
    bench.run(100);
    CHECK(bench.count("complete send 1 WR_FLUSH_ERR") == 1);
    CHECK(bench.count("complete recv 7 WR_FLUSH_ERR") == 1);
}

TEST_CASE("S2.23 SQD finishes what is in progress, tells, and starts what was posted with RTS") {
    PipelineBench bench;
    bench.send(kRc, 2, 500);
    bench.run(100);
    bench.modify(kRc, QpState::Sqd, true);
    bench.send(kRc, 1, 300);
    CHECK(bench.raised.empty());
    bench.run(1000);
    CHECK(bench.count("complete send 1 SUCCESS") == 1);
    CHECK(bench.count("complete") == 2);
    bench.tx_tap.answer(Outcome::Granted);
    CHECK(bench.raised.empty());  // the entry of the last one is to come
    bench.tx_tap.answer(Outcome::Granted);
    CHECK(bench.raised == std::vector<AsyncEvent>{AsyncEvent::SqDrained});
    CHECK(bench.tx.fail(kRc, WcStatus::RetryExcErr, 0) == FailResult::NothingOutstanding);
    bench.modify(kRc, QpState::Rts);
    bench.run(290);
    CHECK(bench.count("complete") == 2);
    bench.run(20);
    CHECK(bench.count("complete send 2 SUCCESS") == 1);
    CHECK(bench.raised.size() == 1);
}

TEST_CASE("S2.23 a send queue without work is drained at once, and what it holds flushes in ERR") {
    PipelineBench bench;
    bench.modify(kRc, QpState::Sqd, true);
    CHECK(bench.raised == std::vector<AsyncEvent>{AsyncEvent::SqDrained});
    bench.send(kRc, 2, 100);
    bench.modify(kRc, QpState::Err);
    bench.run(1000);
    CHECK(bench.count("complete send 0 WR_FLUSH_ERR") == 1);
    CHECK(bench.count("complete send 1 WR_FLUSH_ERR") == 1);
    CHECK(bench.count("complete") == 2);
}

TEST_CASE("S2.22 in SQE the send queue flushes alone") {
    PipelineBench bench;
    bench.send(kUd, 2, 500);
    bench.rx.fill(kUd);
    bench.tx.fail(kUd, WcStatus::LocProtErr, 0);
    CHECK(bench.table.state(kUd) == QpState::Sqe);
    bench.run(100);
    CHECK(bench.count("complete send 1 WR_FLUSH_ERR") == 1);
    CHECK(bench.count("complete recv") == 0);
    bench.send(kUd, 1, 500);  // S1.10: posted in SQE, it flushes
    bench.run(100);
    CHECK(bench.count("complete send 2 WR_FLUSH_ERR") == 1);
    CHECK(bench.rx.fail(kUd, WcStatus::LocLenErr, 0) == FailResult::Done);  // it was running
    CHECK(bench.table.state(kUd) == QpState::Err);
}

TEST_CASE("S2.22 nothing that was posted before SQE is left succeeds after it") {
    PipelineBench bench;
    bench.send(kUd, 4, 500);
    bench.tx.fail(kUd, WcStatus::LocProtErr, 0);
    bench.modify(kUd, QpState::Rts);
    CHECK(bench.count("complete send 3 WR_FLUSH_ERR") == 1);
    CHECK(bench.log.back() == "qp_state RTS");  // the flushes come before it
    bench.send(kUd, 1, 100);
    bench.run(1000);
    CHECK(bench.count("complete send 4 SUCCESS") == 1);
    CHECK(bench.count("complete") == 5);
    REQUIRE(bench.tx_tap.taken.size() == 5);
    for (std::uint32_t i = 0; i < 5; ++i) {
        CHECK(bench.tx_tap.taken[i].wqe_index == i);
    }
}

TEST_CASE("S1.11 a datagram that ends with GENERAL_ERR stops nothing") {
    PipelineBench bench;
    bench.send(kUd, 2, 500);
    CHECK(bench.tx.fail(kUd, WcStatus::GeneralErr, 0) == FailResult::Done);
    bench.run(1000);
    CHECK(bench.table.state(kUd) == QpState::Rts);
    CHECK(bench.count("complete send 1 SUCCESS") == 1);
}
