// SPDX-License-Identifier: Apache-2.0
/// \file
/// Software that sleeps until an interrupt tells it of completions.
#pragma once

#include "models/observe/record.h"
#include "models/time/timeline.h"
#include "tb/host/eq_reader.h"
#include "tb/host/host_policies.h"
#include "tb/host/reused.h"
#include "tb/host/ring_reader.h"

#include <vector>

namespace cqsim::tb {

/// How one CQ is served. Each poll and each arm takes one `interval`.
struct EventSettings {
    std::uint32_t batch = 16;  ///< entries per poll, at least 1
    TimePs interval{};         ///< at least 1 ps
    TimePs first{};            ///< the first poll
    ArmKind arm = ArmKind::Next;
    SleepOrder order = SleepOrder::ArmThenPoll;
};

/// Counts of the whole host.
struct EventCounts {
    std::uint64_t polls = 0;
    std::uint64_t arms = 0;
    std::uint64_t interrupts = 0;
    std::uint64_t events = 0;        ///< completion events read
    std::uint64_t acks = 0;          ///< completion events acknowledged (S6.18)
    std::uint64_t empty_wakes = 0;   ///< wake-ups that found no entry: legal (S6.9)
    std::uint64_t stray_events = 0;  ///< events of a CQ that no loop of this kind serves
    std::uint64_t dropped = 0;       ///< entries of event queues that name a CQ that went (S4.13)
    std::uint64_t async_events = 0;
    std::uint64_t cq_errors = 0;    ///< of async_events
    std::uint64_t qp_failures = 0;  ///< of async_events
    std::uint64_t refused = 0;      ///< arms that the bus refused
};

/// Event queues, and the consumers of CQs in mode `event` (S6.8): poll until empty, arm, poll until
/// empty again, sleep. An interrupt's handler runs `interrupt_latency` later, reads every entry of
/// the vector's event queues, acknowledges completion events, wakes their consumers, and arms the
/// queues. Interrupts that come before the handler runs are answered by that one run.
class EventLoop final : private TimedBlock {
  public:
    EventLoop(Timeline& timeline,
              HostBus& bus,
              RingReader& rings,
              EqReader& queues,
              TimePs interrupt_latency);

    /// Serves the CQ from `settings.first` on.
    void serve(Cqn cqn, const EventSettings& settings);
    /// The CQ is gone: serves it no more, and drops what the event queues say of it (S4.13).
    void leave(Cqn cqn);
    /// Something else than an event may have made entries readable: polls the CQ if it sleeps.
    void look_again(Cqn cqn);
    /// Whether interrupts of the queue's vector read the queue; if not, only `read` does.
    void handle(Eqn eqn);

    /// The vector's message has been written into memory.
    void interrupted(std::uint16_t vector);

    /// Reads one entry of a queue by hand. A completion event waits for `acknowledge`.
    std::optional<eqe::Decoded> read(Eqn eqn);
    /// S6.18. \returns false, and acknowledges nothing, when fewer wait.
    bool acknowledge(Cqn cqn, std::uint32_t count);
    /// Completion events of the CQ that were read and are not acknowledged (S4.13).
    std::uint32_t unacknowledged(Cqn cqn) const {
        return index_of(cqn) < m_unacknowledged.size() ? m_unacknowledged[index_of(cqn)] : 0;
    }
    /// Arms the CQ (S6.1) with software's consumer index (S6.11). \returns false when refused.
    bool arm(Cqn cqn, ArmKind kind);

    const EventCounts& counts() const { return m_counts; }

  private:
    enum class Phase : std::uint8_t { Gone, Asleep, Draining, Arming, Rechecking };
    struct Consumer {
        EventSettings settings;
        std::uint32_t turn = 0;  ///< the tick that counts: earlier ones are void
        Phase phase = Phase::Asleep;
        bool woken = false;   ///< by an event; the next poll is the first since
        bool failed = false;  ///< CQ_ERR: drained (K08) once more, then left alone
    };
    /// A consumer's next action, or a vector's handler.
    struct Tick {
        TimePs at{};
        std::uint64_t order = 0;  ///< of two at one time, what was asked for first
        Cqn cqn = kNoCq;          ///< kNoCq: of a vector
        std::uint32_t turn = 0;   ///< of the consumer; or the vector

        friend bool operator<(const Tick& l, const Tick& r) {  // a heap whose front is earliest
            return r.at < l.at || (l.at == r.at && r.order < l.order);
        }
    };
    struct Vector {
        std::vector<Eqn> queues;
        bool pending = false;  ///< the handler is about to run
    };

    void due(TimePs now) override;
    void ask(TimePs at, Cqn cqn, std::uint32_t turn);
    void next_turn(Cqn cqn, TimePs at);
    void act(Cqn cqn, TimePs now);
    void poll(Cqn cqn, Consumer& consumer, TimePs now);
    void found_empty(Cqn cqn, Consumer& consumer, TimePs now);
    void run_handler(Vector& vector, TimePs now);
    void dispatch(const eqe::Decoded& event, TimePs now);
    void count_async(const eqe::Decoded& event);
    void completion_event(Cqn cqn, TimePs now);
    void cq_failed(Cqn cqn, TimePs now);
    Consumer* consumer(Cqn cqn);
    std::uint32_t& unacknowledged_of(Cqn cqn);

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    HostBus& m_bus;
    RingReader& m_rings;
    EqReader& m_queues;
    TimePs m_interrupt_latency;
    Reused<Consumer> m_consumers;
    std::vector<Vector> m_vectors;
    std::vector<std::uint32_t> m_unacknowledged;  ///< by CQ
    std::vector<Tick> m_ticks;                    ///< a heap
    std::uint64_t m_order = 0;
    EventCounts m_counts;
};

}  // namespace cqsim::tb
