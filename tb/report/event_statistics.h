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
        mask_of(Kind::Event) | mask_of(Kind::Eqe) | mask_of(Kind::Irq) | mask_of(Kind::Ack);

    /// One event queue.
    struct Queue {
        std::uint64_t entries = 0;
        std::uint32_t consumer = 0;  ///< index that software gave last
        std::uint32_t peak = 0;      ///< entries in memory that software had not given back
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
    void entry(const Record& record);

    std::vector<std::uint64_t> m_events;
    std::vector<Queue> m_queues;
    std::vector<std::uint64_t> m_interrupts;
};

}  // namespace cqsim::tb
