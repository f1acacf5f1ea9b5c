// SPDX-License-Identifier: Apache-2.0
#include "tb/report/statistics.h"

#include "models/cqe/owner.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

constexpr std::size_t kNear = 1024;  ///< rows that caches hold anyway

/// S2.16 C: a QP can fail without an entry that says so.
bool is_failure_of_qp(const Record& record) {
    const auto event = static_cast<AsyncEvent>(record.state);
    return event == AsyncEvent::QpFatal || event == AsyncEvent::QpReqErr ||
           event == AsyncEvent::QpAccessErr;
}

}  // namespace

Statistics::Statistics(const Scenario& scenario)
    : m_index_mask(index_mask(scenario.device.overflow.index_width)),
      m_singly(scenario.device.cqs <= kSingly),
      m_by_index(owner::by_index(scenario.device.overflow.owner)),
      m_spare(scenario.device.overflow.spare_slots),
      m_far(scenario.device.qps + scenario.device.cqs >= kNear),
      m_times(m_singly ? scenario.device.cqs : scenario.cq.size()),
      m_qp_count(scenario.device.qps),
      m_groups(scenario.qp.size()) {
    m_cqs.grow(scenario.device.cqs);
    m_qps.grow(scenario.device.qps);
    std::uint64_t slots = 0;
    for (std::size_t g = 0; g < scenario.cq.size(); ++g) {
        const CqGroup& group = scenario.cq[g];
        for (std::uint32_t i = 0; i < group.count; ++i) {
            Cq& cq = m_cqs[group.first + i];
            cq.first_slot = slots;
            cq.depth = group.slots;
            cq.times = static_cast<std::uint16_t>(m_singly ? group.first + i : g);
            cq.visible = cq.consumer = cq.read = scenario.device.overflow.first_index;
            slots += group.slots;
        }
    }
    m_times_used = slots;
    m_slot_times.grow(slots);
    for (std::size_t g = 0; g < scenario.qp.size(); ++g) {
        const QpGroup& group = scenario.qp[g];
        m_members.push_back({group.first + group.count, static_cast<std::uint32_t>(g)});
    }
    std::sort(m_members.begin(), m_members.end(), [](const Members& l, const Members& r) {
        return l.end < r.end;
    });
}

/// The first record of each row's kind in a batch is enough: the row stays in the caches.
void Statistics::fetch_row(const Record& record) const {
    constexpr KindMask kOfQp = mask_of(Kind::Post) | mask_of(Kind::Grant);
    constexpr KindMask kOfCq =
        mask_of(Kind::Slot) | mask_of(Kind::CqeVisible) | mask_of(Kind::Poll) | mask_of(Kind::Ci);
    const KindMask kind = mask_of(record.kind);
    if ((kind & kOfCq) != 0 && index_of(record.cqn) < m_cqs.size()) {
        check::prefetch(&m_cqs[index_of(record.cqn)]);
    } else if ((kind & kOfQp) != 0 && index_of(record.qpn) < m_qps.size()) {
        check::prefetch(&m_qps[index_of(record.qpn)]);
    }
}

/// The time kept for the slot; its CQ's row has been fetched.
void Statistics::fetch_time(const Record& record) const {
    constexpr KindMask kWithTime =
        mask_of(Kind::Slot) | mask_of(Kind::CqeVisible) | mask_of(Kind::Poll);
    if ((mask_of(record.kind) & kWithTime) != 0 && index_of(record.cqn) < m_cqs.size()) {
        const Cq& cq = m_cqs[index_of(record.cqn)];
        check::prefetch(
            &m_slot_times[cq.first_slot +
                          (record.kind == Kind::Slot ? cq.next_slot : record.index % cq.depth)]);
    }
}

