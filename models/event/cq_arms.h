// SPDX-License-Identifier: Apache-2.0
/// \file
/// When a CQ reports: arm and moderation (S6.1 to S6.7, S6.16, S4.9, S4.10). No SystemC.
#pragma once

#include "models/event/event_config.h"
#include "models/protocol/command.h"
#include "models/protocol/event.h"
#include "models/rows/rows.h"

#include <cstring>

namespace cqsim {

/// One CQ as the event arbiter sees it. 32 bytes. Indices are device-visible.
struct EventRow {
    std::uint32_t published = 0;       ///< index after the newest entry that was heeded
    std::uint32_t notified = 0;        ///< level: index after the newest reported entry (S6.7)
    std::uint32_t last_solicited = 0;  ///< level: index after the newest solicited or failed entry
    std::uint32_t entries = 0;         ///< published since the arm
    std::uint32_t due = 0;             ///< when the period ends: the lower 32 bits of the time
    std::uint32_t period = 0;          ///< of the moderation, in ps
    std::uint16_t count = 0;           ///< of the moderation
    std::uint16_t waiting = 0;         ///< entries since the arm of the kind that it waits for
    std::uint16_t eqn = 0;
    std::uint8_t flags = 0;
    std::uint8_t epoch = 0;  ///< timer entries of another epoch are void

    static constexpr std::uint8_t kAttached = 1;
    static constexpr std::uint8_t kArmed = 2;
    static constexpr std::uint8_t kSolicited = 4;  ///< armed: for solicited or failed entries only
    static constexpr std::uint8_t kFailed = 8;     ///< S6.16
    static constexpr std::uint8_t kQueued = 16;    ///< its event waits for its EQE
    static constexpr std::uint8_t kRunning = 32;   ///< the period runs, and ends at `due`
    static constexpr std::uint8_t kTimed = 64;     ///< a timer entry at or before `due` exists

    bool is(std::uint8_t flag) const { return (flags & flag) != 0; }
    void set(std::uint8_t flag) { flags = static_cast<std::uint8_t>(flags | flag); }
    void clear(unsigned which) { flags = static_cast<std::uint8_t>(flags & ~which); }

    friend bool operator==(const EventRow& l, const EventRow& r) {
        return std::memcmp(&l, &r, sizeof l) == 0;
    }
};
static_assert(sizeof(EventRow) == 32);

/// The numbers that CQ indices take: as the overflow checker counts.
struct CqIndices {
    std::uint32_t mask = 0xFFFF'FFFF;
    std::uint32_t first = 0;  ///< of a new CQ
};

/// A CQ has reported; it is not armed any more.
struct CqEvent {
    Cqn cqn = kNoCq;
    Eqn eqn{};
    std::uint32_t index = 0;    ///< of the newest published entry
    std::uint32_t entries = 0;  ///< published since the arm
    EventCause cause{};
};

/// Arm state and moderation of all CQs. Functions that return 'fired' fill in the event.
///
/// Moderation counts from the arm; its period runs from the first entry after the arm that the arm
/// waits for, so that the last entries are always reported.
class CqArms {
  public:
    CqArms(const EventConfig& config, CqIndices indices, Rows<EventRow> rows);

    /// What `attach` would answer.
    CommandResult may_attach(const CreateCq& command) const;
    /// K25: not armed. Invalid: number out of range or in use, or no such moderation. Unsupported:
    /// moderation that the device does not have (S4.9).
    CommandResult attach(const CreateCq& command);
    /// S4.12. What it had to say is void.
    void detach(Cqn cqn);
    /// NoEntry: no such CQ, or it has no event queue. Invalid: no such moderation. Unsupported: the
    /// device has none (S4.9).
    CommandResult modify(const ModifyCq& command, TimePs now, bool& fired, CqEvent& event);
    /// S4.15: of a CQ that exists.
    void query(Cqn cqn, CqContext& context) const;
    /// S6.5, K09. NoEntry: no such CQ; Invalid: it has no event queue. Ok for a CQ in error, which
    /// is never armed again (S6.16).
    CommandResult arm(Cqn cqn, std::uint32_t consumer, ArmKind kind, bool& fired, CqEvent& event);
    /// S6.16.
    void fail(Cqn cqn);

