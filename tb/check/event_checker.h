// SPDX-License-Identifier: Apache-2.0
/// \file
/// When a CQ reports that it has entries: never too often, never too late.
/// S4.5, S4.9, S4.12, S5.2, S6.1, S6.2, S6.5, S6.7, S6.15, S6.16, S6.21, I6.
#pragma once

#include "tb/check/entry.h"
#include "tb/check/eq_checker.h"
#include "tb/check/rows.h"
#include "tb/check/rules.h"
#include "tb/check/settings.h"

#include <cstdint>
#include <vector>

namespace cqsim::tb::check {

/// Follows each CQ's arm and the entries that became visible since, and from them when an event is
/// due. Which entries are solicited it takes from their bytes, not from the device's word.
class EventChecker {
  public:
    EventChecker(const Settings& settings, Findings& findings);

    void on_create(const Record& record);
    void on_modify(const Record& record);
    void on_visible(const Record& record, const Entry& entry) {
        if (index_of(record.cqn) >= m_rows.size()) {
            return;
        }
        Row& row = m_rows[index_of(record.cqn)];
        ++row.visible;
        row.flags &= static_cast<Flag>(~kRingEnded);
        row.newest_ps = static_cast<std::uint32_t>(record.time_ps);
        const bool failed = record.state != static_cast<std::uint8_t>(WcStatus::Success);
        const bool solicited = record.queue == QueueKind::Receive ? failed || entry.solicited()
                                                                  : failed && m_failed_sends;
        if (solicited) {
            row.solicited = row.visible;
        }
        if ((row.flags & kArmed) != 0) {
            entry_while_armed(row, record, solicited);
        }
    }
    /// Relaxed memory: the entry that is visible next was published together with the one before
    /// it, after it (D2): an event of that moment may be of the earlier one.
    void on_released(const Record& record);
    void on_arm(const Record& record);
    /// The CQ's last arm was refused, at once or some cycles later: it never was. The device may do
    /// so if there is no such CQ, if it is in error or has no event queue, or for a consumer index
    /// with more bits than the device's.
    void on_refused_arm(const Record& record);
    void on_event(const Record& record);
    /// A completion entry was written to an event queue.
    void on_entry(const Record& record);
    void on_cq_error(const Record& record);
    /// Its ring is replaced.
    void on_resize(const Record& record);
    /// The entry that ends its old ring is visible: an index that is no completion's.
    void on_ring_end(const Record& record);
    /// A query of the CQ was answered: whether it may be armed as it says.
    void on_query(const Record& record);
    void on_destroy(const Record& record);
    /// What was due before the end, or ever if nothing was left to run, must have been reported.
    void finish(const Record& end, const EqChecker& eqs);

    [[gnu::always_inline]] void prefetch_row(const Record& record) {
        if (index_of(record.cqn) < m_rows.size()) {
            prefetch(&m_rows[index_of(record.cqn)]);
        }
    }

  private:
    static constexpr std::uint64_t kNotDue = UINT64_MAX;

    using Flag = std::uint16_t;
    static constexpr Flag kKnown = 1;
    static constexpr Flag kArmed = 2;
    static constexpr Flag kSolicitedOnly = 4;
    static constexpr Flag kEverArmed = 8;
    static constexpr Flag kRearmed = 16;      ///< armed again before it reported
    static constexpr Flag kMerged = 32;       ///< for another kind of entries
    static constexpr Flag kUnread = 64;       ///< by level: the arm left entries unread
    static constexpr Flag kUnreported = 128;  ///< and of these some that no event had told of
    static constexpr Flag kSaid = 256;        ///< that its event is late
    static constexpr Flag kError = 512;
    static constexpr Flag kGone = 1024;
    static constexpr Flag kStale = 2048;  ///< `open` is of a CQ that had the number before
    static constexpr Flag kBlurred =
        4096;  ///< the device may take an entry before the arm for later
    /// The newest index is that of the entry that ended a ring: an event may name it, or the one
    /// before it.
    static constexpr Flag kRingEnded = 32768;
    /// An entry came after the last event. It tells of those before it, too, which waited for one.
    static constexpr Flag kTold = 8192;
    /// An arm that may be refused yet: until the device says so, or the run ends, nothing is late.
    static constexpr Flag kDoubtful = 16384;
    static constexpr Flag kOfArm =
        kSolicitedOnly | kRearmed | kMerged | kUnread | kUnreported | kSaid | kBlurred | kDoubtful;

    struct alignas(kLine) Row {
        std::uint64_t due_ps;    ///< when it must have reported; kNotDue
        std::uint64_t first_ps;  ///< of the first entry that counts since the arm
        std::uint64_t period_ps;
        // Entries, modulo 2^32.
        std::uint32_t visible;
        std::uint32_t solicited;  ///< `visible` at the newest solicited or failed one
        std::uint32_t reported;   ///< `visible` at the last event
        std::uint32_t at_arm;     ///< `visible` at the arm
        std::uint32_t matching;   ///< since the arm, of the kind that it waits for
        std::uint32_t first_index;
        std::uint32_t depth;
        std::uint32_t newest_ps;  ///< when the newest entry became visible, modulo 2^32
        std::uint16_t count;
        std::uint16_t eqn;
        std::uint16_t open;  ///< events without an entry in the event queue
        std::uint16_t flags;
    };
    static_assert(sizeof(Row) == kLine);

    /// Entries that were published together with one before them.
    struct Together {
        std::uint64_t time_ps;
        Cqn cqn;
        std::uint32_t entries;
    };

    static bool moderated(const Row& row) { return row.count > 1; }
    /// Whether the device may not have noticed the newest entry yet.
    bool is_fresh(const Row& row, std::uint64_t time_ps) const {
        return static_cast<std::uint32_t>(time_ps) - row.newest_ps < m_latency_ps;
    }
    /// How many of the newest entries an event of now may leave out.
    std::uint32_t published_together(const Record& event) const;
    Row* row_of(const Record& record);
    void entry_while_armed(Row& row, const Record& record, bool solicited);
    static void due(Row& row, std::uint64_t time_ps);
    void check_level(Row& row, const Record& record);
    /// Says that an event is late if it is; true if so.
    bool late(Row& row, Cqn cqn, std::uint64_t time_ps) {
        return (row.flags & kDoubtful) == 0 && late(row, cqn, time_ps, time_ps);
    }
    /// `by_ps`: until when it should have come.
    bool late(Row& row, Cqn cqn, std::uint64_t time_ps, std::uint64_t by_ps);
    /// Why an event may not be, or null.
    bool unwarranted(const Row& row, const Record& record);
    void check_cause(const Row& row, const Record& record);

    Findings& m_findings;
    Rows<Row> m_rows;
    std::vector<Together> m_together;  ///< in order of time, those whose events may be to come
    std::uint32_t m_mask;
    bool m_level;
    bool m_breaks;
    bool m_failed_sends;         ///< count as solicited (K11)
    std::uint64_t m_latency_ps;  ///< from an entry in memory to its event, at most
};

}  // namespace cqsim::tb::check
