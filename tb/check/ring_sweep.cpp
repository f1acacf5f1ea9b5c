// SPDX-License-Identifier: Apache-2.0
// What RingChecker does when software takes the entries of a dead QP out of a ring (S7.7), and when
// a CQ goes.
#include "tb/check/ring_checker.h"

#include <algorithm>

namespace cqsim::tb::check {

RingChecker::Sweep* RingChecker::sweep_of(Cqn cqn) {
    for (Sweep& sweep : m_sweeps) {
        if (sweep.cqn == cqn) {
            return &sweep;
        }
    }
    return nullptr;
}

bool RingChecker::is_softwares(const Row& row, const Record& record) {
    if (record.index >= row.depth) {
        return false;
    }
    const std::uint32_t slot = slot_of(row.poll_place);
    const std::uint32_t back =
        slot > record.index ? slot - record.index : slot + row.depth - record.index;
    return back <= row.polled - row.released && row.polled - row.released <= row.depth &&
           record.a == row.ring + std::uint64_t{record.index} * row.stride;
}

void RingChecker::on_sweep(const Record& record, const Entry& entry) {
    Row* row = row_of(record);
    if (row == nullptr) {
        return;
    }
    if ((row->traits & kLossy) != 0) {
        m_lossy.on_sweep(record, entry);
        return;
    }
    if ((row->traits & kChanging) != 0) {
        copied(*row, record, entry);
        return;
    }
    if (is_softwares(*row, record)) {
        m_findings.checked(Rule::SlotReuse);
        return;  // nobody reads it again before the device has written it
    }
    m_findings.checked(Rule::Compaction);
    const std::uint32_t offset =
        record.index < row->depth
            ? (record.index + row->depth - slot_of(row->poll_place)) % row->depth
            : row->depth;
    const std::uint32_t place = moved(row->poll_place, offset, row->depth);
    if (offset >= row->visible - row->polled || !well_placed(*row, record, place)) {
        m_findings.fail(Rule::Compaction,
                        record.time_ps,
                        record.cqn,
                        "software rewrites slot ",
                        record.index,
                        ", which holds no entry that it has still to read");
        return;
    }
    if (entry.owner(m_owner_bits) != owner_at(place)) {
        m_findings.fail(Rule::Compaction,
                        record.time_ps,
                        record.cqn,
                        "software gives slot ",
                        record.index,
                        " owner bit ",
                        int{entry.owner(m_owner_bits)},
                        "; its lap asks for ",
                        int{owner_at(place)});
    }
    Sweep* sweep = sweep_of(record.cqn);
    if (sweep == nullptr) {
        sweep = &m_sweeps.emplace_back(Sweep{record.cqn, {}});
    }
    std::uint64_t& held = cell(*row, place);
    Move move{offset, held, {}};
    // What it moves here was of this lap or, if it lay at the end of the ring, of the one before.
    for (const std::uint32_t laps : {0U, 1U}) {
        Entry source = entry;
        source.set_owner(m_owners[(lap_of(place) + kLaps - laps) % kLaps], m_owner_bits);
        move.after.at(laps) = source.digest();
    }
    held = entry.digest();
    for (Move& earlier : sweep->moves) {
        if (earlier.offset == offset) {
            earlier.after = move.after;
            return;
        }
    }
    sweep->moves.push_back(move);
}

std::uint64_t RingChecker::before_sweep(const Row& row,
                                        const Sweep& sweep,
                                        std::uint32_t offset) const {
    for (const Move& move : sweep.moves) {
        if (move.offset == offset) {
            return move.before;
        }
    }
    return m_cells[row.first_cell + slot_of(moved(row.poll_place, offset, row.depth))];
}

std::string RingChecker::removed_fault(const Row& row,
                                       const Sweep& sweep,
                                       std::uint32_t offset,
                                       const LifeChecker& lives) const {
    const Qpn qpn = digest::qp_in(before_sweep(row, sweep, offset));
    if (lives.dead(qpn)) {
        return {};
    }
    return "the entry of QP " + std::to_string(index_of(qpn)) + " in slot " +
           std::to_string(slot_of(moved(row.poll_place, offset, row.depth))) +
           " is lost or out of order, and that QP is not dead";
}

// From the newest entry down: each that is left is the next of those before that was not taken out.
std::string RingChecker::compaction_fault(const Row& row,
                                          const Sweep& sweep,
                                          std::uint32_t removed,
                                          const LifeChecker& lives) const {
    const std::uint32_t count = row.visible - row.polled;
    std::uint32_t left = count;  // of those before
    for (std::uint32_t offset = count; offset-- > removed;) {
        const auto move =
            std::find_if(sweep.moves.begin(), sweep.moves.end(), [offset](const Move& candidate) {
                return candidate.offset == offset;
            });
        const auto same = [&](std::uint32_t source) {
            if (move == sweep.moves.end()) {
                return source == offset;
            }
            const std::uint64_t before = before_sweep(row, sweep, source);
            return before == move->after[0] || before == move->after[1];
        };
        while (left != 0 && !same(left - 1)) {
            --left;
            if (std::string fault = removed_fault(row, sweep, left, lives); !fault.empty()) {
                return fault;
            }
        }
        if (left == 0) {
            return "what is left in slot " +
                   std::to_string(slot_of(moved(row.poll_place, offset, row.depth))) +
                   " is there twice, or was not in the ring before";
        }
        --left;
    }
    while (left != 0) {
        --left;
        if (std::string fault = removed_fault(row, sweep, left, lives); !fault.empty()) {
            return fault;
        }
    }
    return {};
}

bool RingChecker::swept(Row& row,
                        const Record& record,
                        std::int32_t removed,
                        const LifeChecker& lives) {
    const Sweep* sweep = sweep_of(record.cqn);
    if (sweep == nullptr && removed <= 0) {
        return false;
    }
    const Sweep none{record.cqn, {}};
    std::string fault;
    if (removed < 0) {
        fault = "the consumer index does not reach what was polled";
    } else if (removed == 0) {
        fault = "the consumer index does not move by what was taken out";
    } else {
        if (sweep == nullptr && !lives.dead(digest::qp_in(before_sweep(row, none, 0)))) {
            return false;  // no sweep: entries are given back unread
        }
        const auto count = static_cast<std::uint32_t>(removed);
        fault = compaction_fault(row, sweep != nullptr ? *sweep : none, count, lives);
        row.polled += count;
        row.poll_place = moved(row.poll_place, removed, row.depth);
    }
    m_findings.checked(Rule::Compaction);
    if (!fault.empty()) {
        m_findings.fail(Rule::Compaction,
                        record.time_ps,
                        record.cqn,
                        "a sweep up to consumer index ",
                        record.index,
                        ": ",
                        fault);
    }
    if (sweep != nullptr) {
        m_sweeps.erase(m_sweeps.begin() + (sweep - m_sweeps.data()));
    }
    return true;
}

void RingChecker::on_gone(const Record& record) {
    if (index_of(record.cqn) >= m_rows.size()) {
        return;
    }
    Row& row = m_rows[index_of(record.cqn)];
    if ((row.traits & kLossy) != 0) {
        m_lossy.remove(record);
        row = Row{};
        return;
    }
    if ((row.flags & (kExplained | kEventSeen)) == kExplained) {
        m_findings.fail(Rule::CqErrOnce,
                        record.time_ps,
                        record.cqn,
                        "went to error, but CQ_ERR was not raised");
    }
    // S5.3j: what was given a slot and never became visible is a write that failed.
    if ((row.flags & (kExplained | kWriteFailed)) != 0 || row.visible != row.slots) {
        m_unexplained.erase(
            std::remove_if(m_unexplained.begin(),
                           m_unexplained.end(),
                           [&](const Unexplained& event) { return event.cqn == record.cqn; }),
            m_unexplained.end());
    }
    m_sweeps.erase(std::remove_if(m_sweeps.begin(),
                                  m_sweeps.end(),
                                  [&](const Sweep& sweep) { return sweep.cqn == record.cqn; }),
                   m_sweeps.end());
    m_polled_early.erase(
        std::remove_if(m_polled_early.begin(),
                       m_polled_early.end(),
                       [&](const PolledEarly& early) { return early.cqn == record.cqn; }),
        m_polled_early.end());
    end_change(record.cqn);
    m_new_rings.erase(index_of(record.cqn));
    if (row.depth != 0) {
        m_free_cells[row.depth].push_back(row.first_cell);
    }
    row = Row{};
}

}  // namespace cqsim::tb::check
