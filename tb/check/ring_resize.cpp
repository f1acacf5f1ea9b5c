// SPDX-License-Identifier: Apache-2.0
// What RingChecker does while the ring of a CQ is replaced (S4.6 to S4.8). The row counts on, and
// has the places of the new ring; what is open is in a list until software has left the old ring.
#include "tb/check/ring_checker.h"

#include <algorithm>

namespace cqsim::tb::check {

RingChange& RingChecker::change_of(Cqn cqn) {
    return *std::find_if(m_changes.begin(), m_changes.end(), [&](const RingChange& change) {
        return change.cqn == cqn;
    });
}

void RingChecker::end_change(Cqn cqn) {
    m_changes.erase(std::remove_if(m_changes.begin(),
                                   m_changes.end(),
                                   [&](const RingChange& change) { return change.cqn == cqn; }),
                    m_changes.end());
}

void RingChecker::bad_resize(const Record& record, const std::string& what) {
    m_findings.fail(Rule::ResizeKeeps, record.time_ps, record.cqn, what);
}

void RingChecker::on_resize(const Record& record) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return;
    }
    m_findings.checked(Rule::ResizeKeeps);
    const std::uint32_t last = row->slots & m_mask;
    if ((row->traits & (kLossy | kChanging)) != 0) {
        bad_resize(record, "its ring is replaced while it may not be");
        return;
    }
    if (record.index <= m_unused || record.index > kMaxDepth || record.index > m_mask ||
        record.b < stride_of(format_in(*row)) || record.state >= kResizeModeNames.size()) {
        bad_resize(record, "impossible new ring: depth " + std::to_string(record.index));
        return;
    }
    if (record.wr_id != last) {
        bad_resize(record,
                   "the entry of index " + std::to_string(record.wr_id) +
                       " should end the old ring; the next index is " + std::to_string(last));
    }
    RingChange change;
    change.cqn = record.cqn;
    change.mode = static_cast<ResizeMode>(record.state);
    change.new_ring = {record.a, record.index, record.b};
    std::uint32_t place = row->poll_place;
    for (std::uint32_t count = row->polled; count != row->slots + 1; ++count) {
        OpenEntry& entry = change.open.emplace_back();
        entry.address = row->ring + std::uint64_t{slot_of(place)} * row->stride;
        entry.owner = owner_at(place);
        entry.ends_ring = count == row->slots;
        entry.held = entry.ends_ring ? 0 : cell(*row, place);
        entry.written = count - row->polled < row->writes - row->polled;
        entry.visible = count - row->polled < row->visible - row->polled;
        place = next(place, row->depth);
    }
    const std::uint32_t known = consumer_asked(*row, record);
    m_free_cells[row->depth].push_back(row->first_cell);
    ++row->slots;
    change.end = row->slots;
    m_new_rings[index_of(record.cqn)] = {change.mode, row->slots, known};
    m_changes.push_back(std::move(change));

    row->traits |= kChanging;
    row->ring = record.a;
    row->depth = record.index & ((std::uint32_t{1} << kDepthBits) - 1);
    row->stride = record.b;
    row->first_cell = take_cells(row->depth);
    const std::uint32_t first = row->slots & m_mask;
    row->slot_place = static_cast<ResizeMode>(record.state) == ResizeMode::CutOff
                          ? 0
                          : first % row->depth | first_lap(m_scheme, first, row->depth)
                                                     << kLapShift;
}

// The consumer index that the command brought counts as published. What software has published
// since it gave the command is newer (S3.1). \returns the count that the device knows at least.
std::uint32_t RingChecker::consumer_asked(Row& row, const Record& record) {
    const auto asked = static_cast<std::uint32_t>(record.serial);
    const std::uint32_t advance = (asked - row.released) & m_mask;
    if (record.serial > m_mask || (advance > row.polled - row.released && advance <= m_mask / 2)) {
        m_findings.fail(Rule::ReadThenRelease,
                        record.time_ps,
                        record.cqn,
                        "the ring is replaced with consumer index ",
                        record.serial,
                        "; entries are polled up to ",
                        row.polled & m_mask);
        return row.released;
    }
    if (advance > m_mask / 2) {
        return row.released - std::min((row.released - asked) & m_mask, capacity(row));
    }
    if (advance != 0) {
        m_window.superseded(record.cqn, row.released & m_mask, record.time_ps);
    }
    row.released += advance;
    return row.released;
}

const NewRing* RingChecker::new_ring(const Row& row, Cqn cqn) const {
    const auto ring = m_new_rings.find(index_of(cqn));
    return ring != m_new_rings.end() && row.slots - ring->second.first <= capacity(row)
               ? &ring->second
               : nullptr;
}

