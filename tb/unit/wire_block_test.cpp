// SPDX-License-Identifier: Apache-2.0
// The wire as a block: whose numbers an end goes by, which timers count, and their order.
#include "models/observe/record_names.h"
#include "models/time/kernel_timeline.h"
#include "tb/wire/wire.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace cqsim::tb {
namespace {

constexpr Qpn kLeft{0};
constexpr Qpn kRight{1};

WireConnection pair_of(const WireConnection& times) {
    WireConnection pair = times;
    pair.a = kLeft;
    pair.b = kRight;
    return pair;
}

/// 100 ns one way, a message in 10 ns, a time-out of 1 us.
WireConnection usual() {
    WireConnection times;
    times.latency = from_ns(100);
    times.service = from_ns(10);
    times.timeout = from_ns(1000);
    times.rnr_timer = from_ns(1000);
    times.ack_delay = from_ns(500);
    times.retry_cnt = 2;
    return times;
}

/// Two connected QPs in RTS, in front of pipelines that are lists.
class WireModules : public sc_core::sc_module,
                    protected WireSendBackward,
                    protected WireReceiveForward,
                    private RecordSubscriber {
  public:
    RecordStream stream;
    KernelTimeline timeline{"timeline"};
    Wire wire{"wire", timeline, stream, 2};
    std::vector<std::string> log;  ///< "0 ends 3 SUCCESS", "1 takes", "0 sends request 2"
    std::uint32_t receives = 100;  ///< of each QP together

    explicit WireModules(const sc_core::sc_module_name& module_name, const WireConnection& times)
        : sc_module(module_name) {
        wire.connect(pair_of(times));
        m_send.bind(static_cast<WireSendBackward&>(*this));
        m_send.bind(wire.send_tsock);
        m_receive.bind(static_cast<WireReceiveForward&>(*this));
        wire.receive_isock.bind(m_receive);
        stream.subscribe(*this, mask_of(Kind::Packet));
    }

    void enter(Qpn qpn, std::uint16_t generation, QpState state) {
        QpChange change;
        change.qpn = qpn;
        change.generation = generation;
        change.after = state;
        m_send->qp_changed(change);
    }
    void post(Qpn qpn, std::uint32_t wqe_index, WrOpcode opcode = WrOpcode::Send) {
        WireMessage message;
        message.wqe_index = wqe_index;
        message.opcode = opcode;
        m_send->begin(qpn, message);
    }
    void run(std::uint64_t ns) {
        sc_core::sc_start(sc_core::sc_time(static_cast<double>(ns), sc_core::SC_NS),
                          sc_core::SC_RUN_TO_TIME);
        stream.drain();
    }
    std::size_t count(const std::string& line) const {
        return static_cast<std::size_t>(std::count(log.begin(), log.end(), line));
    }

  private:
    void ended(Qpn qpn, std::uint16_t, std::uint32_t wqe_index, WcStatus status) override {
        log.push_back(std::to_string(index_of(qpn)) + " ends " + std::to_string(wqe_index) + ' ' +
                      std::string(cqsim::name(status)));
    }
    std::optional<std::uint32_t> next_receive(Qpn) const override {
        return receives == 0 ? std::nullopt : std::optional<std::uint32_t>(1000 - receives);
    }
    void take(Qpn qpn, const WireMessage&, WcStatus) override {
        log.push_back(std::to_string(index_of(qpn)) + " takes");
        CompletionAnswer answer;
        answer.qpn = qpn;
        answer.generation = m_generation;
        answer.wqe_index = 1000 - receives--;
        answer.outcome = Outcome::Granted;
        m_receive->answered(answer);
    }
    void violated(Qpn, AsyncEvent) override {}
    void observe(const RecordBatch& batch) override {
        for (const Record& record : batch) {
            if ((record.flags & kSent) != 0) {
                log.push_back(std::to_string(index_of(record.qpn)) + " sends " +
                              std::string(cqsim::name(static_cast<PacketType>(record.state))) +
                              ' ' + std::to_string(record.index) + " at " +
                              std::to_string(record.time_ps / 1000));
            }
        }
    }

    WireSendInitiator m_send{"send"};
    WireReceiveTarget m_receive{"receive"};
    std::uint16_t m_generation = 1;
};

class WireBench final : public WireModules {
  public:
    explicit WireBench(const WireConnection& times = usual())
        : WireModules("bench", times) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        enter(kLeft, 1, QpState::Rts);
        enter(kRight, 1, QpState::Rts);
    }
};

}  // namespace

