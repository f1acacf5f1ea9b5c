// SPDX-License-Identifier: Apache-2.0
// The receiving side of a connection: S2.13, S2.16, S2.25, S5.5.
#include "tb/check/wire_checker.h"
#include "tb/check/wire_numbers.h"

#include <algorithm>

namespace cqsim::tb::check {
namespace {

/// S2.16, S2.17: which NAK tells the sender of a receive request that ended so.
constexpr bool tells_of(PacketType nak, WcStatus status) {
    switch (nak) {
        case PacketType::NakRemoteOperational:  // A
            return status == WcStatus::LocQpOpErr || status == WcStatus::LocProtErr;
        case PacketType::NakRemoteAccess:  // C
            return status == WcStatus::RemAccessErr || status == WcStatus::LocAccessErr;
        case PacketType::NakInvalidRequest:  // C
            return status == WcStatus::RemInvReqErr || status == WcStatus::LocLenErr;
        default:
            return false;
    }
}

constexpr bool is_fatal(PacketType type) {
    return type == PacketType::NakInvalidRequest || type == PacketType::NakRemoteAccess ||
           type == PacketType::NakRemoteOperational;
}

}  // namespace

void WireChecker::on_message(End& end, const Record& record) {
    if (end.state == QpState::Err || end.state == QpState::Reset || end.state == QpState::Init) {
        return;  // S2.25
    }
    const auto opcode = static_cast<WrOpcode>(record.b);
    if (end.type != QpType::Rc) {
        end.due += consumes(opcode) && (end.receives > end.due || end.shared) ? 1U : 0U;
        return;
    }
    end.bound = true;
    if (end.deaf || end.must_fail || is_before(record.index, end.expected)) {
        return;  // of another life; to a QP that fails; executed before
    }
    if (record.index != end.expected) {
        end.gap = true;
        return;
    }
    end.gap = false;
    end.not_ready = consumes(opcode) && end.receives <= end.due && !end.shared;
    if (end.not_ready) {
        return;
    }
    m_findings.checked(Rule::ResponderClass);
    end.expected = (end.expected + 1) % kNumbers;
    Message message;
    message.number = record.index;
    message.opcode = opcode;
    if (consumes(opcode)) {
        message.report = Report::Due;
        ++end.due;
    }
    end.messages.push_back(message);
}

/// The message of this number found no receive request in the SRQ: neither it nor what is behind it
/// counts.
void WireChecker::take_back(End& end, std::uint32_t number) {
    end.expected = number;
    while (!end.messages.empty() && !is_before(end.messages.back().number, number)) {
        end.due -= end.messages.back().report == Report::Due ? 1U : 0U;
        end.messages.pop_back();
    }
    end.due_from = std::min(end.due_from, end.messages.size());
}

void WireChecker::on_receive_ended(End& end, const Record& record) {
    end.receives -= end.receives == 0 ? 0U : 1U;
    const auto status = static_cast<WcStatus>(record.state);
    if (status == WcStatus::WrFlushErr) {
        return;
    }
    m_findings.checked(Rule::ResponderClass);
    const bool late = end.must_fail && end.state != QpState::Err;
    if (end.due == 0 || late) {
        m_findings.fail(
            Rule::ResponderClass,
            record.time_ps,
            record.qpn,
            "receive request ",
            record.index,
            " ends, but ",
            late ? "a message before has failed the QP" : "no message came that takes it");
        return;
    }
    --end.due;
    // S2.14 to S2.16: of an unreliable type only class A fails the QP for certain.
    end.must_fail =
        end.type == QpType::Rc ? status != WcStatus::Success : status == WcStatus::LocQpOpErr;
    if (end.type != QpType::Rc) {
        return;
    }
    m_ends[end.peer].heard += status == WcStatus::Success ? 1U : 0U;
    while (end.messages[end.due_from].report != Report::Due) {
        ++end.due_from;
    }
    Message& message = end.messages[end.due_from];
    message.receive = record.index;
    message.report = Report::Waits;
    message.status = status;
}

void WireChecker::on_outcome(const Record& record) {
    if (record.queue != QueueKind::Receive) {
        return;
    }
    if (End* end = find(record.qpn)) {
        for (Message& message : end->messages) {
            if (message.report == Report::Waits && message.receive == record.index) {
                m_findings.checked(Rule::LostIsSilent);
                message.report = static_cast<Outcome>(record.state) == Outcome::Granted
                                     ? Report::Granted
                                     : Report::Lost;
            }
        }
    }
}

/// S2.16 class C, S5.11: of a message that has no receive request to blame.
void WireChecker::on_async(const Record& record) {
    const auto event = static_cast<AsyncEvent>(record.state);
    End* end = find(record.qpn);
    if (end == nullptr || (event != AsyncEvent::QpReqErr && event != AsyncEvent::QpAccessErr)) {
        return;
    }
    m_now_ps = record.time_ps;
    m_findings.checked(Rule::ResponderClass);
    end->must_fail = true;
    const auto blamed =
        std::find_if(end->messages.rbegin(), end->messages.rend(), [](const Message& candidate) {
            return candidate.report == Report::None && !candidate.event;
        });
    if (end->event_owed && end->event == event) {
        end->event_owed = false;
    } else if (blamed != end->messages.rend()) {
        blamed->event = true;
    } else {
        m_findings.fail(Rule::ResponderClass,
                        record.time_ps,
                        record.qpn,
                        name(event),
                        " was raised, but no message came that fails without a receive request");
    }
}

void WireChecker::on_answer_sent(End& end, const Record& record) {
    const auto type = static_cast<PacketType>(record.state);
    m_findings.checked(Rule::SilentInError);
    const bool in_error = end.state == QpState::Err;
    if ((in_error && !is_fatal(type)) || end.state == QpState::Reset ||
        end.state == QpState::Init) {
        m_findings.fail(Rule::SilentInError,
                        record.time_ps,
                        record.qpn,
                        "answers message ",
                        record.index,
                        " in state ",
                        name(end.state));
    }
    m_findings.checked(Rule::ResponderClass);
    if (end.type != QpType::Rc) {
        m_findings.fail(Rule::ResponderClass,
                        record.time_ps,
                        record.qpn,
                        "of a type without answers, answers message ",
                        record.index);
        return;
    }
    const bool refuses = type == PacketType::RnrNak || type == PacketType::NakSequence;
    const std::uint32_t behind = refuses ? record.index : (record.index + 1) % kNumbers;
    check_covered(end, record, behind);
    if (refuses) {
        check_refusal(end, record);
    } else if (is_fatal(type)) {
        check_fatal(end, record);
    } else {
        check_ack(end, record);
    }
    while (!end.messages.empty() && is_before(end.messages.front().number, behind)) {
        end.due -= end.messages.front().report == Report::Due ? 1U : 0U;
        end.due_from -= end.due_from == 0 ? 0U : 1U;
        end.messages.pop_front();
    }
}

/// S2.13, S5.5: what it answers, with all messages before it, is reported: their completions have
/// got their slots.
void WireChecker::check_covered(End& end, const Record& record, std::uint32_t behind) {
    for (const Message& message : end.messages) {
        if (!is_before(message.number, behind)) {
            break;
        }
        m_findings.checked(Rule::AckAfterReport);
        if (message.report == Report::Waits || message.report == Report::Due) {
            m_findings.fail(Rule::AckAfterReport,
                            record.time_ps,
                            record.qpn,
                            "answers message ",
                            message.number,
                            " before the completion of its receive request has a slot");
        } else if (message.report == Report::Lost) {
            m_findings.fail(Rule::LostIsSilent,
                            record.time_ps,
                            record.qpn,
                            "answers message ",
                            message.number,
                            ", whose completion is lost");
        }
    }
}

void WireChecker::check_ack(End& end, const Record& record) {
    if (!is_before(record.index, end.expected)) {
        m_findings.fail(Rule::AnswerEnds,
                        record.time_ps,
                        record.qpn,
                        "acknowledges message ",
                        record.index,
                        ", which it has not executed; the next is ",
                        end.expected);
    }
    for (const Message& message : end.messages) {
        if (!is_before(message.number, (record.index + 1) % kNumbers)) {
            break;
        }
        if (message.event || message.status != WcStatus::Success) {
            m_findings.fail(Rule::ResponderClass,
                            record.time_ps,
                            record.qpn,
                            "acknowledges message ",
                            message.number,
                            ", which has failed");
        }
    }
}

/// Class B.
void WireChecker::check_refusal(End& end, const Record& record) {
    const bool rnr = static_cast<PacketType>(record.state) == PacketType::RnrNak;
    const auto asked =
        std::find_if(end.messages.begin(), end.messages.end(), [&](const Message& candidate) {
            return candidate.number == record.index;
        });
    if (end.shared && asked != end.messages.end() && asked->report == Report::Due) {
        take_back(end, record.index);
    } else if (record.index != end.expected) {
        m_findings.fail(Rule::ResponderClass,
                        record.time_ps,
                        record.qpn,
                        "asks for message ",
                        record.index,
                        "; the next is ",
                        end.expected);
    } else if (rnr ? !end.not_ready : !end.gap) {
        m_findings.fail(Rule::ResponderClass,
                        record.time_ps,
                        record.qpn,
                        "asks for message ",
                        record.index,
                        rnr ? " later, but it did not come to an empty receive queue"
                            : " again, but none behind it came");
    }
}

/// Classes A and C.
void WireChecker::check_fatal(End& end, const Record& record) {
    const auto type = static_cast<PacketType>(record.state);
    const auto message =
        std::find_if(end.messages.begin(), end.messages.end(), [&](const Message& candidate) {
            return candidate.number == record.index;
        });
    if (message == end.messages.end()) {
        m_findings.fail(Rule::ResponderClass,
                        record.time_ps,
                        record.qpn,
                        "refuses message ",
                        record.index,
                        ", which has not come, or was answered");
        return;
    }
    if (message->report != Report::None) {
        if (message->report != Report::Due && !tells_of(type, message->status)) {
            m_findings.fail(Rule::NakStatus,
                            record.time_ps,
                            record.qpn,
                            "its receive request ",
                            message->receive,
                            " ended ",
                            name(message->status),
                            ": not what the NAK says");
        }
    } else if (!message->event) {
        end.event_owed = true;
        end.event =
            type == PacketType::NakRemoteAccess ? AsyncEvent::QpAccessErr : AsyncEvent::QpReqErr;
    }
}

}  // namespace cqsim::tb::check
