// SPDX-License-Identifier: Apache-2.0
#include "tb/check/ring_checker.h"

#include <algorithm>

namespace cqsim::tb::check {
namespace {

// Registers of the BAR, by its documentation.
constexpr std::uint64_t kCqConsumer = 0x28;
constexpr std::uint64_t kCqCredit = 0x30;

// Counts are modulo 2^32: their difference is small and may be negative after a fault.
std::int32_t distance(std::uint32_t from, std::uint32_t to) {
    return static_cast<std::int32_t>(to - from);
}

}  // namespace

RingChecker::RingChecker(const Settings& settings, Findings& findings)
    : m_findings(findings),
      m_mask(settings.index_mask()),
      m_relaxed(settings.memory_ordering == "relaxed") {
    if (settings.consumer_index != "record") {
        m_ci_register = settings.consumer_index == "mmio" ? kCqConsumer : kCqCredit;
    }
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
    const std::uint32_t depth = record.index;
    const std::uint64_t first = record.wr_id;
    if (depth == 0 || depth > kMaxDepth || depth > m_mask || record.b < NativeEntry::kBytes ||
        first > m_mask) {
        row.flags = kUnknown;
        m_findings.fail(Rule::RecordContract,
                        record.time_ps,
                        record.cqn,
                        "impossible ring: depth ",
                        depth,
                        ", stride ",
                        record.b,
                        ", first index ",
                        first,
                        ", largest index ",
                        m_mask);
        return;
    }
    row.ring = record.a;
    row.doorbell = record.serial;
    row.depth = depth;
    row.stride = record.b;
    row.first_cell = take_cells(depth);
    const auto start = static_cast<std::uint32_t>(first);
    row.slots = row.writes = row.visible = row.polled = row.released = start;
    const std::uint32_t place = start % depth | ((start / depth) % 2 == 0 ? 0 : kLap);
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
    return index_of(record.cqn) < m_rows.size() &&
           record.index == ((m_rows[index_of(record.cqn)].slots - 1) & m_mask);
}

void RingChecker::on_slot(const Record& record, std::uint32_t token) {
    m_window.decided(record.serial);
    Row* row = row_of(record);
    if (row == nullptr) {
        return;
    }
    m_findings.checked(Rule::FreeRunning);
    if (record.index == (row->slots & m_mask)) {
        row->drift = 0;
    } else {
        resync_slot(*row, record);
    }
    m_findings.checked(Rule::OwnerBit);
    if (record.state != lap_of(row->slot_place)) {
        m_findings.fail(Rule::OwnerBit,
                        record.time_ps,
                        record.cqn,
                        "slot of index ",
                        record.index,
                        " has owner value ",
                        int{record.state},
                        "; its lap asks for ",
                        int{lap_of(row->slot_place)});
    }
    m_findings.checked(Rule::PublishedFull);
    // S3.14: room by what software published; and what the device counts is at least what is true.
    const std::int32_t in_use = distance(row->released, row->slots) + 1;
    const auto depth = static_cast<std::int32_t>(row->depth);
    if (in_use > depth || (depth <= UINT16_MAX && (record.b < in_use || record.b > depth))) {
        slot_without_room(*row, record, in_use);
    } else {
        row->flags &= static_cast<std::uint8_t>(~kFullReported);
    }
    if ((row->flags & (kError | kEventSeen)) != 0) {
        slot_in_error(*row, record);
    }
    std::uint64_t& held = cell(*row, row->slot_place);
    if (held != 0) {
        m_findings.checked(Rule::NoOverwrite);
    }
    held = token;
    ++row->slots;
    row->slot_place = next(row->slot_place, row->depth);
}

std::uint32_t RingChecker::on_write(const Record& record, const NativeEntry& entry) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return 0;
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

bool RingChecker::on_visible(const Record& record, const NativeEntry& entry) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return true;
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

bool RingChecker::on_poll(const Record& record, const NativeEntry& entry) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return true;
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
    m_findings.checked(Rule::ConsumerIndex);
    if (record.a != (m_ci_register == 0 ? row->doorbell : m_ci_register)) {
        misplaced_ci(*row, record);
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
        if (!idle || row.depth == 0 || may_have_holes(row)) {
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
        }
    }
}

}  // namespace cqsim::tb::check
