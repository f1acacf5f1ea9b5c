// SPDX-License-Identifier: Apache-2.0
#include "models/time/timeline.h"

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
    m_asked = 0;
    for (std::size_t i = 0; i < m_count; ++i) {
        m_asked |= m_due[i] != kNever ? bit_of(i) : 0;
    }
    m_ready = earliest().who;
    return slot;
}

Timeline::Next Timeline::earliest() const {
    Next next;
    for (Positions left = m_asked; left != 0; left &= left - 1) {
        const std::size_t position = first_of(left);
        const TimePs due = m_due[position];
        if (due < next.at) {
            next = {due, bit_of(position)};
        } else if (due == next.at) {
            next.who |= bit_of(position);
        }
    }
    return next;
}

TimePs Timeline::run_due(TimePs now) {
    m_running = true;
    m_now = now;
    if (now != m_promised) {  // later: whoever is late runs as well
        m_ready = 0;
        for (Positions left = m_asked; left != 0; left &= left - 1) {
            const std::size_t position = first_of(left);
            m_ready |= m_due[position] <= now ? bit_of(position) : 0;
        }
    }
    while (m_ready != 0) {  // a lower rank that becomes due at this stamp runs first
        const std::size_t position = first_of(m_ready);
        m_ready &= ~bit_of(position);
        m_asked &= ~bit_of(position);
        m_due[position] = kNever;
        m_entry[position].block->due(now);
    }
    m_running = false;
    const Next next = earliest();
    m_ready = next.who;
    m_promised = next.at;
    return next.at;
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
