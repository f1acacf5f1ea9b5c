// SPDX-License-Identifier: Apache-2.0
#include "tb/host/eq_reader.h"

#include "models/doorbell/bar_map.h"

#include <algorithm>

namespace cqsim::tb {

void EqReader::add(Eqn eqn, const EqPlace& place) {
    if (m_rows.size() <= index_of(eqn)) {
        m_rows.resize(index_of(eqn) + 1);
    }
    m_rows[index_of(eqn)] = {place, 0, 0, {}};
}

/// The entry of that index, if it is in memory.
std::optional<eqe::Decoded> EqReader::look(const Row& row, std::uint32_t index) {
    const std::uint32_t depth = row.place.depth;
    eqe::Entry entry{};
    const std::uint32_t slot = index & (depth - 1);
    const auto owner = static_cast<std::uint8_t>((index & depth) != 0 ? 1 : 0);
    m_bus.read(row.place.ring + std::uint64_t{slot} * eqe::kBytes, entry.data(), eqe::kBytes);
    if (!eqe::is_valid(entry.data(), owner)) {
        return std::nullopt;
    }
    return eqe::decode(entry.data());
}

std::optional<eqe::Decoded> EqReader::next(Eqn eqn) {
    Row& row = m_rows[index_of(eqn)];
    while (const std::optional<eqe::Decoded> event = look(row, row.consumer)) {
        const bool dropped = take_dropped(row, row.consumer);
        ++row.consumer;
        if (row.consumer - row.told >= std::max(row.place.depth / 2, 1U)) {
            tell(eqn, bar::kEqUpdate);
        }
        if (!dropped) {
            return event;
        }
    }
    return std::nullopt;
}

bool EqReader::take_dropped(Row& row, std::uint32_t index) {
    const auto found = std::find(row.dropped.begin(), row.dropped.end(), index);
    if (found == row.dropped.end()) {
        return false;
    }
    *found = row.dropped.back();
    row.dropped.pop_back();
    return true;
}

/// The ring is left as it is: software keeps its own note, and one note for an entry, whichever of
/// the lives of the CQ's number it is of.
std::uint32_t EqReader::drop(Cqn cqn) {
    std::uint32_t count = 0;
    for (Row& row : m_rows) {
        for (std::uint32_t i = 0; i < row.place.depth; ++i) {
            const std::uint32_t index = row.consumer + i;
            const std::optional<eqe::Decoded> event = look(row, index);
            if (!event) {
                break;
            }
            const bool known =
                std::find(row.dropped.begin(), row.dropped.end(), index) != row.dropped.end();
            if (event->cqn == cqn && !known) {
                row.dropped.push_back(index);
                ++count;
            }
        }
    }
    return count;
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
