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

ResponderRules::Verdict ResponderRules::arrived(const WireArrival& arrival,
                                                std::optional<std::uint32_t> receive) {
    const WireMessage& message = arrival.message;
    if (m_config.type != QpType::Rc) {
        return unreliable(message, receive);
    }
    Verdict verdict;
    const std::uint32_t distance = ahead(message.number, m_expected);
    if (distance >= kHalfTheNumbers) {
        verdict.at_once = repeat(arrival);
    } else if (distance != 0) {
        if (!m_nak) {  // class B
            m_nak = true;
            verdict.at_once = answer_to(PacketType::NakSequence, message);
            verdict.at_once->number = m_expected;
        }
    } else if (takes_receive(message.opcode) && !receive) {  // class B
        m_nak = true;
        verdict.at_once = answer_to(PacketType::RnrNak, message);
    } else {
        return execute(arrival, receive);
    }
    return verdict;
}

ResponderRules::Verdict ResponderRules::execute(const WireArrival& arrival,
                                                std::optional<std::uint32_t> receive) {
    const WireMessage& message = arrival.message;
    const Class found = class_of(message.fault, message.opcode);
    m_nak = false;
    m_expected = number_after(m_expected);
    Owed owed;
    owed.answer = answer_to(found.answer, message);
    owed.answer.lost = arrival.lose_answer;
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

/// S2.14, S2.15: classes D and D1 drop the message, and what it took is as before.
ResponderRules::Verdict ResponderRules::unreliable(const WireMessage& message,
                                                   std::optional<std::uint32_t> receive) {
    const Class found = class_of(message.fault, message.opcode);
    Verdict verdict;
    verdict.takes = takes_receive(message.opcode) && receive && found.status == WcStatus::Success;
    return verdict;
}

/// S2.16 B: what was executed before is answered again, unless its answer is still to come.
std::optional<WireAnswer> ResponderRules::repeat(const WireArrival& arrival) {
    const WireMessage& message = arrival.message;
    if (m_silent || ahead(message.number, m_ready) < kHalfTheNumbers) {
        return std::nullopt;
    }
    WireAnswer answer = answer_to(PacketType::Response, message);
    if (!has_response(message.opcode)) {
        answer = m_ack;
        answer.type = PacketType::Ack;
        m_unacked = 0;
    }
    answer.lost = arrival.lose_answer;
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
        const bool lost = owed.answer.lost || (m_unacked != 0 && m_ack.lost);
        m_ready = number_after(owed.answer.number);
        m_ack = owed.answer;
        m_ack.lost = lost;
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

void ResponderRules::stop() {
    m_unacked = 0;
    Window<Owed> kept;
    for (std::size_t i = 0; i < m_owed.size(); ++i) {
        if (m_owed[i].answer.type >= PacketType::NakSequence && m_owed[i].waits) {
            kept.push(m_owed[i]);
        }
    }
    m_owed = kept;
}

}  // namespace cqsim::tb
