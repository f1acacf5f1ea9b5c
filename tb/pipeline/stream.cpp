// SPDX-License-Identifier: Apache-2.0
#include "tb/pipeline/stream.h"

#include <utility>

namespace cqsim::tb {

Stream::Stream(const StreamConfig& config, RandomStream random)
    : m_config(config),
      m_turn_at(config.start),
      m_spacing(config.period.ps / config.qps),
      m_remainder(config.period.ps % config.qps) {
    if (config.shuffled) {
        m_order.resize(config.qps);
        for (std::uint32_t i = 0; i < config.qps; ++i) {
            m_order[i] = i;
        }
        for (std::uint32_t i = config.qps - 1; i > 0; --i) {
            std::swap(m_order[i], m_order[random.below(std::uint64_t{i} + 1)]);
        }
    }
    if (config.count != 0) {
        m_left.assign(config.qps, config.count);
        m_total_left = config.count * config.qps;
    }
}

void Stream::advance() {
    if (++m_turn == m_config.qps) {
        m_turn = 0;
    }
    m_turn_at.ps += m_spacing;
    m_fraction += m_remainder;
    if (m_fraction >= m_config.qps) {
        m_fraction -= m_config.qps;
        ++m_turn_at.ps;
    }
}

void Stream::used() {
    m_idle_turns = 0;
    if (!m_left.empty()) {
        --m_left[m_turn];
        m_done = --m_total_left == 0;
    }
    advance();
}

void Stream::refused() {
    ++m_refusals;
    skip();
}

void Stream::skip() {
    m_parked = ++m_idle_turns >= m_config.qps;
    advance();
}

void Stream::unpark(TimePs now) {
    m_parked = false;
    m_idle_turns = 0;
    if (m_turn_at < now) {
        const std::uint64_t behind = now.ps - m_turn_at.ps;
        m_turn_at.ps += (behind + m_config.period.ps - 1) / m_config.period.ps * m_config.period.ps;
    }
}

}  // namespace cqsim::tb