void Statistics::observe(const RecordBatch& batch) {
    if (m_far) {
        // One pass for each step of the way to the data: what is fetched together is waited for
        // together.
        for (const Record& record : batch) {
            fetch_row(record);
        }
        for (const Record& record : batch) {
            fetch_time(record);
        }
    }
    for (const Record& record : batch) {
        take(record);
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
            Cq& cq = m_cqs[index_of(record.cqn)];
            m_slot_times[cq.first_slot + cq.next_slot] = record.a;
            if (++cq.next_slot == cq.depth || (cq.flags & Cq::kCollapsed) != 0) {
                cq.next_slot = 0;
            }
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
            consumer(record);
            break;
        case Kind::Async:
            if (record.state < m_async.size()) {
                ++m_async[record.state];
            }
            if (record.cqn != kNoCq) {
                m_cqs[index_of(record.cqn)].flags |= Cq::kError;
            }
            if (is_failure_of_qp(record)) {
                storm_begins(record.time_ps);
            }
            break;
        case Kind::UndefinedRead:
            ++m_undefined_reads;
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
        case Kind::Resize:
            resize(record);
            break;
        case Kind::Destroy:
            destroy(record);
            break;
        default:
            break;
    }
}

/// Of an SRQ: what a QP has taken is counted as posted to it, in place of indices.
void Statistics::post(const Record& record) {
    if (record.qpn == kNoQp) {
        return;  // no QP's yet
    }
    ++group_of(record.qpn).posted;
    Qp& qp = m_qps[index_of(record.qpn)];
    Queue& queue = qp.queue[index_of(record.queue)];
    queue.posted = (record.flags & kShared) != 0 ? queue.posted + 1 : record.index + 1;
    qp.generation = record.generation;
}

/// S7.3: when a life of a QP's number is over, what no reported completion has retired is
/// discarded.
void Statistics::destroy(const Record& record) {
    if (record.qpn == kNoQp || static_cast<DestroyPhase>(record.state) != DestroyPhase::Done) {
        return;
    }
    Qp& qp = m_qps[index_of(record.qpn)];
    std::uint64_t& discarded = group_of(record.qpn).discarded;
    for (std::uint32_t queue = 0; queue < qp.queue.size(); ++queue) {
        discarded += qp.queue[queue].posted - qp.queue[queue].next;
        const auto waiting = m_waiting.find(std::uint64_t{index_of(record.qpn)} * 2 + queue);
        if (waiting != m_waiting.end()) {
            for (const Range& range : waiting->second) {
                discarded += range.end - range.first;
            }
            m_waiting.erase(waiting);
        }
        m_flushed.erase(std::uint64_t{index_of(record.qpn)} * 2 + queue);
    }
    qp.queue = {};
    qp.flags = {};
    qp.generation = 0;
}

void Statistics::complete(const Record& record) {
    if ((record.flags & (kFlushed | kShared)) == (kFlushed | kShared)) {
        m_flushed_shared.insert(record.serial);
        return;
    }
    if ((record.flags & kFlushed) != 0) {
        Qp& qp = m_qps[index_of(record.qpn)];
        std::uint8_t& flags = qp.flags[index_of(record.queue)];
        if ((flags & kFlushes) == 0) {
            flags |= kFlushes;
            qp.queue[index_of(record.queue)].first_flush = record.index;
        }
        return;
    }
    flush_over(record);
    if (record.state != 0) {
        storm_begins(record.time_ps);
    }
}

void Statistics::storm_begins(std::uint64_t now_ps) {
    if (!m_storm.seen) {
        m_storm.seen = true;
        m_storm.first_error_ps = now_ps;
    }
}

/// S2.22: a queue that flushed runs again when its QP leaves SQE.
void Statistics::flush_over(const Record& record) {
    Qp& qp = m_qps[index_of(record.qpn)];
    std::uint8_t& flags = qp.flags[index_of(record.queue)];
    if ((flags & kFlushes) != 0) {
        m_flushed[queue_key(record)].push_back(
            {qp.queue[index_of(record.queue)].first_flush, record.index});
        flags = static_cast<std::uint8_t>((flags & ~kFlushes) | kFlushed);
    }
}

bool Statistics::was_flushed(const Record& record) {
    const Qp& qp = m_qps[index_of(record.qpn)];
    const std::uint8_t flags = qp.flags[index_of(record.queue)];
    const std::uint32_t first = qp.queue[index_of(record.queue)].first_flush;
    if ((flags & kFlushes) != 0 && static_cast<std::int32_t>(record.index - first) >= 0) {
        return true;
    }
    if ((flags & kFlushed) == 0) {
        return false;
    }
    const std::vector<Range>& ranges = m_flushed[queue_key(record)];
    return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
        return record.index - range.first < range.end - range.first;
    });
}

