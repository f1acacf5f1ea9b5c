// SPDX-License-Identifier: Apache-2.0
// RingReader: a ring is replaced while traffic runs (S4.6 to S4.8).
#include "tb/host/bus_ring.h"
#include "tb/host/ring_reader.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

template <class Rings>
auto find_ring(Rings& rings, std::uint64_t ring) {
    return std::find_if(
        rings.begin(), rings.end(), [ring](const auto& next) { return next.place.ring == ring; });
}

}  // namespace

void RingReader::expect_ring(Cqn cqn, const RingPlace& place, ResizeMode mode) {
    m_next[index_of(cqn)].push_back({place, mode});
    watch(cqn, place);
}

void RingReader::forget_ring(Cqn cqn, std::uint64_t ring) {
    std::vector<Next>& rings = m_next[index_of(cqn)];
    if (const auto found = find_ring(rings, ring); found != rings.end()) {
        rings.erase(found);
    }
}

void RingReader::doubt_ring(Cqn cqn, std::uint64_t ring) {
    std::vector<Next>& rings = m_next[index_of(cqn)];
    if (const auto found = find_ring(rings, ring); found != rings.end()) {
        found->doubtful = true;
    }
}

bool RingReader::resizing(Cqn cqn) const {
    const auto rings = m_next.find(index_of(cqn));
    return rings != m_next.end() &&
           std::any_of(rings->second.begin(), rings->second.end(), [](const Next& next) {
               return next.confirmed || !next.doubtful;
           });
}

/// Software stands at the entry that ends the ring. S4.8: it goes on in the new one, which begins
/// at slot 0; S4.7: the answer to the command says when. Of several rings that were asked for the
/// answer says which. \returns whether it has gone on.
bool RingReader::cross(Cqn cqn) {
    const auto rings = m_next.find(index_of(cqn));
    if (rings == m_next.end() || rings->second.empty()) {
        return false;
    }
    const Next next = rings->second.front();
    if (next.mode == ResizeMode::Marker || (rings->second.size() > 1 && !next.confirmed)) {
        return false;
    }
    rings->second.erase(rings->second.begin());
    enter(cqn, next.place, {0, owner::of_lap(next.place.scheme, 0)});
    m_crossed = true;
    return true;
}

/// The end of the old ring is behind software.
void RingReader::enter(Cqn cqn, const RingPlace& place, const RingSpot& spot) {
    CqRow& row = m_rows[index_of(cqn)];
    ++row.consumer;
    row.slot = spot.slot;
    row.owner = spot.owner;
    RingPlace& read = m_places[index_of(cqn)];
    read.ring = place.ring;
    read.depth = place.depth;
    read.first_index = row.consumer;
}

void RingReader::finish_resize(Cqn cqn, std::uint64_t ring) {
    std::vector<Next>& rings = m_next[index_of(cqn)];
    const auto found = find_ring(rings, ring);
    if (found == rings.end()) {
        return;  // software is there already (S4.8)
    }
    rings.erase(rings.begin(), found);
    if (rings.front().mode == ResizeMode::CutOff) {
        rings.front().confirmed = true;
        return;
    }
    const RingPlace place = rings.front().place;
    rings.erase(rings.begin());
    copy_unread(cqn, place);
    enter(cqn, place, spot_of_index(place, m_rows[index_of(cqn)].consumer + 1));
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
    std::uint32_t count = 0;
    for (; count < old.depth && ring.valid(row.consumer + count); ++count) {
        cqe::Entry entry = ring.read(row.consumer + count);
        const RingSpot spot = spot_of_index(place, row.consumer + count + 1);
        entry[last] = (entry[last] & ~mask) | std::byte{spot.owner};
        m_bus.write(
            place.ring + std::uint64_t{spot.slot} * place.stride(), entry.data(), place.stride());
    }
    shift_stale(cqn, row.consumer + count);
}

/// Entries before the marker have an index more in the new ring; what is stale beyond it is counted
/// as it is there.
void RingReader::shift_stale(Cqn cqn, std::uint32_t marker) {
    const auto found = m_stale.find(index_of(cqn));
    if (found == m_stale.end()) {
        return;
    }
    const auto shift = [marker](std::uint32_t& until) {
        until += marker - until < (1U << 31U) ? 1 : 0;  // not behind the marker
    };
    shift(found->second.furthest);
    for (auto& [qpn, until] : found->second.until) {
        shift(until);
    }
}

/// With so many entries in the ring that is read: how many more indices lie before what the device
/// has written last, the end of the ring included.
std::uint32_t RingReader::valid_behind(Cqn cqn, std::uint32_t count) {
    const auto rings = m_next.find(index_of(cqn));
    if (rings == m_next.end() || rings->second.empty()) {
        return 0;
    }
    const Next& next = rings->second.back();
    const std::uint32_t first = m_rows[index_of(cqn)].consumer + count + 1;
    const RingSpot spot = next.mode == ResizeMode::Marker
                              ? spot_of_index(next.place, first)
                              : RingSpot{0, owner::of_lap(next.place.scheme, 0)};
    CqRow there;
    there.consumer = first;
    there.slot = spot.slot;
    there.owner = spot.owner;
    BusRing ring(m_bus, next.place, there);
    const std::uint32_t more = valid_entries(ring, first, next.place.depth);
    return more == 0 ? 0 : more + 1;
}

}  // namespace cqsim::tb
