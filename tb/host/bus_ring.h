// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tb/host/cq_row.h"
#include "tb/host/host_bus.h"
#include "tb/host/ring_place.h"
#include "tb/host/sweep.h"

#include <vector>

namespace cqsim::tb {

/// A ring on the bus. Entries are read as a driver reads fields: the tail with the owner value
/// first (S3.7).
class BusRing final : public SweptRing {
  public:
    BusRing(HostBus& bus, const RingPlace& place, const CqRow& row)
        : m_bus(bus),
          m_place(place),
          m_row(row),
          m_rest(place.stride() - kTail) {}

    bool valid(std::uint32_t index) override {
        cqe::Entry entry{};
        const RingSpot spot = at(index);
        m_bus.read(address(spot) + m_rest, entry.data() + m_rest, kTail);
        const std::uint8_t own = cqe::own_byte(entry.data(), m_place.stride());
        return owner::is_valid(own, owner::mask_of(m_place.scheme), spot.owner) &&
               !cqe::ends_ring(own);
    }
    cqe::Entry read(std::uint32_t index) override {
        cqe::Entry entry{};
        const RingSpot spot = at(index);
        m_bus.read(address(spot) + m_rest, entry.data() + m_rest, kTail);
        m_bus.read(address(spot), entry.data(), m_rest);
        return entry;
    }
    Qpn qpn_in(const cqe::Entry& entry) const override {
        return cqe::codec_of(m_place.format).decode(entry.data()).qpn;
    }
    void write(std::uint32_t index, const cqe::Entry& entry) override {
        const std::uint64_t slot = address(at(index));
        const std::uint32_t last = m_place.stride() - 1;
        const std::byte mask{owner::mask_of(m_place.scheme)};
        std::byte own{};
        m_bus.read(slot + last, &own, 1);
        cqe::Entry copy = entry;
        copy[last] = (entry[last] & ~mask) | (own & mask);
        m_bus.write(slot, copy.data(), m_place.stride());
    }
    /// S7.7 step 2: a receive of an SRQ comes back. The index of a send names nothing there.
    void taken_out(const cqe::Entry& entry) override {
        const cqe::Decoded decoded = cqe::codec_of(m_place.format).decode(entry.data());
        if (decoded.queue == QueueKind::Receive) {
            m_receives.push_back(decoded.wqe_index);
        }
    }
    /// The receive requests whose entries were taken out, in that order.
    const std::vector<std::uint32_t>& receives() const { return m_receives; }

  private:
    static constexpr std::uint32_t kTail = 32;

    RingSpot at(std::uint32_t index) const {
        return spot_behind(m_place, {m_row.slot, m_row.owner}, index - m_row.consumer);
    }
    std::uint64_t address(const RingSpot& spot) const {
        return m_place.ring + std::uint64_t{spot.slot} * m_place.stride();
    }

    HostBus& m_bus;
    const RingPlace& m_place;
    const CqRow& m_row;
    std::uint32_t m_rest;  ///< bytes before the tail
    std::vector<std::uint32_t> m_receives;
};

}  // namespace cqsim::tb
