// SPDX-License-Identifier: Apache-2.0
/// \file
/// Event queues and interrupts. S3.5, S6.15, S6.21, S6.22 to S6.24.
#pragma once

#include "models/verbs/verbs.h"
#include "tb/check/event_entry.h"
#include "tb/check/rows.h"
#include "tb/check/rules.h"
#include "tb/check/settings.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace cqsim::tb::check {

/// Follows each event queue's ring, the asynchronous events that wait for their entries, and the
/// interrupts that are owed.
class EqChecker {
  public:
    EqChecker(const Settings& settings, Findings& findings);

    void on_create(const Record& record);
    /// Whether the entry is a completion event in a queue for these: CQs know the rest.
    bool on_entry(const Record& record, const EventEntry& entry);
    /// Relaxed memory: whether it is in memory before earlier ones of its queue, which have room.
    bool before_earlier_ones(const Record& record) const;
    /// A CQ reports to a queue.
    void on_event(const Record& record);
    void on_async(const Record& record);
    void on_ack(const Record& record);
    /// An `ack` was refused: it never was.
    void on_refused_ack(std::uint16_t eqn);
    void on_interrupt(const Record& record);
    /// `over`: nothing was left to run.
    void finish(std::uint64_t time_ps, bool over);

    /// Whether entries may be missing: the queue is in error, which DEVICE_FATAL says (K13, S6.23),
    /// or it is full and holds events back.
    bool excused(std::uint16_t eqn) const;

  private:
    using Flag = std::uint8_t;
    static constexpr Flag kKnown = 1;
    static constexpr Flag kAsync = 2;
    static constexpr Flag kArmed = 4;
    static constexpr Flag kOverflows = 8;  ///< it has no room for some event that was raised
    static constexpr Flag kFatal = 16;     ///< DEVICE_FATAL was raised for it

    struct alignas(kLine) Row {
        std::uint64_t ring;
        std::uint32_t depth;
        std::uint32_t written;  ///< entries
        std::uint32_t read;     ///< by the index that software gave
        /// Events; of those of one CQ some may share an entry, or be void with their CQ.
        std::uint32_t raised;
        std::uint32_t owed;  ///< interrupts that were caused and have not come
        /// Interrupts that may come beyond: software armed again, or read the entries, while one
        /// was under way. How long one may be under way nobody says: they lapse with the run.
        std::uint32_t spare;
        std::uint16_t vector;
        std::uint16_t stride;
        std::uint16_t next_of_vector;  ///< 1 + eqn; 0: none
        std::uint8_t flags;
    };
    static_assert(sizeof(Row) == kLine);

    struct Waiting {
        AsyncEvent event;
        Cqn cqn;
        Qpn qpn;
        std::uint32_t srqn;  ///< 0: none
    };

    Row* row_of(std::uint16_t eqn) {
        return eqn < m_rows.size() && (m_rows[eqn].flags & kKnown) != 0 ? &m_rows[eqn] : nullptr;
    }
    void owe(Row& row);
    void raise(Row& row) const;
    void on_device_fatal(const Record& record);
    void check_place(const Row& row, const Record& record, const EventEntry& entry);
    void async_entry(const Record& record, const EventEntry& entry);

    Row m_before_ack{};  ///< what the last ack changed
    Findings& m_findings;
    Rows<Row> m_rows;
    std::vector<std::uint16_t> m_first_of_vector;  ///< 1 + eqn; 0: none
    std::deque<Waiting> m_async;
    std::uint32_t m_async_eq = kNoEqn;
    std::uint32_t m_last_acked = kNoEqn;
    bool m_drops;
    bool m_relaxed;
};

}  // namespace cqsim::tb::check
