// SPDX-License-Identifier: Apache-2.0
#include "tb/record/ring_map.h"

#include <algorithm>

namespace cqsim::tb {

void RingMap::add(Cqn cqn, const RingLayout& layout) {
    if (m_reading.size() <= index_of(cqn)) {
        m_reading.resize(index_of(cqn) + std::size_t{1});
    }
    RingReading& reading = m_reading[index_of(cqn)];
    reading = RingReading{};
    reading.depth = layout.depth;
    reading.format = layout.format;
    reading.flags = layout.flags;
    reading.published = layout.first_index;
    reading.published_slot = reading.next_slot =
        (layout.flags & kCollapsed) != 0
            ? 0
            : check::first_slot(m_scheme, layout.first_index, layout.depth);
    reading.published_lap = reading.next_lap =
        static_cast<std::uint8_t>(check::first_lap(m_scheme, layout.first_index, layout.depth));
    const std::uint64_t bytes = std::uint64_t{layout.depth} * stride_of(layout.format);
    add_ring(cqn, layout.ring, bytes);
    m_records.add(layout.record, kRecord, cqn);
}

void RingMap::replace(Cqn cqn, const RingLayout& layout, ResizeMode mode, std::uint32_t last) {
    RingReading& reading = m_reading[index_of(cqn)];
    add_ring(cqn, layout.ring, std::uint64_t{layout.depth} * stride_of(reading.format));
    reading.is_replaced = true;
    m_replacements.push_back({cqn, layout.ring, layout.depth, last, mode});
}

void RingMap::expect(Cqn cqn, std::uint64_t ring, std::uint32_t depth, ResizeMode mode) {
    if (index_of(cqn) >= m_reading.size()) {
        return;  // no such CQ
    }
    m_expected.push_back({cqn, ring, depth, 0, mode});
    add_ring(cqn, ring, std::uint64_t{depth} * stride_of(m_reading[index_of(cqn)].format));
}

void RingMap::forget(std::uint64_t ring) {
    for (std::vector<Replacement>* rings : {&m_expected, &m_replacements}) {
        rings->erase(std::remove_if(rings->begin(),
                                    rings->end(),
                                    [ring](const Replacement& one) { return one.ring == ring; }),
                     rings->end());
    }
}

/// Of several rings that were asked for, where software goes on tells which it is.
void RingMap::end_written(Cqn cqn, std::uint32_t slot) {
    // Entries that software has not given back lie within one ring.
    RingReading& reading = m_reading[index_of(cqn)];
    const std::uint32_t ahead =
        (slot + reading.depth - reading.published_slot % reading.depth) % reading.depth;
    for (Replacement ring : m_expected) {
        if (ring.cqn == cqn) {
            ring.last = (reading.published + ahead) & m_mask;
            reading.is_replaced = true;
            m_replacements.push_back(ring);
        }
    }
}

void RingMap::go_on(Cqn cqn, std::uint64_t address) {
    const auto found =
        std::find_if(m_replacements.begin(), m_replacements.end(), [&](const Replacement& ring) {
            return ring.cqn == cqn && ring.ring <= address &&
                   address - ring.ring <
                       std::uint64_t{ring.depth} * stride_of(m_reading[index_of(cqn)].format);
        });
    if (found == m_replacements.end()) {
        return;
    }
    const Replacement to = *found;
    const auto of_cq = [cqn](const Replacement& ring) { return ring.cqn == cqn; };
    m_replacements.erase(std::remove_if(m_replacements.begin(), m_replacements.end(), of_cq),
                         m_replacements.end());
    // What was asked for before it never came.
    for (bool reached = false; !reached;) {
        const auto oldest = std::find_if(m_expected.begin(), m_expected.end(), of_cq);
        reached = oldest == m_expected.end() || oldest->ring == to.ring;
        if (oldest != m_expected.end()) {
            m_expected.erase(oldest);
        }
    }
    RingReading& reading = m_reading[index_of(cqn)];
    const auto laps = [](std::uint32_t depth) { return std::int64_t{check::kLaps} * depth; };
    const auto place = [](std::uint32_t slot, std::uint32_t lap, std::uint32_t depth) {
        return std::int64_t{slot} + std::int64_t{lap} * depth;
    };
    // Read and not given back: never more than the old ring has. If it is more, software has given
    // back more than it read: it has stepped over the marker already (S4.7).
    const std::int64_t unreleased =
        (place(reading.next_slot, reading.next_lap, reading.depth) -
         place(reading.published_slot, reading.published_lap, reading.depth) +
         laps(reading.depth)) %
        laps(reading.depth);
    const bool stepped = unreleased > reading.depth;
    const std::uint32_t first = (to.last + 1) & m_mask;
    const std::int64_t first_place =
        to.mode == ResizeMode::CutOff
            ? 0
            : place(first % to.depth, check::first_lap(m_scheme, first, to.depth), to.depth);
    // Places of entries before `first` are those that they have or had had, counted back.
    const auto steps_to_first = [&](std::uint32_t index) {
        const std::uint32_t before = (first - index) & m_mask;
        return before <= m_mask / 2 ? std::int64_t{before}
                                    : std::int64_t{before} - std::int64_t{m_mask} - 1;
    };
    const std::int64_t published = steps_to_first(reading.published);
    std::int64_t next = stepped ? published : published - unreleased;
    if (next > 0 && !stepped) {
        next = to.mode == ResizeMode::CutOff ? 0 : next - 1;  // the one that ended the ring
    }
    const auto set = [&](std::int64_t before, std::uint32_t& slot, std::uint8_t& lap) {
        const std::int64_t at =
            ((first_place - before) % laps(to.depth) + laps(to.depth)) % laps(to.depth);
        slot = static_cast<std::uint32_t>(at % to.depth);
        lap = static_cast<std::uint8_t>(at / to.depth);
    };
    set(next, reading.next_slot, reading.next_lap);
    set(published, reading.published_slot, reading.published_lap);
    reading.depth = to.depth;
    reading.is_replaced = false;
}

void RingMap::add_eq(Eqn eqn, std::uint64_t ring, std::uint32_t depth) {
    const std::uint64_t bytes = depth * kEqStride;
    m_eqs.add(ring, (bytes + kPage - 1) / kPage * kPage, Cqn{index_of(eqn)});
}

}  // namespace cqsim::tb
