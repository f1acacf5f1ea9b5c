// SPDX-License-Identifier: Apache-2.0
/// \file
/// Event queues, their rings and interrupts (S6.21 to S6.25, S3.5). No SystemC.
#pragma once

#include "models/event/eqe.h"
#include "models/event/event_config.h"
#include "models/protocol/command.h"
#include "models/rows/due_ring.h"
#include "models/rows/hash.h"

#include <vector>

namespace cqsim {

/// One event queue. Indices are free-running, 32 bits, from 0.
struct EventQueue {
    std::uint64_t ring = 0;       ///< address of entry 0
    std::uint32_t depth = 0;      ///< entries; all of them usable; 0: no such queue
    std::uint32_t producer = 0;   ///< index of the next entry to be written
    std::uint32_t in_memory = 0;  ///< index after the last entry that software can read
    std::uint32_t consumer = 0;   ///< as software wrote it last
    std::uint16_t vector = 0;
    EqKind kind = EqKind::Completion;
    bool armed = false;         ///< its next entry in memory interrupts, once (S6.22)
    bool error = false;         ///< K13, S6.23: takes no event any more
    bool hole = false;          ///< a write failed: what is behind it is never read
    bool turns = false;         ///< among the queues that take turns
    std::uint64_t dropped = 0;  ///< events that did not reach memory
    DueRing<Cqn> waiting;       ///< CQs with something to report, each once; void marks among them

    bool full() const { return producer - consumer == depth; }
    auto state() const {
        return std::tie(ring,
                        depth,
                        producer,
                        in_memory,
                        consumer,
                        vector,
                        kind,
                        armed,
                        error,
                        hole,
                        turns,
                        dropped,
                        waiting);
    }
    friend bool operator==(const EventQueue& l, const EventQueue& r) {
        return l.state() == r.state();
    }
    void hash_into(Hasher& hasher) const { hasher.add(hash_of(state())); }
};

/// Rings, consumer indices, interrupts and the window of writes in flight. Which event goes next is
/// decided by `EventRules`.
class EventQueues {
  public:
    /// A write to be sent.
    struct Write {
        std::uint64_t address = 0;
        std::uint32_t place = 0;  ///< in the window; give it back to `landed`
        Eqn eqn{};
        std::uint16_t vector = 0;  ///< of an interrupt
        std::uint8_t owner = 0;    ///< of an entry
        eqe::Decoded event;        ///< of an entry
    };

    explicit EventQueues(const EventConfig& config);

    /// Invalid: number or vector out of range or in use, no depth, address not aligned, a second
    /// queue for asynchronous events.
    CommandResult create(const CreateEq& command);
    bool exists(Eqn eqn) const { return exists(static_cast<std::uint16_t>(eqn)); }
    bool exists(std::uint32_t eqn) const {
        return eqn < m_queues.size() && m_queues[eqn].depth != 0;
    }
    bool takes_completions(std::uint16_t eqn) const {
        return exists(std::uint32_t{eqn}) && m_queues[eqn].kind == EqKind::Completion;
    }
    EventQueue& operator[](Eqn eqn) { return m_queues[static_cast<std::uint16_t>(eqn)]; }
    const EventQueue& operator[](Eqn eqn) const {
        return m_queues[static_cast<std::uint16_t>(eqn)];
    }
    /// The queue for asynchronous events; null when there is none.
    const EventQueue* async_queue() const { return m_aeq == kNoEqn ? nullptr : &m_queues[m_aeq]; }
    Eqn async_eqn() const { return Eqn{m_aeq}; }

    /// S6.22. NoEntry: no such queue. Invalid: software cannot have read so far, or goes back.
    CommandResult consume(Eqn eqn, std::uint32_t consumer, bool arms);

    bool window_full() const { return m_in_flight == m_window.size(); }
    std::uint32_t in_flight() const { return m_in_flight; }
    /// Puts an event into the queue's next entry. There must be room in it and in the window.
    Write write(Eqn eqn, const eqe::Decoded& event);
    /// The next interrupt to be sent; false when there is none. There must be room in the window.
    bool interrupt(Write& write);
    bool interrupts_wait() const { return !m_interrupts.empty(); }
    /// A write is over; in any order. S6.15: an entry counts, and interrupts, when all before it
    /// are in memory.
    void landed(std::uint32_t place, bool ok);

    /// The queue goes to error: DEVICE_FATAL is due.
    void fail(Eqn eqn);
    /// A queue that has just gone to error; false when there is none.
    bool take_failed(Eqn& eqn);
    bool failures_wait() const { return !m_failed.empty(); }
    std::size_t waiting() const;

    /// Interrupts whose write failed.
    std::uint64_t lost_interrupts() const { return m_lost_interrupts; }

  private:
    /// One write in flight.
    struct Flight {
        Eqn eqn{};
        std::uint8_t is_entry = 0;
        std::uint8_t state = 0;  ///< kOpen, kOk or kFailed

        friend bool operator==(const Flight& l, const Flight& r) {
            return l.eqn == r.eqn && l.is_entry == r.is_entry && l.state == r.state;
        }
    };

    auto state() const {
        return std::tie(m_msix,
                        m_vectors,
                        m_queues,
                        m_aeq,
                        m_interrupts,
                        m_failed,
                        m_window,
                        m_head,
                        m_in_flight,
                        m_lost_interrupts);
    }
    std::uint32_t launch(Eqn eqn, bool is_entry);
    void retire(const Flight& flight);
    void interrupt_if_due(Eqn eqn);

    std::uint64_t m_msix;
    std::uint32_t m_vectors;
    std::vector<EventQueue> m_queues;
    std::uint16_t m_aeq = kNoEqn;
    DueRing<Eqn> m_interrupts;  ///< queues whose interrupt is to be sent
    DueRing<Eqn> m_failed;
    std::vector<Flight> m_window;  ///< a ring, oldest at `m_head`
    std::uint32_t m_head = 0;
    std::uint32_t m_in_flight = 0;
    std::uint64_t m_lost_interrupts = 0;

  public:
    friend bool operator==(const EventQueues& l, const EventQueues& r) {
        return l.state() == r.state();
    }
    void hash_into(Hasher& hasher) const { hasher.add(hash_of(state())); }
};

}  // namespace cqsim
