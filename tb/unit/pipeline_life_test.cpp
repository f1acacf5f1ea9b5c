// SPDX-License-Identifier: Apache-2.0
// How a QP's life ends in the pipelines: destroy and reset in every stage of a request (S7.1 to
// S7.3, D3, D4).
#include "tb/unit/pipeline_bench.h"

namespace {

using namespace cqsim;
using namespace cqsim::tb;
using namespace cqsim::tb::test;

constexpr Qpn kQp = PipelineBench::kRc;

}  // namespace

TEST_CASE("S7.1 the destroy of a QP without work is done at once") {
    PipelineBench bench;
    CHECK(bench.destroy(kQp) == CommandStatus::Done);
    bench.stream.drain();
    CHECK(bench.log == std::vector<std::string>{"destroy begun", "qp_state RESET", "destroy done"});
    bench.run(1000);
    CHECK(bench.tx_tap.taken.empty());
    CHECK(bench.timeline.next_due() == kNever);  // a dead QP costs nothing
}

TEST_CASE("S7.3 D4 what has not ended is cancelled request by request before the command is done") {
    PipelineBench bench;
    bench.send(kQp, 3, 500);
    bench.rx.fill(kQp);
    CHECK(bench.destroy(kQp) == CommandStatus::Done);
    CHECK(bench.count("outcome send") == 3);
    CHECK(bench.count("outcome send 2 cancelled of life 1") == 1);
    CHECK(bench.count("outcome recv") == PipelineBench::kDepth);
    CHECK(bench.log.front() == "post");
    CHECK(bench.log.back() == "destroy done");
    CHECK(bench.tx.unanswered() == 0);
    CHECK(bench.rx.unanswered() == 0);
    CHECK(bench.rx.begun_unanswered() == 0);
    bench.run(1000);
    CHECK(bench.count("complete") == 0);  // the end that was due in 500 ns has no request any more
}

TEST_CASE("D3 a destroy is done when the last completion has left the block") {
    PipelineBench bench;
    bench.send(kQp, 2, 100);
    bench.send(kQp, 1, 900);
    bench.run(200);
    REQUIRE(bench.tx_tap.taken.size() == 2);
    CHECK(bench.destroy(kQp) == CommandStatus::Accepted);
    CHECK(bench.count("outcome send 2 cancelled of life 1") == 1);
    CHECK(bench.count("outcome") == 1);
    bench.tx_tap.answer(Outcome::Granted);
    CHECK(bench.done.empty());
    bench.tx_tap.answer(Outcome::Cancelled);
    REQUIRE(bench.done.size() == 1);
    CHECK(bench.done[0].generation == 2);
    CHECK(bench.count("outcome send 0 granted of life 1") == 1);
    CHECK(bench.count("outcome send 1 cancelled of life 1") == 1);
    CHECK(bench.log.back() == "destroy done");
    CHECK(bench.tx.unanswered() == 0);
}

TEST_CASE("S7.3 a request that the tap holds gets its answer from the block") {
    PipelineBench bench;
    bench.tx_tap.reply = OfferStatus::Held;
    bench.send(kQp, 2, 100);
    bench.run(200);
    REQUIRE(bench.tx_tap.held.size() == 1);
    CHECK(bench.destroy(kQp) == CommandStatus::Accepted);  // the block counts the held one
    CHECK(bench.count("outcome send 1 cancelled of life 1") == 1);
    CHECK(bench.count("outcome") == 1);
    bench.tx_tap.reply = OfferStatus::Taken;
    bench.tx_tap.decide(OfferStatus::Taken);
    bench.run(10);
    CHECK(bench.tx_tap.taken.size() == 1);
    bench.tx_tap.answer(Outcome::Cancelled);
    CHECK(bench.done.size() == 1);
    CHECK(bench.count("outcome send 0 cancelled of life 1") == 1);
    CHECK(bench.tx.unanswered() == 0);
}

TEST_CASE("S7.3 a held request that is turned away after its QP's life is cancelled") {
    PipelineBench bench;
    bench.tx_tap.reply = OfferStatus::Held;
    bench.send(kQp, 1, 100);
    bench.run(200);
    CHECK(bench.destroy(kQp) == CommandStatus::Accepted);
    bench.tx_tap.decide(OfferStatus::NoCredit);
    CHECK(bench.count("outcome send 0 cancelled of life 1") == 1);
    CHECK(bench.done.size() == 1);
    CHECK(bench.log.back() == "destroy done");
    bench.tx_tap.give_credit(kQp, QueueKind::Send);
    bench.run(10);
    CHECK(bench.tx_tap.declined == std::vector<Qpn>{kQp});
}

