// SPDX-License-Identifier: Apache-2.0
// QPs on a shared receive queue (S2.11, S2.26).
#include "tb/unit/pipeline_bench.h"

namespace {

using namespace cqsim;
using namespace cqsim::tb;
using namespace cqsim::tb::test;

constexpr Qpn kAlice{0};
constexpr Qpn kBob{1};
constexpr Srqn kSrq{1};

/// Two QPs in RTS on an SRQ of 4, which software keeps full.
class SharedBench final : public PipelineModules {
  public:
    SharedBench()
        : PipelineModules("bench", SlotRelease::Poll, {}) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        REQUIRE(rx.create_srq(4, true) == kSrq);
        rx.fill_shared(kSrq);
        for (const Qpn qpn : {kAlice, kBob}) {
            create_shared(qpn, kSrq);
            bring_up(qpn);
        }
        stream.drain();
        log.clear();
    }
    /// So many messages, one each 10 ns from now on, that take so long.
    void messages(Qpn qpn, std::uint64_t count, std::uint64_t latency_ns) {
        StreamConfig config;
        config.first = qpn;
        config.period = from_ns(10);
        config.latency = from_ns(latency_ns);
        config.start = timeline.now();
        config.count = count;
        config.opcode = WrOpcode::Send;
        rx.add_stream(config);
    }
    const SharedReceiveQueue& srq() const { return rx.shared().at(kSrq); }
    /// Software polls the completion.
    void poll(const Completion& completion) {
        rx_software->polled(completion.qpn, completion.wqe_index, completion.wr_id);
    }
};

}  // namespace

TEST_CASE("S2.11 a message takes the next request of the SRQ, and its end names the slot") {
    SharedBench bench;
    bench.messages(kAlice, 1, 100);
    bench.run(5);
    bench.messages(kBob, 1, 20);
    bench.run(200);
    REQUIRE(bench.rx_tap.taken.size() == 2);
    const Completion& first = bench.rx_tap.taken.front();
    CHECK(first.qpn == kBob);
    CHECK(first.wqe_index == 1);
    CHECK(first.wr_id == wr_id_of(kSrq, 1));
    CHECK(first.details.srqn == 1);
    CHECK(bench.rx_tap.taken.back().qpn == kAlice);
    CHECK(bench.rx_tap.taken.back().wqe_index == 0);
    CHECK(bench.srq().held() == 2);
    CHECK(bench.rx.unanswered() == 2);
    bench.poll(first);
    bench.poll(first);  // a repetition gives nothing back
    CHECK(bench.srq().returned() == 1);
    CHECK(bench.srq().waiting() == 3);  // it was posted again
}

TEST_CASE("S1.8 software finds the request of an SRQ by the counter of an entry") {
    SharedBench bench;
    const NamedRequest request = bench.rx_software->request_at(kBob, 3);
    CHECK(request.wqe_index == 3);
    CHECK(request.wr_id == wr_id_of(kSrq, 3));
    CHECK(bench.rx.post(kBob, PostRequest{}) ==
          PostResult::NotOfType);  // it has no queue of its own
}

TEST_CASE("S2.26 what was taken is flushed, and LAST_WQE_REACHED comes when all is accepted") {
    SharedBench bench;
    bench.messages(kAlice, 2, 1000);
    bench.run(100);
    bench.rx_tap.reply = OfferStatus::Held;
    bench.modify(kAlice, QpState::Err);
    bench.run(100);
    CHECK(bench.count("complete recv 0 WR_FLUSH_ERR") == 1);
    CHECK(bench.raised.empty());
    bench.rx_tap.reply = OfferStatus::Taken;
    bench.rx_tap.decide(OfferStatus::Taken);
    bench.run(100);
    CHECK(bench.count("complete recv 1 WR_FLUSH_ERR") == 1);
    CHECK(bench.count("complete recv") == 2);  // 2 and 3 wait for others
    CHECK(bench.raised == std::vector<AsyncEvent>{AsyncEvent::QpLastWqeReached});
    bench.messages(kAlice, 1, 10);  // S2.25: dropped
    bench.run(2000);
    CHECK(bench.srq().taken() == 2);
    CHECK(bench.raised.size() == 1);
}

