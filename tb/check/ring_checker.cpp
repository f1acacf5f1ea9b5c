// SPDX-License-Identifier: Apache-2.0
#include "tb/check/ring_checker.h"

#include <algorithm>

namespace cqsim::tb::check {
namespace {

// Counts are modulo 2^32: their difference is small and may be negative after a fault.
std::int32_t distance(std::uint32_t from, std::uint32_t to) {
    return static_cast<std::int32_t>(to - from);
}

}  // namespace

RingChecker::RingChecker(const Settings& settings, Findings& findings)
    : m_findings(findings),
      m_mask(settings.index_mask()),
      m_scheme(settings.owner_scheme()),
      m_owners(owners(m_scheme)),
      m_owner_bits(owner_bits(m_scheme)),
      m_unused(settings.unused_slots()),
      m_in_order(settings.writes_in_order()),
      m_ci_register(settings.consumer_register()),
      m_lossy(settings, findings) {
    m_cells.grow(kLine);
}

void RingChecker::on_create(const Record& record) {
    const std::uint32_t cqn = index_of(record.cqn);
    m_findings.checked(Rule::RecordContract);
    if (cqn >= kMaxIds) {
        m_findings.fail(
            Rule::RecordContract, record.time_ps, "run", "CQ number ", cqn, " has over 24 bits");
        return;
    }
    m_rows.grow(std::size_t{cqn} + 1);
    Row& row = m_rows[cqn];
    if (row.depth != 0) {
        m_findings.fail(Rule::RecordContract, record.time_ps, record.cqn, "created a second time");
        return;
    }
    row = Row{};
    if (!is_possible(record)) {
        row.flags = kUnknown;
        impossible(record);
        return;
    }
    const std::uint32_t depth = record.index;
    row.ring = record.a;
    row.doorbell = record.serial;
    row.depth = depth & ((std::uint32_t{1} << kDepthBits) - 1);
    row.traits = record.state & kFormatBits;
    row.stride = record.b;
    if ((record.flags & kIgnoreOverrun) != 0) {
        row.traits |= kLossy;
        m_lossy.add(record);
        return;
    }
    row.first_cell = take_cells(depth);
    const auto start = static_cast<std::uint32_t>(record.wr_id);
    row.slots = row.writes = row.visible = row.polled = row.released = start;
    const std::uint32_t place =
        first_slot(m_scheme, start, depth) | first_lap(m_scheme, start, depth) << kLapShift;
    row.slot_place = row.write_place = row.visible_place = row.poll_place = place;
}

std::uint32_t RingChecker::take_cells(std::uint32_t depth) {
    std::vector<std::uint32_t>& free = m_free_cells[depth];
    if (free.empty()) {
        m_cells_used += depth;
        m_cells.grow(m_cells_used);
        return m_cells_used - depth;
    }
    const std::uint32_t first = free.back();
    free.pop_back();
    std::fill_n(&m_cells[first], depth, std::uint64_t{0});
    return first;
}

bool RingChecker::repeats_last_slot(const Record& record) const {
    if (index_of(record.cqn) >= m_rows.size()) {
        return false;
    }
    const Row& row = m_rows[index_of(record.cqn)];
    return (row.traits & kLossy) != 0 ? m_lossy.repeats_last_slot(record)
                                      : record.index == ((row.slots - 1) & m_mask);
}

void RingChecker::on_slot(const Record& record, std::uint32_t token) {
    m_window.decided(record.serial);
    Row* row = row_of(record);
    if (row == nullptr) {
        return;
    }
    if ((row->traits & kLossy) != 0) {
        m_lossy.on_slot(record, token);
        return;
    }
    m_findings.checked(Rule::FreeRunning);
    if (record.index == (row->slots & m_mask)) {
        row->drift = 0;
    } else {
        resync_slot(*row, record);
    }
    m_findings.checked(Rule::OwnerBit);
    if (record.state != owner_at(row->slot_place)) {
        m_findings.fail(Rule::OwnerBit,
                        record.time_ps,
                        record.cqn,
                        "slot of index ",
                        record.index,
                        " has owner value ",
                        int{record.state},
                        "; its lap asks for ",
                        int{owner_at(row->slot_place)});
    }
    if ((row->traits & kChanging) != 0) {
        slot_in_change(*row, record, token);
        ++row->slots;
        row->slot_place = next(row->slot_place, row->depth);
        return;
    }
    check_room(*row, record, row->released);
    std::uint64_t& held = cell(*row, row->slot_place);
    if (held != 0) {
        m_findings.checked(Rule::NoOverwrite);
    }
    held = token;
    ++row->slots;
    row->slot_place = next(row->slot_place, row->depth);
}

std::uint32_t RingChecker::on_write(const Record& record, const Entry& entry) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return 0;
    }
    if ((row->traits & kLossy) != 0) {
        return m_lossy.on_write(record, entry);
    }
    if ((row->traits & kChanging) != 0) {
        return write_in_change(*row, record, entry);
    }
    m_findings.checked(Rule::SlotPlace);
    m_findings.checked(Rule::EntryOrder);
    if (!well_placed(*row, record, row->write_place) && !resync_write(*row, record, entry)) {
        return 0;
    }
    if (row->writes == row->slots) {
        written_without_slot(*row, record);
    }
    check_owner(record, entry, row->write_place);
    if (distance(row->released, row->writes) >= static_cast<std::int32_t>(row->depth)) {
        overwritten(*row, record);
    }
    std::uint64_t& held = cell(*row, row->write_place);
    const auto token = static_cast<std::uint32_t>(held);
    held = entry.digest();
    ++row->writes;
    row->write_place = next(row->write_place, row->depth);
    return token;
}