std::uint32_t RingChecker::counted_from(const Row& row, Cqn cqn, std::uint32_t consumer) const {
    const NewRing* ring = new_ring(row, cqn);
    return ring != nullptr && ring->mode == ResizeMode::CutOff &&
                   static_cast<std::int32_t>(ring->first - consumer) > 0
               ? ring->first
               : consumer;
}

std::uint32_t RingChecker::known_from(const Row& row, Cqn cqn) const {
    const NewRing* ring = new_ring(row, cqn);
    // Of a ring that is replaced just the end may have more entries in use than the new one has.
    if (ring != nullptr && (ring->mode == ResizeMode::CutOff || row.slots == ring->first)) {
        return ring->known;
    }
    const std::uint32_t in_use = row.slots - row.released;
    return row.released - (in_use < capacity(row) ? capacity(row) - in_use : 0);
}

void RingChecker::slot_in_change(Row& row, const Record& record, std::uint32_t token) {
    check_room(row, record, counted_from(row, record.cqn, row.released));
    OpenEntry& entry = change_of(record.cqn).open.emplace_back();
    entry.address = row.ring + std::uint64_t{slot_of(row.slot_place)} * row.stride;
    entry.owner = owner_at(row.slot_place);
    entry.held = token;
    entry.in_new = true;
}

std::uint32_t RingChecker::write_in_change(Row& row, const Record& record, const Entry& entry) {
    RingChange& change = change_of(record.cqn);
    const auto next = change.next_to_write();
    if (next == change.open.end() || next->address != record.a) {
        bad_resize(
            record,
            "an entry is written at " + hex(record.a) +
                (next == change.open.end() ? "; none has a slot that is not written"
                                           : "; the next one goes to " + hex(next->address)));
        return 0;
    }
    owner_in_change(record, entry, next->owner);
    if (entry.is_resize() != next->ends_ring) {
        m_findings.checked(Rule::ResizeKeeps);
        bad_resize(record,
                   std::string("the entry in slot ") + std::to_string(record.index) +
                       (next->ends_ring ? " should end the old ring" : " ends a ring too early"));
    }
    const auto token = static_cast<std::uint32_t>(next->held);
    next->held = entry.digest();
    next->entry = entry;
    next->written = true;
    ++row.writes;
    return token;
}

bool RingChecker::visible_in_change(Row& row, const Record& record, const Entry& entry) {
    RingChange& change = change_of(record.cqn);
    const auto next =
        std::find_if(change.next_visible(), change.open.end(), [&](const OpenEntry& open) {
            return !open.visible && (m_in_order || open.address == record.a);
        });
    if (next == change.open.end() || !next->written || next->address != record.a) {
        bad_resize(record, "an entry becomes visible at " + hex(record.a) + " out of order");
        return false;
    }
    if (next->held != entry.digest()) {
        m_findings.fail(Rule::WholeEntry,
                        record.time_ps,
                        record.cqn,
                        "slot ",
                        record.index,
                        " shows other bytes than were written");
    }
    next->entry = entry;
    next->visible = true;
    ++row.visible;
    return true;
}

// S4.7: what was not polled moves on by one index, into the new ring.
void RingChecker::copied(Row& row, const Record& record, const Entry& entry) {
    RingChange& change = change_of(record.cqn);
    m_findings.checked(Rule::ResizeKeeps);
    const std::uint32_t before = change.end - row.polled;  // with the one that ends the ring
    const std::uint32_t first = change.mode == ResizeMode::Marker ? change.end & m_mask : 0;
    const std::uint32_t base = change.mode == ResizeMode::Marker
                                   ? first % row.depth | first_lap(m_scheme, first, row.depth)
                                                             << kLapShift
                                   : 0;
    const std::uint32_t first_place = moved(base, 1 - std::int64_t{before}, row.depth);
    const std::optional<std::uint32_t> slot = change.new_ring.slot_at(record.a);
    const std::uint32_t i =
        slot ? (*slot + row.depth - slot_of(first_place)) % row.depth : row.depth;
    if (i < before - 1 && change.mode == ResizeMode::Marker) {
        OpenEntry& open = change.open[i];
        const std::uint32_t place = moved(first_place, i, row.depth);
        Entry source = entry;
        source.set_owner(open.owner, m_owner_bits);
        if (!open.in_new && open.visible && source.digest() == open.held) {
            owner_in_change(record, entry, owner_at(place));
            open = {record.a, entry.digest(), entry, owner_at(place), true, true, false, true};
            return;
        }
    }
    bad_resize(record,
               "software writes slot " + std::to_string(record.index) +
                   " of the new ring with what is no entry that goes there");
}

