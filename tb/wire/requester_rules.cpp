// SPDX-License-Identifier: Apache-2.0
#include "tb/wire/requester_rules.h"

namespace cqsim::tb {

void RequesterRules::begin(WireMessage message) {
    if (m_stopped) {
        return;
    }
    message.number = m_number;
    if (!is_local(message.opcode)) {
        m_number = number_after(m_number);
    }
    m_window.push(message);
}

const WireMessage* RequesterRules::next() {
    if (m_waits || m_stopped) {
        return nullptr;
    }
    while (m_next < m_window.size() && is_local(m_window[m_next].opcode)) {
        ++m_next;
    }
    if (m_next >= m_window.size() || m_window[m_next].fault == Fault::LocalProt) {
        return nullptr;  // S2.8 B: it fails when it is the oldest, and nothing behind it starts
    }
    return &m_window[m_next];
}

RequesterRules::Effect RequesterRules::sent(bool hit) {
    Effect effect;
    WireMessage& message = m_window[m_next];
    if (hit && message.hits != kEveryTime) {
        --message.hits;
    }
    const std::uint32_t behind = number_after(message.number);
    if (ahead(behind, m_oldest) > ahead(m_sent, m_oldest)) {
        m_sent = behind;
    }
    m_refused = m_refused && m_next != 0;
    ++m_next;
    if (!m_config.answered) {  // S2.7: UC and UD
        end_front(effect);
        settle(effect);
    }
    return effect;
}

/// An RNR NAK and one of a gap cover what is before their number.
bool RequesterRules::loses_answer(PacketType type, std::uint32_t number) {
    const bool refuses = type == PacketType::RnrNak || type == PacketType::NakSequence;
    const std::uint32_t covered = ahead(refuses ? number : number_after(number), m_oldest);
    if (m_stopped || covered > ahead(m_sent, m_oldest)) {
        return false;
    }
    bool lost = false;
    for (std::size_t i = 0; i < m_window.size(); ++i) {
        WireMessage& message = m_window[i];
        if (message.fault != Fault::DropAck || message.hits == 0 ||
            ahead(message.number, m_oldest) >= covered) {
            continue;
        }
        lost = true;
        message.hits -= message.hits == kEveryTime ? 0U : 1U;
    }
    return lost;
}

/// The oldest request ends with SUCCESS.
void RequesterRules::end_front(Effect& effect) {
    if (effect.succeeded == 0) {
        effect.first = m_window[0].wqe_index;
    }
    if (!is_local(m_window[0].opcode)) {
        m_oldest = number_after(m_window[0].number);
        m_retries = 0;
        m_rnrs = 0;
        m_again = false;
        m_refused = false;
    }
    m_window.pop();
    m_next -= m_next == 0 ? 0 : 1;
    ++effect.succeeded;
}

/// What waits for its turn alone ends.
void RequesterRules::settle(Effect& effect) {
    while (!m_window.empty() && m_window[0].fault != Fault::LocalProt &&
           is_local(m_window[0].opcode)) {
        end_front(effect);
    }
    if (!m_window.empty() && m_window[0].fault == Fault::LocalProt) {
        fail(effect, WcStatus::LocProtErr);
    }
}

/// S2.7: an answer covers all messages before, but for those that need a response of their own.
void RequesterRules::cover(std::uint32_t first_not, Effect& effect) {
    settle(effect);
    while (!m_stopped && m_oldest != first_not && !has_response(m_window[0].opcode)) {
        end_front(effect);
        settle(effect);
    }
}

void RequesterRules::fail(Effect& effect, WcStatus status) {
    if (effect.succeeded == 0) {
        effect.first = m_window[0].wqe_index;
    }
    effect.failed = status;
    stop();
}

/// A message before this one was lost, or its response was: told once, not again by all that
/// follows it.
void RequesterRules::gap(Effect& effect) {
    if (!m_again && m_next != 0) {
        m_again = true;
        send_again(effect);
    }
}

/// S2.16 B: no receive request was there. A second such answer tells nothing new before the message
/// was sent again.
void RequesterRules::not_ready(Effect& effect) {
    if (m_refused) {
        return;
    }
    m_refused = true;
    if (m_config.rnr_retry != RequesterConfig::kForEver) {
        if (m_rnrs == m_config.rnr_retry) {
            fail(effect, WcStatus::RnrRetryExcErr);
            return;
        }
        ++m_rnrs;
    }
    m_next = 0;
    m_waits = true;
    effect.waits = true;
}

/// S2.8 A, and its end.
void RequesterRules::send_again(Effect& effect) {
    if (m_retries == m_config.retry_cnt) {
        fail(effect, WcStatus::RetryExcErr);
        return;
    }
    ++m_retries;
    m_next = 0;
    effect.again = true;
}

RequesterRules::Effect RequesterRules::ack(std::uint32_t number) {
    Effect effect;
    if (!is_outstanding(number)) {
        return effect;
    }
    const std::uint32_t first_not = number_after(number);
    cover(first_not, effect);
    if (!m_stopped && m_oldest != first_not) {
        gap(effect);  // a response is missing
    }
    return effect;
}

RequesterRules::Effect RequesterRules::response(std::uint32_t number, bool bad) {
    Effect effect;
    if (!is_outstanding(number)) {
        return effect;
    }
    cover(number, effect);
    if (m_stopped) {
        return effect;
    }
    if (m_oldest != number) {
        gap(effect);
    } else if (bad || !has_response(m_window[0].opcode)) {
        fail(effect, WcStatus::BadRespErr);
    } else {
        end_front(effect);
        settle(effect);
    }
    return effect;
}

RequesterRules::Effect RequesterRules::nak(PacketType type, std::uint32_t number) {
    Effect effect;
    if (!is_outstanding(number)) {
        return effect;
    }
    cover(number, effect);
    if (m_stopped) {
        return effect;
    }
    if (m_oldest != number) {
        gap(effect);
        return effect;
    }
    switch (type) {
        case PacketType::NakInvalidRequest:  // S2.17, S1.10
            fail(effect, WcStatus::RemInvReqErr);
            break;
        case PacketType::NakRemoteAccess:
            fail(effect, WcStatus::RemAccessErr);
            break;
        case PacketType::NakRemoteOperational:
            fail(effect, WcStatus::RemOpErr);
            break;
        case PacketType::RnrNak:
            not_ready(effect);
            break;
        case PacketType::NakSequence:
        case PacketType::Request:
        case PacketType::Response:
        case PacketType::Ack:
            gap(effect);
            break;
    }
    return effect;
}

RequesterRules::Effect RequesterRules::timeout() {
    Effect effect;
    if (in_flight()) {
        send_again(effect);
    }
    return effect;
}

}  // namespace cqsim::tb
