// SPDX-License-Identifier: Apache-2.0
/// \file
/// What travels between connected QPs, and what both of them report of it. S2.7, S2.8, S2.13,
/// S2.16, S2.17, S2.25, S5.5.
#pragma once

#include "models/verbs/verbs.h"
#include "tb/check/rules.h"
#include "tb/check/settings.h"

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace cqsim::tb::check {

/// Follows the packets at both ends of each connection: what was sent and what came. Of a run
/// without connections it takes nothing.
class WireChecker {
  public:
    WireChecker(const Settings& settings, Findings& findings);

    bool idle() const { return m_ends.empty(); }
    void on_create(const Record& record);
    void on_qp_state(const Record& record);
    void on_post(const Record& record);
    void on_complete(const Record& record);
    void on_outcome(const Record& record);
    void on_async(const Record& record);
    void on_packet(const Record& record);
    /// A life of the QP is over.
    void on_life_end(const Record& record);
    /// Another time stamp: what had to follow at once has followed.
    void on_time() {
        if (!m_open.empty()) {
            settle_all();
        }
    }
    /// `is_idle`: the run ended with nothing in flight.
    void finish(std::uint64_t time_ps, bool is_idle);

  private:
    /// A request on the wire that has not ended.
    struct Sent {
        std::uint32_t number = 0;
        std::uint32_t wqe_index = 0;
        WrOpcode opcode{};
        bool response = false;  ///< its own came
    };
    enum class Report : std::uint8_t { None, Waits, Granted, Lost };
    /// A message that was executed and not answered yet.
    struct Message {
        std::uint32_t number = 0;
        WrOpcode opcode{};
        std::uint32_t receive = 0;            ///< wqe_index of the receive request that it took
        Report report = Report::None;         ///< of that one's completion
        WcStatus status = WcStatus::Success;  ///< of it
        bool event = false;                   ///< it failed the QP with an asynchronous event
    };
    struct Packet {
        PacketType type{};
        std::uint32_t number = 0;
        std::uint32_t wqe_index = 0;
    };
    struct End {
        Qpn qpn = kNoQp;
        std::uint32_t peer = 0;
        std::uint32_t retry_cnt = 0;
        std::uint32_t rnr_retry = 0;
        QpType type = QpType::Rc;
        QpState state = QpState::Reset;
        bool shared = false;  ///< receives by an SRQ: what is free there is not counted here
        bool open = false;    ///< something is to follow at once
        std::deque<Packet> flight;

        // The sending side.
        std::deque<Sent> sent;
        std::size_t answered = 0;   ///< of them, from the first on
        std::uint32_t next = 0;     ///< number of the next new request
        std::uint32_t resends = 0;  ///< of the oldest one without an answer
        std::uint32_t rnrs = 0;     ///< of it: RNR NAKs, one for each transmission at most
        bool sent_since_rnr = true;
        WcStatus owed = WcStatus::Success;  ///< what the oldest one is to end with

        // The receiving side.
        std::uint32_t receives = 0;  ///< requests of the receive queue that have not ended
        std::uint32_t expected = 0;  ///< number of the next message
        std::deque<Message> messages;
        Packet last;  ///< the message that is to take a receive request at once
        WrOpcode last_opcode{};
        bool takes = false;       ///< there is one
        bool not_ready = false;   ///< the expected message found no receive request
        bool gap = false;         ///< a message behind the expected one came
        bool must_fail = false;   ///< S2.16: the QP is to go to ERR at once
        AsyncEvent event{};       ///< what is to be raised at once,
        bool event_owed = false;  ///< if so
    };

    End* find(Qpn qpn);
    void must_follow(End& end);
    void settle_all();
    void settle(End& end);
    void forget(End& end);

    void on_arrival(End& end, const Record& record);
    void on_request_sent(End& end, const Record& record);
    void on_answer(End& end, const Record& record);
    void answer_to_oldest(End& end, PacketType type);
    void progress(End& end);
    void on_send_ended(End& end, const Record& record);
    void check_success(End& end, const Record& record, std::size_t at);
    void check_failure(End& end, const Record& record, std::size_t at);
    void on_message(End& end, const Record& record);
    void on_receive_ended(End& end, const Record& record);
    void on_answer_sent(End& end, const Record& record);
    void check_covered(End& end, const Record& record, std::uint32_t behind);
    void check_ack(End& end, const Record& record);
    void check_refusal(End& end, const Record& record);
    void check_fatal(End& end, const Record& record);

    Findings& m_findings;
    std::vector<End> m_ends;
    std::unordered_map<std::uint32_t, std::uint32_t> m_end_of;  ///< by QP number
    std::vector<std::uint32_t> m_open;
    std::uint64_t m_now_ps = 0;
};

}  // namespace cqsim::tb::check
