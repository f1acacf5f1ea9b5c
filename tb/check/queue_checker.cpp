// SPDX-License-Identifier: Apache-2.0
#include "tb/check/queue_checker.h"

namespace cqsim::tb::check {
namespace {

constexpr auto kSuccess = static_cast<std::uint8_t>(WcStatus::Success);
constexpr auto kFlushErr = static_cast<std::uint8_t>(WcStatus::WrFlushErr);

// S1.15, S1.17: what a successful request of each WrOpcode completes with.
constexpr auto kNone = static_cast<WcOpcode>(0xFF);
constexpr std::array<WcOpcode, 16> kCompletesWith{WcOpcode::RdmaWrite,
                                                  WcOpcode::RdmaWrite,
                                                  WcOpcode::Send,
                                                  WcOpcode::Send,
                                                  WcOpcode::RdmaRead,
                                                  WcOpcode::CompSwap,
                                                  WcOpcode::FetchAdd,
                                                  WcOpcode::LocalInv,
                                                  WcOpcode::BindMw,
                                                  WcOpcode::Send,
                                                  WcOpcode::Tso,
                                                  kNone,
                                                  kNone,
                                                  kNone,
                                                  WcOpcode::Flush,
                                                  WcOpcode::AtomicWrite};

bool right_opcode(QueueKind queue, std::uint8_t posted, std::uint8_t completed) {
    if (queue == QueueKind::Receive) {
        return completed == static_cast<std::uint8_t>(WcOpcode::Recv) ||
               completed == static_cast<std::uint8_t>(WcOpcode::RecvRdmaWithImm);
    }
    return posted >= kCompletesWith.size() || kCompletesWith[posted] == kNone ||
           completed == static_cast<std::uint8_t>(kCompletesWith[posted]);
}

}  // namespace

Rule QueueChecker::report_rule(QueueKind queue, std::uint8_t status) {
    if (queue == QueueKind::Receive) {
        return Rule::ReportReceive;
    }
    return status == kSuccess ? Rule::ReportSignaled : Rule::ReportFailed;
}

std::uint32_t QueueChecker::append(Row& row, const Record& record) {
    const std::uint32_t at = m_requests.take();
    Request& request = m_requests[at];
    request.serial = record.serial;
    request.wr_id = record.wr_id;
    request.next = 0;
    request.index = record.index;
    request.token = 0;
    request.generation = record.generation;
    request.flags = (record.flags & kSignaled) != 0 ? std::uint8_t{kAskedFor} : std::uint8_t{0};
    request.detail = record.state;
    if (row.tail != 0) {
        m_requests[row.tail].next = at;
    } else {
        row.head = at;
    }
    row.tail = at;
    if (row.to_complete == 0) {
        row.to_complete = at;
    }
    ++m_ends[index_of(record.queue)].posted;
    return at;
}

void QueueChecker::on_post(const Record& record) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return;
    }
    if ((record.flags & kShared) != 0) {
        append(*row, record);  // taken from an SRQ: the index is a slot there
        return;
    }
    bool doubtful = false;
    if ((row->cq_and_flags & kNextKnown) != 0 && record.index != row->next_index) {
        if (row->tail != 0 && m_requests[row->tail].serial == record.serial) {
            m_findings.fail(Rule::CompletionOrder,
                            record.time_ps,
                            record.qpn,
                            words(record.queue),
                            ": index ",
                            record.index,
                            " was posted a second time");
            return;
        }
        doubtful = wrong_index(*row, record);
    } else {
        row->cq_and_flags &= ~std::uint32_t{kIndexDoubtful};
    }
    row->cq_and_flags |= kNextKnown;
    row->next_index = record.index + 1;
    const std::uint32_t at = append(*row, record);
    if (doubtful) {
        m_requests[at].flags |= kDoubtful;
    }
}

void QueueChecker::on_complete(const Record& record) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return;
    }
    m_findings.checked(Rule::CompletionOrder);
    std::uint32_t at = row->to_complete;
    if (at != 0 && m_requests[at].serial == record.serial) {
        row->to_complete = m_requests[at].next;
    } else {
        at = unexpected_completion(*row, record);
        if (at == 0) {
            return;
        }
    }
    complete(*row, at, record);
}

