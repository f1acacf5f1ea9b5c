// SPDX-License-Identifier: Apache-2.0
/// \file
/// The block without a kernel: the rule objects of the modules, composed (P2).
///
/// Serves what has no use for SystemC: a reference model behind a C interface, an explorer of
/// states, a comparison with the timed engine.
///
/// Inputs are what software and the pipelines do, and that time passes. Nothing else happens by
/// itself: whoever drives the core says when the next completion is served, when the oldest write
/// is in memory, and when the next event is formed, in any order. The engine at zero latency serves
/// while completions wait and its window of writes has room, then lets the writes land, then forms
/// events, lets those land, and so on until all three have nothing left.
#pragma once

#include "models/arbiter/arbiter_rules.h"
#include "models/command/command_rules.h"
#include "models/core/core_output.h"
#include "models/doorbell/doorbell_rules.h"
#include "models/event/event_rules.h"
#include "models/overflow/overflow_rules.h"
#include "models/qp/qp_rules.h"
#include "models/writer/undefined_fill.h"

namespace cqsim {

/// As EngineConfig, without what is time alone: the rest of the writer's is left out, and
/// `event.eqe_service`, `command.service`, and of `doorbell` what `overflow` says, are not looked
/// at.
struct CoreConfig {
    std::uint32_t qps = 0;
    std::uint32_t cqs = 0;
    std::uint64_t seed = 1;
    ArbiterConfig arbiter;
    UndefinedPolicy undefined = UndefinedPolicy::Poison;
    OverflowConfig overflow;
    EventConfig event;
    QpConfig qp;
    DoorbellConfig doorbell;
    CommandConfig command;
};

/// A copyable value: a copy goes on as the original would. Every function adds to `out` what it
/// did.
class Core {
  public:
    /// Held: nothing more may be offered on this kind of queue before `rooms` says that it is
    /// inside. NoCredit: not taken; `rooms` says when the work queue may be offered again.
    using Offered = ArbiterRules::Offer;

    explicit Core(const CoreConfig& config);

    // What the pipelines do.

    /// A request has ended. Taken, if it was reported, suppressed, or cancelled for belonging to an
    /// earlier life of the QP's number (D3).
    Offered offer(const Completion& completion, CoreOutput& out);
    /// The work queue that has a credit finds nothing to offer: its QP's life is over.
    void decline(Qpn qpn, QueueKind queue, CoreOutput& out);
    /// A request ended with an error of its own: say so when its completion is offered.
    void request_failed(
        Qpn qpn, std::uint16_t generation, QueueKind queue, WcStatus status, CoreOutput& out);
    /// S2.23: in SQD, the last send request that was in progress has ended.
    void drained(Qpn qpn, std::uint16_t generation, CoreOutput& out);
    /// S2.26: a QP on an SRQ is in ERR, and all that it took has ended and is accepted.
    void last_wqe_ended(Qpn qpn, std::uint16_t generation, CoreOutput& out);
    /// S5.9: what is left in the SRQ is below the limit that software had armed.
    void srq_limit_reached(Srqn srqn, CoreOutput& out);
    /// K18: the queue that flushes first is through (QpStateBackward).
    void flushed(Qpn qpn, std::uint16_t generation, QueueKind queue, CoreOutput& out);

    // What software does.

    /// S4, S7. Accepted: `CoreOutput::done` follows, when nothing of the QP is in flight.
    CommandStatus submit(std::uint32_t ticket,
                         const Command& command,
                         CommandAnswer& answer,
                         CoreOutput& out);
    /// An access to the BAR (bar_map.h).
    BusAnswer access_bar(const BarAccess& access, CoreOutput& out);
    /// The doorbell record of this CQ has this consumer index from now on. It is looked at when the
    /// CQ looks full (K20). A CQ number keeps its last value until software writes another.
    void write_doorbell_record(Cqn cqn, std::uint32_t value) {
        m_doorbell_records[index_of(cqn)] = value;
    }

    // Time.

    /// It is `now`, and not earlier. Periods of moderation that are over by then are `report`'s.
    void advance(TimePs now) { m_now = later_of(m_now, now); }
    /// When a period may end next; kNever if none runs.
    TimePs next_due() const { return m_events.arms().next_due(); }

    // What the block does. Each does one thing, and returns false when there is nothing to do.

