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

Record* RecordStream::open_later(Kind kind, std::uint8_t source, TimePs at) {
    if (!wants(kind)) {
        return nullptr;
    }
    const auto place = std::upper_bound(
        m_later.begin(), m_later.end(), at.ps, [](std::uint64_t time, const Later& later) {
            return time < later.record.time_ps;
        });
    Later& later = *m_later.insert(place, Later{});
    later.record.time_ps = at.ps;
    later.record.kind = kind;
    later.record.source = source;
    later.record.device = m_device;
    m_later_from = TimePs{m_later.front().record.time_ps};
    m_open_later = &later.record;
    m_open_later_bytes = later.bytes.data();
    return &later.record;
}

/// What was opened for a time that has come.
void RecordStream::let_in(TimePs now) {
    auto later = m_later.begin();
    for (; later != m_later.end() && later->record.time_ps <= now.ps; ++later) {
        Record& record = take_room();
        record = later->record;
        if (record.bytes != nullptr) {
            attach(record, later->bytes.data(), record.b);
        }
    }
    m_later.erase(m_later.begin(), later);
    m_open_later = nullptr;
    m_later_from = m_later.empty() ? kNever : TimePs{m_later.front().record.time_ps};
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
