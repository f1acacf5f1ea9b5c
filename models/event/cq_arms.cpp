// SPDX-License-Identifier: Apache-2.0
#include "models/event/cq_arms.h"

#include <algorithm>

namespace cqsim {
namespace {

/// Whether a CQ may have this moderation (S4.9).
bool is_legal(const Moderation& moderation) {
    const bool tail_comes = !moderation.on() || moderation.period != TimePs{};
    return tail_comes && moderation.count <= EventConfig::kMaxCount &&
           moderation.period <= EventConfig::kMaxPeriod;
}

}  // namespace

CqArms::CqArms(const EventConfig& config, CqIndices indices, Rows<EventRow> rows)
    : m_mask(indices.mask),
      m_first(indices.first),
      m_level(config.arm == ArmPolicy::Level),
      m_breaks(config.solicited == ModerationBreak::Break),
      m_moderates(config.moderation),
      m_failed_sends(config.failed_sends_solicited),
      m_rows(std::move(rows)),
      m_heeded(m_rows.size() / 64 + 1) {
}

CommandResult CqArms::may_attach(const CreateCq& command) const {
    if (index_of(command.cqn) >= m_rows.size() || exists(command.cqn) ||
        !is_legal(command.moderation)) {
        return CommandResult::Invalid;
    }
    return m_moderates || !command.moderation.on() ? CommandResult::Ok : CommandResult::Unsupported;
}

CommandResult CqArms::attach(const CreateCq& command) {
    if (const CommandResult refusal = may_attach(command); refusal != CommandResult::Ok) {
        return refusal;
    }
    EventRow& row = m_rows[index_of(command.cqn)];
    const std::uint8_t epoch = row.epoch;
    row = EventRow{};
    row.published = row.notified = row.last_solicited = m_first;
    row.period = static_cast<std::uint32_t>(command.moderation.period.ps);
    row.count = static_cast<std::uint16_t>(command.moderation.count);
    row.eqn = command.eqn;
    row.flags = EventRow::kAttached;
    row.epoch = epoch;
    if (m_level && command.eqn != kNoEqn) {
        heed(command.cqn);
    }
    return CommandResult::Ok;
}

void CqArms::detach(Cqn cqn) {
    if (!exists(cqn)) {
        return;
    }
    EventRow& row = m_rows[index_of(cqn)];
    const auto next = static_cast<std::uint8_t>(row.epoch + 1);
    row = EventRow{};
    row.epoch = next;
    ignore(cqn);
}

CommandResult CqArms::modify(const ModifyCq& command, TimePs now, bool& fired, CqEvent& event) {
    if (!exists(command.cqn) || row(command.cqn).eqn == kNoEqn) {
        return CommandResult::NoEntry;
    }
    if (!m_moderates) {
        return CommandResult::Unsupported;
    }
    if (!is_legal(command.moderation)) {
        return CommandResult::Invalid;
    }
    EventRow& row = m_rows[index_of(command.cqn)];
    const bool running = row.is(EventRow::kRunning);
    const TimePs first = running ? due_of(row, now) - TimePs{row.period} : now;
    row.count = static_cast<std::uint16_t>(command.moderation.count);
    row.period = static_cast<std::uint32_t>(command.moderation.period.ps);
    // The timer entry may come too late for the new period: it is void.
    row.clear(EventRow::kTimed | EventRow::kRunning);
    ++row.epoch;
    if (running) {
        fired = true;
        if (row.count <= 1) {
            fire(command.cqn, EventCause::Entry, event);
        } else if (row.waiting >= row.count) {
            fire(command.cqn, EventCause::Count, event);
        } else if (first + TimePs{row.period} <= now) {
            fire(command.cqn, EventCause::Period, event);
        } else {
            fired = false;
            start_period(command.cqn, first + TimePs{row.period});
        }
    }
    return CommandResult::Ok;
}

void CqArms::query(Cqn cqn, CqContext& context) const {
    const EventRow& asked = row(cqn);
    context.eqn = asked.eqn;
    context.moderation = {asked.count, TimePs{asked.period}};
    context.armed = !asked.is(EventRow::kArmed)      ? ArmState::No
                    : asked.is(EventRow::kSolicited) ? ArmState::Solicited
                                                     : ArmState::Next;
}

CommandResult CqArms::arm(
    Cqn cqn, std::uint32_t consumer, ArmKind kind, bool& fired, CqEvent& event) {
    if (!exists(cqn)) {
        return CommandResult::NoEntry;
    }
    EventRow& row = m_rows[index_of(cqn)];
    if (row.eqn == kNoEqn) {
        return CommandResult::Invalid;
    }
    if (row.is(EventRow::kFailed)) {
        return CommandResult::Ok;
    }
    if (!row.is(EventRow::kArmed)) {
        heed(cqn);
        row.set(kind == ArmKind::Solicited ? EventRow::kArmed | EventRow::kSolicited
                                           : EventRow::kArmed);
    } else if (kind == ArmKind::Next) {
        row.clear(EventRow::kSolicited);  // S6.5: an arm is only ever widened
    }
    if (m_level) {
        const std::uint32_t newest =
            row.is(EventRow::kSolicited) ? row.last_solicited : row.published;
        if (lies_after(newest, consumer) && lies_after(newest, row.notified)) {
            fire(cqn, EventCause::Entry, event);
            fired = true;
        }
    }
    return CommandResult::Ok;
}

void CqArms::fail(Cqn cqn) {
    if (!exists(cqn)) {
        return;
    }
    EventRow& row = m_rows[index_of(cqn)];
    row.set(EventRow::kFailed);
    ignore(cqn);
    row.clear(EventRow::kArmed | EventRow::kSolicited | EventRow::kQueued | EventRow::kRunning);
}

bool CqArms::count(const PublishedEntry& entry, TimePs now, CqEvent& event) {
    EventRow& row = m_rows[index_of(entry.cqn)];
    ++row.waiting;
    if (row.count <= 1) {
        fire(entry.cqn, EventCause::Entry, event);
        return true;
    }
    if (m_breaks && counts_as_solicited(entry)) {  // S4.10, K15
        fire(entry.cqn, EventCause::Break, event);
        return true;
    }
    if (row.waiting >= row.count) {
        fire(entry.cqn, EventCause::Count, event);
        return true;
    }
    if (row.waiting == 1) {
        start_period(entry.cqn, now + TimePs{row.period});
    }
    return false;
}

bool CqArms::expire(TimePs now, CqEvent& event) {
    while (!m_timers.empty() && m_timers.front().at <= now) {
        const Timer timer = m_timers.front();
        std::pop_heap(m_timers.begin(), m_timers.end());
        m_timers.pop_back();
        EventRow& row = m_rows[index_of(timer.cqn)];
        if (timer.epoch != row.epoch) {
            continue;
        }
        row.clear(EventRow::kTimed);
        if (!row.is(EventRow::kRunning)) {
            continue;
        }
        const TimePs due = due_of(row, timer.at);
        if (due <= now) {
            fire(timer.cqn, EventCause::Period, event);
            return true;
        }
        push_timer(timer.cqn, due);  // the period began anew since
    }
    return false;
}

bool CqArms::queue(Cqn cqn) {
    EventRow& row = m_rows[index_of(cqn)];
    const bool first = !row.is(EventRow::kQueued);
    row.set(EventRow::kQueued);
    return first;
}

bool CqArms::unqueue(Cqn cqn, Eqn eqn) {
    EventRow& row = m_rows[index_of(cqn)];
    if (!row.is(EventRow::kQueued) || row.eqn != static_cast<std::uint16_t>(eqn)) {
        return false;
    }
    row.clear(EventRow::kQueued);
    return true;
}

/// Keeps the level policy's indices within half the number space behind `published`. No CQ is
/// deeper than that: what falls behind is consumed.
void CqArms::note_level(EventRow& row, const PublishedEntry& entry) const {
    if (counts_as_solicited(entry)) {
        row.last_solicited = row.published;
    }
    const std::uint32_t half = m_mask / 2 + 1;
    for (std::uint32_t* index : {&row.notified, &row.last_solicited}) {
        if (((row.published - *index) & m_mask) > half) {
            *index = (row.published - half) & m_mask;
        }
    }
}

bool CqArms::lies_after(std::uint32_t index, std::uint32_t other) const {
    const std::uint32_t distance = (index - other) & m_mask;
    return distance != 0 && distance <= m_mask / 2 + 1;
}

void CqArms::fire(Cqn cqn, EventCause cause, CqEvent& event) {
    EventRow& row = m_rows[index_of(cqn)];
    event = CqEvent{cqn, Eqn{row.eqn}, (row.published - 1) & m_mask, row.entries, cause};
    row.notified = row.published;
    row.entries = 0;
    row.waiting = 0;
    row.clear(EventRow::kArmed | EventRow::kSolicited | EventRow::kRunning);
    if (!m_level) {
        ignore(cqn);
    }
}

void CqArms::heed(Cqn cqn) {
    m_heeded[index_of(cqn) / 64] |= std::uint64_t{1} << (index_of(cqn) % 64);
}

void CqArms::ignore(Cqn cqn) {
    m_heeded[index_of(cqn) / 64] &= ~(std::uint64_t{1} << (index_of(cqn) % 64));
}

void CqArms::start_period(Cqn cqn, TimePs at) {
    EventRow& row = m_rows[index_of(cqn)];
    row.due = static_cast<std::uint32_t>(at.ps);
    row.set(EventRow::kRunning);
    if (!row.is(EventRow::kTimed)) {
        push_timer(cqn, at);
    }
}

void CqArms::push_timer(Cqn cqn, TimePs at) {
    EventRow& row = m_rows[index_of(cqn)];
    row.set(EventRow::kTimed);
    m_timers.push_back(Timer{at, cqn, row.epoch});
    std::push_heap(m_timers.begin(), m_timers.end());
}

TimePs CqArms::due_of(const EventRow& row, TimePs reference) {
    return reference + TimePs{row.due - static_cast<std::uint32_t>(reference.ps)};
}

}  // namespace cqsim
