// SPDX-License-Identifier: Apache-2.0
#include "tb/check/event_checker.h"

#include <algorithm>

namespace cqsim::tb::check {
namespace {

EventCause cause_of(const Record& record) {
    return static_cast<EventCause>(record.state);
}

}  // namespace

EventChecker::EventChecker(const Settings& settings, Findings& findings)
    : m_findings(findings),
      m_mask(settings.index_mask()),
      m_level(settings.arm == "level"),
      m_breaks(settings.moderation_break),
      m_failed_sends(settings.failed_sends == "solicited"),
      m_latency_ps(settings.event_latency_ps) {
}

void EventChecker::on_create(const Record& record) {
    const std::uint32_t cqn = index_of(record.cqn);
    if (cqn >= kMaxIds) {
        return;
    }
    m_rows.grow(std::size_t{cqn} + 1);
    Row& row = m_rows[cqn];
    const std::uint16_t open = row.open;
    row = Row{};
    row.due_ps = kNotDue;
    row.first_index = static_cast<std::uint32_t>(record.wr_id);
    row.depth = record.index;
    row.eqn = record.unit;
    row.open = open;
    row.flags = open != 0 ? kKnown | kStale : kKnown;
}

EventChecker::Row* EventChecker::row_of(const Record& record) {
    if (index_of(record.cqn) < m_rows.size() &&
        (m_rows[index_of(record.cqn)].flags & kKnown) != 0) {
        return &m_rows[index_of(record.cqn)];
    }
    return nullptr;
}

void EventChecker::due(Row& row, std::uint64_t time_ps) {
    row.due_ps = std::min(row.due_ps, time_ps);
}

void EventChecker::entry_while_armed(Row& row, const Record& record, bool solicited) {
    late(row, record.cqn, record.time_ps);
    if ((row.flags & kError) != 0 || ((row.flags & kSolicitedOnly) != 0 && !solicited)) {
        return;
    }
    if (++row.matching == 1) {
        row.first_ps = record.time_ps;
        m_findings.checked(moderated(row) ? Rule::ModerationLimit : Rule::NoLostWakeUp);
        if ((row.flags & kMerged) != 0) {
            m_findings.checked(Rule::ArmMerge);
        }
    }
    if ((row.flags & kSaid) != 0) {
        return;
    }
    const bool now = row.matching >= row.count || !moderated(row) || (m_breaks && solicited);
    due(row, now ? record.time_ps : row.first_ps + row.period_ps);
}

bool EventChecker::late(Row& row, Cqn cqn, std::uint64_t time_ps, std::uint64_t by_ps) {
    if (row.due_ps == kNotDue || row.due_ps + m_latency_ps >= by_ps) {
        return false;
    }
    const std::uint64_t was_due = row.due_ps;
    row.due_ps = kNotDue;
    row.flags |= kSaid;
    const Rule rule = (row.flags & kMerged) != 0 ? Rule::ArmMerge
                      : row.matching == 0        ? Rule::LevelEvent
                      : moderated(row)           ? Rule::ModerationLimit
                                                 : Rule::NoLostWakeUp;
    m_findings.fail(rule,
                    time_ps,
                    cqn,
                    "is armed for ",
                    (row.flags & kSolicitedOnly) != 0 ? "solicited entries" : "the next entry",
                    (row.flags & kMerged) != 0 ? ", after arms of both kinds" : "",
                    " and has ",
                    row.matching,
                    " such; the event was due at ",
                    was_due,
                    " ps and has not come");
    return true;
}

void EventChecker::on_modify(const Record& record) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return;
    }
    late(*row, record.cqn, record.time_ps);
    row->count = static_cast<std::uint16_t>(std::min<std::uint32_t>(record.index, UINT16_MAX));
    row->period_ps = record.a;
    if (row->due_ps == kNotDue || row->matching == 0) {
        return;
    }
    // Entries that wait are reported by the new limits.
    const bool now = !moderated(*row) || row->matching >= row->count;
    row->due_ps = std::max(record.time_ps, now ? record.time_ps : row->first_ps + row->period_ps);
}

void EventChecker::on_resize(const Record& record) {
    if (Row* row = row_of(record)) {
        row->depth = record.index;
    }
}

void EventChecker::on_ring_end(const Record& record) {
    if (Row* row = row_of(record)) {
        ++row->first_index;
        row->flags |= kRingEnded;
    }
}