/// D4: a completion that was granted also retires the unsignaled ones before it (S2.4, S2.5).
///
/// Between two answers in order all requests were suppressed. One that another implementation
/// answers late, behind a younger one, was taken for suppressed until then.
void Statistics::outcome(const Record& record) {
    const auto outcome = static_cast<Outcome>(record.state);
    if (outcome == Outcome::Suppressed) {
        return;
    }
    QpGroupCounts& group = group_of(record.qpn);
    Qp& qp = m_qps[index_of(record.qpn)];
    if (record.generation != qp.generation) {
        late_outcome(record);
        return;
    }
    if ((record.flags & kShared) != 0) {
        shared_outcome(record);
        return;
    }
    Queue& queue = qp.queue[index_of(record.queue)];
    std::uint8_t& flags = qp.flags[index_of(record.queue)];
    const bool granted = outcome == Outcome::Granted;
    const std::uint32_t suppressed = record.index - queue.next;
    const bool late = static_cast<std::int32_t>(suppressed) < 0;
    if (!late) {
        queue.next = record.index + 1;
        group.unsignaled_retired += granted ? suppressed : 0;
    }
    if (late || (flags & kWaits) != 0 || (!granted && suppressed != 0)) {
        Waiting& waiting = m_waiting[queue_key(record)];
        if (late && !take_out(waiting, record.index)) {
            --group.unsignaled_retired;
        } else if (!late && !granted && suppressed != 0) {
            waiting.push_back({record.index - suppressed, record.index});
        }
        group.unsignaled_retired += granted ? retire(waiting, record.index) : 0;
        flags = static_cast<std::uint8_t>(waiting.empty() ? flags & ~kWaits : flags | kWaits);
    }
    if (!granted) {
        ++(outcome == Outcome::Lost ? group.lost : group.discarded);
        return;
    }
    ++(was_flushed(record) ? group.flushed : group.completed);
}

/// Each receive request is reported for itself (S2.9).
void Statistics::shared_outcome(const Record& record) {
    QpGroupCounts& group = group_of(record.qpn);
    ++m_qps[index_of(record.qpn)].queue[index_of(record.queue)].next;
    const bool flushed = m_flushed_shared.erase(record.serial) != 0;
    switch (static_cast<Outcome>(record.state)) {
        case Outcome::Granted:
            ++(flushed ? group.flushed : group.completed);
            break;
        case Outcome::Lost:
            ++group.lost;
            break;
        default:
            ++group.discarded;
            break;
    }
}

bool Statistics::take_out(Waiting& waiting, std::uint32_t index) {
    for (auto range = waiting.begin(); range != waiting.end(); ++range) {
        if (index - range->first >= range->end - range->first) {
            continue;
        }
        const Range behind{index + 1, range->end};
        range->end = index;
        if (behind.first != behind.end) {
            range = waiting.insert(range + 1, behind) - 1;
        }
        if (range->first == range->end) {
            waiting.erase(range);
        }
        return true;
    }
    return false;
}

std::uint64_t Statistics::retire(Waiting& waiting, std::uint32_t index) {
    std::uint64_t retired = 0;
    while (!waiting.empty() && static_cast<std::int32_t>(index - waiting.front().first) > 0) {
        Range& oldest = waiting.front();
        const bool whole = static_cast<std::int32_t>(index - oldest.end) >= 0;
        const std::uint32_t end = whole ? oldest.end : index;
        retired += end - oldest.first;
        oldest.first = end;
        if (!whole) {
            break;
        }
        waiting.erase(waiting.begin());
    }
    return retired;
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

double Statistics::jain_fairness() const {
    double sum = 0;
    double squares = 0;
    double count = 0;
    for (std::uint32_t qpn = 0; qpn < m_qp_count; ++qpn) {
        if (m_qps[qpn].grants != 0) {
            const double x = m_qps[qpn].grants;
            sum += x;
            squares += x * x;
            ++count;
        }
    }
    return count == 0 ? 1.0 : sum * sum / (count * squares);
}

}  // namespace cqsim::tb
