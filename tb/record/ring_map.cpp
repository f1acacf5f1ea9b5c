// SPDX-License-Identifier: Apache-2.0
#include "tb/record/ring_map.h"

namespace cqsim::tb {

void RingMap::add(Cqn cqn, const RingLayout& layout) {
    if (m_reading.size() <= index_of(cqn)) {
        m_reading.resize(index_of(cqn) + std::size_t{1});
    }
    RingReading& reading = m_reading[index_of(cqn)];
    reading = {layout.depth, 0, layout.first_index};
    reading.next_owner = reading.owner_of(layout.first_index);
    const std::uint64_t bytes = layout.depth * kStride;
    m_rings.add(layout.ring, (bytes + kPage - 1) / kPage * kPage, cqn);
    m_records.add(layout.record, kRecord, cqn);
}

void RingMap::add_eq(Eqn eqn, std::uint64_t ring, std::uint32_t depth) {
    const std::uint64_t bytes = depth * kStride;
    m_eqs.add(ring, (bytes + kPage - 1) / kPage * kPage, Cqn{index_of(eqn)});
}

}  // namespace cqsim::tb