TEST_CASE("S2.26 LAST_WQE_REACHED comes at once for a QP that holds nothing, once in each life") {
    SharedBench bench;
    bench.modify(kAlice, QpState::Err);
    CHECK(bench.raised.size() == 1);
    bench.modify(kAlice, QpState::Err);
    CHECK(bench.raised.size() == 1);
    bench.modify(kAlice, QpState::Reset);
    bench.bring_up(kAlice);
    CHECK(bench.raised.size() == 1);
    bench.modify(kAlice, QpState::Err);
    CHECK(bench.raised.size() == 2);
}

TEST_CASE("S2.16 a receive that fails takes a request of the SRQ, and the QP's last one") {
    SharedBench bench;
    CHECK(bench.rx.fail(kBob, WcStatus::LocProtErr, 0) == FailResult::Done);
    CHECK(bench.table.state(kBob) == QpState::Err);
    bench.run(100);
    CHECK(bench.count("complete recv 0 LOC_PROT_ERR") == 1);
    CHECK(bench.count("complete") == 1);
    CHECK(bench.raised == std::vector<AsyncEvent>{AsyncEvent::QpLastWqeReached});
    CHECK(bench.rx_tap.taken.front().details.srqn == 1);
}

TEST_CASE("S7.3, case 45 a life that ends gives back what has no entry, each slot once") {
    SharedBench bench;
    bench.messages(kAlice, 3, 50);
    bench.run(60);  // the first has ended and is inside the block; two are under way
    REQUIRE(bench.rx_tap.taken.size() == 1);
    CHECK(bench.destroy(kAlice) == CommandStatus::Accepted);
    CHECK(bench.count("outcome recv 1 cancelled") == 1);
    CHECK(bench.count("outcome recv 2 cancelled") == 1);
    CHECK(bench.srq().returned() == 2);
    bench.rx_tap.answer(Outcome::Granted);
    CHECK(bench.done.size() == 1);
    CHECK(bench.srq().held() == 1);  // its entry is in the ring
    bench.rx_software->unowned(kAlice, 0);
    bench.rx_software->unowned(kAlice, 0);  // it was posted again: nothing comes back
    CHECK(bench.srq().returned() == 3);
    CHECK(bench.srq().waiting() == 4);
    CHECK(bench.srq().refused() == 1);
}

TEMPLATE_TEST_CASE_SIG(
    "S7.3 a completion that the tap holds when its life ends gives its slot back once",
    "",
    ((bool taken), taken),
    (true),
    (false)) {
    SharedBench bench;
    bench.rx_tap.reply = OfferStatus::Held;
    bench.messages(kAlice, 2, 50);
    bench.run(100);
    bench.modify(kAlice, QpState::Reset);
    bench.rx_tap.decide(taken ? OfferStatus::Taken : OfferStatus::NoCredit);
    if (taken) {
        bench.rx_tap.answer(Outcome::Cancelled);
    }
    CHECK(bench.srq().returned() == 2);
    CHECK(bench.srq().refused() == 0);
    CHECK(bench.srq().waiting() == 4);
    CHECK(bench.done.size() == 1);
}

TEST_CASE("S5.3f a request of an SRQ whose completion is lost does not come back") {
    SharedBench bench;
    bench.messages(kAlice, 1, 10);
    bench.run(50);
    bench.rx_tap.answer(Outcome::Lost);
    bench.modify(kAlice, QpState::Reset);
    CHECK(bench.srq().lost() == 1);
    CHECK(bench.srq().waiting() == 3);
    CHECK(bench.srq().held() == 0);
}

TEST_CASE("S5.9 SRQ_LIMIT_REACHED comes once, when a message leaves fewer than the armed limit") {
    SharedBench bench;
    bench.rx.arm_limit(kSrq, 3);
    bench.messages(kAlice, 4, 5);
    bench.run(5);
    CHECK(bench.raised.empty());  // three are left
    bench.run(10);
    CHECK(bench.raised == std::vector<AsyncEvent>{AsyncEvent::SrqLimitReached});
    bench.run(100);
    CHECK(bench.raised.size() == 1);
}

TEST_CASE("S2.14 a message that finds the SRQ empty waits until a slot comes back") {
    SharedBench bench;
    bench.messages(kAlice, 5, 5);
    bench.run(1000);
    REQUIRE(bench.rx_tap.taken.size() == 4);
    CHECK(bench.srq().empty());
    CHECK(bench.rx.parked().size() == 1);
    bench.poll(bench.rx_tap.taken.front());
    bench.run(1000);
    CHECK(bench.rx_tap.taken.size() == 5);
    CHECK(bench.rx_tap.taken.back().wqe_index == 0);
}
