// SPDX-License-Identifier: Apache-2.0
// Statistics: rings, and the times of the entries in their slots.
#include "tb/report/statistics.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

/// S4.7, S4.8: not of a completion, but the end of a ring that is replaced.
bool ends_ring(const Record& record) {
    constexpr unsigned kEndOfRing = 5;  // in bits 7:4 of the last byte
    return record.bytes != nullptr && record.b != 0 &&
           std::to_integer<unsigned>(record.bytes[record.b - 1]) >> 4U == kEndOfRing;
}

}  // namespace

void Statistics::create(const Record& record) {
    if (record.qpn != kNoQp) {
        ++group_of(record.qpn).state[static_cast<std::size_t>(QpState::Reset)];
    } else if (record.cqn != kNoCq) {  // maybe again: what was left in it is gone (S4.12)
        Cq& cq = m_cqs[index_of(record.cqn)];
        if (record.index > cq.depth) {
            cq.first_slot = take_times(record.index);
        }
        cq.depth = record.index;
        cq.visible = cq.consumer = cq.read = static_cast<std::uint32_t>(record.wr_id);
        cq.next_slot = m_by_index ? static_cast<std::uint32_t>(record.wr_id % record.index) : 0;
        cq.flags =
            static_cast<std::uint8_t>(((record.flags & kCollapsed) != 0 ? Cq::kCollapsed : 0) |
                                      ((record.flags & kIgnoreOverrun) != 0 ? Cq::kOverwrites : 0));
        m_rings.erase(index_of(record.cqn));
    }
}

/// Entries on their way to the old ring, and those that wait there, keep their times.
void Statistics::resize(const Record& record) {
    Cq& cq = m_cqs[index_of(record.cqn)];
    std::vector<Ring>& rings = m_rings[index_of(record.cqn)];
    if (rings.empty()) {
        rings.push_back({0, UINT64_MAX, cq.first_slot});
    }
    cq.first_slot = take_times(record.index);
    rings.push_back({record.a, record.a + std::uint64_t{record.index} * record.b, cq.first_slot});
    cq.depth = record.index;
    cq.next_slot = static_cast<ResizeMode>(record.state) == ResizeMode::Marker
                       ? static_cast<std::uint32_t>(((record.wr_id + 1) & m_index_mask) % cq.depth)
                       : 0;
    cq.flags |= static_cast<ResizeMode>(record.state) == ResizeMode::Marker
                    ? Cq::kReplaced | Cq::kMarked
                    : Cq::kReplaced;
}

/// Room for the times of so many slots.
std::uint64_t Statistics::take_times(std::uint32_t slots) {
    const std::uint64_t first = m_times_used;
    m_times_used += slots;
    m_slot_times.grow(m_times_used);
    return first;
}

std::uint64_t Statistics::first_slot_at(const Record& record) const {
    const std::vector<Ring>& rings = m_rings.at(index_of(record.cqn));
    return std::find_if(rings.rbegin(),
                        rings.rend(),
                        [&record](const Ring& ring) {
                            return record.a >= ring.address && record.a < ring.end;
                        })
        ->first_slot;
}

void Statistics::visible(const Record& record) {
    Cq& cq = m_cqs[index_of(record.cqn)];
    cq.visible = (cq.visible + 1) & m_index_mask;
    if ((cq.flags & Cq::kReplaced) != 0 && ends_ring(record)) {
        return;
    }
    ++cq.written;
    if ((cq.flags & Cq::kOverwrites) != 0) {
        const std::uint32_t places = (cq.flags & Cq::kCollapsed) != 0 ? 1 : cq.depth;
        if (((cq.visible - cq.read) & m_index_mask) > places) {
            ++m_overwritten[index_of(record.cqn)];
            cq.read = (cq.read + 1) & m_index_mask;
        }
    }
    cq.peak = std::max(cq.peak, std::min(cq.depth, (cq.visible - cq.consumer) & m_index_mask));
    std::uint64_t& time = slot_time(cq, record);
    const std::uint64_t took = record.time_ps - time;
    m_times[cq.times].report.add(took);
    if (index_of(record.qpn) < m_qp_count) {  // as decoded from the bytes
        group_of(record.qpn).report.add(took);
    }
    time = record.time_ps;
    if (record.state == static_cast<std::uint8_t>(WcStatus::WrFlushErr)) {
        ++m_storm.flush_cqes;
        m_storm.last_flush_ps = record.time_ps;
    }
}

void Statistics::poll(const Record& record) {
    Cq& cq = m_cqs[index_of(record.cqn)];
    cq.read = (cq.read + 1) & m_index_mask;
    if ((cq.flags & Cq::kReplaced) != 0 && ends_ring(record)) {
        return;
    }
    ++cq.polled;
    m_times[cq.times].pickup.add(record.time_ps - slot_time(cq, record));
}

/// What is given back beyond what was read was taken out of the ring; no more than was there.
void Statistics::consumer(const Record& record) {
    Cq& cq = m_cqs[index_of(record.cqn)];
    cq.consumer = record.index;
    std::uint32_t ahead = (record.index - cq.read) & m_index_mask;
    if (ahead != 0 && (cq.flags & Cq::kMarked) != 0) {
        cq.flags &= static_cast<std::uint8_t>(~Cq::kMarked);
        cq.read = (cq.read + 1) & m_index_mask;
        --ahead;
    }
    if (ahead != 0 && ahead <= ((cq.visible - cq.read) & m_index_mask)) {
        m_swept[index_of(record.cqn)] += ahead;
        cq.read = record.index;
    }
}

}  // namespace cqsim::tb
