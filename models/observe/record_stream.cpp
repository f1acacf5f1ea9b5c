// SPDX-License-Identifier: Apache-2.0
#include "models/observe/record_stream.h"

#include <algorithm>
#include <stdexcept>

namespace cqsim {

std::uint8_t RecordStream::intern(std::string_view source) {
    const auto found = std::find(m_sources.begin(), m_sources.end(), source);
    if (found != m_sources.end()) {
        return static_cast<std::uint8_t>(found - m_sources.begin());
    }
    if (m_sources.size() == 255) {
        throw std::length_error("RecordStream::intern: more than 255 sources");
    }
    m_sources.emplace_back(source);
    return static_cast<std::uint8_t>(m_sources.size() - 1);
}

void RecordStream::subscribe(RecordSubscriber& subscriber, KindMask kinds) {
    m_subscriptions.push_back({&subscriber, kinds});
    m_wanted |= kinds;
}

void RecordStream::drain() {
    const RecordBatch batch{m_record.data(), m_count};
    if (m_count > 0) {
        for (const Subscription& subscription : m_subscriptions) {
            subscription.subscriber->observe(batch);
        }
    }
    m_count = 0;
}

}  // namespace cqsim
