// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a run notified: events, entries of event queues, interrupts, counted from its records.
#pragma once

#include "models/observe/record.h"
#include "tb/scenario/scenario.h"

#include <vector>

namespace cqsim::tb {

/// Counts by object number. Nothing here is on the path of a completion that is only polled.
class EventStatistics final : public RecordSubscriber {
  public:
    static constexpr KindMask kKinds =
        mask_of(Kind::Event) | mask_of(Kind::Eqe) | mask_of(Kind::Irq) | mask_of(Kind::Ack) |
        mask_of(Kind::Async) | mask_of(Kind::Create) | mask_of(Kind::Destroy);

    /// One event queue.
    struct Queue {
        std::uint64_t entries = 0;
        std::uint32_t consumer = 0;  ///< index that software gave last
        std::uint32_t peak = 0;      ///< entries in memory that software had not given back
        std::uint64_t waiting = 0;   ///< events whose entry is still to come
        std::uint64_t lost = 0;      ///< events whose entry never comes, beside those that wait
        bool error = false;          ///< DEVICE_FATAL (K13, S6.23)

        /// Events that got no entry: the queue was in error, or the CQ was, or is gone.
        std::uint64_t dropped() const { return error ? lost + waiting : lost; }
    };

    explicit EventStatistics(const Scenario& scenario);

    void observe(const RecordBatch& batch) override;

    /// Completion events of a CQ (S6.1).
    std::uint64_t events(Cqn cqn) const { return m_events[index_of(cqn)]; }
    const Queue& queue(Eqn eqn) const { return m_queues[static_cast<std::size_t>(eqn)]; }
    const std::vector<Queue>& queues() const { return m_queues; }
    /// Interrupts by vector.
    const std::vector<std::uint64_t>& interrupts() const { return m_interrupts; }

  private:
    /// What a CQ has told its event queue.
    struct Told {
        enum class State : std::uint8_t { Nothing, Waits, Void } state = State::Nothing;
        std::uint16_t eqn = kNoEqn;
    };

    void entry(const Record& record);
    void event(const Record& record);
    void async(const Record& record);
    void make_void(Cqn cqn);

    std::vector<std::uint64_t> m_events;
    std::vector<Told> m_told;  ///< by CQ
    std::vector<Queue> m_queues;
    std::vector<std::uint64_t> m_interrupts;
    std::uint16_t m_async_eqn = kNoEqn;
};

}  // namespace cqsim::tb