    /// The next completion gets its answer, and its entry is on its way to memory if it has one.
    bool serve(CoreOutput& out);
    /// The oldest write on its way is in memory, or failed, which `ok` says.
    bool land(bool ok, CoreOutput& out);
    /// The next period ends, or the next entry of an event queue or interrupt is on its way.
    bool report(CoreOutput& out);

    /// Where the write goes that `land` is about; null when none is on its way.
    const CoreWrite* in_flight() const {
        return m_flights.empty() ? nullptr : &m_flights.front().write;
    }
    const CqRow& cq(Cqn cqn) const { return m_overflow.row(cqn); }
    const QpRow& qp(Qpn qpn) const { return m_qps.row(qpn); }
    const EventRules& events() const { return m_events; }
    /// Consumer indices, on whichever path, that no correct software writes.
    std::uint64_t refused_consumer_indices() const { return m_refused_consumer_indices; }

  private:
    /// A write on its way.
    struct Flight {
        Record seen{};  ///< what an observer sees when it is in memory
        CoreWrite write;
        /// What is written.
        enum class What : std::uint32_t { Entry, EndOfRing, OfEventQueue };

        std::uint32_t token = 0;  ///< SlotTag, or the place in the event queues' window
        Qpn qpn = kNoQp;          ///< of an entry: whose completion it is
        What what = What::Entry;

        friend bool operator==(const Flight& l, const Flight& r) {
            return std::memcmp(&l.seen, &r.seen, sizeof l.seen) == 0 && l.write == r.write &&
                   l.token == r.token && l.qpn == r.qpn && l.what == r.what;
        }
        void hash_into(Hasher& hasher) const {
            hasher.add(hash_of(
                std::tie(seen, write.address, write.length, write.bytes, token, qpn, what)));
        }
    };
    class Owners;

    auto state() const {
        return std::tie(m_qps,
                        m_overflow,
                        m_arbiter,
                        m_events,
                        m_fill,
                        m_open,
                        m_flights,
                        m_doorbell_records,
                        m_refused_consumer_indices,
                        m_now);
    }

    Record& observe(Kind kind, CoreOutput& out) const;
    void answer(const Completion& completion, Outcome outcome, LostCause cause, CoreOutput& out);
    void make_room(const ArbiterRules::Room& room, CoreOutput& out);
    void decide(const Completion& completion, CoreOutput& out);
    OverflowRules::Verdict request_slot(const SlotRequest& asked, SlotAnswer& slot);
    void write(const Completion& completion, const SlotAnswer& slot, CoreOutput& out);
    void leave(const Completion& completion, Outcome outcome, LostCause cause, CoreOutput& out);
    void left(Qpn qpn, QueueKind queue, CoreOutput& out);
    Record& observe_write(Flight& flight, Cqn cqn, std::uint64_t ring, CoreOutput& out) const;
    void end_ring(Cqn cqn, std::uint64_t ring, const SlotAnswer& end, CoreOutput& out);
    void commit(SlotTag tag, bool ok, CoreOutput& out);
    void publish(const PublishedEntry& published, CoreOutput& out);
    void cq_failed(Cqn cqn, CoreOutput& out);

    void apply(Qpn qpn, const QpRules::Effect& effect, CoreOutput& out);
    void raise(Qpn qpn, AsyncEvent event, CoreOutput& out);
    CommandStatus begin_end_of_life(Qpn qpn,
                                    const QpRules::Answer& decided,
                                    CommandAnswer& answer,
                                    CoreOutput& out);
    CommandAnswer life_over(Qpn qpn, CoreOutput& out) const;

    CommandResult act(const Doorbell& doorbell, CoreOutput& out);
    void observe_consumer(const Doorbell& doorbell, CoreOutput& out) const;
    void observe_event(bool fired, const CqEvent& event, CoreOutput& out) const;
    void send(const EventRules::Action& action, CoreOutput& out);

    DoorbellConfig m_doorbell;
    CommandConfig m_command;
    QpRules m_qps;
    OverflowRules m_overflow;
    ArbiterRules m_arbiter;
    EventRules m_events;
    UndefinedFill m_fill;
    OpenTickets m_open;
    DueRing<Flight> m_flights;                      ///< oldest first
    std::vector<std::uint32_t> m_doorbell_records;  ///< of each CQ, as software wrote it
    std::uint64_t m_refused_consumer_indices = 0;
    TimePs m_now{};

  public:
    friend bool operator==(const Core& l, const Core& r) { return l.state() == r.state(); }
    std::uint64_t hash() const;
};

}  // namespace cqsim
