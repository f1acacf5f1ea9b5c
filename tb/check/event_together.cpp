// SPDX-License-Identifier: Apache-2.0
// Entries that EventChecker sees published together, in relaxed memory (D2).
#include "tb/check/event_checker.h"

#include <algorithm>

namespace cqsim::tb::check {

void EventChecker::on_released(const Record& record) {
    const auto of_now = [&](const Together& together) {
        return together.time_ps + m_latency_ps >= record.time_ps;
    };
    m_together.erase(m_together.begin(),
                     std::find_if(m_together.begin(), m_together.end(), of_now));
    const auto same =
        std::find_if(m_together.begin(), m_together.end(), [&](const Together& together) {
            return together.time_ps == record.time_ps && together.cqn == record.cqn;
        });
    if (same != m_together.end()) {
        ++same->entries;
    } else {
        m_together.push_back({record.time_ps, record.cqn, 1});
    }
}

std::uint32_t EventChecker::published_together(const Record& event) const {
    for (std::size_t i = m_together.size(); i-- > 0;) {
        const Together& together = m_together[i];
        if (together.cqn == event.cqn) {
            return together.time_ps + m_latency_ps >= event.time_ps ? together.entries : 0;
        }
    }
    return 0;
}

}  // namespace cqsim::tb::check
