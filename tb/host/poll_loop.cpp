// SPDX-License-Identifier: Apache-2.0
#include "tb/host/poll_loop.h"

#include <algorithm>

namespace cqsim::tb {

PollLoop::PollLoop(Timeline& timeline, RingReader& rings)
    : m_timeline(timeline),
      m_slot(timeline.attach(*this, Rank::Host)),
      m_rings(rings) {
}

void PollLoop::serve(Cqn cqn, const PollSettings& settings) {
    CqRow& row = m_rings.row(cqn);
    row.loop = m_loops.take();
    row.flags |= CqRow::kPolled;
    m_loops[row.loop] = settings;
    m_rings.reserve(settings.batch);
}

void PollLoop::leave(Cqn cqn) {
    CqRow& row = m_rings.row(cqn);
    if ((row.flags & CqRow::kPolled) != 0) {
        row.flags &= static_cast<std::uint8_t>(~CqRow::kPolled);
        m_loops.give_back(row.loop);
    }
}

/// Asks for the CQ's first tick at or after a time.
void PollLoop::wake(Cqn cqn, TimePs not_before) {
    CqRow& row = m_rings.row(cqn);
    const PollSettings& loop = m_loops[row.loop];
    TimePs at = loop.first;
    if (at < not_before) {
        const std::uint64_t since = not_before.ps - loop.first.ps;
        at.ps += (since + loop.interval.ps - 1) / loop.interval.ps * loop.interval.ps;
    }
    row.flags |= CqRow::kAwake;
    m_ticks.push_back({at, cqn});
    std::push_heap(m_ticks.begin(), m_ticks.end());
    m_timeline.at(m_slot, m_ticks.front().at);
}

inline void PollLoop::fetch_ahead() const {
    const std::size_t children = std::min<std::size_t>(m_ticks.size(), 3);
    for (std::size_t i = 1; i < children; ++i) {  // one of them is the front after the next
        m_rings.fetch_place(m_ticks[i].cqn);
    }
    if (!m_ticks.empty()) {
        const Cqn next = m_ticks.front().cqn;
        m_rings.fetch_entries(next, m_loops[m_rings.row(next).loop].batch);
    }
}

void PollLoop::due(TimePs now) {
    while (!m_ticks.empty() && m_ticks.front().at <= now) {
        const Cqn cqn = m_ticks.front().cqn;
        std::pop_heap(m_ticks.begin(), m_ticks.end());
        m_ticks.pop_back();
        if (m_rings.far()) {
            fetch_ahead();
        }
        poll_once(cqn, now);
    }
    if (!m_ticks.empty()) {
        m_timeline.at(m_slot, m_ticks.front().at);
    }
}

void PollLoop::poll_once(Cqn cqn, TimePs now) {
    CqRow& row = m_rings.row(cqn);
    row.flags &= static_cast<std::uint8_t>(~CqRow::kAwake);
    if ((row.flags & CqRow::kPolled) == 0) {
        return;  // the CQ went between the wish and the tick
    }
    const std::uint32_t batch = m_loops[row.loop].batch;
    ++m_polls;
    if (m_rings.take(cqn, batch) == batch) {  // S1.7: a full batch says nothing about what is left
        wake(cqn, now + TimePs{1});
    }
}

}  // namespace cqsim::tb
