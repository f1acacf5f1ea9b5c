// SPDX-License-Identifier: Apache-2.0
// The side of QueueChecker that runs when something is wrong, or seldom. After a fault it takes up
// the stream again so that one fault is reported once.
#include "tb/check/queue_checker.h"

namespace cqsim::tb::check {

QueueChecker::Row* QueueChecker::unknown_qp(const Record& record) {
    const std::uint32_t qpn = index_of(record.qpn);
    if (qpn >= kMaxIds) {
        m_findings.fail(Rule::RecordContract, record.time_ps, "run", "a record without a QP");
        return nullptr;
    }
    m_rows.grow(std::size_t{qpn} * 2 + 2);
    for (std::size_t queue = 0; queue < 2; ++queue) {
        m_rows[std::size_t{qpn} * 2 + queue].cq_and_flags = kCreated | kUnknown;
    }
    m_findings.fail(
        Rule::RecordContract, record.time_ps, record.qpn, "is used, but no record creates it");
    return &m_rows[row_index(record)];
}

std::uint32_t QueueChecker::find(const Row& row, std::uint64_t serial) const {
    std::uint32_t at = row.head;
    while (at != 0 && m_requests[at].serial != serial) {
        at = m_requests[at].next;
    }
    return at;
}

bool QueueChecker::wrong_index(Row& row, const Record& record) {
    if ((row.cq_and_flags & kIndexDoubtful) != 0) {
        row.cq_and_flags &= ~std::uint32_t{kIndexDoubtful};
        return false;
    }
    row.cq_and_flags |= kIndexDoubtful;
    m_findings.fail(Rule::CompletionOrder,
                    record.time_ps,
                    record.qpn,
                    words(record.queue),
                    ": index ",
                    record.index,
                    " was posted; the next one is ",
                    row.next_index);
    return true;
}

void QueueChecker::check_after_failure(Row& row, const Record& record) {
    row.cq_and_flags &= ~std::uint32_t{kFailed};  // said once; or the QP runs on (S1.11)
    if (m_errors.stopped(record.qpn, record.queue)) {
        m_findings.fail(Rule::ErrorThenFlush,
                        record.time_ps,
                        record.qpn,
                        words(record.queue),
                        ": index ",
                        record.index,
                        " ends with ",
                        name(static_cast<WcStatus>(record.state)),
                        " after one before it failed");
    }
}

void QueueChecker::succeeds_in_error(const Record& record) {
    m_findings.checked(Rule::FlushInError);
    m_findings.fail(Rule::FlushInError,
                    record.time_ps,
                    record.qpn,
                    words(record.queue),
                    ": index ",
                    record.index,
                    " ends with SUCCESS, although the QP is in error");
}

void QueueChecker::differs(const Record& record, Request& request, const char* what) {
    if ((request.flags & kDoubtful) != 0) {
        return;
    }
    request.flags |= kDoubtful;
    m_findings.fail(Rule::Conservation,
                    record.time_ps,
                    record.qpn,
                    words(record.queue),
                    ": index ",
                    record.index,
                    ", wr_id ",
                    hex(record.wr_id),
                    ", generation ",
                    record.generation,
                    (record.flags & kSignaled) != 0 ? ", signaled" : "",
                    " is ",
                    what,
                    "; serial ",
                    record.serial,
                    " was posted as index ",
                    request.index,
                    ", wr_id ",
                    hex(request.wr_id),
                    ", generation ",
                    request.generation,
                    (request.flags & kAskedFor) != 0 ? ", signaled" : "");
}

void QueueChecker::wrong_cq(const Row& row, const Record& record) {
    if ((row.cq_and_flags & kUnknown) != 0) {
        return;
    }
    m_findings.fail(Rule::QueueToCq,
                    record.time_ps,
                    record.qpn,
                    words(record.queue),
                    ": serial ",
                    record.serial,
                    " goes to CQ ",
                    index_of(record.cqn),
                    "; the queue reports to CQ ",
                    index_of(cq_of(row)));
}

void QueueChecker::mark_doubtful(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t at = from; at != 0 && at != to; at = m_requests[at].next) {
        m_requests[at].flags |= kDoubtful;
    }
}

