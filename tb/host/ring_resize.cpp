// SPDX-License-Identifier: Apache-2.0
// RingReader: a ring is replaced while traffic runs (S4.6 to S4.8).
#include "tb/host/bus_ring.h"
#include "tb/host/ring_reader.h"

namespace cqsim::tb {

void RingReader::expect_ring(Cqn cqn, const RingPlace& place, ResizeMode mode) {
    m_next[index_of(cqn)] = {place, mode};
    watch(cqn, place);
}

void RingReader::keep_ring(Cqn cqn) {
    m_next.erase(index_of(cqn));
}

/// Software stands at the entry that ends the ring. S4.8: it goes on in the new one, which begins
/// at slot 0; S4.7: the answer to the command says when. \returns whether it has gone on.
bool RingReader::cross(Cqn cqn) {
    const auto next = m_next.find(index_of(cqn));
    if (next == m_next.end() || next->second.mode == ResizeMode::Marker) {
        return false;
    }
    CqRow& row = m_rows[index_of(cqn)];
    m_places[index_of(cqn)] = next->second.place;
    m_next.erase(next);
    ++row.consumer;
    row.slot = 0;
    row.owner = owner::of_lap(m_places[index_of(cqn)].scheme, 0);
    m_crossed = true;
    return true;
}

void RingReader::finish_resize(Cqn cqn) {
    const auto next = m_next.find(index_of(cqn));
    if (next == m_next.end() || next->second.mode == ResizeMode::CutOff) {
        return;
    }
    const RingPlace place = next->second.place;
    m_next.erase(next);
    copy_unread(cqn, place);
    m_places[index_of(cqn)] = place;
    CqRow& row = m_rows[index_of(cqn)];
    const RingSpot spot = spot_of_index(place, row.consumer + 1);
    ++row.consumer;  // the marker
    row.slot = spot.slot;
    row.owner = spot.owner;
    publish(cqn);
}

/// S4.7: what is unread goes where the new ring has the index behind its own, so that it ends where
/// the device went on.
void RingReader::copy_unread(Cqn cqn, const RingPlace& place) {
    const RingPlace& old = m_places[index_of(cqn)];
    const CqRow& row = m_rows[index_of(cqn)];
    const std::uint32_t last = place.stride() - 1;
    const std::byte mask{owner::mask_of(place.scheme)};
    BusRing ring(m_bus, old, row);
    for (std::uint32_t i = 0; i < old.depth && ring.valid(row.consumer + i); ++i) {
        cqe::Entry entry = ring.read(row.consumer + i);
        const RingSpot spot = spot_of_index(place, row.consumer + i + 1);
        entry[last] = (entry[last] & ~mask) | std::byte{spot.owner};
        m_bus.write(
            place.ring + std::uint64_t{spot.slot} * place.stride(), entry.data(), place.stride());
    }
}

}  // namespace cqsim::tb
