// SPDX-License-Identifier: Apache-2.0
#include "tb/system/drains.h"

#include <algorithm>

namespace cqsim::tb {

Drains::Drains(Timeline& timeline,
               RecordStream& records,
               RingReader& rings,
               Pipeline& tx,
               Pipeline& rx,
               TimePs timeout)
    : m_timeline(timeline),
      m_slot(timeline.attach(*this, Rank::Host)),
      m_records(records),
      m_source(records.intern("drain")),
      m_rings(rings),
      m_pipelines{&tx, &rx},
      m_timeout(timeout) {
}

/// Nothing is posted unless there is room for all of it.
CommandResult Drains::begin(std::uint32_t tag, Qpn qpn) {
    Open drain;
    drain.tag = tag;
    drain.qpn = qpn;
    PostRequest request;
    request.opcode = WrOpcode::RdmaWrite;
    for (const Pipeline* pipeline : m_pipelines) {
        const PostResult result = pipeline->would_post(qpn, request.opcode);
        if (pipeline->takes_posts(qpn) && result != PostResult::Done) {
            const bool no_room = result == PostResult::Full || result == PostResult::NoCredit;
            observe(qpn, no_room ? CommandResult::NoMemory : CommandResult::Invalid);
            return no_room ? CommandResult::NoMemory : CommandResult::Invalid;
        }
    }
    for (std::size_t queue = 0; queue < m_pipelines.size(); ++queue) {
        if (m_pipelines.at(queue)->takes_posts(qpn)) {
            drain.markers.at(queue) = {m_pipelines.at(queue)->next_wr_id(qpn), std::nullopt};
            m_pipelines.at(queue)->post(qpn, request);
        }
    }
    drain.deadline = m_timeline.now() + m_timeout;
    m_open.push_back(drain);
    m_rings.listen(this);
    m_timeline.at(m_slot, drain.deadline);
    return CommandResult::Ok;
}

void Drains::polled(Qpn qpn, QueueKind queue, std::uint64_t wr_id, WcStatus status) {
    for (Open& drain : m_open) {
        Marker& marker = drain.markers.at(index_of(queue));
        if (drain.qpn == qpn && marker.wr_id == wr_id && !marker.status) {
            marker.status = status;
            if (drain.all_polled()) {
                m_timeline.at(m_slot, m_timeline.now());
            }
            return;
        }
    }
}

void Drains::due(TimePs now) {
    for (std::size_t i = 0; i < m_open.size();) {
        const Open drain = m_open[i];
        if (!drain.all_polled() && now < drain.deadline) {
            ++i;
            continue;
        }
        m_open.erase(m_open.begin() + static_cast<std::ptrdiff_t>(i));
        const auto flushed = [](const Marker& marker) {
            return marker.status == WcStatus::WrFlushErr;
        };
        const bool all = std::all_of(drain.markers.begin(), drain.markers.end(), flushed);
        end(drain,
            all                  ? CommandResult::Ok
            : drain.all_polled() ? CommandResult::Invalid
                                 : CommandResult::TimedOut);
    }
    if (m_open.empty()) {
        m_rings.listen(nullptr);
    } else {
        m_timeline.at(m_slot, m_open.front().deadline);
    }
}

void Drains::end(const Open& drain, CommandResult result) {
    observe(drain.qpn, result);
    m_listener->drained(drain.tag, result);
}

void Drains::observe(Qpn qpn, CommandResult result) {
    if (Record* record = m_records.open(Kind::Drain, m_source, m_timeline.now())) {
        record->qpn = qpn;
        record->state = static_cast<std::uint8_t>(result);
    }
}

}  // namespace cqsim::tb
