// SPDX-License-Identifier: Apache-2.0
#include "tb/record/ring_map.h"

#include <algorithm>

namespace cqsim::tb {

void RingMap::add(Cqn cqn, const RingLayout& layout) {
    if (m_layouts.size() <= index_of(cqn)) {
        m_layouts.resize(index_of(cqn) + std::size_t{1});
    }
    RingLayout& added = m_layouts[index_of(cqn)] = layout;
    added.next_slot = 0;
    added.next_owner = static_cast<std::uint8_t>(layout.first_index / layout.depth & 1U);

    const std::uint64_t bytes = layout.depth * kStride;
    const std::uint64_t first = (layout.ring - m_base) / kPage;
    const std::uint64_t end = first + (bytes + kPage - 1) / kPage;
    if (m_rings.size() < end) {
        m_rings.resize(end);
    }
    std::fill(m_rings.begin() + static_cast<std::ptrdiff_t>(first),
              m_rings.begin() + static_cast<std::ptrdiff_t>(end),
              RingPage{cqn, static_cast<std::uint32_t>(first)});

    const std::uint64_t page = (layout.record - m_base) / kPage;
    if (m_records_of_page.size() <= page) {
        m_records_of_page.resize(page + 1);
    }
    std::vector<Cqn>& records = m_records_of_page[page];
    if (records.empty()) {
        records.resize(kPage / kRecord, kNoCq);
    }
    records[layout.record % kPage / kRecord] = cqn;
}

void RingMap::add_eq(Eqn eqn, std::uint64_t ring, std::uint32_t depth) {
    const std::uint64_t bytes = std::uint64_t{depth} * kStride;
    const std::uint64_t first = (ring - m_base) / kPage;
    const std::uint64_t end = first + (bytes + kPage - 1) / kPage;
    if (m_eqs.size() < end) {
        m_eqs.resize(end);
    }
    std::fill(m_eqs.begin() + static_cast<std::ptrdiff_t>(first),
              m_eqs.begin() + static_cast<std::ptrdiff_t>(end),
              EqPage{eqn, true, static_cast<std::uint32_t>(first)});
}

Cqn RingMap::record_at(std::uint64_t address) const {
    const std::uint64_t page = (address - m_base) / kPage;
    if (page >= m_records_of_page.size() || m_records_of_page[page].empty() ||
        address % kRecord != 0) {
        return kNoCq;
    }
    return m_records_of_page[page][address % kPage / kRecord];
}

}  // namespace cqsim::tb