bool RingChecker::on_visible(const Record& record, const Entry& entry) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return true;
    }
    if ((row->traits & kLossy) != 0) {
        return m_lossy.on_visible(record, entry);
    }
    if ((row->traits & kChanging) != 0) {
        return visible_in_change(*row, record, entry);
    }
    m_findings.checked(Rule::WholeEntry);
    if (!m_polled_early.empty() && was_polled_early(record, entry)) {
        return true;
    }
    if (!well_placed(*row, record, row->visible_place)) {
        const auto jumped = resync_visible(*row, record, entry);
        if (!jumped) {
            return true;
        }
        row->visible += *jumped;
        row->visible_place = moved(row->visible_place, *jumped, row->depth);
    }
    check_owner(record, entry, row->visible_place);
    bool whole = true;
    std::uint64_t& held = cell(*row, row->visible_place);
    if (row->visible == row->writes) {
        m_findings.fail(Rule::WholeEntry,
                        record.time_ps,
                        record.cqn,
                        "slot ",
                        record.index,
                        " is visible, but nothing was written to it");
        ++row->writes;
        row->write_place = next(row->write_place, row->depth);
        held = entry.digest();
    } else if (held != entry.digest() && held != kDoubtfulBytes) {
        m_findings.fail(Rule::WholeEntry,
                        record.time_ps,
                        record.cqn,
                        "slot ",
                        record.index,
                        " shows other bytes than were written");
        held = kDoubtfulBytes;
        whole = false;
    }
    ++row->visible;
    row->visible_place = next(row->visible_place, row->depth);
    return whole;
}

bool RingChecker::on_poll(const Record& record, const Entry& entry) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return true;
    }
    if ((row->traits & kLossy) != 0) {
        return m_lossy.on_poll(record, entry);
    }
    if ((row->traits & kChanging) != 0) {
        return poll_in_change(*row, record, entry);
    }
    m_findings.checked(Rule::PollOrder);
    if (!well_placed(*row, record, row->poll_place)) {
        const auto jumped = skipped(*row,
                                    record,
                                    entry,
                                    row->poll_place,
                                    row->visible - row->polled,
                                    Rule::PollOrder,
                                    "polled");
        if (!jumped) {
            return true;
        }
        row->polled += *jumped;
        row->poll_place = moved(row->poll_place, *jumped, row->depth);
    }
    check_owner(record, entry, row->poll_place);
    m_findings.checked(Rule::SlotReuse);
    bool whole = true;
    const std::uint64_t held = cell(*row, row->poll_place);
    if (row->polled == row->visible) {
        whole = polled_early(*row, record, entry);
        ++row->visible;
        row->visible_place = next(row->visible_place, row->depth);
    } else if (held != entry.digest() && held != kDoubtfulBytes) {
        whole = false;
        m_findings.fail(Rule::SlotReuse,
                        record.time_ps,
                        record.cqn,
                        "slot ",
                        record.index,
                        " was polled with other bytes than were written");
    }
    ++row->polled;
    row->poll_place = next(row->poll_place, row->depth);
    return whole;
}