std::uint32_t QueueChecker::insert_unposted(Row& row, const Record& record) {
    std::uint32_t before = 0;
    for (std::uint32_t at = row.head; at != 0 && at != row.to_complete; at = m_requests[at].next) {
        before = at;
    }
    const std::uint32_t rest = row.to_complete;
    const std::uint32_t tail = row.tail;
    row.tail = before;
    row.to_complete = 0;
    const std::uint32_t at = append(row, record);
    m_requests[at].flags |= kDoubtful;
    m_requests[at].next = rest;
    row.tail = rest != 0 ? tail : at;
    row.to_complete = rest;
    // Its opcode is not known: take the one that it completes with.
    m_requests[at].detail = UINT8_MAX;
    if (record.index == row.next_index) {
        ++row.next_index;
    }
    return at;
}

std::uint32_t QueueChecker::unexpected_completion(Row& row, const Record& record) {
    const auto fail = [&](Rule rule, const char* what) {
        m_findings.fail(rule,
                        record.time_ps,
                        record.qpn,
                        words(record.queue),
                        ": index ",
                        record.index,
                        " (serial ",
                        record.serial,
                        ") completes ",
                        what);
    };
    const std::uint32_t at = find(row, record.serial);
    const std::uint32_t expected = row.to_complete;
    if (at == 0) {
        if (expected != 0 && m_requests[expected].index == record.index &&
            m_requests[expected].wr_id == record.wr_id) {
            fail(Rule::CompletionOrder, "with another serial than it was posted with");
            m_requests[expected].serial = record.serial;
            row.to_complete = m_requests[expected].next;
            return expected;
        }
        fail(Rule::Conservation, "and was never posted");
        return insert_unposted(row, record);
    }
    Request& request = m_requests[at];
    if ((request.flags & kCompleted) != 0) {
        if ((request.flags & kDoubtful) == 0) {
            fail(Rule::Conservation, "a second time");
        }
        return 0;
    }
    std::uint32_t ahead = expected;
    while (ahead != 0 && ahead != at) {
        ahead = m_requests[ahead].next;
    }
    if (ahead == at) {
        fail(Rule::CompletionOrder, "before one that was posted earlier");
        mark_doubtful(expected, at);
        row.to_complete = request.next;
    }
    return at;
}

void QueueChecker::unexpected_suppress(Row& row, const Record& record) {
    const std::uint32_t at = find(row, record.serial);
    Rule rule = Rule::Conservation;
    const char* what = "which is not open";
    if (at != 0) {
        Request& request = m_requests[at];
        what = "a second time";
        if ((request.flags & kCompleted) == 0) {
            what = "which has not completed";
            request.flags |= kCompleted;
            if (at == row.to_complete) {
                row.to_complete = request.next;
            }
        } else if ((request.flags & kReported) != 0) {
            rule = report_rule(record.queue, request.detail);
            what = "which must be reported";
            request.flags &= static_cast<std::uint8_t>(~kReported);
        } else if ((request.flags & kSuppressed) == 0) {
            what = "before one that completed earlier";
        }
        const bool known = (request.flags & kDoubtful) != 0;
        request.flags |= kSuppressed | kDoubtful;
        row.suppressed = at;
        if (known) {
            return;
        }
    }
    m_findings.fail(rule,
                    record.time_ps,
                    record.qpn,
                    words(record.queue),
                    ": a tap suppresses index ",
                    record.index,
                    " (serial ",
                    record.serial,
                    "), ",
                    what);
}

