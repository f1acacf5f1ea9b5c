// SPDX-License-Identifier: Apache-2.0
#include "tb/wire/responder_rules.h"

#include <array>

namespace cqsim::tb {
namespace {

/// S2.16: what a class does.
struct Class {
    PacketType answer{};
    WcStatus status = WcStatus::Success;  ///< of the receive request in use
    AsyncEvent event{};                   ///< if there is none
    bool silent = false;
};

Class class_of(Fault fault, WrOpcode opcode) {
    switch (fault) {
        case Fault::Rkey:  // C
            return {PacketType::NakRemoteAccess, WcStatus::RemAccessErr, AsyncEvent::QpAccessErr};
        case Fault::InvalidRequest:  // C
            return {PacketType::NakInvalidRequest, WcStatus::RemInvReqErr, AsyncEvent::QpReqErr};
        case Fault::Length:  // C
            return {PacketType::NakInvalidRequest, WcStatus::LocLenErr, AsyncEvent::QpReqErr};
        case Fault::ResponderWqe:  // A
            return {PacketType::NakRemoteOperational, WcStatus::LocQpOpErr, {}};
        case Fault::InvKey:  // J
            return {{}, WcStatus::RemInvReqErr, {}, true};
        case Fault::None:
        case Fault::Drop:
        case Fault::DropAck:
        case Fault::BadResponse:
        case Fault::LocalProt:
            break;
    }
    return {has_response(opcode) ? PacketType::Response : PacketType::Ack,
            WcStatus::Success,
            AsyncEvent::QpReqErr};
}

}  // namespace

ResponderRules::Verdict ResponderRules::arrived(const WireMessage& message,
                                                std::optional<std::uint32_t> receive) {
    if (m_config.type != QpType::Rc) {
        return unreliable(message, receive);
    }
    Verdict verdict;
    const std::uint32_t distance = ahead(message.number, m_expected);
    if (distance >= kHalfTheNumbers) {
        verdict.at_once = repeat(message);
    } else if (distance != 0) {
        if (!m_nak) {
            refuse(PacketType::NakSequence, message);
        }
    } else if (takes_receive(message.opcode) && !receive) {
        refuse(PacketType::RnrNak, message);
    } else {
        return execute(message, receive);
    }
    return verdict;
}

void ResponderRules::refuse(PacketType type, const WireMessage& message) {
    m_nak = true;
    withdraw_refusal();
    Owed owed;
    owed.answer = answer_to(type, message);
    owed.answer.number = m_expected;
    m_owed.push(owed);
}

/// It was refused before, and nobody knows: its answer waits behind a completion.
void ResponderRules::withdraw_refusal() {
    if (!m_owed.empty() && !m_owed[m_owed.size() - 1].executed) {
        m_owed.pop_last();
    }
}

ResponderRules::Verdict ResponderRules::execute(const WireMessage& message,
                                                std::optional<std::uint32_t> receive) {
    const Class found = class_of(message.fault, message.opcode);
    m_nak = false;
    m_expected = number_after(m_expected);
    withdraw_refusal();
    Owed owed;
    owed.executed = true;
    owed.answer = answer_to(found.answer, message);
    owed.answer.bad = message.fault == Fault::BadResponse;
    if (owed.answer.bad) {
        owed.answer.type = PacketType::Response;
    }
    owed.silent = found.silent;
    owed.waits = takes_receive(message.opcode);
    owed.receive = receive.value_or(0);
    m_owed.push(owed);
    Verdict verdict;
    verdict.takes = owed.waits;
    verdict.status = found.status;
    if (found.status != WcStatus::Success && !verdict.takes) {
        verdict.event = found.event;
    }
    return verdict;
}

/// S2.14, S2.15: classes D and D1 drop the message, and what it took is as before. One of an SRQ
/// can not be put back: class E. A malformed receive request is class A of any type.
ResponderRules::Verdict ResponderRules::unreliable(const WireMessage& message,
                                                   std::optional<std::uint32_t> receive) const {
    const Class found = class_of(message.fault, message.opcode);
    Verdict verdict;
    const bool good = found.status == WcStatus::Success;
    const bool malformed = message.fault == Fault::ResponderWqe;
    verdict.takes =
        takes_receive(message.opcode) && receive && (good || malformed || m_config.shared);
    verdict.status = good || malformed ? found.status : WcStatus::RemInvReqErr;
    return verdict;
}

/// S2.16 B: what was executed before is answered again, unless its answer is still to come.
std::optional<WireAnswer> ResponderRules::repeat(const WireMessage& message) {
    if (m_silent || ahead(message.number, m_ready) < kHalfTheNumbers) {
        return std::nullopt;
    }
    WireAnswer answer = answer_to(PacketType::Response, message);
    if (!has_response(message.opcode)) {
        answer = m_ack;
        answer.type = PacketType::Ack;
        m_unacked = 0;
    }
    answer.bad = false;
    return answer;
}

void ResponderRules::answered(std::uint32_t receive, bool granted) {
    for (std::size_t i = 0; i < m_owed.size(); ++i) {
        Owed& owed = m_owed[i];
        if (owed.waits && owed.receive == receive) {
            owed.waits = false;
            if (!granted) {  // class G
                owed.silent = true;
            }
            return;
        }
    }
}

std::optional<WireAnswer> ResponderRules::next_answer() {
    while (!m_owed.empty() && !m_owed[0].waits && !m_silent) {
        const Owed owed = m_owed[0];
        m_owed.pop();
        if (owed.silent) {
            m_silent = true;
            m_owed.clear();
            m_unacked = 0;
            break;
        }
        if (m_last && owed.answer.type <= PacketType::NakSequence) {
            continue;
        }
        if (!owed.executed) {  // covers those before it
            m_unacked = 0;
            return owed.answer;
        }
        m_ready = number_after(owed.answer.number);
        m_ack = owed.answer;
        ++m_unacked;
        if (owed.answer.type != PacketType::Ack || m_unacked >= m_config.ack_every) {
            m_unacked = 0;
            return m_ack;
        }
    }
    return std::nullopt;
}

WireAnswer ResponderRules::ack_now() {
    m_unacked = 0;
    return m_ack;
}

/// The NAK waits for the completions of messages before it, as their acknowledgement would (S2.13).
void ResponderRules::stop() {
    m_unacked = 0;
    m_last = true;
    if (!m_owed.empty() && m_owed[m_owed.size() - 1].answer.type <= PacketType::NakSequence) {
        m_owed.clear();
    }
}

}  // namespace cqsim::tb
