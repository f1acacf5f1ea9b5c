// SPDX-License-Identifier: Apache-2.0
/// \file
/// The receiving end of a connection: what a message does, and what is sent back. No time, no
/// SystemC.
#pragma once

#include "tb/wire/wire_types.h"

#include <optional>

namespace cqsim::tb {

struct ResponderConfig {
    QpType type = QpType::Rc;
    std::uint32_t ack_every = 1;  ///< so many messages are acknowledged together, at least 1
    bool shared = false;          ///< receive requests are those of an SRQ (class E)
};

/// S2.16: the class of each message, and what follows from it. Answers go out in the order of
/// messages, and that of a message that took a receive request not before the block has granted the
/// completion (S2.13, S5.5).
class ResponderRules {
  public:
    struct Verdict {
        bool takes = false;                   ///< the receive request that was shown is consumed,
        WcStatus status = WcStatus::Success;  ///< and ends so
        /// The message fails the QP, and no receive request tells of it: this event does (S1.14).
        std::optional<AsyncEvent> event;
        std::optional<WireAnswer> at_once;  ///< to what was executed before
    };

    explicit ResponderRules(const ResponderConfig& config = {})
        : m_config(config) {}

    /// A message comes; `receive` is the receive request that it would take, if there is one.
    Verdict arrived(const WireMessage& message, std::optional<std::uint32_t> receive);
    /// The completion of this receive request was answered: by a slot, or it is lost.
    void answered(std::uint32_t receive, bool granted);
    /// The next answer that is to be sent now.
    std::optional<WireAnswer> next_answer();
    /// Whether messages wait to be acknowledged with later ones.
    bool owes_ack() const { return m_unacked != 0; }
    /// They wait no longer.
    WireAnswer ack_now();

    /// The QP is in error: of what it owes only the NAK that says why is still sent.
    void stop();
    /// A new life.
    void restart() { *this = ResponderRules(m_config); }

  private:
    /// A message that was not answered yet.
    struct Owed {
        WireAnswer answer;
        std::uint32_t receive = 0;
        bool waits = false;     ///< for the answer to the completion
        bool silent = false;    ///< class J
        bool executed = false;  ///< not class B
    };

    /// Class B: nothing happens but this answer, in its turn: the last one, and one at most.
    void refuse(PacketType type, const WireMessage& message);
    Verdict execute(const WireMessage& message, std::optional<std::uint32_t> receive);
    void withdraw_refusal();
    Verdict unreliable(const WireMessage& message, std::optional<std::uint32_t> receive) const;
    std::optional<WireAnswer> repeat(const WireMessage& message);
    static WireAnswer answer_to(PacketType type, const WireMessage& message) {
        return {type, message.number, message.wqe_index, message.bytes, message.opcode, false};
    }

    ResponderConfig m_config;
    Window<Owed> m_owed;
    WireAnswer m_ack{};            ///< the last message that may be acknowledged
    std::uint32_t m_expected = 0;  ///< number of the next message
    std::uint32_t m_ready = 0;     ///< behind the last message that may be acknowledged
    std::uint32_t m_unacked = 0;
    bool m_nak = false;     ///< what lies behind the expected number is ignored until it comes
    bool m_silent = false;  ///< S5.5, class G: nothing is answered any more
    bool m_last = false;    ///< but the NAK that says why nothing is acknowledged any more
};

}  // namespace cqsim::tb
