// SPDX-License-Identifier: Apache-2.0
#include "models/time/timeline.h"

#include <algorithm>
#include <stdexcept>

namespace cqsim {

Timeline::Timeline() {
    m_due.fill(kNever);
}

Timeline::Slot Timeline::attach(TimedBlock& block, Rank rank) {
    if (m_count == kMaxBlocks) {
        throw std::length_error("Timeline::attach: more than 64 timed blocks on one timeline");
    }
    const auto slot = static_cast<Slot>(m_count);
    std::size_t position = m_count;
    while (position > 0 && rank < m_entry[position - 1].rank) {
        m_entry[position] = m_entry[position - 1];
        m_due[position] = m_due[position - 1];
        m_position[m_entry[position].slot] = static_cast<std::uint32_t>(position);
        --position;
    }
    m_entry[position] = Entry{&block, rank, slot};
    m_due[position] = kNever;
    m_position[slot] = static_cast<std::uint32_t>(position);
    ++m_count;
    return slot;
}

TimePs Timeline::next_due() const {
    if (m_count == 0) {
        return kNever;
    }
    return *std::min_element(m_due.begin(), m_due.begin() + static_cast<std::ptrdiff_t>(m_count));
}

TimePs Timeline::run_due(TimePs now) {
    m_running = true;
    m_now = now;
    for (;;) {
        std::size_t next = 0;
        TimePs following = kNever;
        while (next < m_count && m_due[next] > now) {
            following = m_due[next] < following ? m_due[next] : following;
            ++next;
        }
        if (next == m_count) {
            m_running = false;
            m_promised = following;
            return following;
        }
        m_due[next] = kNever;
        m_entry[next].block->due(now);
    }
}

void ManualTimeline::advance_to(TimePs t) {
    for (TimePs next = next_due(); next <= t && next != kNever; next = next_due()) {
        m_time = later_of(m_time, next);
        run_due(m_time);
    }
    m_time = later_of(m_time, t);
}

void ManualTimeline::run() {
    for (TimePs next = next_due(); next != kNever; next = next_due()) {
        advance_to(next);
    }
}

}  // namespace cqsim
