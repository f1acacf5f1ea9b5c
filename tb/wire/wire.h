// SPDX-License-Identifier: Apache-2.0
/// \file
/// What travels between connected QPs of the device, in loopback.
#pragma once

#include "models/observe/record_stream.h"
#include "models/time/timeline.h"
#include "tb/wire/fault_plans.h"
#include "tb/wire/requester_rules.h"
#include "tb/wire/responder_rules.h"
#include "tb/wire/wire_link.h"

#include <systemc>

#include <optional>
#include <utility>
#include <vector>

namespace cqsim::tb {

/// Two QPs, each the other's peer; both send and receive.
struct WireConnection {
    Qpn a = kNoQp;
    Qpn b = kNoQp;
    QpType type = QpType::Rc;
    TimePs latency{};    ///< of a packet, one way
    TimePs service{};    ///< a QP puts one message at most on the wire in so long
    TimePs timeout{};    ///< from the last progress to sending again
    TimePs rnr_timer{};  ///< from an RNR NAK to sending again
    TimePs ack_delay{};  ///< a message that waits to be acknowledged with others waits no longer
    std::uint32_t ack_every = 1;
    std::uint8_t retry_cnt = 7;
    std::uint8_t rnr_retry = 7;
    bool shared_a = false;  ///< a receives by an SRQ
    bool shared_b = false;
};

/// All connections: one block, a row for each QP. At one time stamp packets come first, then
/// messages leave, then timers run out: an answer at the very instant of the time-out is in time.
class Wire final : public sc_core::sc_module,
                   private WireSendForward,
                   private WireReceiveBackward,
                   private TimedBlock {
  public:
    WireSendTarget send_tsock{"send_tsock"};
    WireReceiveInitiator receive_isock{"receive_isock"};

    /// QP numbers are 0 .. qps-1.
    Wire(const sc_core::sc_module_name& module_name,
         Timeline& timeline,
         RecordStream& records,
         std::uint32_t qps);

    /// Each QP is in one connection at most.
    void connect(const WireConnection& connection);
    bool connected(Qpn qpn) const { return m_end_of[index_of(qpn)] != kNone; }

    /// The `nth` message from now on of this QP that it can hit is hit. Drop: so are its first
    /// `hits` transmissions; DropAck: so are the first `hits` answers that cover it.
    void fault(Qpn qpn, const FaultPlan& plan);
    /// Faults of this QP that have hit nothing yet.
    const std::vector<FaultPlan>& waiting_faults(Qpn qpn) const {
        return m_end[m_end_of[index_of(qpn)]].faults.waiting();
    }

  private:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFFU;
    enum class Timer : std::uint8_t { Send, Timeout, Rnr, Ack };
    static constexpr std::size_t kTimers = 4;

    /// One QP of a connection.
    struct End {
        Qpn qpn = kNoQp;
        std::uint32_t peer = 0;
        std::uint16_t generation = 0;
        QpState state = QpState::Reset;
        /// The life of the peer that the responder's numbers belong to, from its first message on.
        std::optional<std::uint16_t> peer_life;
        WireConnection connection;
        RequesterRules requester;
        ResponderRules responder;
        TimePs free_at{};  ///< the next message may start
        TimePs due_at[kTimers] = {kNever, kNever, kNever, kNever};
        TimePs queued_at[kTimers] = {kNever, kNever, kNever, kNever};
        FaultPlans faults;
    };
    struct Packet {
        TimePs at{};
        std::uint64_t order = 0;
        std::uint32_t to = 0;
        std::uint16_t from_generation = 0;
        std::uint16_t to_generation = 0;
        PacketType type{};
        bool bad = false;  ///< a response of another operation
        WireMessage message;

        std::uint64_t place() const { return order; }
    };
    struct TimerEntry {
        TimePs at{};
        std::uint64_t order = 0;
        std::uint32_t end = 0;
        Timer timer{};

        /// Among those of one time: messages leave before any timer runs out.
        std::pair<Timer, std::uint64_t> place() const { return {timer, order}; }
    };

    void begin(Qpn qpn, const WireMessage& message) override;
    void qp_changed(const QpChange& change) override;
    void answered(const CompletionAnswer& answer) override;
    void due(TimePs now) override;

    void arrive(const Packet& packet, TimePs now);
    void receive(End& end, const Packet& packet);
    void run_out(End& end, Timer timer, TimePs now);
    void send_next(End& end, TimePs now);
    void send_answers(End& end);
    void send_answer(End& end, const WireAnswer& answer);
    void apply(End& end, const RequesterRules::Effect& effect);
    void keep_sending(End& end);
    void set(End& end, Timer timer, TimePs wanted);
    void stop_timers(End& end);
    void push(const Packet& packet);
    bool is_over(const TimerEntry& entry) const;
    void drop_first_timer();
    void ask_for_time();
    void ask_again();
    void observe(
        const End& where, PacketType type, const WireMessage& message, bool sent, TimePs now);
    std::uint32_t number_of(const End& end) const {
        return static_cast<std::uint32_t>(&end - m_end.data());
    }

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    RecordStream& m_records;
    std::uint8_t m_source;
    std::vector<std::uint32_t> m_end_of;  ///< by QP
    std::vector<End> m_end;
    std::vector<Packet> m_packets;     ///< a heap by time
    std::vector<TimerEntry> m_timers;  ///< a heap by time, at most one entry each that counts
    std::uint64_t m_order = 0;
};

}  // namespace cqsim::tb
