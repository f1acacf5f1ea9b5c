// SPDX-License-Identifier: Apache-2.0
// The work queues of a QP: how they begin, what its state makes of them, and how its life ends.
#include "models/qp/qp_capability.h"
#include "tb/pipeline/pipeline.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

constexpr std::uint8_t kWorks = WorkQueueRow::kAccepts | WorkQueueRow::kRuns;
constexpr std::uint8_t kFails = WorkQueueRow::kAccepts | WorkQueueRow::kFlushes;

/// S2.18, S2.22 to S2.25.
constexpr std::uint8_t mode_of(QueueKind queue, QpState state) {
    const bool sends = queue == QueueKind::Send;
    switch (state) {
        case QpState::Reset:
            break;
        case QpState::Init:
            return sends ? 0 : WorkQueueRow::kAccepts;
        case QpState::Rtr:
            return sends ? 0 : kWorks;
        case QpState::Rts:
            return kWorks;
        case QpState::Sqd:
            return sends ? WorkQueueRow::kAccepts : kWorks;
        case QpState::Sqe:
            return sends ? kFails : kWorks;
        case QpState::Err:
            return kFails;
    }
    return 0;
}

}  // namespace

void Pipeline::create_queue(
    Qpn qpn, std::uint32_t depth, std::uint16_t generation, QpType type, Cqn cqn) {
    m_queues.create(qpn, depth, type);
    if (m_credits.on()) {
        m_credits.attach(qpn, cqn);
    }
    m_generation[index_of(qpn)] = generation;
}

void Pipeline::qp_changed(const QpChange& change) {
    WorkQueueRow& row = m_queues.row(change.qpn);
    if (!row.created()) {
        if (change.turn(m_config.queue) == FlushTurn::First) {
            state_tsock->flushed(change.qpn, change.generation, m_config.queue);
        }
        return;
    }
    if (sends() && on_wire(change.qpn)) {
        wire_isock->qp_changed(change);
    }
    if (change.after == QpState::Reset) {
        end_life(change.qpn, change.generation);
        return;
    }
    const bool flushed = row.is(WorkQueueRow::kFlushes);
    const bool ran = row.is(WorkQueueRow::kRuns);
    const std::uint8_t mode = mode_of(m_config.queue, change.after);
    if (flushed && (mode & WorkQueueRow::kFlushes) == 0) {
        flush_rest(change.qpn);
    }
    row.flags = static_cast<std::uint8_t>((row.flags & ~WorkQueueRow::kMode) | mode);
    if (row.is(WorkQueueRow::kFlushes)) {
        stop(change, flushed);
    } else if (row.is(WorkQueueRow::kRuns)) {
        if (!ran) {
            begin_running(change.qpn);
        }
    } else {
        check_drained(change.qpn);
    }
}

/// What was posted before the queue ran starts now (S2.23), and traffic that waited goes on.
void Pipeline::begin_running(Qpn qpn) {
    if (sends()) {
        m_queues.row(qpn).unstarted = 0;
        for (const Ending& ending : m_unstarted) {
            if (ending.qpn == qpn) {
                Ending begun = ending;
                begun.at = m_timeline.now() + ending.at;
                schedule(begun);
            }
        }
        forget_unstarted(qpn);
    }
    unpark_streams(qpn);
}

void Pipeline::forget_unstarted(Qpn qpn) {
    m_unstarted.erase(std::remove_if(m_unstarted.begin(),
                                     m_unstarted.end(),
                                     [qpn](const Ending& ending) { return ending.qpn == qpn; }),
                      m_unstarted.end());
}

/// SQE is left: what it has still to flush is flushed now, so that nothing posted before succeeds
/// (S2.22).
void Pipeline::flush_rest(Qpn qpn) {
    WorkQueueRow& row = m_queues.row(qpn);
    if (row.is(WorkQueueRow::kListed)) {
        unlist(qpn);
    }
    for (std::uint32_t i = next_to_end(row); i != row.posted; ++i) {
        mark_ended(qpn, i, WcStatus::WrFlushErr, m_timeline.now());
    }
    row.flags |= WorkQueueRow::kBehind;
    relist(qpn);
}

