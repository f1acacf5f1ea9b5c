// SPDX-License-Identifier: Apache-2.0
#include "tb/report/event_statistics.h"

#include <algorithm>

namespace cqsim::tb {

EventStatistics::EventStatistics(const Scenario& scenario)
    : m_events(scenario.device.cqs),
      m_queues(scenario.device.event.eqs),
      m_interrupts(scenario.device.event.vectors) {
}

void EventStatistics::observe(const RecordBatch& batch) {
    for (const Record& record : batch) {
        switch (record.kind) {
            case Kind::Event:
                ++m_events[index_of(record.cqn)];
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

void EventStatistics::entry(const Record& record) {
    if (record.unit >= m_queues.size()) {
        return;  // the checkers say so
    }
    Queue& queue = m_queues[record.unit];
    ++queue.entries;
    queue.peak = std::max(queue.peak, static_cast<std::uint32_t>(queue.entries) - queue.consumer);
}

}  // namespace cqsim::tb
