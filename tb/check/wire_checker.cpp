// SPDX-License-Identifier: Apache-2.0
#include "tb/check/wire_checker.h"

#include "tb/check/wire_numbers.h"

#include <algorithm>

namespace cqsim::tb::check {

WireChecker::WireChecker(const Settings& settings, Findings& findings)
    : m_findings(findings) {
    for (const Settings::Connection& connection : settings.connection) {
        for (std::uint32_t i = 0; i < connection.count; ++i) {
            const auto first = static_cast<std::uint32_t>(m_ends.size());
            for (const std::uint32_t side : {0U, 1U}) {
                End end;
                end.qpn = Qpn{(side == 0 ? connection.first : connection.peer) + i};
                end.peer = first + 1 - side;
                end.retry_cnt = connection.retry_cnt;
                end.rnr_retry = connection.rnr_retry;
                m_end_of[index_of(end.qpn)] = first + side;
                m_ends.push_back(end);
            }
        }
    }
}

WireChecker::End* WireChecker::find(Qpn qpn) {
    const auto found = m_end_of.find(index_of(qpn));
    return found == m_end_of.end() ? nullptr : &m_ends[found->second];
}

/// A new life: nothing of the last one counts. What it has on the wire does not come, and a peer
/// that went by its numbers hears nothing until it begins a new life as well.
void WireChecker::forget(End& end) {
    End fresh;
    fresh.qpn = end.qpn;
    fresh.peer = end.peer;
    fresh.retry_cnt = end.retry_cnt;
    fresh.rnr_retry = end.rnr_retry;
    fresh.type = end.type;
    fresh.state = end.state;
    fresh.shared = end.shared;
    End& peer = m_ends[end.peer];
    fresh.expected = peer.first;
    end = fresh;
    peer.flight.clear();
    peer.deaf = peer.bound;
}

void WireChecker::on_create(const Record& record) {
    if (End* end = find(record.qpn)) {
        end->type = static_cast<QpType>(record.state);
        end->shared = (record.flags & kShared) != 0;
    }
}

void WireChecker::on_qp_state(const Record& record) {
    if (End* end = find(record.qpn)) {
        end->state = static_cast<QpState>(record.state);
        if (end->state == QpState::Reset) {
            forget(*end);
        }
    }
}

void WireChecker::on_life_end(const Record& record) {
    End* end = find(record.qpn);
    if (end != nullptr && end->state != QpState::Reset) {
        end->state = QpState::Reset;
        forget(*end);
    }
}

void WireChecker::on_post(const Record& record) {
    if (record.queue == QueueKind::Receive) {
        if (End* end = find(record.qpn)) {
            ++end->receives;
        }
    }
}

void WireChecker::on_complete(const Record& record) {
    if (End* end = find(record.qpn)) {
        m_now_ps = record.time_ps;
        if (record.queue == QueueKind::Send) {
            on_send_ended(*end, record);
        } else {
            on_receive_ended(*end, record);
        }
    }
}

void WireChecker::on_packet(const Record& record) {
    m_now_ps = record.time_ps;
    End* end = find(record.qpn);
    m_findings.checked(Rule::RecordContract);
    if (end == nullptr || record.serial != index_of(m_ends[end->peer].qpn)) {
        m_findings.fail(Rule::RecordContract,
                        record.time_ps,
                        record.qpn,
                        "a packet to or from QP ",
                        record.serial,
                        ", to which it is not connected");
        return;
    }
    if ((record.flags & kSent) == 0) {
        on_arrival(*end, record);
        return;
    }
    const auto type = static_cast<PacketType>(record.state);
    if (type == PacketType::Request || !end->deaf) {
        end->flight.push_back({type, record.index, static_cast<std::uint32_t>(record.wr_id)});
    }
    if (type == PacketType::Request) {
        on_request_sent(*end, record);
    } else {
        on_answer_sent(*end, record);
    }
}

/// Packets may be lost; they come in the order in which they were sent.
void WireChecker::on_arrival(End& end, const Record& record) {
    std::deque<Packet>& flight = m_ends[end.peer].flight;
    const auto found = std::find_if(flight.begin(), flight.end(), [&](const Packet& packet) {
        return static_cast<std::uint8_t>(packet.type) == record.state &&
               packet.number == record.index && packet.wqe_index == record.wr_id;
    });
    if (found == flight.end()) {
        m_findings.fail(Rule::RecordContract,
                        record.time_ps,
                        record.qpn,
                        "packet ",
                        record.index,
                        " came, and was not sent");
        return;
    }
    flight.erase(flight.begin(), found + 1);
    if (static_cast<PacketType>(record.state) == PacketType::Request) {
        on_message(end, record);
    } else {
        on_answer(end, record);
    }
}

void WireChecker::settle(End& end) {
    const bool runs = end.state == QpState::Rts || end.state == QpState::Sqd;
    const bool receives = runs || end.state == QpState::Rtr || end.state == QpState::Sqe;
    if (runs && end.answered != 0 && end.type == QpType::Rc) {
        m_findings.fail(Rule::AnswerEnds,
                        m_now_ps,
                        end.qpn,
                        "request ",
                        end.sent.front().wqe_index,
                        " was answered, and has not ended");
    }
    if (runs && end.owed != WcStatus::Success) {
        m_findings.fail(end.owed == WcStatus::RnrRetryExcErr ? Rule::RetryLimit : Rule::NakStatus,
                        m_now_ps,
                        end.qpn,
                        "its oldest request was refused, and did not end ",
                        name(end.owed));
    }
    if (receives && end.due != 0 && end.type == QpType::Rc && !end.shared) {
        m_findings.fail(Rule::ResponderClass,
                        m_now_ps,
                        end.qpn,
                        end.due,
                        " messages came, and receive requests that were there did not end");
    }
    if (end.event_owed) {
        m_findings.fail(Rule::ResponderClass,
                        m_now_ps,
                        end.qpn,
                        "refused a message that takes no receive request, without the event ",
                        name(end.event));
    }
    if (end.must_fail && end.state != QpState::Err && end.state != QpState::Reset) {
        m_findings.fail(Rule::ResponderClass,
                        m_now_ps,
                        end.qpn,
                        "a message failed, and the QP did not go to ERR");
    }
}

void WireChecker::finish(std::uint64_t time_ps, bool is_idle) {
    if (!is_idle) {
        return;
    }
    for (End& end : m_ends) {
        settle(end);
        for (const Message& message : end.messages) {
            if (message.report == Report::Lost) {
                break;  // S5.5: from here on it is silent
            }
            const bool no_nak = message.opcode == WrOpcode::SendWithInv &&
                                message.status == WcStatus::RemInvReqErr;  // class J
            if (message.event || (message.status != WcStatus::Success && !no_nak)) {
                m_findings.fail(Rule::ResponderClass,
                                time_ps,
                                end.qpn,
                                "message ",
                                message.number,
                                " failed, and no NAK was sent");
            }
        }
    }
}

}  // namespace cqsim::tb::check
