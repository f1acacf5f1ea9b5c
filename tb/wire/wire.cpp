// SPDX-License-Identifier: Apache-2.0
#include "tb/wire/wire.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

struct Later {
    template <class Item>
    bool operator()(const Item& l, const Item& r) const {
        return r.at < l.at || (l.at == r.at && r.place() < l.place());
    }
};

/// S2.25, S1.18: what a state makes of a message, and of an answer.
constexpr bool takes_messages(QpState state) {
    return state == QpState::Rtr || state == QpState::Rts || state == QpState::Sqd ||
           state == QpState::Sqe;
}
constexpr bool takes_answers(QpState state) {
    return state == QpState::Rts || state == QpState::Sqd;
}

constexpr std::size_t at(std::uint8_t timer) {
    return timer;
}

}  // namespace

Wire::Wire(const sc_core::sc_module_name& module_name,
           Timeline& timeline,
           RecordStream& records,
           std::uint32_t qps)
    : sc_module(module_name),
      m_timeline(timeline),
      m_slot(timeline.attach(*this, Rank::Wire)),
      m_records(records),
      m_source(records.intern(name())),
      m_end_of(qps, kNone) {
    send_tsock.bind(static_cast<WireSendForward&>(*this));
    receive_isock.bind(static_cast<WireReceiveBackward&>(*this));
}

void Wire::connect(const WireConnection& connection) {
    const auto first = static_cast<std::uint32_t>(m_end.size());
    const RequesterConfig requester{
        connection.type == QpType::Rc, connection.retry_cnt, connection.rnr_retry};
    for (const Qpn qpn : {connection.a, connection.b}) {
        End end;
        end.qpn = qpn;
        end.peer = qpn == connection.a ? first + 1 : first;
        end.connection = connection;
        end.requester = RequesterRules(requester);
        end.responder =
            ResponderRules({connection.type,
                            connection.ack_every,
                            qpn == connection.a ? connection.shared_a : connection.shared_b});
        m_end_of[index_of(qpn)] = static_cast<std::uint32_t>(m_end.size());
        m_end.push_back(std::move(end));
    }
}

void Wire::fault(Qpn qpn, const FaultPlan& plan) {
    m_end[m_end_of[index_of(qpn)]].faults.add(plan);
}

void Wire::begin(Qpn qpn, const WireMessage& message) {
    End& end = m_end[m_end_of[index_of(qpn)]];
    WireMessage begun = message;
    end.faults.begin(begun);
    end.requester.begin(begun);
    keep_sending(end);
}

void Wire::qp_changed(const QpChange& change) {
    End& end = m_end[m_end_of[index_of(change.qpn)]];
    if (change.after == QpState::Reset || change.generation != end.generation) {
        end.requester.restart();
        end.responder.restart();
        end.peer_life.reset();
        stop_timers(end);
    }
    end.generation = change.generation;
    end.state = change.after;
    switch (change.after) {
        case QpState::Err:
            end.responder.stop();
            [[fallthrough]];
        case QpState::Sqe:
            end.requester.stop();
            set(end, Timer::Send, kNever);
            set(end, Timer::Timeout, kNever);
            set(end, Timer::Rnr, kNever);
            if (!end.responder.owes_ack()) {
                set(end, Timer::Ack, kNever);
            }
            break;
        case QpState::Rts:
            end.requester.resume();
            break;
        case QpState::Reset:
        case QpState::Init:
        case QpState::Rtr:
        case QpState::Sqd:
            break;
    }
    ask_again();
}

void Wire::stop_timers(End& end) {
    for (const Timer timer : {Timer::Send, Timer::Timeout, Timer::Rnr, Timer::Ack}) {
        set(end, timer, kNever);
    }
}

/// S2.13, S5.5: the answer to a message that took a receive request goes out now, or never.
void Wire::answered(const CompletionAnswer& answer) {
    End& end = m_end[m_end_of[index_of(answer.qpn)]];
    if (answer.generation == end.generation) {
        end.responder.answered(answer.wqe_index, answer.outcome == Outcome::Granted);
        send_answers(end);
        ask_again();
    }
}

