// SPDX-License-Identifier: Apache-2.0
#include "tb/host/event_loop.h"

#include "models/doorbell/bar_map.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

constexpr EqeType kCqErrorEqe = eqe::type_of(AsyncEvent::CqErr);
constexpr EqeType kQpFatalEqe = eqe::type_of(AsyncEvent::QpFatal);

}  // namespace

EventLoop::EventLoop(
    Timeline& timeline, HostBus& bus, RingReader& rings, EqReader& queues, TimePs interrupt_latency)
    : m_timeline(timeline),
      m_slot(timeline.attach(*this, Rank::Host)),
      m_bus(bus),
      m_rings(rings),
      m_queues(queues),
      m_interrupt_latency(interrupt_latency) {
}

void EventLoop::serve(Cqn cqn, const EventSettings& settings) {
    CqRow& row = m_rings.row(cqn);
    row.flags |= CqRow::kEvents;
    row.loop = m_consumers.take();
    Consumer& consumer = m_consumers[row.loop];
    const std::uint32_t turn = consumer.turn;  // ticks of whom it served before stay void
    consumer = {};
    consumer.turn = turn;
    consumer.settings = settings;
    consumer.phase = Phase::Draining;
    m_rings.reserve(settings.batch);
    next_turn(cqn, settings.first);
}

void EventLoop::leave(Cqn cqn) {
    m_counts.dropped += m_queues.drop(cqn);
    if (Consumer* gone = consumer(cqn)) {
        gone->phase = Phase::Gone;
        CqRow& row = m_rings.row(cqn);
        row.flags &= static_cast<std::uint8_t>(~CqRow::kEvents);
        m_consumers.give_back(row.loop);
    }
}

void EventLoop::handle(Eqn eqn) {
    const std::uint16_t vector = m_queues.place(eqn).vector;
    if (m_vectors.size() <= vector) {
        m_vectors.resize(vector + std::size_t{1});
    }
    m_vectors[vector].queues.push_back(eqn);
    m_queues.arm(eqn);
}

EventLoop::Consumer* EventLoop::consumer(Cqn cqn) {
    if (!m_rings.has_ring(cqn) || (m_rings.row(cqn).flags & CqRow::kEvents) == 0) {
        return nullptr;
    }
    return &m_consumers[m_rings.row(cqn).loop];
}

void EventLoop::ask(TimePs at, Cqn cqn, std::uint32_t turn) {
    m_ticks.push_back({at, m_order++, cqn, turn});
    std::push_heap(m_ticks.begin(), m_ticks.end());
    m_timeline.at(m_slot, m_ticks.front().at);
}

void EventLoop::next_turn(Cqn cqn, TimePs at) {
    ask(at, cqn, ++m_consumers[m_rings.row(cqn).loop].turn);
}

void EventLoop::interrupted(std::uint16_t vector) {
    ++m_counts.interrupts;
    if (vector < m_vectors.size() && !m_vectors[vector].pending) {
        m_vectors[vector].pending = true;
        ask(m_timeline.now() + m_interrupt_latency, kNoCq, vector);
    }
}

void EventLoop::due(TimePs now) {
    while (!m_ticks.empty() && m_ticks.front().at <= now) {
        const Tick tick = m_ticks.front();
        std::pop_heap(m_ticks.begin(), m_ticks.end());
        m_ticks.pop_back();
        if (tick.cqn == kNoCq) {
            run_handler(m_vectors[tick.turn], now);
        } else if (const Consumer* served = consumer(tick.cqn);
                   served != nullptr && served->turn == tick.turn) {
            act(tick.cqn, now);
        }
    }
    if (!m_ticks.empty()) {
        m_timeline.at(m_slot, m_ticks.front().at);
    }
}

void EventLoop::act(Cqn cqn, TimePs now) {
    Consumer& served = *consumer(cqn);
    if (served.phase == Phase::Arming) {
        arm(cqn, served.settings.arm);
        if (served.settings.order == SleepOrder::ArmThenSleep) {
            served.phase = Phase::Asleep;
            return;
        }
        served.phase = Phase::Rechecking;
        next_turn(cqn, now + served.settings.interval);
    } else {
        poll(cqn, served, now);
    }
}

