// SPDX-License-Identifier: Apache-2.0
#include "tb/host/eq_reader.h"

#include "models/doorbell/bar_map.h"

#include <algorithm>

namespace cqsim::tb {

void EqReader::add(Eqn eqn, const EqPlace& place) {
    if (m_rows.size() <= index_of(eqn)) {
        m_rows.resize(index_of(eqn) + 1);
    }
    m_rows[index_of(eqn)] = {place, 0, 0};
}

std::optional<eqe::Decoded> EqReader::next(Eqn eqn) {
    Row& row = m_rows[index_of(eqn)];
    const std::uint32_t depth = row.place.depth;
    eqe::Entry entry{};
    const std::uint32_t slot = row.consumer & (depth - 1);
    const auto owner = static_cast<std::uint8_t>((row.consumer & depth) != 0 ? 1 : 0);
    m_bus.read(row.place.ring + std::uint64_t{slot} * eqe::kBytes, entry.data(), eqe::kBytes);
    if (!eqe::is_valid(entry.data(), owner)) {
        return std::nullopt;
    }
    ++row.consumer;
    if (row.consumer - row.told >= std::max(depth / 2, 1U)) {
        tell(eqn, bar::kEqUpdate);
    }
    return eqe::decode(entry.data());
}

void EqReader::arm(Eqn eqn) {
    tell(eqn, bar::kEqArm);
}

void EqReader::tell(Eqn eqn, std::uint64_t offset) {
    Row& row = m_rows[index_of(eqn)];
    row.told = row.consumer;
    if (!m_bus.ring(offset, bar::eq_index(eqn, row.consumer))) {
        ++m_refused;
    }
}

}  // namespace cqsim::tb