void RingChecker::on_ci(const Record& record, const LifeChecker& lives) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return;
    }
    if ((row->traits & kLossy) != 0) {
        m_lossy.on_ci(record);
        return;
    }
    m_findings.checked(Rule::ConsumerIndex);
    if (record.a != (m_ci_register == 0 ? row->doorbell : m_ci_register)) {
        misplaced_ci(*row, record);
        return;
    }
    if ((row->traits & kChanging) != 0) {
        ci_in_change(*row, record);
        return;
    }
    const std::uint32_t advance = (record.index - row->released) & m_mask;
    if (record.index <= m_mask && (row->flags & kCiDoubtful) == 0 &&
        advance <= row->visible - row->released) {
        if (advance != 0) {
            m_window.superseded(record.cqn, row->released & m_mask, record.time_ps);
        }
        row->released += advance;
    } else {
        bad_ci(*row, record);
    }
    m_findings.checked(Rule::ReadThenRelease);
    const std::int32_t unread = distance(row->polled, row->released);
    if ((row->flags & kCiDoubtful) == 0 && (unread > 0 || !m_sweeps.empty()) &&
        swept(*row, record, unread, lives)) {
        return;
    }
    if (unread > 0 && (row->flags & kCiDoubtful) == 0) {
        m_findings.fail(Rule::ReadThenRelease,
                        record.time_ps,
                        record.cqn,
                        "consumer index ",
                        record.index,
                        " gives back ",
                        unread,
                        " entries that were not polled");
        row->polled += static_cast<std::uint32_t>(unread);
        row->poll_place = moved(row->poll_place, unread, row->depth);
    }
}

void RingChecker::finish(std::uint64_t time_ps, bool idle) {
    m_lossy.finish(time_ps, idle);
    for (const Sweep& sweep : m_sweeps) {
        m_findings.fail(Rule::Compaction,
                        time_ps,
                        sweep.cqn,
                        "software rewrote ",
                        sweep.moves.size(),
                        " entries and never gave its consumer index");
    }
    for (const Unexplained& event : m_unexplained) {
        const Row& row = m_rows[index_of(event.cqn)];
        // S5.3j: the entry whose write failed never becomes visible.
        const bool hole = (row.flags & kWriteFailed) != 0 || row.visible != row.slots;
        if ((row.flags & kExplained) == 0 && !hole) {
            m_findings.fail(Rule::CqErrOnce,
                            event.time_ps,
                            event.cqn,
                            "CQ_ERR was raised, but nothing was refused and no write failed");
        }
    }
    for (std::uint32_t cqn = 0; cqn < m_rows.size(); ++cqn) {
        const Row& row = m_rows[cqn];
        if ((row.flags & kExplained) != 0 && (row.flags & kEventSeen) == 0) {
            m_findings.fail(
                Rule::CqErrOnce, time_ps, Cqn{cqn}, "went to error, but CQ_ERR was not raised");
        }
        if (!idle || row.depth == 0 || (row.traits & kLossy) != 0 || may_have_holes(row)) {
            continue;
        }
        if (row.writes != row.slots) {
            m_findings.fail(Rule::EntryOrder,
                            time_ps,
                            Cqn{cqn},
                            row.slots - row.writes,
                            " slots were given and never written");
        } else if (row.visible != row.writes) {
            m_findings.fail(Rule::WholeEntry,
                            time_ps,
                            Cqn{cqn},
                            row.writes - row.visible,
                            " entries were written and never visible");
        } else if (const auto early = polled_early_of(Cqn{cqn}); early != 0) {
            m_findings.fail(Rule::WholeEntry,
                            time_ps,
                            Cqn{cqn},
                            early,
                            " entries were polled before they were visible, and not all of them "
                            "became so");
        }
    }
}

}  // namespace cqsim::tb::check