/// The queue flushes, or waits to. `flushed`: it did so before.
void Pipeline::stop(const QpChange& change, bool flushed) {
    const Qpn qpn = change.qpn;
    const FlushTurn turn = change.turn(m_config.queue);
    const WorkQueueRow& row = m_queues.row(qpn);
    const bool resumes = m_turns.resumes(qpn);
    m_turns.tell(qpn, turn, row.posted, flushed && next_to_end(row) != row.posted);
    if (!flushed) {
        forget_unstarted(qpn);
    }
    if (turn == FlushTurn::Waits) {
        if (row.is(WorkQueueRow::kListed)) {  // SQE may have begun it
            unlist(qpn);
            relist(qpn);
        }
    } else if (resumes) {
        relist(qpn);
    } else if (!flushed || turn == FlushTurn::Goes) {
        begin_flush(qpn);
    }
    check_stopped(qpn);
}

/// Whether what was to be through before the QP goes on is so: the last of it was accepted.
void Pipeline::check_stopped(Qpn qpn) {
    check_drained(qpn);
    check_last_wqe(qpn);
    if (m_turns.through(qpn, WorkQueues::next_to_report(m_queues.row(qpn)))) {
        state_tsock->flushed(qpn, m_generation[index_of(qpn)], m_config.queue);
    }
}

/// S2.23: nothing of the send queue is in progress any more.
void Pipeline::check_drained(Qpn qpn) {
    const WorkQueueRow& row = m_queues.row(qpn);
    if (sends() && (row.flags & WorkQueueRow::kMode) == WorkQueueRow::kAccepts &&
        row.unreported == row.unstarted) {
        state_tsock->drained(qpn, m_generation[index_of(qpn)]);
    }
}

/// S7.3: what is not accepted by the tap is cancelled, request by request (D4). The next life
/// begins empty; of the last one remain its completions inside the block, and a credit that is to
/// come.
void Pipeline::end_life(Qpn qpn, std::uint16_t next_generation) {
    WorkQueueRow& row = m_queues.row(qpn);
    if (row.is(WorkQueueRow::kListed)) {
        unlist(qpn);
    }
    std::uint32_t first = WorkQueues::next_to_report(row);
    if (m_held == qpn && !m_held_dead) {
        m_held_dead = cancelled(qpn, first);
        ++first;  // the tap has it: granted, lost or cancelled by the block
    }
    for (std::uint32_t i = first; i != row.posted; ++i) {
        cancel(qpn, i);
    }
    if (row.is(WorkQueueRow::kWaits)) {
        m_credit_unwanted.insert(index_of(qpn));
    }
    forget_unstarted(qpn);
    if (m_credits.on() && m_credits.end_life(qpn) != 0) {
        unpark_all();  // any QP of the CQ may have waited for what it held
    }
    m_turns.forget(qpn);
    m_queues.renew(qpn);
    m_generation[index_of(qpn)] = next_generation;
}

void Pipeline::cancel(Qpn qpn, std::uint32_t wqe_index) {
    const WorkQueueRow& row = m_queues.row(qpn);
    if (!sends() && wqe_index - WorkQueues::next_to_start(row) < row.unstarted) {
        ++m_begun;
    }
    answered(cancelled(qpn, wqe_index));
}

/// What becomes of a request whose life is over.
CompletionAnswer Pipeline::cancelled(Qpn qpn, std::uint32_t wqe_index) {
    return {m_queues.request(m_queues.row(qpn), wqe_index).serial,
            qpn,
            wqe_of(qpn, wqe_index),
            m_generation[index_of(qpn)],
            m_config.queue,
            Outcome::Cancelled,
            LostCause::None};
}

NamedRequest Pipeline::request_at(Qpn qpn, std::uint32_t wqe_counter) const {
    constexpr std::uint32_t kCounter = 0xFFFF;
    if (m_shared.has(qpn)) {  // a slot: 16 bits tell them all
        return {wqe_counter, wr_id_of(m_shared.number_of(qpn), wqe_counter)};
    }
    const std::uint32_t newest = m_queues.row(qpn).posted - 1;
    const std::uint32_t wqe_index = newest - ((newest - wqe_counter) & kCounter);
    return {wqe_index, wr_id_of(qpn, m_config.queue, wqe_index, m_generation[index_of(qpn)])};
}

}  // namespace cqsim::tb
