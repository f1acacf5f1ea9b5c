// SPDX-License-Identifier: Apache-2.0
// What LifeChecker asks of the states of a QP, of the answers to commands, and of the events of an
// object that is gone.
#include "tb/check/life_checker.h"

#include <algorithm>

namespace cqsim::tb::check {
namespace {

constexpr auto kOk = static_cast<std::uint64_t>(CommandResult::Ok);

/// S1.18, S2.22, S7.4: which changes the state machine has. Those into RESET and ERR are open from
/// everywhere.
bool may_follow(QpState before, QpState after) {
    switch (after) {
        case QpState::Reset:
        case QpState::Err:
            return true;
        case QpState::Init:
            return before == QpState::Reset || before == QpState::Init;
        case QpState::Rtr:
            return before == QpState::Init;
        case QpState::Rts:
            return before == QpState::Rtr || before == QpState::Rts || before == QpState::Sqd ||
                   before == QpState::Sqe;
        case QpState::Sqd:
        case QpState::Sqe:
            return before == QpState::Rts || before == QpState::Sqd;
        default:
            return false;
    }
}

}  // namespace

/// S2.23: what was posted in SQD starts in RTS.
void LifeChecker::wait_for_rts(const Record& record) {
    Row& row = *row_at(record.qpn);
    if (state_of(row.state) == QpState::Sqd && record.queue == QueueKind::Send &&
        (row.flags & kWaiting) == 0) {
        row.flags |= kWaiting;
        m_first_waiting[index_of(record.qpn)] = record.index;
    }
}

void LifeChecker::complete_in_state(const Record& record, const Row& row) {
    const bool flushed = static_cast<WcStatus>(record.state) == WcStatus::WrFlushErr;
    if (state_of(row.state) == QpState::Sqe) {
        m_findings.checked(Rule::SqeReceives);
        if (flushed != (record.queue == QueueKind::Send)) {
            m_findings.fail(Rule::SqeReceives,
                            record.time_ps,
                            record.qpn,
                            words(record.queue),
                            ": index ",
                            record.index,
                            flushed ? " is flushed in SQE" : " is not flushed in SQE");
        }
    } else if (record.queue == QueueKind::Send) {
        m_findings.checked(Rule::SqDrained);
        const std::uint32_t after = record.index - m_first_waiting[index_of(record.qpn)];
        const bool waits = (row.flags & kWaiting) != 0 && after <= ~std::uint32_t{0} / 2;
        if (waits || (row.flags & kDrained) != 0) {
            m_findings.fail(Rule::SqDrained,
                            record.time_ps,
                            record.qpn,
                            "send queue: index ",
                            record.index,
                            waits ? " was posted in SQD and completes before RTS"
                                  : " completes after SQ_DRAINED");
        }
    }
}

void LifeChecker::on_flush(const Record& record) {
    const Row* row = row_at(record.qpn);
    if (row == nullptr || (row->flags & kSlowState) == 0 || state_of(row->state) != QpState::Sqe ||
        record.queue != QueueKind::Receive) {
        return;
    }
    m_findings.checked(Rule::SqeReceives);
    m_findings.fail(
        Rule::SqeReceives, record.time_ps, record.qpn, "receive queue: begins to flush in SQE");
}

void LifeChecker::on_modify(const Record& record) {
    Row* row = row_at(record.qpn);
    if (row == nullptr) {
        return;
    }
    if (state_of(record.state) == QpState::Reset && (row->flags & kStateKnown) != 0) {
        check_reset(record, *row);
    }
    if (record.a != kOk) {
        return;
    }
    const auto state = state_of(record.state);
    row->flags &= static_cast<Flag>(~(kResetting | kNotifies));
    if (state == QpState::Reset) {
        row->flags |= kResetting;
    } else if (state == QpState::Sqd && (record.flags & cqsim::kNotifies) != 0) {
        row->flags |= kNotifies;
    }
    m_findings.checked(Rule::QpStates);
    const bool changes = state_of(row->state) != state;
    if (changes || state == QpState::Reset) {
        m_asked.push_back({record.time_ps, record.qpn, state, changes, state == QpState::Reset});
    }
}

/// S7.4, K21. Busy says nothing of states.
void LifeChecker::check_reset(const Record& record, const Row& row) {
    const auto before = state_of(row.state);
    const bool open = m_resets_from_any || before == QpState::Err || before == QpState::Reset;
    const bool refused = record.a == static_cast<std::uint64_t>(CommandResult::Invalid);
    m_findings.checked(Rule::ResetFrom);
    if (open ? refused : record.a == kOk) {
        m_findings.fail(Rule::ResetFrom,
                        record.time_ps,
                        record.qpn,
                        open ? "may not be reset from " : "is reset from ",
                        name(before),
                        ", but this device resets ",
                        m_resets_from_any ? "from every state" : "from ERR alone");
    }
}

/// What was asked for and has happened is asked for no more.
void LifeChecker::happened(Qpn qpn, QpState state, bool end_begins) {
    for (Asked& asked : m_asked) {
        if (asked.qpn == qpn && asked.state == state) {
            (end_begins ? asked.ends : asked.changes) = false;
        }
    }
    m_asked.erase(std::remove_if(m_asked.begin(),
                                 m_asked.end(),
                                 [](const Asked& asked) { return !asked.ends && !asked.changes; }),
                  m_asked.end());
}

void LifeChecker::fail_asked() {
    for (const Asked& asked : m_asked) {
        const auto state = state_of(row_at(asked.qpn)->state);
        m_findings.fail(Rule::QpStates,
                        asked.time_ps,
                        asked.qpn,
                        "was told to go to ",
                        name(asked.state),
                        ", and the answer was ok, but ",
                        asked.changes ? "it stays in " : "no life of it ends",
                        asked.changes ? name(state) : "");
    }
    m_asked.clear();
}

void LifeChecker::on_qp_state(const Record& record) {
    Row* row = row_at(record.qpn);
    if (row == nullptr) {
        return;
    }
    const auto before = state_of(row->state);
    const auto after = state_of(record.state);
    if ((row->flags & kStateKnown) != 0) {
        m_findings.checked(Rule::QpStates);
        if (!may_follow(before, after)) {
            m_findings.fail(Rule::QpStates,
                            record.time_ps,
                            record.qpn,
                            "goes from ",
                            name(before),
                            " to ",
                            name(after));
        }
    }
    if (after == QpState::Sqe) {
        m_findings.checked(Rule::SqeReceives);
        if ((row->flags & kRc) != 0) {
            m_findings.fail(
                Rule::SqeReceives, record.time_ps, record.qpn, "is an RC QP and goes to SQE");
        }
    }
    happened(record.qpn, after, false);
    row->state = record.state;
    row->flags |= kStateKnown;
    row->flags &= static_cast<Flag>(~(kSlowState | kDrained | kWaiting));
    if (after == QpState::Sqe || after == QpState::Sqd) {
        row->flags |= kSlowState;
    }
    if (after != QpState::Sqd) {
        row->flags &= static_cast<Flag>(~kNotifies);
    }
}

/// S2.23: once for each time that it is asked for, but a request takes the place of an open one.
void LifeChecker::on_sq_drained(const Record& record) {
    Row* row = row_at(record.qpn);
    if (row == nullptr) {
        return;
    }
    m_findings.checked(Rule::SqDrained);
    const char* wrong = nullptr;
    if ((row->flags & kStateKnown) == 0 || state_of(row->state) != QpState::Sqd) {
        wrong = "raises SQ_DRAINED, but is not in SQD";
    } else if ((row->flags & kNotifies) == 0) {
        wrong = (row->flags & kDrained) != 0 ? "raises SQ_DRAINED a second time"
                                             : "raises SQ_DRAINED, but nobody asked for it";
    } else if (!m_queues.settled(record.qpn, QueueKind::Send)) {
        wrong = "raises SQ_DRAINED before the last send in progress is reported";
    }
    row->flags |= kDrained;
    row->flags &= static_cast<Flag>(~kNotifies);
    if (wrong != nullptr) {
        m_findings.fail(Rule::SqDrained, record.time_ps, record.qpn, wrong);
    }
}

/// The event is raised here; its entry may well come after the object is gone (S5.12).
void LifeChecker::on_async(const Record& record) {
    const auto event = static_cast<AsyncEvent>(record.state);
    if (event == AsyncEvent::SqDrained) {
        on_sq_drained(record);
    }
    const Row* row = row_at(record.qpn);
    if (row != nullptr) {
        m_findings.checked(Rule::DeadLife);
        if ((row->flags & kGone) != 0) {
            m_findings.fail(Rule::DeadLife,
                            record.time_ps,
                            record.qpn,
                            name(event),
                            " is raised for it after its destroy is done");
        }
    }
    if (record.cqn != kNoCq && m_gone_cqs != 0) {
        m_findings.checked(Rule::CqGone);
        check_cq(record, "has an asynchronous event raised");
    }
}

/// A command was refused. The record does not tell which command it was, but each refusal has
/// something that must be so whichever it was. Of values (`invalid`) and room the records know
/// nothing.
void LifeChecker::on_refused(const Record& record) {
    const auto result = static_cast<CommandResult>(record.state);
    const CqRow* cq = cq_at(index_of(record.cqn));
    const Row* row = row_at(record.qpn);
    m_findings.checked(Rule::RecordContract);
    if (cq != nullptr && (cq->flags & CqRow::kExists) != 0 && (cq->flags & CqRow::kGone) == 0) {
        // A CQ that is resized is busy as well (S4.6).
        if (result == CommandResult::Busy && cq->users == 0 && (cq->flags & CqRow::kResized) == 0) {
            m_findings.fail(Rule::CqInUse,
                            record.time_ps,
                            record.cqn,
                            "a command is refused as busy, but no QP reports to it");
        } else if (result == CommandResult::NoEntry && (cq->flags & CqRow::kHasEvents) != 0) {
            // A CQ without an event queue has no moderation to modify.
            m_findings.fail(Rule::RecordContract,
                            record.time_ps,
                            record.cqn,
                            "a command is refused for there is no such CQ, but it exists");
        }
    }
    if (row != nullptr && (row->flags & kGone) == 0) {
        if (result == CommandResult::NoEntry) {
            m_findings.fail(Rule::RecordContract,
                            record.time_ps,
                            record.qpn,
                            "a command is refused for there is no such QP, but it exists");
        } else if (result == CommandResult::Busy && (row->flags & kDying) == 0) {
            m_findings.fail(Rule::RecordContract,
                            record.time_ps,
                            record.qpn,
                            "a command is refused as busy, but no life of it is ending");
        }
    }
}

}  // namespace cqsim::tb::check