// Software goes on in the new ring.
void RingChecker::drop_end(Row& row, const Record& record) {
    RingChange& change = change_of(record.cqn);
    change.dropped = true;
    m_findings.checked(Rule::ResizeKeeps);
    const auto at = std::find_if(change.open.begin(), change.open.end(), [](const OpenEntry& open) {
        return open.ends_ring;
    });
    const bool reached = at != change.open.end() && at->visible;
    const auto lost =
        std::count_if(change.open.begin(), at, [](const OpenEntry& open) { return !open.in_new; });
    if (!reached || lost != 0) {
        bad_resize(record,
                   reached ? "software goes on in the new ring, and " + std::to_string(lost) +
                                 " entries of the old one are lost"
                           : "software goes on in the new ring before the old one has ended");
    }
    if (at != change.open.end()) {
        change.open.erase(change.open.begin(), change.open.begin() + lost);
        change.open.erase(std::find_if(change.open.begin(),
                                       change.open.end(),
                                       [](const OpenEntry& open) { return open.ends_ring; }));
        change.written = change.visible = 0;
        row.polled += static_cast<std::uint32_t>(lost) + 1;
    }
}

bool RingChecker::poll_in_change(Row& row, const Record& record, const Entry& entry) {
    RingChange& change = change_of(record.cqn);
    if (!change.dropped && change.new_ring.slot_at(record.a)) {
        drop_end(row, record);
    }
    if (change.open.empty() || !change.open.front().visible ||
        change.open.front().address != record.a) {
        m_findings.fail(Rule::PollOrder,
                        record.time_ps,
                        record.cqn,
                        "slot ",
                        record.index,
                        " at ",
                        hex(record.a),
                        " becomes polled; ",
                        change.open.empty()
                            ? "there is no entry"
                            : "the next one is at " + hex(change.open.front().address));
        return false;
    }
    const OpenEntry& open = change.open.front();
    const bool whole = open.held == entry.digest();
    if (!whole) {
        m_findings.fail(Rule::SlotReuse,
                        record.time_ps,
                        record.cqn,
                        "slot ",
                        record.index,
                        " was polled with other bytes than were written");
    }
    change.dropped = change.dropped || open.ends_ring;
    change.pop();
    ++row.polled;
    settle_change(row, record.cqn);
    return whole;
}

void RingChecker::ci_in_change(Row& row, const Record& record) {
    RingChange& change = change_of(record.cqn);
    const std::uint32_t advance = (record.index - row.released) & m_mask;
    if (!change.dropped && advance == row.polled - row.released + 1 &&
        static_cast<std::int32_t>(change.end - row.polled) > 0) {
        drop_end(row, record);  // whose index it gives back with those before
    }
    if (record.index > m_mask || advance > row.polled - row.released) {
        m_findings.fail(Rule::ReadThenRelease,
                        record.time_ps,
                        record.cqn,
                        "consumer index ",
                        record.index,
                        " published while the ring is replaced; entries are polled up to ",
                        row.polled & m_mask);
        return;
    }
    if (advance != 0) {
        m_window.superseded(record.cqn, row.released & m_mask, record.time_ps);
    }
    row.released += advance;
    settle_change(row, record.cqn);
}

void RingChecker::owner_in_change(const Record& record, const Entry& entry, std::uint8_t owner) {
    m_findings.checked(Rule::OwnerBit);
    if (entry.owner(m_owner_bits) != owner) {
        wrong_owner(record, entry, owner);
    }
}

// Nothing is left of the old ring: the row goes on alone.
void RingChecker::settle_change(Row& row, Cqn cqn) {
    RingChange& change = change_of(cqn);
    const bool left = static_cast<std::int32_t>(row.polled - change.end) >= 0 ||
                      (change.dropped && change.mode == ResizeMode::Marker);
    if (!left || (change.mode == ResizeMode::CutOff &&
                  static_cast<std::int32_t>(row.released - change.end) < 0)) {
        return;
    }
    const std::int64_t open = row.slots - row.polled;
    row.poll_place = moved(row.slot_place, -open, row.depth);
    row.visible_place = moved(row.poll_place, std::int64_t{row.visible - row.polled}, row.depth);
    row.write_place = moved(row.poll_place, std::int64_t{row.writes - row.polled}, row.depth);
    std::uint32_t place = row.poll_place;
    for (const OpenEntry& entry : change.open) {
        cell(row, place) = entry.held;
        place = next(place, row.depth);
    }
    row.traits &= ~kChanging & ((1U << (32 - kDepthBits)) - 1);
    end_change(cqn);
}

}  // namespace cqsim::tb::check
