// SPDX-License-Identifier: Apache-2.0
#include "models/time/timeline.h"

#include <stdexcept>

namespace cqsim {

Timeline::Timeline() = default;

Timeline::Slot Timeline::attach(TimedBlock& block, Rank rank) {
    if (m_count == kMaxBlocks) {
        throw std::length_error("Timeline::attach: more than 64 timed blocks on one timeline");
    }
    const auto slot = static_cast<Slot>(m_count);
    std::size_t position = m_count;
    while (position > 0 && rank < m_entry[position - 1].rank) {
        m_entry[position] = m_entry[position - 1];
        m_position[m_entry[position].slot] = static_cast<std::uint32_t>(position);
        --position;
    }
    m_entry[position] = Entry{kNever, &block, rank, slot};
    m_position[slot] = static_cast<std::uint32_t>(position);
    ++m_count;
    return slot;
}

std::size_t Timeline::earliest() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < m_count; ++i) {
        if (m_entry[i].due < m_entry[best].due) {
            best = i;
        }
    }
    return best;
}

TimePs Timeline::next_due() const {
    return m_count == 0 ? kNever : m_entry[earliest()].due;
}

TimePs Timeline::run_due(TimePs now) {
    m_running = true;
    m_now = now;
    // A block may be due in the past only through `at` with a passed time: it runs now.
    for (;;) {
        std::size_t next = m_count;
        TimePs following = kNever;
        for (std::size_t i = 0; i < m_count; ++i) {
            const TimePs due = m_entry[i].due;
            if (due <= now) {
                next = i;
                break;
            }
            following = due < following ? due : following;
        }
        if (next == m_count) {
            m_running = false;
            m_promised = following;
            return following;
        }
        m_entry[next].due = kNever;
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
