// SPDX-License-Identifier: Apache-2.0
#include "tb/check/error_checker.h"

#include <algorithm>

namespace cqsim::tb::check {
namespace {

/// S1.11, S2.15: with these a QP may run on.
bool may_run_on(const Record& record) {
    const auto status = static_cast<WcStatus>(record.state);
    return status == WcStatus::WrFlushErr || status == WcStatus::GeneralErr ||
           status == WcStatus::RemAbortErr ||
           (status == WcStatus::RemInvReqErr && record.queue == QueueKind::Receive);
}

}  // namespace

ErrorChecker::Row* ErrorChecker::row_of(Qpn qpn) {
    const std::uint32_t index = index_of(qpn);
    if (index >= kMaxIds) {
        return nullptr;
    }
    m_rows.grow(std::size_t{index} + 1);
    return &m_rows[index];
}

void ErrorChecker::on_create(const Record& record) {
    if (Row* row = row_of(record.qpn)) {
        m_in_err -= in_err(*row) ? 1 : 0;
        *row = Row{};
    }
}

void ErrorChecker::on_qp_state(const Record& record) {
    Row* row = row_of(record.qpn);
    if (row == nullptr) {
        return;
    }
    m_findings.checked(Rule::RecordContract);
    if ((row->flags & kStateKnown) != 0 && record.a != row->state) {
        m_findings.fail(Rule::RecordContract,
                        record.time_ps,
                        record.qpn,
                        "leaves state ",
                        name(static_cast<QpState>(record.a)),
                        " for ",
                        name(static_cast<QpState>(record.state)),
                        ", but was in ",
                        name(static_cast<QpState>(row->state)));
    }
    m_in_err -= in_err(*row) ? 1 : 0;
    row->state = record.state;
    row->flags |= kStateKnown;
    m_in_err += in_err(*row) ? 1 : 0;
    row->flags &= static_cast<std::uint8_t>(~kFailed);
    if (static_cast<QpState>(record.state) == QpState::Err) {
        row->flags |= kErrSeen;
    } else if ((row->flags & kRefused) == 0) {
        row->flags &= static_cast<std::uint8_t>(~kErrSeen);
    }
}

void ErrorChecker::on_overrun(const Record& record) {
    Row* row = row_of(record.qpn);
    if (row == nullptr || (row->flags & kRefused) != 0) {
        return;
    }
    m_findings.checked(Rule::QpFatal);
    if (static_cast<LostCause>(record.state) == LostCause::CqError) {
        m_findings.checked(Rule::LazyError);
    }
    if ((row->flags & (kFatal | kLost)) == kFatal) {
        row->flags |= kEager;
        m_findings.fail(Rule::LazyError,
                        record.time_ps,
                        record.qpn,
                        "got QP_FATAL before it tried to use the CQ in error");
    }
    row->flags |= kRefused;
}

void ErrorChecker::on_fatal(const Record& record, bool write_failed) {
    Row* row = row_of(record.qpn);
    if (row == nullptr) {
        return;
    }
    if (write_failed && (row->flags & (kFatal | kRefused)) == 0) {
        row->flags |= kLost;
    }
    if ((row->flags & kFatal) != 0) {
        m_findings.fail(
            Rule::QpFatal, record.time_ps, record.qpn, "QP_FATAL was raised a second time");
    } else if ((row->flags & (kRefused | kLost)) == 0) {
        m_unexplained.push_back({record.qpn, record.time_ps});
    }
    row->flags |= kFatal;
}

void ErrorChecker::on_lost(const Record& record) {
    if (Row* row = row_of(record.qpn)) {
        row->flags |= kLost;
    }
}

void ErrorChecker::on_flush(const Record& record) {
    Row* row = row_of(record.qpn);
    if (row == nullptr) {
        return;
    }
    m_findings.checked(Rule::FlushInError);
    const auto state = static_cast<QpState>(row->state);
    if ((row->flags & kStateKnown) == 0 || (state != QpState::Err && state != QpState::Sqe)) {
        row->flags &= static_cast<std::uint8_t>(~kFailed);  // said here
        m_findings.fail(Rule::FlushInError,
                        record.time_ps,
                        record.qpn,
                        words(record.queue),
                        ": flushes, but the QP is not in error");
    }
}

void ErrorChecker::on_failed(const Record& record) {
    Row* row = row_of(record.qpn);
    if (row == nullptr || may_run_on(record)) {
        return;
    }
    m_findings.checked(Rule::FlushInError);
    const auto state = static_cast<QpState>(row->state);
    if ((row->flags & kStateKnown) == 0 || (state != QpState::Err && state != QpState::Sqe)) {
        row->flags |= failed_flag(record.queue);
    }
}

bool ErrorChecker::flushes(Qpn qpn, QueueKind queue) const {
    if (index_of(qpn) >= m_rows.size()) {
        return false;
    }
    const Row& row = m_rows[index_of(qpn)];
    const auto state = static_cast<QpState>(row.state);
    return (row.flags & kStateKnown) != 0 &&
           (state == QpState::Err || (state == QpState::Sqe && queue == QueueKind::Send));
}

void ErrorChecker::finish(std::uint64_t time_ps, bool idle) {
    for (const Unexplained& event : m_unexplained) {
        check_fatal(event);
    }
    for (std::uint32_t qpn = 0; qpn < m_rows.size(); ++qpn) {
        const std::uint8_t flags = m_rows[qpn].flags;
        if (idle && (flags & kFailed) != 0) {
            m_findings.fail(Rule::FlushInError,
                            time_ps,
                            Qpn{qpn},
                            "had a request that failed, but did not go to ERR");
        }
        check_refused(Qpn{qpn}, time_ps);
    }
}

void ErrorChecker::check_fatal(const Unexplained& event) {
    if ((m_rows[index_of(event.qpn)].flags & (kLost | kEager)) == 0) {
        m_findings.fail(Rule::LazyError,
                        event.time_ps,
                        event.qpn,
                        "got QP_FATAL, but none of its completions was refused or lost");
    }
}

void ErrorChecker::check_refused(Qpn qpn, std::uint64_t time_ps) {
    const std::uint8_t flags = m_rows[index_of(qpn)].flags;
    if ((flags & kRefused) == 0 || (flags & (kFatal | kErrSeen)) == (kFatal | kErrSeen)) {
        return;
    }
    m_findings.fail(Rule::QpFatal,
                    time_ps,
                    qpn,
                    "had a completion refused, but ",
                    (flags & kErrSeen) == 0 ? "did not go to ERR" : "got no QP_FATAL");
}

void ErrorChecker::on_life_end(const Record& record) {
    if (Row* row = row_of(record.qpn)) {
        check_refused(record.qpn, record.time_ps);
        const auto others = std::stable_partition(
            m_unexplained.begin(), m_unexplained.end(), [&](const Unexplained& event) {
                return event.qpn != record.qpn;
            });
        std::for_each(
            others, m_unexplained.end(), [&](const Unexplained& event) { check_fatal(event); });
        m_unexplained.erase(others, m_unexplained.end());
        row->flags &= kStateKnown;
    }
}

}  // namespace cqsim::tb::check