void QueueChecker::complete(Row& row, std::uint32_t at, const Record& record) {
    Request& request = m_requests[at];
    if (!same_request(request, record) ||
        ((record.flags & kSignaled) != 0) != ((request.flags & kAskedFor) != 0)) {
        differs(record, request, "completed");
    }
    check_status(row, record, request);
    const bool reported = record.queue == QueueKind::Receive || record.state != kSuccess ||
                          (request.flags & kAskedFor) != 0 ||
                          (row.cq_and_flags & kAllSignaled) != 0;
    request.flags |= kCompleted;
    if (reported) {
        request.flags |= kReported;
    }
    request.detail = record.state;
    m_findings.checked(report_rule(record.queue, record.state));
    if (reported && record.bytes != nullptr) {
        request.token = m_content.expect(record);
    }
}

void QueueChecker::check_status(Row& row, const Record& record, const Request& request) {
    const bool flushed = record.state == kFlushErr;
    if (flushed != ((record.flags & kFlushed) != 0)) {
        m_findings.fail(Rule::FlushInError,
                        record.time_ps,
                        record.qpn,
                        words(record.queue),
                        ": index ",
                        record.index,
                        " has status ",
                        name(static_cast<WcStatus>(record.state)),
                        flushed ? ", but was not flushed" : ", but was flushed");
    }
    if (flushed) {
        m_findings.checked(Rule::FlushInError);
        if ((row.cq_and_flags & kFlushing) == 0) {
            unannounced_flush(row, record);
        }
        row.cq_and_flags &= ~std::uint32_t{kFlushBegins};
    }
    if ((row.cq_and_flags & kFailed) != 0) {
        m_findings.checked(Rule::ErrorThenFlush);
        if (!flushed && (record.flags & kFlushed) == 0) {
            check_after_failure(row, record);
        }
    } else if (record.state == kSuccess && m_errors.is_over(record.qpn)) {
        succeeds_in_error(record);
    }
    if (record.state != kSuccess) {
        row.cq_and_flags |= kFailed;
        return;
    }
    if (record.bytes == nullptr) {
        return;
    }
    const Rule rule = record.queue == QueueKind::Send ? Rule::Opcode : Rule::ConsumesReceive;
    m_findings.checked(rule);
    const auto opcode =
        std::to_integer<std::uint8_t>(record.bytes[offsetof(CompletionDetails, opcode)]);
    if (!right_opcode(record.queue, request.detail, opcode)) {
        m_findings.fail(rule,
                        record.time_ps,
                        record.qpn,
                        words(record.queue),
                        ": index ",
                        record.index,
                        " completes with opcode ",
                        int{opcode},
                        " (",
                        name(static_cast<WcOpcode>(opcode)),
                        "); it was posted with ",
                        int{request.detail});
    }
}

void QueueChecker::on_suppress(const Record& record) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return;
    }
    const std::uint32_t at = next_after(
        *row, row->suppressed, kCompleted | kReported | kSuppressed | kAnswered, kCompleted);
    if (at == 0 || m_requests[at].serial != record.serial) {
        unexpected_suppress(*row, record);
        return;
    }
    Request& request = m_requests[at];
    if (!same_request(request, record)) {
        differs(record, request, "suppressed");
    }
    request.flags |= kSuppressed;
    row->suppressed = at;
}

std::uint32_t QueueChecker::reported_request(Row& row, const Record& record, bool repeats) {
    m_findings.checked(Rule::EntryOrder);
    std::uint32_t at = next_after(row,
                                  row.slotted,
                                  kCompleted | kReported | kSlotted | kRefused | kAnswered,
                                  kCompleted | kReported);
    if (at == 0 || m_requests[at].serial != record.serial) {
        at = unexpected_report(row, record, repeats);
        if (at == 0) {
            return 0;
        }
    }
    if (m_requests[at].generation != record.generation) {
        differs(record, m_requests[at], "reported");
    }
    m_findings.checked(Rule::QueueToCq);
    if (record.cqn != cq_of(row)) {
        wrong_cq(row, record);
    }
    row.slotted = at;
    return at;
}

