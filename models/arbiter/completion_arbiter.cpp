// SPDX-License-Identifier: Apache-2.0
#include "models/arbiter/completion_arbiter.h"

#include "models/arbiter/arbiter_records.h"

#include <utility>

namespace cqsim {

CompletionArbiter::CompletionArbiter(const sc_core::sc_module_name& module_name,
                                     Timeline& timeline,
                                     RecordStream& records,
                                     ArbiterRules rules)
    : CompletionArbiterPorts(module_name),
      m_timeline(timeline),
      m_slot(timeline.attach(*this, Rank::Arbiter)),
      m_records(records),
      m_source(records.intern(name())),
      m_rules(std::move(rules)) {
    tx_tsock.bind(m_tx);
    rx_tsock.bind(m_rx);
    writer_isock.bind(static_cast<CompletionBackward&>(*this));
}

OfferReply CompletionArbiter::arrive(ArbiterPort port, const Completion& completion) {
    const TimePs now = m_timeline.now();
    OfferReply reply{OfferStatus::Taken, now};
    switch (m_rules.offer(port, completion, now)) {
        case ArbiterRules::Offer::Held:
            reply.status = OfferStatus::Held;
            return reply;
        case ArbiterRules::Offer::NoCredit:
            reply.status = OfferStatus::NoCredit;
            return reply;
        case ArbiterRules::Offer::Taken:
            break;
    }
    if (m_records.wants(Kind::Request)) {
        observe(Kind::Request, completion, m_rules.inside());
    }
    if (!m_writer_holds) {  // P6: decided after every arrival of this time stamp, by rank
        m_timeline.at(m_slot, later_of(now, m_ready_at));
    }
    return reply;
}

void CompletionArbiter::hint(Qpn qpn, Cqn cqn) {
    m_rules.prefetch(qpn);
    writer_isock->hint(qpn, cqn);
}

void CompletionArbiter::due(TimePs now) {
    while (!m_writer_holds && !m_rules.empty()) {
        if (m_ready_at > now) {
            m_timeline.at(m_slot, m_ready_at);
            return;
        }
        grant(m_rules.next(), now);
    }
}

void CompletionArbiter::grant(EntryId entry, TimePs now) {
    Completion& completion = m_rules.completion(entry);
    ++m_grants;
    if (m_records.wants(Kind::Grant)) {
        observe(Kind::Grant, completion, m_rules.inside() - 1).wr_id =
            (now - m_rules.arrived(entry)).ps;
    }
    const OfferReply reply = writer_isock->offer(completion);
    m_writer_holds = reply.status == OfferStatus::Held;
    m_ready_at = reply.ready_at;
    make_room(m_rules.release(entry));
}

/// The caller knows that the kind is wanted.
Record& CompletionArbiter::observe(Kind kind, const Completion& completion, std::uint32_t queued) {
    Record& record = *m_records.open(kind, m_source, m_timeline.now());
    describe_request(record, completion, queued);
    return record;
}

void CompletionArbiter::make_room(const ArbiterRules::Room& room) {
    if (room.held_taken) {
        if (m_records.wants(Kind::Request)) {
            observe(Kind::Request, m_rules.completion(room.entry), m_rules.inside());
        }
        port_socket(room.port)->offer_done({OfferStatus::Taken, m_timeline.now()});
    } else if (room.credit) {
        port_socket(room.port)->credit(room.work_queue.qpn, room.work_queue.queue);
    }
}

void CompletionArbiter::offer_done(const OfferReply& reply) {
    m_writer_holds = false;
    m_ready_at = reply.ready_at;
    if (!m_rules.empty()) {
        m_timeline.at(m_slot, later_of(m_timeline.now(), m_ready_at));
    }
}

void CompletionArbiter::credit(Qpn /*qpn*/, QueueKind /*queue*/) {
    SC_REPORT_ERROR("/cqsim/arbiter/credit", "a CQE writer has no credits to return");
}

void CompletionArbiter::answered(const CompletionAnswer& answer) {
    CompletionTarget& socket = answer.queue == QueueKind::Send ? tx_tsock : rx_tsock;
    socket->answered(answer);
}

}  // namespace cqsim
