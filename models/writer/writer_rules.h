// SPDX-License-Identifier: Apache-2.0
/// \file
/// The writer's window and pace (D7). No SystemC.
#pragma once

#include "models/protocol/slot.h"
#include "models/rows/hash.h"
#include "models/verbs/ids.h"
#include "models/writer/writer_config.h"

#include <vector>

namespace cqsim {

/// Which writes are in flight, and when the former of entries is free again.
class WriterRules {
  public:
    /// One write in flight.
    struct Flight {
        SlotTag tag = kNoTag;
        Qpn qpn = kNoQp;
        std::uint32_t queue = 0;  ///< a QueueKind; of this width so that nothing is padding
        std::uint32_t next_free = 0;

        friend bool operator==(const Flight& l, const Flight& r) {
            return l.tag == r.tag && l.next_free == r.next_free && l.qpn == r.qpn &&
                   l.queue == r.queue;
        }
    };

    explicit WriterRules(const WriterConfig& config)
        : m_service(config.service),
          m_flights(config.writes_in_flight) {
        for (std::uint32_t i = config.writes_in_flight; i-- > 0;) {
            m_flights[i].next_free = m_free;
            m_free = i;
        }
    }

    /// Forms one entry from `now` on. \returns when it is formed, and the next can begin.
    TimePs form(TimePs now) {
        m_free_at = later_of(m_free_at, now) + m_service;
        return m_free_at;
    }
    TimePs free_at() const { return m_free_at; }

    bool window_full() const { return m_in_flight == m_flights.size(); }
    std::uint32_t in_flight() const { return m_in_flight; }

    /// A write goes out; the window must not be full. \returns its place in the window.
    std::uint32_t launch(SlotTag tag, Qpn qpn, QueueKind queue) {
        const std::uint32_t place = m_free;
        m_free = m_flights[place].next_free;
        m_flights[place].tag = tag;
        m_flights[place].qpn = qpn;
        m_flights[place].queue = index_of(queue);
        ++m_in_flight;
        return place;
    }
    /// It is in memory, or failed.
    Flight land(std::uint32_t place) {
        const Flight landed = m_flights[place];
        m_flights[place].next_free = m_free;
        m_free = place;
        --m_in_flight;
        return landed;
    }

  private:
    auto state() const { return std::tie(m_service, m_free_at, m_in_flight, m_free, m_flights); }

    static constexpr std::uint32_t kNoPlace = 0xFFFF'FFFFU;

    TimePs m_service;
    TimePs m_free_at{};
    std::uint32_t m_in_flight = 0;
    std::uint32_t m_free = kNoPlace;
    std::vector<Flight> m_flights;

  public:
    friend bool operator==(const WriterRules& l, const WriterRules& r) {
        return l.state() == r.state();
    }
    std::uint64_t hash() const { return hash_of(state()); }
};

}  // namespace cqsim
