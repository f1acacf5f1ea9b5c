// SPDX-License-Identifier: Apache-2.0
#include "tb/report/statistics.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

constexpr std::size_t kNear = 1024;  ///< rows that caches hold anyway

}  // namespace

Statistics::Statistics(const Scenario& scenario)
    : m_index_mask(index_mask(scenario.device.overflow.index_width)),
      m_singly(scenario.device.cqs <= kSingly),
      m_cqs(scenario.device.cqs),
      m_times(m_singly ? scenario.device.cqs : scenario.cq.size()),
      m_qps(scenario.device.qps),
      m_groups(scenario.qp.size()) {
    std::uint64_t slots = 0;
    for (std::size_t g = 0; g < scenario.cq.size(); ++g) {
        const CqGroup& group = scenario.cq[g];
        for (std::uint32_t i = 0; i < group.count; ++i) {
            Cq& cq = m_cqs[group.first + i];
            cq.first_slot = slots;
            cq.depth = group.capacity;
            cq.times = m_singly ? group.first + i : static_cast<std::uint32_t>(g);
            cq.visible = cq.consumer = scenario.device.overflow.first_index;
            slots += group.capacity;
        }
    }
    m_slot_times.resize(slots);
    for (std::size_t g = 0; g < scenario.qp.size(); ++g) {
        const QpGroup& group = scenario.qp[g];
        for (std::uint32_t i = 0; i < group.count; ++i) {
            m_qps[group.first + i].group = static_cast<std::uint32_t>(g);
        }
    }
}

void Statistics::fetch_rows(const Record& record) const {
    if (index_of(record.qpn) < m_qps.size()) {
        __builtin_prefetch(&m_qps[index_of(record.qpn)], 1);
    }
    if (index_of(record.cqn) < m_cqs.size()) {
        __builtin_prefetch(&m_cqs[index_of(record.cqn)], 1);
    }
}

/// The time kept for the slot; its CQ's row has been fetched.
void Statistics::fetch_time(const Record& record) const {
    if (index_of(record.cqn) < m_cqs.size()) {
        const Cq& cq = m_cqs[index_of(record.cqn)];
        __builtin_prefetch(&m_slot_times[cq.first_slot + (record.index & (cq.depth - 1))], 1);
    }
}

void Statistics::observe(const RecordBatch& batch) {
    if (m_qps.size() + m_cqs.size() < kNear) {
        for (const Record& record : batch) {
            take(record);
        }
        return;
    }
    constexpr std::size_t kAhead = 8;
    for (std::size_t i = 0; i < batch.count; ++i) {
        if (i + 2 * kAhead < batch.count) {
            fetch_rows(batch.first[i + 2 * kAhead]);
        }
        if (i + kAhead < batch.count) {
            fetch_time(batch.first[i + kAhead]);
        }
        take(batch.first[i]);
    }
}

void Statistics::take(const Record& record) {
    switch (record.kind) {
        case Kind::Post:
            post(record);
            break;
        case Kind::Complete:
            complete(record);
            break;
        case Kind::Outcome:
            outcome(record);
            break;
        case Kind::Grant:
            ++m_arbiter.grants;
            m_arbiter.max_wait_ps = std::max(m_arbiter.max_wait_ps, record.wr_id);
            ++m_qps[index_of(record.qpn)].grants;
            break;
        case Kind::Slot: {
            const Cq& cq = m_cqs[index_of(record.cqn)];
            slot_time(cq, record.index & (cq.depth - 1)) = record.a;
            break;
        }
        case Kind::Overrun: {
            Cq& cq = m_cqs[index_of(record.cqn)];
            ++cq.dropped;
            cq.overruns += record.state == static_cast<std::uint8_t>(LostCause::Overrun) ? 1 : 0;
            break;
        }
        case Kind::CqeVisible:
            visible(record);
            break;
        case Kind::Poll:
            poll(record);
            break;
        case Kind::Ci:
            m_cqs[index_of(record.cqn)].consumer = record.index;
            break;
        case Kind::Async:
            if (record.state < m_async.size()) {
                ++m_async[record.state];
            }
            if (record.cqn != kNoCq) {
                m_cqs[index_of(record.cqn)].error = true;
            }
            break;
        case Kind::QpState: {
            QpGroupCounts& group = group_of(record.qpn);
            --group.state.at(record.a);
            ++group.state.at(record.state);
            break;
        }
        case Kind::Create:
            create(record);
            break;
        case Kind::Destroy:
            destroy(record);
            break;
        default:
            break;
    }
}

