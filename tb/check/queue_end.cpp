// SPDX-License-Identifier: Apache-2.0
// What QueueChecker does when a queue is created, flushed or reset, and at the end of the run.
#include "tb/check/queue_checker.h"

namespace cqsim::tb::check {

void QueueChecker::on_create(const Record& record) {
    const std::uint32_t qpn = index_of(record.qpn);
    m_findings.checked(Rule::RecordContract);
    if (qpn >= kMaxIds) {
        m_findings.fail(
            Rule::RecordContract, record.time_ps, "run", "QP number ", qpn, " has over 24 bits");
        return;
    }
    m_rows.grow(std::size_t{qpn} * 2 + 2);
    const std::array<std::uint64_t, 2> cq{record.a, record.serial};
    for (std::size_t queue = 0; queue < cq.size(); ++queue) {
        Row& row = m_rows[std::size_t{qpn} * 2 + queue];
        if (queue == 0 && (row.cq_and_flags & (kCreated | kUnknown)) == kCreated) {
            m_findings.fail(
                Rule::RecordContract, record.time_ps, record.qpn, "created a second time");
        }
        row.cq_and_flags = kCreated | (static_cast<std::uint32_t>(cq.at(queue)) & kCqnBits);
        if ((record.flags & kSigAll) != 0) {
            row.cq_and_flags |= kAllSignaled;
        }
    }
}

void QueueChecker::unannounced_flush(Row& row, const Record& record) {
    row.cq_and_flags |= kFlushing;
    m_findings.fail(Rule::FlushInError,
                    record.time_ps,
                    record.qpn,
                    words(record.queue),
                    ": index ",
                    record.index,
                    " is flushed, but the flush of its queue has not begun");
}

void QueueChecker::on_flush(const Record& record) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return;
    }
    m_findings.checked(Rule::FlushInError);
    const std::uint32_t open = this->open(record.qpn, record.queue);
    const std::uint32_t first = open != 0 ? m_requests[row->to_complete].index : record.index;
    const bool repeated = (row->cq_and_flags & kFlushBegins) != 0;
    row->cq_and_flags |= kFlushing | kFlushBegins;
    if (record.a != open || record.index != first || repeated) {
        m_findings.fail(Rule::FlushInError,
                        record.time_ps,
                        record.qpn,
                        words(record.queue),
                        repeated ? ": begins a second time to flush " : ": begins to flush ",
                        record.a,
                        " requests from index ",
                        record.index,
                        "; open are ",
                        open,
                        " from index ",
                        first);
    }
}

void QueueChecker::discard_posted(Row& row, QueueKind queue) {
    while (row.to_complete != 0) {
        ++m_ends[index_of(queue)].discarded;
        answered(row, row.to_complete);
    }
    row.cq_and_flags &= ~std::uint32_t{kNextKnown | kIndexDoubtful};
}

void QueueChecker::on_qp_state(const Record& record, bool ends) {
    const auto state = static_cast<QpState>(record.state);
    if (state == QpState::Err || state == QpState::Sqe) {
        return;
    }
    for (const QueueKind queue : {QueueKind::Send, QueueKind::Receive}) {
        Record of_queue = record;
        of_queue.queue = queue;
        Row* row = row_of(of_queue);
        if (row == nullptr) {
            return;
        }
        row->cq_and_flags &= ~std::uint32_t{kFailed | kFlushing | kFlushBegins};
        if (state == QpState::Reset && !ends) {
            discard_posted(*row, queue);
        }
    }
}

std::uint32_t QueueChecker::end_life(Row& row, QueueKind queue) {
    std::uint32_t open = 0;
    for (std::uint32_t at = row.head; at != 0;) {
        const std::uint32_t next = m_requests[at].next;
        if ((m_requests[at].flags & kAnswered) == 0) {
            ++open;
            ++m_ends[index_of(queue)].discarded;
            answered(row, at);
        }
        at = next;
    }
    row.suppressed = row.slotted = row.answered = 0;
    row.cq_and_flags &= kCqnBits | kCreated | kUnknown | kAllSignaled;
    return open;
}