void EventChecker::on_arm(const Record& record) {
    Row* row = row_of(record);
    if (row == nullptr || (row->flags & kGone) != 0) {
        return;  // it will be refused
    }
    late(*row, record.cqn, record.time_ps);
    const bool solicited = static_cast<ArmKind>(record.state) == ArmKind::Solicited;
    const bool other_kind = solicited != ((row->flags & kSolicitedOnly) != 0);
    const bool doubtful = row->eqn == kNoEqn || record.index > m_mask;
    if ((row->flags & kArmed) != 0) {
        m_findings.checked(Rule::ArmMerge);
        row->flags |= doubtful ? kRearmed | kDoubtful : kRearmed;
        if (other_kind && doubtful) {
            row->flags |= kBlurred;
        } else if (other_kind) {
            row->flags |= kMerged;
            row->flags &= static_cast<Flag>(~kSolicitedOnly);
        }
    } else {
        row->flags &= static_cast<Flag>(~kOfArm);
        row->flags |= kArmed | kEverArmed;
        row->flags |= solicited ? kSolicitedOnly : Flag{0};
        row->flags |= doubtful ? kDoubtful : Flag{0};
        row->at_arm = row->visible;
        row->matching = 0;
        row->due_ps = kNotDue;
        if (row->visible != 0 && is_fresh(*row, record.time_ps)) {
            row->flags |= kBlurred;
        }
    }
    if (m_level && !doubtful) {
        check_level(*row, record);
    }
}

// S6.7: the arm says how far software has read; what is visible beyond that is reported at once.
void EventChecker::check_level(Row& row, const Record& record) {
    const std::uint32_t unread = (row.first_index + row.visible - record.index) & m_mask;
    if (unread == 0 || unread > row.depth || unread > row.visible || (row.flags & kError) != 0) {
        return;
    }
    const std::uint32_t read = row.visible - unread;
    const std::uint32_t newest = (row.flags & kSolicitedOnly) != 0 ? row.solicited : row.visible;
    if (newest > read) {
        row.flags |= kUnread;
        if (newest > row.reported) {
            m_findings.checked(Rule::LevelEvent);
            row.flags |= kUnreported;
            due(row, record.time_ps + (moderated(row) ? row.period_ps : 0));
        }
    }
}

void EventChecker::on_refused_arm(const Record& record) {
    Row* row = row_of(record);
    if (row == nullptr || (row->flags & kArmed) == 0 || (row->flags & kGone) != 0) {
        return;  // it reported on that arm
    }
    if ((row->flags & (kDoubtful | kError)) == 0) {
        m_findings.fail(Rule::NoLostWakeUp,
                        record.time_ps,
                        record.cqn,
                        "was refused an arm that is right: it has event queue ",
                        row->eqn,
                        ", and the consumer index has no more bits than an index");
    }
    if ((row->flags & kRearmed) == 0) {
        row->flags &= static_cast<Flag>(~(kArmed | kOfArm));
        row->due_ps = kNotDue;
    }
    row->flags &= static_cast<Flag>(~kDoubtful);
}

bool EventChecker::unwarranted(const Row& row, const Record& record) {
    const auto fail = [&](Rule rule, const char* text) {
        m_findings.fail(rule, record.time_ps, record.cqn, "reports an event ", text);
        return true;
    };
    if ((row.flags & kGone) != 0) {
        return fail(Rule::CqGone, "after its destroy has begun");
    }
    if ((row.flags & kError) != 0) {
        return fail(Rule::NoEventInError, "after its CQ_ERR");
    }
    if ((row.flags & kEverArmed) == 0) {
        return fail(Rule::NotArmedAtFirst, "and was never armed");
    }
    if ((row.flags & kArmed) == 0) {
        return fail(Rule::EventPerArm, "and was not armed again after the last one");
    }
    const std::uint32_t ahead = (record.index - (row.first_index + row.visible - 1)) & m_mask;
    if (ahead != 0 && ahead <= m_mask / 2) {
        return fail(Rule::EventAfterEntry, "for an entry that is not visible yet");
    }
    if (row.matching == 0 && (row.flags & (kUnread | kBlurred)) == 0) {
        if (m_level && row.visible == row.at_arm) {
            return fail(Rule::LevelEvent, "and every entry that it has was read before the arm");
        }
        return (row.flags & kSolicitedOnly) != 0 && row.visible != row.at_arm
                   ? fail(Rule::SolicitedEvent, "and no entry since the arm is solicited or failed")
                   : fail(Rule::EventPerArm, "and no entry was added after the arm");
    }
    if (record.unit != row.eqn) {
        return fail(Rule::EntryPerEvent, "to an event queue that is not its own");
    }
    return false;
}