void Wire::due(TimePs now) {
    while (!m_packets.empty() && m_packets.front().at <= now) {
        const Packet packet = m_packets.front();
        std::pop_heap(m_packets.begin(), m_packets.end(), Later{});
        m_packets.pop_back();
        arrive(packet, now);
    }
    while (!m_timers.empty() && m_timers.front().at <= now) {
        const TimerEntry entry = m_timers.front();
        const bool over = is_over(entry);
        drop_first_timer();
        if (over) {
            continue;
        }
        End& end = m_end[entry.end];
        const std::size_t which = at(static_cast<std::uint8_t>(entry.timer));
        const TimePs wanted = end.due_at[which];
        if (wanted > now) {
            set(end, entry.timer, wanted);
        } else {
            end.due_at[which] = kNever;
            run_out(end, entry.timer, now);
        }
    }
    ask_for_time();
}

void Wire::arrive(const Packet& packet, TimePs now) {
    End& end = m_end[packet.to];
    // What an earlier life of either QP sent or was to get is no more.
    if (packet.to_generation != end.generation ||
        packet.from_generation != m_end[end.peer].generation) {
        return;
    }
    observe(end, packet.type, packet.message, false, now);
    const std::uint32_t number = packet.message.number;
    if (packet.type == PacketType::Request) {
        if (takes_messages(end.state)) {
            receive(end, packet);
        }
    } else if (takes_answers(end.state)) {
        switch (packet.type) {
            case PacketType::Ack:
                apply(end, end.requester.ack(number));
                break;
            case PacketType::Response:
                apply(end, end.requester.response(number, packet.bad));
                break;
            default:
                apply(end, end.requester.nak(packet.type, number));
                break;
        }
    }
}

void Wire::receive(End& end, const Packet& packet) {
    const WireMessage& message = packet.message;
    if (end.connection.type == QpType::Rc) {
        if (!end.peer_life) {
            end.peer_life = packet.from_generation;
        } else if (*end.peer_life != packet.from_generation) {
            return;  // S7.3: numbers of a life that this QP has not been connected to
        }
    }
    const auto request = takes_receive(message.opcode) ? receive_isock->next_receive(end.qpn)
                                                       : std::optional<std::uint32_t>{};
    const ResponderRules::Verdict verdict = end.responder.arrived(message, request);
    if (verdict.takes) {
        receive_isock->take(end.qpn, message, verdict.status);
    }
    send_answers(end);
    if (verdict.event) {
        receive_isock->violated(end.qpn, *verdict.event);
    }
    if (verdict.at_once) {
        send_answer(end, *verdict.at_once);
    }
}

void Wire::send_answers(End& end) {
    while (const std::optional<WireAnswer> answer = end.responder.next_answer()) {
        send_answer(end, *answer);
    }
    if (!end.responder.owes_ack()) {
        set(end, Timer::Ack, kNever);
    } else if (end.due_at[at(static_cast<std::uint8_t>(Timer::Ack))] == kNever) {
        set(end, Timer::Ack, m_timeline.now() + end.connection.ack_delay);
    }
}

void Wire::send_answer(End& end, const WireAnswer& answer) {
    const TimePs now = m_timeline.now();
    WireMessage about;
    about.number = answer.number;
    about.wqe_index = answer.wqe_index;
    about.bytes = answer.bytes;
    about.opcode = answer.opcode;
    observe(end, answer.type, about, true, now);
    End& peer = m_end[end.peer];
    const std::uint16_t peer_life = end.peer_life.value_or(peer.generation);
    const bool comes = peer_life == peer.generation;  // it answers that life, or an earlier one
    if (comes && !peer.requester.loses_answer(answer.type, answer.number)) {
        push({now + end.connection.latency,
              m_order++,
              end.peer,
              end.generation,
              peer_life,
              answer.type,
              answer.bad,
              about});
    }
}

void Wire::run_out(End& end, Timer timer, TimePs now) {
    switch (timer) {
        case Timer::Send:
            send_next(end, now);
            break;
        case Timer::Timeout:
            apply(end, end.requester.timeout());
            break;
        case Timer::Rnr:
            end.requester.rnr_over();
            keep_sending(end);
            break;
        case Timer::Ack:
            if (end.responder.owes_ack()) {
                send_answer(end, end.responder.ack_now());
            }
            break;
    }
}

/// The message whose service is over is on the wire (S2.7: one of UC or UD has ended).
void Wire::send_next(End& end, TimePs now) {
    apply(end, end.requester.turn());
    const WireMessage* next = end.requester.next();
    if (next == nullptr) {
        return;
    }
    const WireMessage message = *next;
    const bool hit = message.hits != 0 && message.fault == Fault::Drop;
    end.free_at = now;
    observe(end, PacketType::Request, message, true, now);
    const RequesterRules::Effect effect = end.requester.sent(hit);
    if (!hit) {
        push({now + end.connection.latency,
              m_order++,
              end.peer,
              end.generation,
              m_end[end.peer].generation,
              PacketType::Request,
              false,
              message});
    }
    apply(end, effect);
}

