// SPDX-License-Identifier: Apache-2.0
/// \file
/// The ring of each CQ: indices, owner bits, places, order, room, and the error of the CQ itself.
/// S1.7, S3.1, S3.3, S3.4, S3.6 to S3.8, S3.10 to S3.14, S4.3, S5.3a to S5.3c, S5.3i, S7.7.
#pragma once

#include "tb/check/entry.h"
#include "tb/check/life_checker.h"
#include "tb/check/lossy_rings.h"
#include "tb/check/owner.h"
#include "tb/check/read_window.h"
#include "tb/check/ring_change.h"
#include "tb/check/rows.h"
#include "tb/check/rules.h"
#include "tb/check/settings.h"

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace cqsim::tb::check {

/// Follows each ring by counts of its own: entries given a slot, written, visible, polled, and
/// given back. Per slot it keeps first a token of whoever was given the slot, then a digest of what
/// was written.
class RingChecker {
  public:
    RingChecker(const Settings& settings, Findings& findings);

    void on_create(const Record& record);
    void on_grant(const Record& record) { m_window.granted(record.serial, record.time_ps); }
    const ReadWindow& grants() const { return m_window; }
    /// A slot was given. `token` is handed back when the slot is written; 0 is 'unknown'.
    void on_slot(const Record& record, std::uint32_t token);
    /// The index that the CQ's last slot had; to tell a repeated record from a second slot.
    bool repeats_last_slot(const Record& record) const;
    /// An entry was written: the token that `on_slot` got for this place, 0 if there is none.
    std::uint32_t on_write(const Record& record, const Entry& entry);
    /// These say whether the bytes are those that were written.
    bool on_visible(const Record& record, const Entry& entry);
    /// Relaxed memory: whether an entry is visible before earlier ones of its ring that are on
    /// their way. To the device it is not published yet (D2).
    bool before_earlier_ones(const Record& record, const Entry& entry) const;
    bool on_poll(const Record& record, const Entry& entry);
    void on_ci(const Record& record, const LifeChecker& lives);
    /// Software rewrote an entry (S7.7), or a slot that is its own.
    void on_sweep(const Record& record, const Entry& entry);
    /// The CQ was destroyed.
    void on_gone(const Record& record);
    /// `claimed`: the record is about an open completion, and no repetition.
    void on_overrun(const Record& record, bool claimed);
    /// The ring of the CQ is replaced (S4.6).
    void on_resize(const Record& record);
    /// A query was answered (S4.15).
    void on_query(const Record& record);
    /// CQ_ERR was raised. \returns whether only a ring write that failed can be the reason (S5.3j).
    bool on_cq_error_event(const Record& record);
    /// A pipeline learned that a ring write of this CQ failed (S5.3j).
    void on_write_failed(Cqn cqn);
    /// The format of the entries of a CQ; native for one that is not known.
    CqeFormat format_of(Cqn cqn) const {
        return index_of(cqn) < m_rows.size() ? format_in(m_rows[index_of(cqn)]) : CqeFormat::Native;
    }
    /// `idle`: the run ended with nothing in flight.
    void finish(std::uint64_t time_ps, bool idle);

    std::size_t rows() const { return m_rows.size(); }
    [[gnu::always_inline]] void prefetch_row(const Record& record) {
        if (index_of(record.cqn) < m_rows.size()) {
            prefetch(&m_rows[index_of(record.cqn)]);
        }
    }
    /// After the row is there: the slot that the record is about.
    [[gnu::always_inline]] void prefetch_cell(const Record& record) {
        if (index_of(record.cqn) >= m_rows.size()) {
            return;
        }
        const Row& row = m_rows[index_of(record.cqn)];
        const std::uint32_t slot = (row.traits & kLossy) != 0  ? 0
                                   : record.kind == Kind::Slot ? slot_of(row.slot_place)
                                   : record.index < row.depth  ? record.index
                                                               : 0;
        prefetch(&m_cells[row.first_cell + slot]);
    }

  private:
    /// A place is a slot number, with the lap modulo kLaps above it.
    static constexpr unsigned kLapShift = 29;
    static_assert(std::uint64_t{kLaps} << kLapShift == std::uint64_t{1} << 32);
    /// Longest ring that is followed.
    static constexpr std::uint32_t kMaxDepth = std::uint32_t{1} << 24;
    static constexpr unsigned kDepthBits = 25;
    /// Traits of a row: the format, and
    static constexpr std::uint32_t kFormatBits = 3;
    static constexpr std::uint32_t kLossy = 4;     ///< its entries are overwritten: m_lossy has it
    static constexpr std::uint32_t kChanging = 8;  ///< its ring is replaced: m_changes has it

    using Flag = std::uint8_t;
    static constexpr Flag kUnknown = 1;  ///< cannot be followed (its depth is 0), and this was said
    static constexpr Flag kWriteFailed =
        2;  ///< a ring write failed: what was behind it is never published
    static constexpr Flag kError = 4;       ///< takes no entries any more
    static constexpr Flag kExplained = 8;   ///< an overrun or a failed write was seen
    static constexpr Flag kEventSeen = 16;  ///< CQ_ERR was seen
    static constexpr Flag kCiDoubtful =
        32;  ///< the last consumer index was wrong: the next one counts
    static constexpr Flag kFullReported = 64;  ///< the room is wrong, and this was said
    static constexpr Flag kStickyReported = 128;

    struct alignas(kLine) Row {
        std::uint64_t ring;
        std::uint64_t doorbell;
        std::uint32_t depth : kDepthBits;
        std::uint32_t traits : 32 - kDepthBits;
        std::uint32_t first_cell;
        // Free-running, modulo 2^32, from the CQ's first index.
        std::uint32_t slots;
        std::uint32_t writes;
        std::uint32_t visible;
        std::uint32_t polled;
        std::uint32_t released;
        std::uint32_t slot_place;
        std::uint32_t write_place;
        std::uint32_t visible_place;
        std::uint32_t poll_place;
        std::uint16_t stride;
        std::uint8_t flags;
        std::int8_t drift;  ///< by how much the last slot's index was off; kFarDrift: by more
    };
    static_assert(sizeof(Row) == kLine);
    static constexpr std::int8_t kFarDrift = 127;
    /// In place of a digest: which bytes are right is not known.
    static constexpr std::uint64_t kDoubtfulBytes = 1;

    /// An entry that was polled before all of it was visible: its record is still to come.
    struct PolledEarly {
        Cqn cqn;
        std::uint32_t place;
    };
    struct Unexplained {
        Cqn cqn;
        std::uint64_t time_ps;
    };
    /// An entry that software rewrote, by its distance from the next one to poll.
    struct Move {
        std::uint32_t offset;
        std::uint64_t before;                ///< digest of what was there
        std::array<std::uint64_t, 2> after;  ///< as of its lap, and as of the lap before
    };
    /// What software rewrote in a ring since it last gave its consumer index.
    struct Sweep {
        Cqn cqn;
        std::vector<Move> moves;
    };

    static std::uint32_t slot_of(std::uint32_t place) {
        return place & ((std::uint32_t{1} << kLapShift) - 1);
    }
    static std::uint32_t lap_of(std::uint32_t place) { return place >> kLapShift; }
    static std::uint32_t next(std::uint32_t place, std::uint32_t depth) {
        return slot_of(place) + 1 == depth ? (lap_of(place) + 1) << kLapShift : place + 1;
    }
    static CqeFormat format_in(const Row& row) {
        return static_cast<CqeFormat>(row.traits & kFormatBits);
    }
    std::uint8_t owner_at(std::uint32_t place) const { return m_owners[lap_of(place)]; }
    /// Entries of a full ring (K01).
    std::uint32_t capacity(const Row& row) const { return row.depth - m_unused; }
    /// `steps` places further, or back if negative.
    static std::uint32_t moved(std::uint32_t place, std::int64_t steps, std::uint32_t depth);

    Row* row_of(const Record& record) {
        if (index_of(record.cqn) < m_rows.size()) {
            Row& row = m_rows[index_of(record.cqn)];
            if (row.depth != 0) {
                return &row;
            }
        }
        unknown_cq(record);
        return nullptr;
    }
    /// Zeroed cells for a ring of so many entries. \returns the first.
    std::uint32_t take_cells(std::uint32_t depth);
    std::uint64_t& cell(const Row& row, std::uint32_t place) {
        return m_cells[row.first_cell + slot_of(place)];
    }
    static bool well_placed(const Row& row, const Record& record, std::uint32_t place) {
        return record.index == slot_of(place) &&
               record.a == row.ring + std::uint64_t{slot_of(place)} * row.stride;
    }
    void check_owner(const Record& record, const Entry& entry, std::uint32_t place) {
        m_findings.checked(Rule::OwnerBit);
        const std::uint8_t owner = owner_at(place);
        if (entry.owner(m_owner_bits) != owner ||
            ((record.flags & kOwner) != 0 ? 1 : 0) != (owner & 1)) {
            wrong_owner(record, entry, owner);
        }
    }

    /// Whether a ring write may have failed: then entries may stay invisible (S5.3j).
    static bool may_have_holes(const Row& row) {
        return (row.flags & kWriteFailed) != 0 ||
               (row.flags & (kEventSeen | kExplained)) == kEventSeen;
    }
    void unknown_cq(const Record& record);
    void wrong_owner(const Record& record, const Entry& entry, std::uint8_t owner);
    /// Whether such a ring can be.
    bool is_possible(const Record& record) const;
    void impossible(const Record& record);
    void resync_slot(Row& row, const Record& record);
    void shift_slots(Row& row, std::int64_t steps);
    /// A slot is given: whether there is room, and no error. `from`: count of the first entry that
    /// takes room.
    void check_room(Row& row, const Record& record, std::uint32_t from) {
        m_findings.checked(Rule::PublishedFull);
        // S3.14: room by what software published; and what the device counts is at least what is
        // true.
        const auto in_use = static_cast<std::int32_t>(row.slots - from) + 1;
        const auto room = static_cast<std::int32_t>(capacity(row));
        if (in_use > room || (room <= UINT16_MAX && (record.b < in_use || record.b > room))) {
            slot_without_room(row, record, in_use);
        } else {
            row.flags &= static_cast<std::uint8_t>(~kFullReported);
        }
        if ((row.flags & (kError | kEventSeen)) != 0) {
            slot_in_error(row, record);
        }
    }
    void slot_without_room(Row& row, const Record& record, std::int32_t in_use);
    void slot_in_error(Row& row, const Record& record);
    void written_without_slot(Row& row, const Record& record);
    void overwritten(Row& row, const Record& record);
    /// A poll ahead of what is visible. \returns whether the bytes are those that were written.
    bool polled_early(const Row& row, const Record& record, const Entry& entry);
    /// Which of `m_polled_early` an entry is that becomes visible; its size if none.
    std::size_t polled_early_at(const Record& record, const Entry& entry) const;
    /// How many entries of the CQ were polled and wait for their records.
    std::ptrdiff_t polled_early_of(Cqn cqn) const;
    /// Whether an entry becomes visible that was polled before, and counted then.
    bool was_polled_early(const Record& record, const Entry& entry);
    /// Whether software has read the entry of this slot and not returned the slot.
    static bool is_softwares(const Row& row, const Record& record);
    Sweep* sweep_of(Cqn cqn);
    /// Software gave back `removed` entries that it had not polled: whether that was a sweep, right
    /// or wrong.
    bool swept(Row& row, const Record& record, std::int32_t removed, const LifeChecker& lives);
    /// The first thing that is wrong with a sweep, or nothing.
    std::string compaction_fault(const Row& row,
                                 const Sweep& sweep,
                                 std::uint32_t removed,
                                 const LifeChecker& lives) const;
    std::string removed_fault(const Row& row,
                              const Sweep& sweep,
                              std::uint32_t offset,
                              const LifeChecker& lives) const;
    std::uint64_t before_sweep(const Row& row, const Sweep& sweep, std::uint32_t offset) const;
    /// An attempt to add found the CQ full (S5.3a).
    void check_full(const Row& row, const Record& record, std::uint64_t since_ps, bool in_error);
    void misplaced_ci(const Row& row, const Record& record);
    void bad_ci(Row& row, const Record& record);
    /// The slot that a misplaced record is about, if it can be told.
    std::optional<std::uint32_t> located(const Row& row, const Record& record, std::uint32_t place);
    /// How many entries a record of `what` jumped over; nothing if it is to be ignored.
    std::optional<std::uint32_t> skipped(const Row& row,
                                         const Record& record,
                                         const Entry& entry,
                                         std::uint32_t place,
                                         std::uint32_t open,
                                         Rule rule,
                                         const char* what);
    // While the ring of a CQ is replaced.
    std::uint32_t consumer_asked(Row& row, const Record& record);
    /// The ring of a CQ, if it replaced another and the device may know no index of it as consumed.
    const NewRing* new_ring(const Row& row, Cqn cqn) const;
    /// From where entries count against the room by a consumer index: behind a cut-off those in the
    /// old ring take none (S4.8).
    std::uint32_t counted_from(const Row& row, Cqn cqn, std::uint32_t consumer) const;
    /// Count of the oldest consumer index that the device may know: the slots that it gave had
    /// room.
    std::uint32_t known_from(const Row& row, Cqn cqn) const;
    RingChange& change_of(Cqn cqn);
    void end_change(Cqn cqn);
    void bad_resize(const Record& record, const std::string& what);
    void slot_in_change(Row& row, const Record& record, std::uint32_t token);
    std::uint32_t write_in_change(Row& row, const Record& record, const Entry& entry);
    bool visible_in_change(Row& row, const Record& record, const Entry& entry);
    bool poll_in_change(Row& row, const Record& record, const Entry& entry);
    void ci_in_change(Row& row, const Record& record);
    void copied(Row& row, const Record& record, const Entry& entry);
    void drop_end(Row& row, const Record& record);
    void owner_in_change(const Record& record, const Entry& entry, std::uint8_t owner);
    void settle_change(Row& row, Cqn cqn);
    /// What of the answer to a query is wrong, or nothing.
    std::string query_fault(const Row& row, const Record& record) const;
    bool resync_write(Row& row, const Record& record, const Entry& entry);
    std::optional<std::uint32_t> resync_visible(Row& row, const Record& record, const Entry& entry);

    Findings& m_findings;
    std::uint32_t m_mask;
    OwnerScheme m_scheme;
    OwnerOfLap m_owners;
    std::uint8_t m_owner_bits;
    std::uint32_t m_unused;       ///< slots of a full ring without an entry (K01)
    bool m_in_order;              ///< writes do not overtake each other
    std::uint64_t m_ci_register;  ///< Settings::consumer_register
    LossyRings m_lossy;
    Rows<Row> m_rows;
    Rows<std::uint64_t> m_cells;
    std::uint32_t m_cells_used = 1;
    /// First cells of CQs that are gone, by depth: a new CQ of the depth takes them.
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_free_cells;
    std::vector<Unexplained> m_unexplained;
    std::vector<Sweep> m_sweeps;
    std::vector<RingChange> m_changes;
    std::unordered_map<std::uint32_t, NewRing> m_new_rings;  ///< by CQ
    std::vector<PolledEarly> m_polled_early;
    ReadWindow m_window;
};

}  // namespace cqsim::tb::check
