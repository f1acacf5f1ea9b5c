// SPDX-License-Identifier: Apache-2.0
#include "tb/report/event_statistics.h"

#include <algorithm>

namespace cqsim::tb {

EventStatistics::EventStatistics(const Scenario& scenario)
    : m_events(scenario.device.cqs),
      m_told(scenario.device.cqs),
      m_queues(scenario.device.event.eqs),
      m_interrupts(scenario.device.event.vectors) {
}

void EventStatistics::observe(const RecordBatch& batch) {
    for (const Record& record : batch) {
        switch (record.kind) {
            case Kind::Event:
                event(record);
                break;
            case Kind::Async:
                async(record);
                break;
            case Kind::Create:
                if (record.cqn == kNoCq && record.qpn == kNoQp &&
                    static_cast<EqKind>(record.state) == EqKind::Async) {
                    m_async_eqn = record.unit;
                }
                break;
            case Kind::Destroy:
                if (record.cqn != kNoCq) {
                    make_void(record.cqn);
                }
                break;
            case Kind::Eqe:
                entry(record);
                break;
            case Kind::Irq:
                if (record.unit < m_interrupts.size()) {
                    ++m_interrupts[record.unit];
                }
                break;
            case Kind::Ack:
                if (record.unit < m_queues.size()) {
                    m_queues[record.unit].consumer = record.index;
                }
                break;
            default:
                break;
        }
    }
}

void EventStatistics::event(const Record& record) {
    ++m_events[index_of(record.cqn)];
    if (record.unit >= m_queues.size()) {
        return;  // the checkers say so
    }
    Queue& queue = m_queues[record.unit];
    Told& told = m_told[index_of(record.cqn)];
    if (queue.error) {
        ++queue.lost;
    } else if (told.state != Told::State::Waits) {  // else it shares the entry that is to come
        told = {Told::State::Waits, record.unit};
        ++queue.waiting;
    }
}

void EventStatistics::async(const Record& record) {
    const auto what = static_cast<AsyncEvent>(record.state);
    if (what == AsyncEvent::CqErr && record.cqn != kNoCq) {
        make_void(record.cqn);
    } else if (what == AsyncEvent::DeviceFatal && record.unit < m_queues.size()) {
        m_queues[record.unit].error = true;
    }
    if (m_async_eqn < m_queues.size()) {
        Queue& queue = m_queues[m_async_eqn];
        ++(queue.error ? queue.lost : queue.waiting);
    }
}

/// S6.16, S4.12: what the CQ has told comes only if its entry is being written.
void EventStatistics::make_void(Cqn cqn) {
    Told& told = m_told[index_of(cqn)];
    if (told.state == Told::State::Waits) {
        told.state = Told::State::Void;
        --m_queues[told.eqn].waiting;
        ++m_queues[told.eqn].lost;
    }
}

void EventStatistics::entry(const Record& record) {
    if (record.unit >= m_queues.size()) {
        return;  // the checkers say so
    }
    Queue& queue = m_queues[record.unit];
    ++queue.entries;
    if (record.state != kCompletionEqe) {
        queue.waiting -= queue.waiting != 0 ? 1 : 0;
    } else if (index_of(record.cqn) < m_told.size()) {
        Told& told = m_told[index_of(record.cqn)];
        if (told.state == Told::State::Waits) {
            --m_queues[told.eqn].waiting;
        } else if (told.state == Told::State::Void) {
            --m_queues[told.eqn].lost;
        }
        told.state = Told::State::Nothing;
    }
    queue.peak = std::max(queue.peak, static_cast<std::uint32_t>(queue.entries) - queue.consumer);
}

}  // namespace cqsim::tb
