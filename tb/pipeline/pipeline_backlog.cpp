// SPDX-License-Identifier: Apache-2.0
// What has ended and is not taken yet, and what flushes (D3).
#include "tb/pipeline/pipeline.h"

#include <utility>

namespace cqsim::tb {

/// Offers the queue's oldest request if it has ended.
void Pipeline::offer_ended(Qpn qpn) {
    WorkQueueRow& row = m_queues.row(qpn);
    const std::uint32_t wqe_index = WorkQueues::next_to_report(row);
    if (row.unreported == 0) {
        return;
    }
    const WorkRequest& work = m_queues.request(row, wqe_index);
    if ((work.flags & WorkRequest::kEnded) == 0) {
        return;
    }
    Completion completion = completion_of(qpn, work, wqe_index);
    switch (tap_isock->offer(completion).status) {
        case OfferStatus::Taken:
            taken(qpn);
            break;
        case OfferStatus::Held:
            m_held = qpn;
            break;
        case OfferStatus::NoCredit:
            row.flags |= WorkQueueRow::kWaits;
            break;
    }
}

void Pipeline::taken(Qpn qpn) {
    WorkQueueRow& row = m_queues.row(qpn);
    --row.unreported;
    if (m_frees_at_end) {
        release_ended(qpn);
    }
    if (!row.is(WorkQueueRow::kRuns)) {
        check_stopped(qpn);
    }
}

void Pipeline::offer_done(const OfferReply& reply) {
    const Qpn qpn = std::exchange(m_held, kNoQp);
    const bool waits = reply.status == OfferStatus::NoCredit;
    if (waits) {
        m_queues.row(qpn).flags |= WorkQueueRow::kWaits;
    }
    if (m_held_dead) {
        if (waits) {
            answered(*m_held_dead);
            m_credit_unwanted.insert(index_of(qpn));
        }
        m_held_dead.reset();
    } else if (!waits) {
        taken(qpn);
    }
    relist(qpn);
    m_timeline.at(m_slot, m_timeline.now());
}

void Pipeline::credit(Qpn qpn, QueueKind /*queue*/) {
    WorkQueueRow& row = m_queues.row(qpn);
    row.flags = static_cast<std::uint8_t>(row.flags & ~WorkQueueRow::kWaits);
    if (!m_credit_unwanted.empty() && m_credit_unwanted.erase(index_of(qpn)) != 0) {
        m_declines.push_back(qpn);
        m_timeline.at(m_slot, m_timeline.now());
    }
    relist(qpn);
}

/// Puts the queue into the list in which it belongs: something to offer, something to flush, or
/// none.
void Pipeline::relist(Qpn qpn) {
    WorkQueueRow& row = m_queues.row(qpn);
    if (!row.is(WorkQueueRow::kBehind | WorkQueueRow::kFlushes)) {
        return;  // the usual case, without a look at the requests
    }
    if (row.unreported == 0) {
        row.flags = static_cast<std::uint8_t>(row.flags & ~WorkQueueRow::kBehind);
        return;
    }
    if (qpn == m_held || row.is(WorkQueueRow::kListed | WorkQueueRow::kWaits)) {
        return;
    }
    const WorkRequest& oldest = m_queues.request(row, WorkQueues::next_to_report(row));
    if ((oldest.flags & WorkRequest::kEnded) != 0) {
        list(m_lists.backlog, qpn);
        m_timeline.at(m_slot, m_timeline.now());
    } else if (row.is(WorkQueueRow::kFlushes) && !m_turns.waits(qpn)) {
        list(m_lists.flushing, qpn);
        m_timeline.at(m_slot, later_of(m_flush_at, m_timeline.now()));
    }
}

void Pipeline::drain_backlog() {
    while (!m_declines.empty()) {
        const Qpn qpn = m_declines.back();
        m_declines.pop_back();
        tap_isock->decline(qpn, m_config.queue);
    }
    while (m_held == kNoQp && !m_lists.backlog.empty()) {
        const Qpn qpn = m_lists.backlog.front();
        unlist(qpn);
        offer_ended(qpn);
        relist(qpn);
    }
}

/// One request of one failed QP ends WR_FLUSH_ERR (S2.18), the queues taking turns (D3).
void Pipeline::flush_one(TimePs now) {
    if (m_held != kNoQp || m_lists.flushing.empty() || now < m_flush_at) {
        return;
    }
    const Qpn qpn = m_lists.flushing.front();
    unlist(qpn);
    const WorkQueueRow& row = m_queues.row(qpn);
    m_flush_at = now + m_config.flush_service;
    if (row.unreported != 0) {
        end(qpn, WorkQueues::next_to_report(row), WcStatus::WrFlushErr, now);
    }
    relist(qpn);
}

/// Whatever has not ended yet will flush, in its turn.
void Pipeline::begin_flush(Qpn qpn) {
    const WorkQueueRow& row = m_queues.row(qpn);
    const std::uint32_t first = next_to_end(row);
    if (first != row.posted) {
        observe_flush(qpn, first);
    }
    relist(qpn);
}

void Pipeline::answered(const CompletionAnswer& answer) {
    ++m_answered;
    if (Record* record = m_records.open(Kind::Outcome, m_source, m_timeline.now())) {
        record->qpn = answer.qpn;
        record->generation = answer.generation;
        record->queue = answer.queue;
        record->index = answer.wqe_index;
        record->serial = answer.serial;
        record->wr_id = wr_id_at(answer.qpn, answer.wqe_index, answer.generation);
        record->state = static_cast<std::uint8_t>(answer.outcome);
        record->a = static_cast<std::uint64_t>(answer.cause);
        mark_shared(*record, answer.qpn);
    }
    if (m_shared.has(answer.qpn)) {
        settle_shared(answer);
    }
    if (on_wire(answer.qpn) && !sends()) {
        wire_tsock->answered(answer);
    }
}

void Pipeline::list(QpLists::List& in, Qpn qpn) {
    m_queues.row(qpn).flags |= WorkQueueRow::kListed;
    m_lists.append(in, qpn);
}

void Pipeline::unlist(Qpn qpn) {
    m_lists.remove(qpn);
    WorkQueueRow& row = m_queues.row(qpn);
    row.flags = static_cast<std::uint8_t>(row.flags & ~WorkQueueRow::kListed);
}

}  // namespace cqsim::tb