void Wire::apply(End& end, const RequesterRules::Effect& effect) {
    const TimePs now = m_timeline.now();
    const std::uint16_t generation = end.generation;
    for (std::uint32_t i = 0; i < effect.succeeded; ++i) {
        send_tsock->ended(end.qpn, generation, effect.first + i, WcStatus::Success);
    }
    if (effect.failed != WcStatus::Success) {
        send_tsock->ended(end.qpn, generation, effect.first + effect.succeeded, effect.failed);
    }
    if (effect.waits) {
        set(end, Timer::Rnr, now + end.connection.rnr_timer);
    }
    const TimePs running = end.due_at[at(static_cast<std::uint8_t>(Timer::Timeout))];
    if (!end.requester.in_flight()) {
        set(end, Timer::Timeout, kNever);
    } else if (effect.again || effect.succeeded != 0 || running == kNever) {
        set(end, Timer::Timeout, now + end.connection.timeout);
    }
    keep_sending(end);
}

void Wire::keep_sending(End& end) {
    if (end.due_at[at(static_cast<std::uint8_t>(Timer::Send))] == kNever &&
        end.requester.has_turn()) {
        set(end, Timer::Send, later_of(m_timeline.now(), end.free_at) + end.connection.service);
    }
}

/// `kNever` stops it. An entry that is in the heap and comes too early finds the new time.
void Wire::set(End& end, Timer timer, TimePs wanted) {
    const std::size_t which = at(static_cast<std::uint8_t>(timer));
    end.due_at[which] = wanted;
    if (wanted < end.queued_at[which]) {
        end.queued_at[which] = wanted;
        m_timers.push_back({wanted, m_order++, number_of(end), timer});
        std::push_heap(m_timers.begin(), m_timers.end(), Later{});
        m_timeline.at(m_slot, m_timers.front().at);
    }
}

void Wire::push(const Packet& packet) {
    m_packets.push_back(packet);
    std::push_heap(m_packets.begin(), m_packets.end(), Later{});
    m_timeline.at(m_slot, m_packets.front().at);
}

/// Nothing waits for it any more: its timer was stopped, or another entry stands for it.
bool Wire::is_over(const TimerEntry& entry) const {
    const End& end = m_end[entry.end];
    const std::size_t which = at(static_cast<std::uint8_t>(entry.timer));
    return end.queued_at[which] != entry.at || end.due_at[which] == kNever;
}

void Wire::drop_first_timer() {
    const TimerEntry entry = m_timers.front();
    std::pop_heap(m_timers.begin(), m_timers.end(), Later{});
    m_timers.pop_back();
    TimePs& queued = m_end[entry.end].queued_at[at(static_cast<std::uint8_t>(entry.timer))];
    if (queued == entry.at) {
        queued = kNever;
    }
}

/// Timers were stopped outside `due`: the time that was asked for may be one of theirs.
void Wire::ask_again() {
    if (!m_timers.empty() && is_over(m_timers.front())) {
        m_timeline.at(m_slot, m_timeline.now());
    }
}

/// Only for what is to happen: else the run would go on, and not be idle.
void Wire::ask_for_time() {
    while (!m_timers.empty() && is_over(m_timers.front())) {
        drop_first_timer();
    }
    TimePs next = m_packets.empty() ? kNever : m_packets.front().at;
    if (!m_timers.empty() && m_timers.front().at < next) {
        next = m_timers.front().at;
    }
    if (next != kNever) {
        m_timeline.at(m_slot, next);
    }
}

void Wire::observe(
    const End& where, PacketType type, const WireMessage& message, bool sent, TimePs now) {
    if (Record* record = m_records.open(Kind::Packet, m_source, now)) {
        record->qpn = where.qpn;
        record->generation = where.generation;
        record->serial = index_of(m_end[where.peer].qpn);
        record->state = static_cast<std::uint8_t>(type);
        record->index = message.number;
        record->wr_id = message.wqe_index;
        record->a = message.bytes;
        record->b = static_cast<std::uint16_t>(message.opcode);
        record->flags = sent ? kSent : 0;
    }
}

}  // namespace cqsim::tb
