// SPDX-License-Identifier: Apache-2.0
/// \file
/// The sending end of a connection: what is outstanding, what an answer ends, what is sent again.
/// No time, no SystemC.
#pragma once

#include "tb/wire/wire_types.h"

namespace cqsim::tb {

struct RequesterConfig {
    /// S2.7: an RC request ends with its answer, one of UC and UD when it is on the wire.
    bool answered = true;
    std::uint8_t retry_cnt = 7;  ///< 0 .. 7: after time-outs and gaps in the numbers
    std::uint8_t rnr_retry = 7;  ///< 0 .. 6 after RNR NAKs; kForEver
    static constexpr std::uint8_t kForEver = 7;
};

/// Each message has a number, and what is sent again has its old one. Requests end in post order
/// (S2.4), several of them with one answer that covers them (S2.7).
class RequesterRules {
  public:
    /// What an input did to the oldest requests.
    struct Effect {
        std::uint32_t first = 0;              ///< wqe_index of the oldest,
        std::uint32_t succeeded = 0;          ///< from which on so many end with SUCCESS,
        WcStatus failed = WcStatus::Success;  ///< and the one behind them with this (S2.8 B)
        bool again = false;                   ///< S2.8 A: from the oldest on all is sent again
        bool waits = false;                   ///< nothing is sent before `rnr_over`

        bool ends() const { return succeeded != 0 || failed != WcStatus::Success; }

        friend bool operator==(const Effect& l, const Effect& r) {
            return l.first == r.first && l.succeeded == r.succeeded && l.failed == r.failed &&
                   l.again == r.again && l.waits == r.waits;
        }
    };

    explicit RequesterRules(const RequesterConfig& config = {})
        : m_config(config) {}

    /// A request begins; its number is given here.
    void begin(WireMessage message);
    /// The oldest requests that never go onto the wire end.
    Effect turn() {
        Effect effect;
        settle(effect);
        return effect;
    }
    /// What goes onto the wire next; null: nothing, or nothing yet.
    const WireMessage* next();
    /// Whether `turn` and `next` may find something.
    bool has_turn() const {
        return !m_waits && !m_stopped && m_next < m_window.size() &&
               (m_next == 0 || m_window[m_next].fault != Fault::LocalProt);
    }
    /// It is on the wire. `hit`: a fault counts it.
    Effect sent(bool hit);
    /// An answer of this number is sent to it: whether a fault loses it, which counts it.
    bool loses_answer(PacketType type, std::uint32_t number);

    Effect ack(std::uint32_t number);
    Effect response(std::uint32_t number, bool bad);
    /// Any PacketType that is a NAK.
    Effect nak(PacketType type, std::uint32_t number);
    /// The transport timer of the oldest message ran out.
    Effect timeout();
    void rnr_over() { m_waits = false; }

    /// Whether an answer is due: the transport timer runs. Not while the oldest message is still to
    /// be sent again.
    bool in_flight() const { return !m_stopped && !m_waits && m_next != 0 && m_sent != m_oldest; }
    /// The queue flushes: answers that still come are of no interest (S2.25).
    void stop() {
        m_window.clear();
        m_next = 0;
        m_number = m_oldest = m_sent;
        m_waits = false;
        m_stopped = true;
    }
    /// It flushes no more (S2.22): numbers go on.
    void resume() { m_stopped = false; }
    /// A new life.
    void restart() { *this = RequesterRules(m_config); }

    std::size_t outstanding() const { return m_window.size(); }

    friend bool operator==(const RequesterRules& l, const RequesterRules& r) {
        return l.m_window == r.m_window && l.m_next == r.m_next && l.m_number == r.m_number &&
               l.m_oldest == r.m_oldest && l.m_sent == r.m_sent && l.m_retries == r.m_retries &&
               l.m_rnrs == r.m_rnrs && l.m_again == r.m_again && l.m_waits == r.m_waits &&
               l.m_refused == r.m_refused && l.m_stopped == r.m_stopped;
    }

  private:
    /// Whether it is the number of a message that was sent and has not ended. S2.8 E: an answer to
    /// another one is dropped.
    bool is_outstanding(std::uint32_t number) const {
        return !m_stopped && ahead(number, m_oldest) < ahead(m_sent, m_oldest);
    }
    void end_front(Effect& effect);
    void cover(std::uint32_t first_not, Effect& effect);
    void settle(Effect& effect);
    void gap(Effect& effect);
    void not_ready(Effect& effect);
    void send_again(Effect& effect);
    void fail(Effect& effect, WcStatus status);

    RequesterConfig m_config;
    Window<WireMessage> m_window;  ///< that have not ended, in post order
    std::size_t m_next = 0;        ///< of them: the next to be sent
    std::uint32_t m_number = 0;    ///< of the next message that begins
    std::uint32_t m_oldest = 0;    ///< no message before it is outstanding
    std::uint32_t m_sent = 0;      ///< behind the last one that was ever sent
    std::uint8_t m_retries = 0;
    std::uint8_t m_rnrs = 0;
    bool m_again = false;    ///< a gap was answered, and since then nothing has ended
    bool m_refused = false;  ///< by an RNR NAK, and since then the oldest was not sent again
    bool m_waits = false;    ///< for the RNR timer
    bool m_stopped = false;
};

}  // namespace cqsim::tb
