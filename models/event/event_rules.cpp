// SPDX-License-Identifier: Apache-2.0
#include "models/event/event_rules.h"

#include <algorithm>

namespace cqsim {

EventRules::EventRules(const EventConfig& config, CqIndices indices, Rows<EventRow> rows)
    : m_service(config.eqe_service),
      m_waits_when_full(config.eq_overflow == EqOverflowPolicy::BackPressure),
      m_arms(config, indices, std::move(rows)),
      m_queues(config) {
}

CommandResult EventRules::may_attach(const CreateCq& command) const {
    if (command.eqn != kNoEqn && !m_queues.takes_completions(command.eqn)) {
        return CommandResult::Invalid;
    }
    return m_arms.may_attach(command);
}

CommandResult EventRules::attach(const CreateCq& command) {
    const CommandResult refusal = may_attach(command);
    return refusal == CommandResult::Ok ? m_arms.attach(command) : refusal;
}

CommandResult EventRules::modify(const ModifyCq& command, TimePs now, bool& fired, CqEvent& event) {
    fired = false;
    const CommandResult result = m_arms.modify(command, now, fired, event);
    if (fired) {
        report(event);
    }
    return result;
}

bool EventRules::count(const PublishedEntry& entry, TimePs now, CqEvent& event) {
    const bool fired = m_arms.count(entry, now, event);
    if (fired) {
        report(event);
    }
    return fired;
}

bool EventRules::expire(TimePs now, CqEvent& event) {
    const bool fired = m_arms.expire(now, event);
    if (fired) {
        report(event);
    }
    return fired;
}

CommandResult EventRules::arm(
    Cqn cqn, std::uint32_t consumer, ArmKind kind, bool& fired, CqEvent& event) {
    fired = false;
    const CommandResult result = m_arms.arm(cqn, consumer, kind, fired, event);
    if (fired) {
        report(event);
    }
    return result;
}

CommandResult EventRules::eq_consumer(Eqn eqn, std::uint32_t consumer, bool arms) {
    const CommandResult result = m_queues.consume(eqn, consumer, arms);
    if (result == CommandResult::Ok && !m_queues[eqn].waiting.empty()) {
        take_turn(eqn);  // it may have stood back because it was full
    }
    return result;
}

void EventRules::raise(const AsyncReport& report) {
    const EventQueue* queue = m_queues.async_queue();
    if (queue == nullptr) {
        ++m_unheard;
        return;
    }
    if (queue->error) {
        ++m_queues[m_queues.async_eqn()].dropped;
        return;
    }
    m_async.push(AsyncEntry{report.cqn, report.qpn, eqe::type_of(report.event), report.srqn});
}

void EventRules::report(const CqEvent& event) {
    EventQueue& queue = m_queues[event.eqn];
    if (queue.error) {
        ++queue.dropped;
        return;
    }
    if (m_arms.queue(event.cqn)) {
        queue.waiting.push(event.cqn);
        take_turn(event.eqn);
    }
}

void EventRules::take_turn(Eqn eqn) {
    EventQueue& queue = m_queues[eqn];
    if (!queue.turns) {
        queue.turns = true;
        m_turns.push(eqn);
    }
}

EventRules::Action EventRules::next(TimePs now) {
    Action action;
    Eqn failed{};
    if (m_queues.take_failed(failed)) {
        action.what = Action::What::DeviceFatal;
        action.write.eqn = failed;
        drop_waiting(failed);
        // On the queue that is in error itself it is dropped, and counted there.
        raise(AsyncReport{AsyncEvent::DeviceFatal, kNoCq, kNoQp});
        return action;
    }
    if (m_queues.window_full()) {
        return action;
    }
    if (m_queues.interrupt(action.write)) {
        action.what = Action::What::Interrupt;
        action.at = now;
        return action;
    }
    if (m_free_at > now) {
        return action;
    }
    if (next_async(action) || next_completion(action)) {
        if (action.what == Action::What::Nothing) {
            return next(now);  // a queue has gone to error: at most once each
        }
        m_free_at = now + m_service;
        action.at = m_free_at;
    }
    return action;
}

std::uint32_t EventRules::encode(const Action& action, std::byte* bytes) {
    if (action.what == Action::What::WriteEntry) {
        eqe::encode(action.write.event, action.write.owner, bytes);
        return eqe::kBytes;
    }
    for (unsigned i = 0; i < EventConfig::kMsixBytes; ++i) {
        bytes[i] = static_cast<std::byte>(std::uint32_t{action.write.vector} >> (8 * i));
    }
    return EventConfig::kMsixBytes;
}

/// Returns true when there is an action, or a queue has gone to error.
bool EventRules::next_async(Action& action) {
    if (!async_waits()) {
        return false;
    }
    const Eqn eqn = m_queues.async_eqn();
    if (m_queues[eqn].full()) {
        m_queues.fail(eqn);
        return true;
    }
    const AsyncEntry entry = m_async.front();
    m_async.pop();
    action.write =
        m_queues.write(eqn, {static_cast<EqeType>(entry.type), entry.cqn, entry.qpn, entry.srqn});
    action.what = Action::What::WriteEntry;
    return true;
}

/// As `next_async`.
bool EventRules::next_completion(Action& action) {
    while (!m_turns.empty()) {
        const Eqn eqn = m_turns.front();
        m_turns.pop();
        m_queues[eqn].turns = false;
        if (next_of(eqn, action)) {
            return true;
        }
    }
    return false;
}

bool EventRules::next_of(Eqn eqn, Action& action) {
    EventQueue& queue = m_queues[eqn];
    while (!queue.waiting.empty()) {
        if (queue.full() && m_waits_when_full) {
            return false;  // K13: until software gives entries back
        }
        const Cqn cqn = queue.waiting.front();
        queue.waiting.pop();
        if (!m_arms.unqueue(cqn, eqn)) {
            ++queue.dropped;  // its CQ has failed or gone since
            continue;
        }
        if (queue.full()) {
            ++queue.dropped;
            m_queues.fail(eqn);
            return true;
        }
        action.write = m_queues.write(eqn, {kCompletionEqe, cqn, kNoQp});
        action.what = Action::What::WriteEntry;
        if (!queue.waiting.empty()) {
            take_turn(eqn);
        }
        return true;
    }
    return false;
}

/// K13: the queue takes no event any more; what waits for it is dropped.
void EventRules::drop_waiting(Eqn eqn) {
    EventQueue& queue = m_queues[eqn];
    for (; !queue.waiting.empty(); queue.waiting.pop()) {
        m_arms.unqueue(queue.waiting.front(), eqn);
        ++queue.dropped;
    }
    if (eqn == m_queues.async_eqn()) {
        for (; !m_async.empty(); m_async.pop()) {
            ++queue.dropped;
        }
    }
}

bool EventRules::async_waits() const {
    return !m_async.empty() && !(m_waits_when_full && m_queues.async_queue()->full());
}

TimePs EventRules::wake_at() const {
    TimePs path = kNever;
    if (m_queues.failures_wait()) {
        path = TimePs{};
    } else if (!m_queues.window_full()) {
        if (m_queues.interrupts_wait()) {
            path = TimePs{};
        } else if (async_waits() || !m_turns.empty()) {
            path = m_free_at;
        }
    }
    return std::min(m_arms.next_due(), path);
}

std::size_t EventRules::waiting() const {
    return m_async.size() + m_queues.waiting();
}

bool EventRules::idle() const {
    return waiting() == 0 && m_queues.in_flight() == 0 && !m_queues.interrupts_wait();
}

}  // namespace cqsim