    /// Notes an entry. \returns whether an arm waits for it: then call `count`.
    bool note(const PublishedEntry& entry) {
        if (!heeds(entry.cqn)) {
            return false;
        }
        EventRow& row = m_rows[index_of(entry.cqn)];
        row.published = (entry.index + 1) & m_mask;
        if (m_level) {
            note_level(row, entry);
        }
        if (!row.is(EventRow::kArmed)) {
            return false;
        }
        ++row.entries;
        return !row.is(EventRow::kSolicited) || counts_as_solicited(entry);  // S6.4
    }
    /// The entry that was just noted counts. \returns fired.
    bool count(const PublishedEntry& entry, TimePs now, CqEvent& event);

    /// When `expire` must be called next; kNever if there is no need.
    TimePs next_due() const { return m_timers.empty() ? kNever : m_timers.front().at; }
    /// The next CQ whose period is over; false when there is none at this time.
    bool expire(TimePs now, CqEvent& event);

    /// Timer entries: at most one of each CQ, and void ones until their time is over.
    std::size_t timers() const { return m_timers.size(); }

    /// Its event waits for its EQE. \returns false when one waited already.
    bool queue(Cqn cqn);
    /// Takes the mark off. \returns whether the CQ still has something to say to this event queue.
    bool unqueue(Cqn cqn, Eqn eqn);

    const EventRow& row(Cqn cqn) const { return m_rows[index_of(cqn)]; }
    bool exists(Cqn cqn) const {
        return index_of(cqn) < m_rows.size() && row(cqn).is(EventRow::kAttached);
    }
    [[gnu::always_inline]] void prefetch(Cqn cqn) const {
        if (heeds(cqn)) {
            m_rows.prefetch(index_of(cqn));
        }
    }

  private:
    struct Timer {
        TimePs at{};
        Cqn cqn = kNoCq;
        std::uint32_t epoch = 0;

        friend bool operator<(const Timer& l, const Timer& r) {  // a heap whose front is earliest
            return r.at < l.at || (l.at == r.at && index_of(r.cqn) < index_of(l.cqn));
        }
        friend bool operator==(const Timer& l, const Timer& r) {
            return l.at == r.at && l.cqn == r.cqn && l.epoch == r.epoch;
        }
    };

    auto state() const {
        return std::tie(m_mask,
                        m_first,
                        m_level,
                        m_breaks,
                        m_moderates,
                        m_failed_sends,
                        m_rows,
                        m_heeded,
                        m_timers);
    }
    /// S6.2, K11.
    bool counts_as_solicited(const PublishedEntry& entry) const {
        return entry.solicited ||
               (entry.failed && (m_failed_sends || entry.queue == QueueKind::Receive));
    }

    bool heeds(Cqn cqn) const {
        return (m_heeded[index_of(cqn) / 64] >> (index_of(cqn) % 64) & 1U) != 0;
    }
    void heed(Cqn cqn);
    void ignore(Cqn cqn);
    void note_level(EventRow& row, const PublishedEntry& entry) const;
    bool lies_after(std::uint32_t index, std::uint32_t other) const;
    void fire(Cqn cqn, EventCause cause, CqEvent& event);
    void start_period(Cqn cqn, TimePs at);
    void push_timer(Cqn cqn, TimePs at);
    /// When the running period ends; no more than a period from `reference`.
    static TimePs due_of(const EventRow& row, TimePs reference);

    std::uint32_t m_mask;
    std::uint32_t m_first;
    bool m_level;
    bool m_breaks;
    bool m_moderates;
    bool m_failed_sends;  ///< count as solicited
    Rows<EventRow> m_rows;
    /// A bit for each CQ whose entries matter: the armed ones; by level all that have an event
    /// queue. It spares the others' rows, a cache line each.
    std::vector<std::uint64_t> m_heeded;
    std::vector<Timer> m_timers;  ///< a heap; at most one entry of a CQ's present epoch

  public:
    friend bool operator==(const CqArms& l, const CqArms& r) { return l.state() == r.state(); }
    void hash_into(Hasher& hasher) const { hasher.add(hash_of(state())); }
};

}  // namespace cqsim