void Statistics::create(const Record& record) {
    if (record.qpn != kNoQp) {
        ++group_of(record.qpn).state[static_cast<std::size_t>(QpState::Reset)];
    }
}

void Statistics::post(const Record& record) {
    ++group_of(record.qpn).posted;
    Queue& queue = queue_of(record);
    queue.posted = record.index + 1;
    queue.generation = record.generation;
}

/// S7.3: when a life of a QP's number is over, what no reported completion has retired is
/// discarded.
void Statistics::destroy(const Record& record) {
    if (record.qpn == kNoQp || static_cast<DestroyPhase>(record.state) != DestroyPhase::Done) {
        return;
    }
    for (Queue& queue : m_qps[index_of(record.qpn)].queue) {
        group_of(record.qpn).discarded += queue.waiting + queue.posted - queue.next;
        queue = Queue{};
    }
}

void Statistics::complete(const Record& record) {
    if ((record.flags & kFlushed) != 0) {
        Queue& queue = queue_of(record);
        if (queue.flushes == 0) {
            queue.flushes = 1;
            queue.first_flush = record.index;
        }
    } else if (record.state != 0 && !m_storm.seen) {
        m_storm.seen = true;
        m_storm.first_error_ps = record.time_ps;
    }
}

/// D4: a completion that was granted also retires the unsignaled ones before it (S2.4, S2.5).
void Statistics::outcome(const Record& record) {
    const auto outcome = static_cast<Outcome>(record.state);
    if (outcome == Outcome::Suppressed) {
        return;
    }
    QpGroupCounts& group = group_of(record.qpn);
    Queue& queue = queue_of(record);
    if (record.generation != queue.generation) {
        late_outcome(record);
        return;
    }
    const std::uint32_t suppressed = record.index - queue.next;
    queue.next = record.index + 1;
    if (outcome == Outcome::Granted) {
        group.unsignaled_retired += suppressed + queue.waiting;
        queue.waiting = 0;
        const bool flushed =
            queue.flushes != 0 && static_cast<std::int32_t>(record.index - queue.first_flush) >= 0;
        ++(flushed ? group.flushed : group.completed);
    } else {
        queue.waiting += suppressed;
        ++(outcome == Outcome::Lost ? group.lost : group.discarded);
    }
}

/// An answer that was under way when the life ended: its request was counted as discarded.
void Statistics::late_outcome(const Record& record) {
    QpGroupCounts& group = group_of(record.qpn);
    const auto outcome = static_cast<Outcome>(record.state);
    if (outcome != Outcome::Cancelled) {
        --group.discarded;
        ++(outcome == Outcome::Lost ? group.lost : group.completed);
    }
}

void Statistics::visible(const Record& record) {
    Cq& cq = m_cqs[index_of(record.cqn)];
    ++cq.written;
    cq.visible = (cq.visible + 1) & m_index_mask;
    cq.peak = std::max(cq.peak, (cq.visible - cq.consumer) & m_index_mask);
    std::uint64_t& time = slot_time(cq, record.index);
    const std::uint64_t took = record.time_ps - time;
    m_times[cq.times].report.add(took);
    if (index_of(record.qpn) < m_qps.size()) {  // as decoded from the bytes
        group_of(record.qpn).report.add(took);
    }
    time = record.time_ps;
    if (record.state == static_cast<std::uint8_t>(WcStatus::WrFlushErr)) {
        ++m_storm.flush_cqes;
        m_storm.last_flush_ps = record.time_ps;
    }
}

void Statistics::poll(const Record& record) {
    Cq& cq = m_cqs[index_of(record.cqn)];
    ++cq.polled;
    m_times[cq.times].pickup.add(record.time_ps - slot_time(cq, record.index));
}

double Statistics::jain_fairness() const {
    double sum = 0;
    double squares = 0;
    double count = 0;
    for (const Qp& qp : m_qps) {
        if (qp.grants != 0) {
            const double x = qp.grants;
            sum += x;
            squares += x * x;
            ++count;
        }
    }
    return count == 0 ? 1.0 : sum * sum / (count * squares);
}

}  // namespace cqsim::tb