QueueChecker::Claim QueueChecker::on_slot(const Record& record, bool repeats) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return {0, false};
    }
    const std::uint32_t at = reported_request(*row, record, repeats);
    if (at == 0) {
        return {0, true};
    }
    Request& request = m_requests[at];
    request.flags |= kSlotted;
    const std::uint32_t token = request.token;
    request.token = 0;
    m_content.check_slot(record, token);
    return {token, false};
}

bool QueueChecker::on_overrun(const Record& record) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return true;
    }
    const std::uint32_t at = reported_request(*row, record, true);
    if (at == 0) {
        return false;
    }
    Request& request = m_requests[at];
    request.flags |= kRefused;
    request.detail = record.state;
    m_content.forget(request.token);
    request.token = 0;
    return true;
}

std::uint32_t QueueChecker::answered_request(Row& row, const Record& record) {
    if (record.state == static_cast<std::uint8_t>(Outcome::Suppressed)) {
        const std::uint32_t at = row.suppressed;
        if (at != 0 && m_requests[at].serial == record.serial &&
            (m_requests[at].flags & kAnswered) == 0) {
            return at;
        }
    } else {
        const std::uint32_t at = next_after(
            row, row.answered, kCompleted | kReported | kAnswered, kCompleted | kReported);
        if (at != 0 && m_requests[at].serial == record.serial) {
            row.answered = at;
            return at;
        }
    }
    // Answers of one work queue may overtake each other: a refusal is known before a write is done.
    const std::uint32_t at = find(row, record.serial);
    return at != 0 && (m_requests[at].flags & kAnswered) == 0 ? at : 0;
}

Cqn QueueChecker::on_outcome(const Record& record) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return kNoCq;
    }
    m_findings.checked(Rule::Conservation);
    const std::uint32_t at = answered_request(*row, record);
    if (at == 0) {
        m_findings.fail(Rule::Conservation,
                        record.time_ps,
                        record.qpn,
                        words(record.queue),
                        ": an answer for index ",
                        record.index,
                        " (serial ",
                        record.serial,
                        "), which is not open");
        return kNoCq;
    }
    Request& request = m_requests[at];
    if (!same_request(request, record)) {
        differs(record, request, "answered");
    }
    if (record.a != 0 && record.state != static_cast<std::uint8_t>(Outcome::Lost)) {
        causeless(record);
    }
    switch (static_cast<Outcome>(record.state)) {
        case Outcome::Suppressed:
            check_suppressed(record, request);
            break;
        case Outcome::Granted:
            check_granted(record, request);
            break;
        case Outcome::Lost:
            check_lost(record, request);
            break;
        case Outcome::Cancelled:
            break;
    }
    count_end(record, request);
    answered(*row, at);
    const bool write_failed = record.state == static_cast<std::uint8_t>(Outcome::Lost) &&
                              record.a == static_cast<std::uint64_t>(LostCause::WriteFailed);
    return write_failed ? cq_of(*row) : kNoCq;
}

void QueueChecker::count_end(const Record& record, const Request& request) {
    Ends& ends = m_ends[index_of(record.queue)];
    switch (static_cast<Outcome>(record.state)) {
        case Outcome::Suppressed:
            ++ends.suppressed;
            break;
        case Outcome::Granted:
            ++(request.detail == kFlushErr ? ends.flushed : ends.reported);
            break;
        case Outcome::Lost:
            ++ends.lost;
            break;
        case Outcome::Cancelled:
            ++ends.cancelled;
            break;
    }
}

void QueueChecker::answered(Row& row, std::uint32_t at) {
    Request& request = m_requests[at];
    request.flags |= kAnswered;
    if (request.token != 0) {
        m_content.forget(request.token);
        request.token = 0;
    }
    if (at == row.to_complete) {
        row.to_complete = request.next;
    }
    // One that has not completed is not looked at: it is likely far from the cache.
    while (row.head != 0 && row.head != row.to_complete &&
           (m_requests[row.head].flags & kAnswered) != 0) {
        const std::uint32_t head = row.head;
        row.head = m_requests[head].next;
        row.suppressed = row.suppressed == head ? 0 : row.suppressed;
        row.slotted = row.slotted == head ? 0 : row.slotted;
        row.answered = row.answered == head ? 0 : row.answered;
        m_requests.give_back(head);
    }
    if (row.head == 0) {
        row.tail = 0;
    }
}

}  // namespace cqsim::tb::check
