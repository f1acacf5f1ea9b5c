// SPDX-License-Identifier: Apache-2.0
#include "tb/record/ring_map.h"

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
        (layout.flags & kCollapsed) != 0 ? 0 : layout.first_index % layout.depth;
    reading.published_lap = reading.next_lap =
        static_cast<std::uint8_t>(check::first_lap(m_scheme, layout.first_index, layout.depth));
    const std::uint64_t bytes = std::uint64_t{layout.depth} * stride_of(layout.format);
    m_rings.add(layout.ring, (bytes + kPage - 1) / kPage * kPage, cqn);
    m_records.add(layout.record, kRecord, cqn);
}

void RingMap::add_eq(Eqn eqn, std::uint64_t ring, std::uint32_t depth) {
    const std::uint64_t bytes = depth * kEqStride;
    m_eqs.add(ring, (bytes + kPage - 1) / kPage * kPage, Cqn{index_of(eqn)});
}

}  // namespace cqsim::tb