TEST_CASE("S7.3 a QP that was reset is not heard by a peer that was not, until it is as well") {
    WireBench bench;
    for (const std::uint32_t i : {0U, 1U}) {
        bench.post(kLeft, i);
    }
    bench.run(900);
    CHECK(bench.count("0 ends 0 SUCCESS") == 1);
    CHECK(bench.count("1 takes") == 2);
    bench.enter(kLeft, 2, QpState::Reset);
    bench.enter(kLeft, 2, QpState::Rts);
    for (const std::uint32_t i : {10U, 11U, 12U}) {
        bench.post(kLeft, i);  // two have numbers that the peer has executed, one that it expects
    }
    bench.run(5000);
    CHECK(bench.count("1 takes") == 2);
    CHECK(bench.count("0 ends 10 SUCCESS") == 0);
    CHECK(bench.count("0 ends 10 RETRY_EXC_ERR") == 1);
    bench.enter(kLeft, 3, QpState::Reset);
    bench.enter(kLeft, 3, QpState::Rts);
    bench.enter(kRight, 2, QpState::Reset);
    bench.enter(kRight, 2, QpState::Rts);
    bench.post(kLeft, 20, WrOpcode::RdmaWrite);
    bench.run(1000);
    CHECK(bench.count("0 ends 20 SUCCESS") == 1);
}

TEST_CASE("S7.3 an answer that is owed to an earlier life does not come to the next one") {
    WireConnection times = usual();
    times.ack_every = 2;
    WireBench bench(times);
    bench.post(kLeft, 0, WrOpcode::RdmaWrite);
    bench.run(200);  // it has come; its ACK waits for another message
    bench.enter(kLeft, 2, QpState::Reset);
    bench.enter(kLeft, 2, QpState::Rts);
    bench.post(kLeft, 10, WrOpcode::RdmaWrite);
    bench.run(900);
    CHECK(bench.count("1 sends ACK 0 at 610") == 1);
    CHECK(bench.count("0 ends 10 SUCCESS") == 0);
}

TEST_CASE("a timer that was stopped asks for no time: in a packet's turn, or a change of state") {
    WireConnection times = usual();
    times.timeout = from_ns(500'000);
    WireBench answered(times);
    answered.post(kLeft, 0);
    answered.run(1000);
    CHECK(answered.count("0 ends 0 SUCCESS") == 1);
    CHECK(answered.timeline.next_due() == kNever);
    answered.wire.fault(kLeft, {Fault::Drop});
    answered.post(kLeft, 1);
    answered.run(150);  // nothing is in flight
    CHECK(answered.timeline.next_due() != kNever);
    answered.enter(kLeft, 1, QpState::Err);
    answered.run(1);
    CHECK(answered.timeline.next_due() == kNever);
}

TEST_CASE("at one time stamp a message leaves before a timer runs out") {
    WireBench bench;
    bench.wire.fault(kLeft, {Fault::Drop});
    bench.post(kLeft, 0);
    bench.run(1000);
    bench.post(kLeft, 1);  // it is on the wire at 1010 ns, when the first one is over
    bench.run(15);
    CHECK(bench.count("0 sends REQUEST 0 at 10") == 1);
    CHECK(bench.count("0 sends REQUEST 1 at 1010") == 1);
    bench.run(20);
    CHECK(bench.count("0 sends REQUEST 0 at 1020") == 1);
}

TEST_CASE("drop_ack is not used up by an RNR NAK, which is not lost") {
    WireBench bench;
    bench.receives = 0;
    bench.wire.fault(kLeft, {Fault::DropAck});
    bench.post(kLeft, 0);
    bench.run(300);
    bench.receives = 1;
    bench.run(1200);
    CHECK(bench.count("1 takes") == 1);
    CHECK(bench.count("0 ends 0 SUCCESS") == 0);  // its ACK was lost
    bench.run(2000);
    CHECK(bench.count("0 ends 0 SUCCESS") == 1);
}

}  // namespace cqsim::tb