TEST_CASE("D3 the credit for which a dead queue waited is declined, and the next life is offered") {
    PipelineBench bench;
    bench.tx_tap.reply = OfferStatus::NoCredit;
    bench.send(kQp, 2, 100);
    bench.run(200);
    REQUIRE(bench.tx_tap.waiting.size() == 1);
    CHECK(bench.modify(kQp, QpState::Reset) == CommandStatus::Done);
    CHECK(bench.count("outcome send") == 2);
    bench.bring_up(kQp);
    bench.send(kQp, 1, 100);
    bench.run(200);
    CHECK(bench.tx_tap.waiting.size() == 1);  // it waits for the credit that is to come
    bench.tx_tap.reply = OfferStatus::Taken;
    bench.tx_tap.give_credit(kQp, QueueKind::Send);
    bench.run(10);
    CHECK(bench.tx_tap.declined == std::vector<Qpn>{kQp});
    REQUIRE(bench.tx_tap.taken.size() == 1);
    CHECK(bench.tx_tap.taken[0].generation == 2);
    CHECK(bench.tx_tap.taken[0].wqe_index == 0);
}

TEST_CASE("S7.3 a flush in progress ends with the QP's life, another QP's goes on") {
    PipelineBench bench;
    bench.send(kQp, 8, 10'000);
    bench.send(PipelineBench::kUd, 3, 10'000);
    bench.modify(kQp, QpState::Err);
    bench.modify(PipelineBench::kUd, QpState::Err);
    bench.run(10);  // a flush each 4 ns: at 0, 4 and 8 ns, the QPs in turn
    CHECK(bench.count("complete send") == 3);
    CHECK(bench.modify(kQp, QpState::Reset) == CommandStatus::Accepted);
    CHECK(bench.count("outcome send") == 6);  // two of eight are inside the block
    bench.run(7);                             // at 12 and 16 ns: the dead QP takes no turn
    CHECK(bench.count("complete send") == 5);
    CHECK(bench.tx_tap.taken.size() == 5);
}

TEST_CASE("S7.3 K21 after a reset the next life begins at wqe 0 and ends at its own time") {
    PipelineBench bench;
    bench.send(kQp, 1, 500);
    bench.run(100);
    CHECK(bench.modify(kQp, QpState::Reset) == CommandStatus::Done);
    bench.bring_up(kQp);
    CHECK(bench.tx.posted(kQp) == 0);
    bench.send(kQp, 1, 1000);
    bench.run(900);  // the end of the old request was due at 500 ns
    CHECK(bench.count("complete") == 0);
    bench.run(200);
    CHECK(bench.count("complete send 0 SUCCESS of life 2") == 1);
}

TEST_CASE("S7.9 the entry of an earlier life that is polled frees nothing") {
    PipelineBench bench;
    bench.send(kQp, 2, 100);
    bench.run(200);
    bench.tx_tap.answer(Outcome::Granted);
    bench.tx_tap.answer(Outcome::Granted);
    bench.modify(kQp, QpState::Reset);
    bench.bring_up(kQp);
    bench.send(kQp, 8, 100);
    bench.tx_software->polled(kQp, 1, wr_id_of(kQp, QueueKind::Send, 1, 1));
    CHECK(bench.tx.post(kQp, PostRequest{}) == PostResult::Full);
    bench.tx_software->polled(kQp, 1, wr_id_of(kQp, QueueKind::Send, 1, 2));
    CHECK(bench.tx.post(kQp, PostRequest{}) == PostResult::Done);
}

TEST_CASE("S7.1 traffic over a destroyed QP waits and goes on with the next QP of the number") {
    PipelineBench bench;
    StreamConfig traffic;
    traffic.first = kQp;
    traffic.period = from_ns(100);
    traffic.latency = from_ns(10);
    traffic.count = 6;
    bench.tx.add_stream(traffic);
    bench.run(250);  // turns at 0, 100 and 200 ns
    CHECK(bench.count("post") == 3);
    bench.destroy(kQp);
    bench.run(1000);
    CHECK(bench.count("post") == 3);
    CHECK(bench.tx.parked().empty());  // it waits for software's will, no work is left
    while (!bench.tx_tap.taken.empty()) {
        bench.tx_tap.answer(Outcome::Granted);
    }
    bench.create(kQp);
    bench.bring_up(kQp);
    bench.run(1000);
    CHECK(bench.count("post") == 6);
    CHECK(bench.count("complete send 2 SUCCESS of life 2") == 1);
}