void QueueChecker::on_life_end(const Record& record, bool gone) {
    m_findings.checked(Rule::LifeAnswered);
    std::uint32_t open = 0;
    for (const QueueKind queue : {QueueKind::Send, QueueKind::Receive}) {
        Record of_queue = record;
        of_queue.queue = queue;
        Row* row = row_of(of_queue);
        if (row == nullptr) {
            return;
        }
        open += end_life(*row, queue);
        if (gone) {
            row->cq_and_flags = 0;
        }
    }
    if (open != 0) {
        m_findings.fail(Rule::LifeAnswered,
                        record.time_ps,
                        record.qpn,
                        "generation ",
                        record.generation,
                        " ends with ",
                        open,
                        " requests that got no answer");
    }
}

bool QueueChecker::settled(Qpn qpn, QueueKind queue) const {
    const std::size_t index = std::size_t{index_of(qpn)} * 2 + index_of(queue);
    return index >= m_rows.size() ||
           next_after(m_rows[index], 0, kCompleted | kAnswered, kCompleted) == 0;
}

bool QueueChecker::all_settled() const {
    for (std::size_t index = 0; index < m_rows.size(); ++index) {
        if (next_after(m_rows[index], 0, kCompleted | kAnswered, kCompleted) != 0) {
            return false;
        }
    }
    return true;
}

std::optional<std::uint32_t> QueueChecker::next_to_complete(Qpn qpn, QueueKind queue) const {
    const std::size_t index = std::size_t{index_of(qpn)} * 2 + index_of(queue);
    if (index >= m_rows.size() || m_rows[index].to_complete == 0) {
        return std::nullopt;
    }
    return m_requests[m_rows[index].to_complete].index;
}

std::uint32_t QueueChecker::next_to_post(Qpn qpn, QueueKind queue) const {
    const std::size_t index = std::size_t{index_of(qpn)} * 2 + index_of(queue);
    return index < m_rows.size() ? m_rows[index].next_index : 0;
}

std::uint32_t QueueChecker::open(Qpn qpn, QueueKind queue) const {
    const std::size_t index = std::size_t{index_of(qpn)} * 2 + index_of(queue);
    std::uint32_t open = 0;
    if (index < m_rows.size()) {
        for (std::uint32_t at = m_rows[index].to_complete; at != 0; at = m_requests[at].next) {
            ++open;
        }
    }
    return open;
}

void QueueChecker::unanswered(const Record& end) {
    for (std::size_t index = 0; index < m_rows.size(); ++index) {
        const Row& row = m_rows[index];
        const std::uint32_t at = next_after(row, 0, kCompleted | kAnswered | kDoubtful, kCompleted);
        if (at != 0) {
            m_findings.fail(Rule::Conservation,
                            end.time_ps,
                            Qpn{static_cast<std::uint32_t>(index / 2)},
                            words(static_cast<QueueKind>(index % 2)),
                            ": index ",
                            m_requests[at].index,
                            " completed and never got an answer");
        }
    }
}

void QueueChecker::check_flushed(const Record& end) {
    for (std::size_t index = 0; index < m_rows.size(); ++index) {
        const std::uint32_t at = m_rows[index].to_complete;
        const Qpn qpn{static_cast<std::uint32_t>(index / 2)};
        const auto queue = static_cast<QueueKind>(index % 2);
        if (at != 0 && m_errors.flushes(qpn, queue)) {
            m_findings.fail(Rule::FlushInError,
                            end.time_ps,
                            qpn,
                            words(queue),
                            ": index ",
                            m_requests[at].index,
                            " was not flushed, although the QP is in error");
        }
    }
}

void QueueChecker::on_end(const Record& record) {
    m_findings.checked(Rule::Conservation, 2);
    const std::array<std::uint64_t, 2> told{record.a, record.serial};
    for (const QueueKind queue : {QueueKind::Send, QueueKind::Receive}) {
        const Ends& ends = m_ends[index_of(queue)];
        if (told.at(index_of(queue)) != ends.open()) {
            m_findings.fail(Rule::Conservation,
                            record.time_ps,
                            "run",
                            words(queue),
                            "s: the run ends with ",
                            told.at(index_of(queue)),
                            " requests open; of ",
                            ends.posted,
                            " posted ",
                            ends.posted - ends.open(),
                            " have ended");
        }
    }
    if (static_cast<EndReason>(record.state) != EndReason::End) {  // nothing is left to run
        unanswered(record);
    }
}

}  // namespace cqsim::tb::check
