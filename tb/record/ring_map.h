// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an address belongs to, the ring of a CQ or of an event queue, a doorbell record, an
/// interrupt vector: what a monitor on a bus must know.
#pragma once

#include "models/verbs/ids.h"
#include "tb/host/address_runs.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace cqsim::tb {

/// One ring as software laid it out.
struct RingLayout {
    std::uint64_t ring = 0;
    std::uint64_t record = 0;  ///< of the doorbell record, 8-byte aligned
    std::uint32_t depth = 0;
    std::uint32_t first_index = 0;
};

/// How far software has read a ring.
struct alignas(16) RingReading {
    std::uint32_t depth = 0;
    std::uint32_t next_slot = 0;  ///< that software has not read yet
    std::uint32_t published = 0;  ///< consumer index, as software wrote it last
    std::uint8_t next_owner = 0;  ///< of a valid entry there

    /// Of a valid entry at this index.
    std::uint8_t owner_of(std::uint32_t index) const {
        return static_cast<std::uint8_t>(index / depth & 1U);
    }
};

/// Where a write is an interrupt: vector v has the 4 bytes at first + v * stride.
struct VectorWindow {
    std::uint64_t first = 0;
    std::uint32_t count = 0;   ///< 0: there are no interrupts
    std::uint32_t stride = 4;  ///< bytes
};

/// Rings and doorbell records by address. Rings own whole 4 KiB pages; records share theirs.
class RingMap {
  public:
    void add(Cqn cqn, const RingLayout& layout);
    /// An event queue's ring of 64-byte entries.
    void add_eq(Eqn eqn, std::uint64_t ring, std::uint32_t depth);
    void set_vectors(const VectorWindow& window) { m_vectors = window; }

    /// A slot of a ring.
    struct Place {
        Cqn cqn = kNoCq;  ///< kNoCq: no ring lies there
        std::uint32_t slot = 0;
    };

    Place ring_at(std::uint64_t address) const {
        const AddressRuns::Place place = m_rings.at(address);
        return {place.cqn, static_cast<std::uint32_t>(place.offset / kStride)};
    }
    /// A slot of an event queue's ring.
    struct EqPlace {
        Eqn eqn{};
        std::uint32_t slot = 0;
    };

    /// Nothing when no event queue's ring lies there.
    std::optional<EqPlace> eq_at(std::uint64_t address) const {
        const AddressRuns::Place place = m_eqs.at(address);
        if (place.cqn == kNoCq) {
            return std::nullopt;
        }
        return EqPlace{Eqn{static_cast<std::uint16_t>(index_of(place.cqn))},
                       static_cast<std::uint32_t>(place.offset / kStride)};
    }
    /// Nothing when a write there is no interrupt.
    std::optional<std::uint16_t> vector_at(std::uint64_t address) const {
        const std::uint64_t bytes = address - m_vectors.first;
        if (bytes / m_vectors.stride >= m_vectors.count || bytes % m_vectors.stride != 0) {
            return std::nullopt;
        }
        return static_cast<std::uint16_t>(bytes / m_vectors.stride);
    }
    /// kNoCq when no doorbell record begins there.
    Cqn record_at(std::uint64_t address) const {
        const AddressRuns::Place place = m_records.at(address);
        return place.offset == 0 ? place.cqn : kNoCq;
    }

    bool has(Cqn cqn) const {
        return index_of(cqn) < m_reading.size() && m_reading[index_of(cqn)].depth != 0;
    }
    /// The values that device-visible indices can take.
    void set_index_mask(std::uint32_t mask) { m_index_mask = mask; }
    std::uint32_t index_mask() const { return m_index_mask; }

    RingReading& reading(Cqn cqn) { return m_reading[index_of(cqn)]; }

  private:
    static constexpr std::uint64_t kPage = 4096;
    static constexpr std::uint64_t kRecord = 8;
    static constexpr std::uint64_t kStride = 64;  ///< of the native format

    AddressRuns m_rings;
    AddressRuns m_records;
    AddressRuns m_eqs;  ///< by the numbers of event queues
    VectorWindow m_vectors;
    std::vector<RingReading> m_reading;
    std::uint32_t m_index_mask = 0xFFFF'FFFF;
};

}  // namespace cqsim::tb