void EventLoop::poll(Cqn cqn, Consumer& consumer, TimePs now) {
    const std::uint32_t batch = consumer.settings.batch;
    const std::uint32_t count = m_rings.take(cqn, batch);
    ++m_counts.polls;
    if (consumer.woken && count == 0) {
        ++m_counts.empty_wakes;
    }
    consumer.woken = false;
    if (count == batch) {  // S1.7: a full batch says nothing about what is left
        next_turn(cqn, now + consumer.settings.interval);
    } else {
        found_empty(cqn, consumer, now);
    }
}

void EventLoop::found_empty(Cqn cqn, Consumer& consumer, TimePs now) {
    if (consumer.failed || consumer.phase == Phase::Rechecking) {
        consumer.phase = Phase::Asleep;
    } else {
        consumer.phase = Phase::Arming;
        next_turn(cqn, now + consumer.settings.interval);
    }
}

void EventLoop::run_handler(Vector& vector, TimePs now) {
    vector.pending = false;
    for (const Eqn eqn : vector.queues) {
        while (const std::optional<eqe::Decoded> event = m_queues.next(eqn)) {
            dispatch(*event, now);
        }
        m_queues.arm(eqn);
    }
}

void EventLoop::dispatch(const eqe::Decoded& event, TimePs now) {
    if (event.type == kCompletionEqe) {
        ++m_counts.events;
        ++m_counts.acks;
        completion_event(event.cqn, now);
        return;
    }
    count_async(event);
    if (event.type == kCqErrorEqe) {
        cq_failed(event.cqn, now);
    }
}

void EventLoop::count_async(const eqe::Decoded& event) {
    ++m_counts.async_events;
    m_counts.cq_errors += event.type == kCqErrorEqe ? 1 : 0;
    m_counts.qp_failures += event.type == kQpFatalEqe ? 1 : 0;
}

/// The event consumed the CQ's arm: whoever is not about to arm again must do so.
void EventLoop::look_again(Cqn cqn) {
    if (Consumer* served = consumer(cqn); served != nullptr && served->phase == Phase::Asleep) {
        served->phase = Phase::Draining;
        next_turn(cqn, m_timeline.now());
    }
}

void EventLoop::completion_event(Cqn cqn, TimePs now) {
    Consumer* served = consumer(cqn);
    if (served == nullptr) {
        ++m_counts.stray_events;
    } else if (served->failed) {
        ++m_counts.empty_wakes;
    } else if (served->phase == Phase::Asleep) {
        served->phase = Phase::Draining;
        served->woken = true;
        next_turn(cqn, now);
    } else if (served->phase == Phase::Rechecking) {
        served->phase = Phase::Draining;
    }
}

void EventLoop::cq_failed(Cqn cqn, TimePs now) {
    Consumer* served = consumer(cqn);
    if (served == nullptr || served->failed) {
        return;
    }
    served->failed = true;
    const bool asleep = served->phase == Phase::Asleep;
    served->phase = Phase::Draining;
    if (asleep) {
        next_turn(cqn, now);
    }
}

std::uint32_t& EventLoop::unacknowledged_of(Cqn cqn) {
    if (m_unacknowledged.size() <= index_of(cqn)) {
        m_unacknowledged.resize(index_of(cqn) + std::size_t{1});
    }
    return m_unacknowledged[index_of(cqn)];
}

std::optional<eqe::Decoded> EventLoop::read(Eqn eqn) {
    const std::optional<eqe::Decoded> event = m_queues.next(eqn);
    if (!event) {
        return event;
    }
    if (event->type != kCompletionEqe) {
        count_async(*event);
    } else {
        ++m_counts.events;
        if (m_rings.has_ring(event->cqn)) {
            ++unacknowledged_of(event->cqn);
        } else {
            ++m_counts.stray_events;
        }
    }
    return event;
}

bool EventLoop::acknowledge(Cqn cqn, std::uint32_t count) {
    if (unacknowledged(cqn) < count) {
        return false;
    }
    unacknowledged_of(cqn) -= count;
    m_counts.acks += count;
    return true;
}

bool EventLoop::arm(Cqn cqn, ArmKind kind) {
    ++m_counts.arms;
    const bool taken = m_bus.ring(bar::kCqArm, bar::cq_arm(cqn, m_rings.consumer(cqn), kind));
    m_counts.refused += taken ? 0 : 1;
    return taken;
}

}  // namespace cqsim::tb
