// SPDX-License-Identifier: Apache-2.0
// The side of RingChecker that runs when something is wrong, or when a CQ is in error. After a
// fault it takes up the stream again so that one fault is reported once.
#include "tb/check/ring_checker.h"

#include <algorithm>
#include <cstdlib>

namespace cqsim::tb::check {

std::uint32_t RingChecker::moved(std::uint32_t place, std::int64_t steps, std::uint32_t depth) {
    const std::int64_t all_laps = std::int64_t{kLaps} * depth;
    const std::int64_t from = std::int64_t{slot_of(place)} + std::int64_t{lap_of(place)} * depth;
    const std::int64_t to = ((from + steps) % all_laps + all_laps) % all_laps;
    return static_cast<std::uint32_t>(to % depth) | static_cast<std::uint32_t>(to / depth)
                                                        << kLapShift;
}

bool RingChecker::is_possible(const Record& record) const {
    const bool native = static_cast<CqeFormat>(record.state) == CqeFormat::Native;
    const bool ignores = (record.flags & kIgnoreOverrun) != 0;
    return record.index > m_unused && record.index <= kMaxDepth && record.index <= m_mask &&
           record.wr_id <= m_mask && record.state < kCqeFormatNames.size() &&
           record.b >= stride_of(static_cast<CqeFormat>(record.state)) &&
           (native || m_scheme != OwnerScheme::Generation) &&
           (ignores || (record.flags & kCollapsed) == 0);
}

void RingChecker::impossible(const Record& record) {
    m_findings.fail(Rule::RecordContract,
                    record.time_ps,
                    record.cqn,
                    "impossible ring: depth ",
                    record.index,
                    ", stride ",
                    record.b,
                    ", first index ",
                    record.wr_id,
                    ", largest index ",
                    m_mask,
                    ", format ",
                    record.state < kCqeFormatNames.size() ? kCqeFormatNames.at(record.state) : "?",
                    ", owner ",
                    kOwnerSchemeNames.at(static_cast<std::size_t>(m_scheme)),
                    (record.flags & kIgnoreOverrun) != 0 ? ", ignore_overrun" : "",
                    (record.flags & kCollapsed) != 0 ? ", collapsed" : "");
}

void RingChecker::unknown_cq(const Record& record) {
    const std::uint32_t cqn = index_of(record.cqn);
    if (cqn < kMaxIds) {
        m_rows.grow(std::size_t{cqn} + 1);
        if ((m_rows[cqn].flags & kUnknown) != 0) {
            return;
        }
        m_rows[cqn].flags |= kUnknown;
    }
    m_findings.fail(
        Rule::RecordContract, record.time_ps, record.cqn, "is used, but no record creates it");
}

void RingChecker::wrong_owner(const Record& record, const Entry& entry, std::uint8_t owner) {
    m_findings.fail(Rule::OwnerBit,
                    record.time_ps,
                    record.cqn,
                    "entry in slot ",
                    record.index,
                    " has owner bit ",
                    int{entry.owner(m_owner_bits)},
                    (record.flags & kOwner) != 0 ? " (seen as 1)" : " (seen as 0)",
                    "; its lap asks for ",
                    int{owner});
}

void RingChecker::shift_slots(Row& row, std::int64_t steps) {
    if (steps > 0 && steps < row.depth) {
        // Records of slots are missing: the one that came last belongs `steps` places further.
        const std::uint32_t last = moved(row.slot_place, -1, row.depth);
        const std::uint64_t token = cell(row, last);
        for (std::int64_t i = 0; i < steps; ++i) {
            cell(row, moved(last, i, row.depth)) = 0;
        }
        cell(row, moved(last, steps, row.depth)) = token;
    }
    row.slots += static_cast<std::uint32_t>(steps);
    row.slot_place = moved(row.slot_place, steps, row.depth);
    row.drift = 0;
}

void RingChecker::resync_slot(Row& row, const Record& record) {
    // One index may be wrong, or records are missing: the second wrong one in a row tells.
    const std::uint32_t expected = row.slots & m_mask;
    std::int64_t off = (record.index - expected) & m_mask;
    if (off > m_mask / 2) {
        off -= std::int64_t{m_mask} + 1;
    }
    const bool far = std::abs(off) >= kFarDrift;
    const std::int8_t drift = far ? kFarDrift : static_cast<std::int8_t>(off);
    if (row.drift == drift) {
        shift_slots(row, off);
        return;
    }
    row.drift = drift;
    m_findings.fail(Rule::FreeRunning,
                    record.time_ps,
                    record.cqn,
                    "a slot of index ",
                    record.index,
                    " was given; the next index is ",
                    expected);
}

void RingChecker::written_without_slot(Row& row, const Record& record) {
    m_findings.fail(Rule::FreeRunning,
                    record.time_ps,
                    record.cqn,
                    "slot ",
                    record.index,
                    " was written, but not given to any completion");
    cell(row, row.slot_place) = 0;
    ++row.slots;
    row.slot_place = next(row.slot_place, row.depth);
}

void RingChecker::overwritten(Row& row, const Record& record) {
    if ((row.flags & kFullReported) != 0) {
        return;
    }
    row.flags |= kFullReported;
    m_findings.fail(Rule::NoOverwrite,
                    record.time_ps,
                    record.cqn,
                    "slot ",
                    record.index,
                    " was written over entry ",
                    (row.writes - row.depth) & m_mask,
                    "; the published consumer index is ",
                    row.released & m_mask);
}

std::optional<std::uint32_t> RingChecker::located(const Row& row,
                                                  const Record& record,
                                                  std::uint32_t place) {
    const std::uint64_t offset = record.a - row.ring;
    const bool address_is_slot =
        record.a >= row.ring && offset % row.stride == 0 && offset / row.stride < row.depth;
    if (record.index < row.depth &&
        record.a == row.ring + std::uint64_t{record.index} * row.stride) {
        return record.index;
    }
    m_findings.fail(Rule::SlotPlace,
                    record.time_ps,
                    record.cqn,
                    "slot ",
                    record.index,
                    " of ",
                    row.depth,
                    " at address ",
                    hex(record.a),
                    "; the ring is at ",
                    hex(row.ring),
                    " with stride ",
                    row.stride);
    // Believe whichever half is what comes next.
    const std::uint32_t expected = slot_of(place);
    if (record.index == expected || (address_is_slot && offset / row.stride == expected)) {
        return expected;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> RingChecker::skipped(const Row& row,
                                                  const Record& record,
                                                  const Entry& entry,
                                                  std::uint32_t place,
                                                  std::uint32_t open,
                                                  Rule rule,
                                                  const char* what) {
    const auto slot = located(row, record, place);
    if (!slot) {
        return std::nullopt;
    }
    const std::uint32_t ahead = (*slot + row.depth - slot_of(place)) % row.depth;
    if (ahead == 0) {
        return 0;
    }
    const bool repeated =
        ahead + 1 == row.depth && m_cells[row.first_cell + *slot] == entry.digest();
    m_findings.fail(rule,
                    record.time_ps,
                    record.cqn,
                    "slot ",
                    *slot,
                    repeated ? " is " : " becomes ",
                    what,
                    repeated ? " a second time" : "",
                    "; the next one is slot ",
                    slot_of(place));
    if (repeated || ahead >= open) {
        return std::nullopt;
    }
    return ahead;
}

bool RingChecker::resync_write(Row& row, const Record& record, const Entry& entry) {
    const std::uint32_t open = row.slots - row.writes;
    if (row.drift > 0 && open == 1 &&
        well_placed(row, record, moved(row.write_place, row.drift, row.depth))) {
        // The slot's index was right, and records of slots before it are missing.
        const auto missing = static_cast<std::int64_t>(int{row.drift});
        shift_slots(row, missing);
        row.writes += static_cast<std::uint32_t>(missing);
        row.write_place = moved(row.write_place, missing, row.depth);
        return true;
    }
    const auto jumped =
        skipped(row, record, entry, row.write_place, open, Rule::EntryOrder, "written");
    if (!jumped) {
        return false;
    }
    for (std::uint32_t i = 0; i < *jumped; ++i) {
        cell(row, row.write_place) = kDoubtfulBytes;
        ++row.writes;
        row.write_place = next(row.write_place, row.depth);
    }
    return true;
}

std::optional<std::uint32_t> RingChecker::resync_visible(Row& row,
                                                         const Record& record,
                                                         const Entry& entry) {
    const std::uint32_t open = row.writes - row.visible;
    for (std::uint32_t ahead = 1; may_have_holes(row) && ahead < open; ++ahead) {
        if (well_placed(row, record, moved(row.visible_place, ahead, row.depth))) {
            row.flags |= kWriteFailed;  // S5.3j: the writes between failed
            return ahead;
        }
    }
    return skipped(row, record, entry, row.visible_place, open, Rule::EntryOrder, "visible");
}

void RingChecker::misplaced_ci(const Row& row, const Record& record) {
    m_findings.fail(
        Rule::ConsumerIndex,
        record.time_ps,
        record.cqn,
        "consumer index written to ",
        hex(record.a),
        m_ci_register == 0 ? "; the doorbell record is at " : "; the register of the BAR is ",
        hex(m_ci_register == 0 ? row.doorbell : m_ci_register));
}

void RingChecker::bad_ci(Row& row, const Record& record) {
    const std::uint32_t behind = (row.visible - record.index) & m_mask;
    const std::uint32_t advance = (record.index - row.released) & m_mask;
    const bool doubtful = (row.flags & kCiDoubtful) != 0;
    if (record.index <= m_mask &&
        (doubtful ? behind <= row.depth : advance <= row.visible - row.released)) {
        row.flags &= static_cast<std::uint8_t>(~kCiDoubtful);
        row.released = row.visible - behind;
        return;
    }
    m_findings.fail(Rule::ConsumerIndex,
                    record.time_ps,
                    record.cqn,
                    "consumer index ",
                    record.index,
                    " published; the last one was ",
                    row.released & m_mask,
                    " and entries are visible up to ",
                    row.visible & m_mask);
    if (advance <= 2 * row.depth) {
        row.released += advance;  // the device must believe it
    }
    row.flags |= kCiDoubtful;
}

}  // namespace cqsim::tb::check
