// SPDX-License-Identifier: Apache-2.0
/// \file
/// The event arbiter's rules: who reports, to which event queue, in what order (S6). No SystemC.
#pragma once

#include "models/event/cq_arms.h"
#include "models/event/event_queues.h"

namespace cqsim {

/// Arms and moderation decide that a CQ reports (`CqEvent`); then it waits for its turn at the one
/// path that forms entries. Asynchronous events go first, in order of arrival; then the completion
/// event queues take turns, and within one its CQs, first come first served.
///
/// A function that can make a CQ report says so by `fired` or its return value; it is queued then.
class EventRules {
  public:
    /// What is to be done next.
    struct Action {
        enum class What : std::uint8_t {
            Nothing,      ///< for now; ask again at `wake_at`, or when a write is over
            WriteEntry,   ///< `write`, formed at `at`
            Interrupt,    ///< `write`: a write of the vector's number, 4 bytes
            DeviceFatal,  ///< event queue `write.eqn` has gone to error: raise DEVICE_FATAL (K13)
        } what = What::Nothing;
        TimePs at{};
        EventQueues::Write write;
    };

    EventRules(const EventConfig& config, CqIndices indices, Rows<EventRow> rows);

    CommandResult create_eq(const CreateEq& command) { return m_queues.create(command); }
    /// As of CqArms; Invalid as well if its event queue does not take completion events.
    CommandResult may_attach(const CreateCq& command) const;
    CommandResult attach(const CreateCq& command);
    CommandResult modify(const ModifyCq& command, TimePs now, bool& fired, CqEvent& event);
    void query(Cqn cqn, CqContext& context) const { m_arms.query(cqn, context); }
    void detach(Cqn cqn) { m_arms.detach(cqn); }

    /// Returns whether an arm waits for the entry: then call `count`.
    bool note(const PublishedEntry& entry) { return m_arms.note(entry); }
    bool count(const PublishedEntry& entry, TimePs now, CqEvent& event);
    bool expire(TimePs now, CqEvent& event);
    CommandResult arm(Cqn cqn, std::uint32_t consumer, ArmKind kind, bool& fired, CqEvent& event);
    void fail(Cqn cqn) { m_arms.fail(cqn); }

    CommandResult eq_consumer(Eqn eqn, std::uint32_t consumer, bool arms);
    /// An asynchronous event is to be delivered (S6.16: whatever the arm state).
    void raise(const AsyncReport& report);

    /// The next thing to do, with a request of the DMA port to send it by.
    Action next(TimePs now);
    /// The bytes of the write of an action: an entry or an interrupt. \returns how many.
    static std::uint32_t encode(const Action& action, std::byte* bytes);
    void landed(std::uint32_t place, bool ok) { m_queues.landed(place, ok); }
    /// When `next` or `expire` must be called again if nothing else happens; 0: at once; kNever: no
    /// need.
    TimePs wake_at() const;

    const CqArms& arms() const { return m_arms; }
    const EventQueues& queues() const { return m_queues; }
    /// Asynchronous events for which there was no event queue.
    std::uint64_t unheard() const { return m_unheard; }
    /// Events that wait for their entry; marks of CQs that have failed or gone may be among them.
    std::size_t waiting() const;
    /// No event waits and no write is in flight. CQs may be armed and periods running.
    bool idle() const;

  private:
    /// An asynchronous event that waits.
    struct AsyncEntry {
        Cqn cqn = kNoCq;
        Qpn qpn = kNoQp;
        std::uint16_t type = 0;  ///< EqeType
        Srqn srqn = kNoSrq;

        friend bool operator==(const AsyncEntry& l, const AsyncEntry& r) {
            return l.cqn == r.cqn && l.qpn == r.qpn && l.type == r.type && l.srqn == r.srqn;
        }
    };

    auto state() const {
        return std::tie(
            m_service, m_waits_when_full, m_arms, m_queues, m_async, m_turns, m_free_at, m_unheard);
    }
    void report(const CqEvent& event);
    void take_turn(Eqn eqn);
    bool next_async(Action& action);
    bool next_completion(Action& action);
    bool next_of(Eqn eqn, Action& action);
    void drop_waiting(Eqn eqn);
    bool async_waits() const;

    TimePs m_service;
    bool m_waits_when_full;
    CqArms m_arms;
    EventQueues m_queues;
    DueRing<AsyncEntry> m_async;
    DueRing<Eqn> m_turns;  ///< queues with something to report, in the order of their turns
    TimePs m_free_at{};    ///< of the path
    std::uint64_t m_unheard = 0;

  public:
    friend bool operator==(const EventRules& l, const EventRules& r) {
        return l.state() == r.state();
    }
    std::uint64_t hash() const { return hash_of(state()); }
};

}  // namespace cqsim