std::uint32_t QueueChecker::unexpected_report(Row& row, const Record& record, bool repeats) {
    const auto fail = [&](Rule rule, const char* what) {
        m_findings.fail(rule,
                        record.time_ps,
                        record.qpn,
                        words(record.queue),
                        ": serial ",
                        record.serial,
                        " is reported ",
                        what);
    };
    const std::uint32_t expected = next_after(
        row, row.slotted, kCompleted | kReported | kSlotted | kRefused, kCompleted | kReported);
    const std::uint32_t at = find(row, record.serial);
    if (at == 0) {
        fail(report_rule(record.queue, 0), "and is no open request");
        if (!repeats && expected != 0) {
            m_requests[expected].flags |= kDoubtful;  // it is the one that is meant
            return expected;
        }
        return 0;
    }
    Request& request = m_requests[at];
    const bool known = (request.flags & kDoubtful) != 0;
    const Rule rule = report_rule(record.queue, request.detail);
    if ((request.flags & (kSlotted | kRefused)) != 0) {
        fail(rule, "a second time");
        return 0;
    }
    request.flags |= kDoubtful;
    if ((request.flags & kCompleted) == 0) {
        request.flags |= kCompleted | kReported;
        request.detail = 0;
        if (at == row.to_complete) {
            row.to_complete = request.next;
        }
        if (!known) {
            fail(report_rule(record.queue, 0), "before it completed");
        }
    } else if ((request.flags & kReported) == 0) {
        request.flags |= kReported;
        if (!known) {
            fail(rule, "although it succeeded and was not signaled");
        }
    } else if (!known) {
        fail(Rule::EntryOrder, "before one of its work queue that completed earlier");
        mark_doubtful(expected, at);
    }
    return at;
}

void QueueChecker::check_suppressed(const Record& record, Request& request) {
    if ((request.flags & kDoubtful) != 0) {
        return;
    }
    if ((request.flags & kReported) != 0) {
        m_findings.fail(report_rule(record.queue, request.detail),
                        record.time_ps,
                        record.qpn,
                        words(record.queue),
                        ": index ",
                        record.index,
                        " was answered 'suppressed', and must be reported");
    } else if ((request.flags & kSuppressed) == 0) {
        m_findings.fail(Rule::Conservation,
                        record.time_ps,
                        record.qpn,
                        words(record.queue),
                        ": index ",
                        record.index,
                        " was answered 'suppressed', but no tap suppressed it");
    }
}

void QueueChecker::check_granted(const Record& record, Request& request) {
    if ((request.flags & kRefused) != 0) {
        m_findings.checked(Rule::LostNotReported);
    }
    if ((request.flags & (kSlotted | kDoubtful)) != 0) {
        return;
    }
    const bool refused = (request.flags & kRefused) != 0;
    m_findings.fail(refused ? Rule::LostNotReported : Rule::Conservation,
                    record.time_ps,
                    record.qpn,
                    words(record.queue),
                    ": index ",
                    record.index,
                    refused ? " was answered 'granted', but its CQ had refused it"
                            : " was answered 'granted', but got no slot");
}

void QueueChecker::causeless(const Record& record) {
    m_findings.fail(Rule::Conservation,
                    record.time_ps,
                    record.qpn,
                    words(record.queue),
                    ": index ",
                    record.index,
                    " has an answer with cause ",
                    record.a,
                    ", and is not lost");
}

void QueueChecker::check_lost(const Record& record, Request& request) {
    const bool refused = (request.flags & kRefused) != 0;
    const bool slotted = (request.flags & kSlotted) != 0;
    if (refused) {
        m_findings.checked(Rule::LostNotReported);
    }
    const auto cause = static_cast<LostCause>(record.a);
    const bool late = cause == LostCause::WriteFailed || cause == LostCause::CqError;
    if ((request.flags & kDoubtful) != 0 || (refused && record.a == request.detail) ||
        (slotted && late)) {
        return;
    }
    m_findings.fail(Rule::Conservation,
                    record.time_ps,
                    record.qpn,
                    words(record.queue),
                    ": index ",
                    record.index,
                    " was answered 'lost' for cause ",
                    record.a,
                    refused ? "; it was refused for cause " : "; it was not refused, status ",
                    int{request.detail});
}

}  // namespace cqsim::tb::check
