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
    /// `is_idle`: the run ended with nothing in flight, and what had to follow has followed. Until
    /// then it may come as late as it likes: a device takes its time from a packet to a completion.
    void finish(std::uint64_t time_ps, bool is_idle);

  private:
    /// A request on the wire that has not ended.
    struct Sent {
        std::uint32_t number = 0;
        std::uint32_t wqe_index = 0;
        WrOpcode opcode{};
        bool response = false;  ///< its own came
    };
    /// Of a message that takes no receive request; its receive request has not ended (Due); the
    /// completion of it waits for a slot, has one, or is lost.
    enum class Report : std::uint8_t { None, Due, Waits, Granted, Lost };
    /// A message that came in its turn, and was not answered yet. If receive requests come from an
    /// SRQ, nobody knows here whether it found one before that ends, or it is refused.
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
        std::deque<Packet> flight;

        // The sending side.
        std::deque<Sent> sent;
        std::size_t answered = 0;   ///< of them, from the first on
        bool begun = false;         ///< a request was sent in this life: the first number is known
        std::uint32_t first = 0;    ///< number of the first request,
        std::uint32_t next = 0;     ///< of the next new one,
        std::uint32_t cursor = 0;   ///< and of the one behind that which was sent last
        std::uint32_t resends = 0;  ///< rounds that went back to the oldest one without an answer,
        std::uint32_t retries = 0;  ///< of them those that something after it has caused
        bool moved = false;         ///< the oldest one is another than when one was sent last
        std::uint32_t heard = 0;    ///< receive requests of the peer that succeeded in this life,
        std::uint32_t told = 0;     ///< and requests that took one there, and succeeded here
        std::uint32_t rnrs = 0;     ///< of it: RNR NAKs, one for each transmission at most
        bool sent_since_rnr = true;
        WcStatus owed = WcStatus::Success;  ///< what the oldest one is to end with

        // The receiving side.
        std::uint32_t receives = 0;  ///< requests of the receive queue that have not ended
        std::uint32_t expected = 0;  ///< number of the next message
        std::deque<Message> messages;
        std::uint32_t due = 0;     ///< messages that take a receive request which has not ended,
        std::size_t due_from = 0;  ///< none of them before this one of the messages
        bool bound = false;        ///< it goes by the numbers of one life of the peer,
        bool deaf = false;         ///< and that one is over
        bool not_ready = false;    ///< the expected message found no receive request
        bool gap = false;          ///< a message behind the expected one came
        bool must_fail = false;    ///< S2.16: the QP is to go to ERR
        AsyncEvent event{};        ///< what is to be raised,
        bool event_owed = false;   ///< if so
    };

    End* find(Qpn qpn);
    void settle(End& end);
    void forget(End& end);
    static void take_back(End& end, std::uint32_t number);

    void on_arrival(End& end, const Record& record);
    void on_request_sent(End& end, const Record& record);
    void on_answer(End& end, const Record& record);
    void answer_to_oldest(End& end, PacketType type);
    void progress(End& end);
    void on_send_ended(End& end, const Record& record);
    void check_success(End& end, const Record& record, std::size_t at);
    void check_heard(End& end, const Record& record);
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
    std::uint64_t m_now_ps = 0;
};

}  // namespace cqsim::tb::check