void EventChecker::check_cause(const Row& row, const Record& record) {
    if ((row.flags & (kUnread | kMerged | kBlurred)) != 0) {
        return;  // by which entry it counts is open
    }
    m_findings.checked(Rule::RecordContract);
    const std::uint32_t since = row.visible - row.at_arm;
    std::uint32_t behind = (row.first_index + row.visible - 1 - record.index) & m_mask;
    if (behind == 1 && (row.flags & kRingEnded) != 0) {
        behind = 0;
    }
    const bool may_lag =
        behind < since && (is_fresh(row, record.time_ps) || behind <= published_together(record));
    if ((behind != 0 && !may_lag) || record.a != since - behind) {
        m_findings.fail(Rule::RecordContract,
                        record.time_ps,
                        record.cqn,
                        "reports entry ",
                        record.index,
                        " and ",
                        record.a,
                        " entries since the arm; visible since are ",
                        since,
                        ", the newest is entry ",
                        (row.first_index + row.visible - 1) & m_mask);
        return;
    }
    bool right = true;
    switch (cause_of(record)) {
        case EventCause::Entry:
            right = !moderated(row);
            break;
        case EventCause::Count:
            right = moderated(row) && since >= row.count;
            break;
        case EventCause::Period:
            right = moderated(row) && ((row.flags & kSolicitedOnly) != 0 ||
                                       record.time_ps >= row.first_ps + row.period_ps);
            break;
        case EventCause::Break:
            right = moderated(row) && m_breaks && (row.solicited == row.visible || behind != 0);
            break;
        default:
            right = false;
    }
    if (!right) {
        m_findings.fail(Rule::ModerationLimit,
                        record.time_ps,
                        record.cqn,
                        "reports for cause ",
                        int{record.state},
                        " after ",
                        since,
                        " entries, the first at ",
                        row.first_ps,
                        " ps; its moderation is ",
                        row.count,
                        " entries or ",
                        row.period_ps,
                        " ps");
    }
}

void EventChecker::on_event(const Record& record) {
    Row* row = row_of(record);
    if (row == nullptr) {
        m_findings.fail(Rule::RecordContract,
                        record.time_ps,
                        record.cqn,
                        "reports an event, but no record creates it");
        return;
    }
    m_findings.checked(Rule::EventPerArm);
    m_findings.checked(Rule::EventAfterEntry);
    m_findings.checked(Rule::EntryPerEvent);
    m_findings.checked(Rule::NotArmedAtFirst);
    if ((row->flags & kSolicitedOnly) != 0) {
        m_findings.checked(Rule::SolicitedEvent);
    }
    const bool is_late = late(*row, record.cqn, record.time_ps);
    if (!is_late && !unwarranted(*row, record)) {
        if (moderated(*row)) {
            m_findings.checked(Rule::ModerationLimit);
        }
        check_cause(*row, record);
    }
    ++row->open;
    row->reported = row->visible;
    row->due_ps = kNotDue;
    row->flags &= static_cast<Flag>(~(kArmed | kOfArm | kTold));
}

void EventChecker::on_entry(const Record& record) {
    Row* row = row_of(record);
    m_findings.checked(Rule::EventAfterEntry);
    m_findings.checked(Rule::EntryPerEvent);
    if (row == nullptr || row->open == 0) {
        m_findings.fail(Rule::EventAfterEntry,
                        record.time_ps,
                        Eqn{record.unit},
                        "has an entry for CQ ",
                        index_of(record.cqn),
                        ", which has no event to tell of");
        return;
    }
    --row->open;
    row->flags |= kTold;
    if (row->open == 0) {
        row->flags &= static_cast<Flag>(~kStale);
    }
    if (record.unit != row->eqn && (row->flags & kStale) == 0) {
        m_findings.fail(Rule::EntryPerEvent,
                        record.time_ps,
                        record.cqn,
                        "is told of in event queue ",
                        record.unit,
                        "; its own is ",
                        row->eqn);
    }
}

void EventChecker::on_cq_error(const Record& record) {
    if (Row* row = row_of(record)) {
        m_findings.checked(Rule::NoEventInError);
        late(*row, record.cqn, record.time_ps);
        row->due_ps = kNotDue;
        row->flags |= kError;
    }
}

void EventChecker::on_destroy(const Record& record) {
    if (Row* row = row_of(record)) {
        late(*row, record.cqn, record.time_ps);
        row->due_ps = kNotDue;
        row->flags |= kGone;
    }
}

void EventChecker::finish(const Record& end, const EqChecker& eqs) {
    const bool stopped = static_cast<EndReason>(end.state) == EndReason::End;
    for (std::uint32_t cqn = 0; cqn < m_rows.size(); ++cqn) {
        Row& row = m_rows[cqn];
        if ((row.flags & kKnown) == 0) {
            continue;
        }
        late(row, Cqn{cqn}, end.time_ps, stopped ? end.time_ps : kNotDue);
        // S6.16: what a CQ in error had reported before may or may not get its entry.
        if (!stopped && row.open != 0 && (row.flags & (kTold | kStale | kGone | kError)) == 0 &&
            !eqs.excused(row.eqn)) {
            m_findings.fail(Rule::EntryPerEvent,
                            end.time_ps,
                            Cqn{cqn},
                            row.open,
                            " of its events got no entry in event queue ",
                            row.eqn);
        }
    }
}

}  // namespace cqsim::tb::check
