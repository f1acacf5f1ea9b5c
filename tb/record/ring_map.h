// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an address belongs to, the ring of a CQ or of an event queue, a doorbell record, an
/// interrupt vector: what a monitor on a bus must know.
#pragma once

#include "models/verbs/cq.h"
#include "models/verbs/ids.h"
#include "tb/check/owner.h"
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
    CqeFormat format = CqeFormat::Native;
    std::uint8_t flags = 0;  ///< kIgnoreOverrun, kCollapsed
};

/// How far software has read a ring. Places are counted, not taken from indices: these wrap at
/// 2^width, which need not be a multiple of the depth.
struct alignas(32) RingReading {
    std::uint32_t depth = 0;
    std::uint32_t published = 0;       ///< consumer index, as software wrote it last
    std::uint32_t published_slot = 0;  ///< its slot
    std::uint32_t next_slot = 0;       ///< that software has not read yet
    std::uint64_t seen = 0;            ///< of a collapsed ring: digest of the entry read last
    std::uint8_t published_lap = 0;
    std::uint8_t next_lap = 0;  ///< of a valid entry at the next slot, modulo check::kLaps
    CqeFormat format = CqeFormat::Native;
    std::uint8_t flags = 0;
    bool is_replaced = false;  ///< another ring waits for software to come
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
    /// The ring of a CQ is replaced by another of its format (S4.6): of `layout`, ring and depth
    /// count. `last`: index of the entry that ends the old ring. Software goes on there with its
    /// first look at an entry in the new ring.
    void replace(Cqn cqn, const RingLayout& layout, ResizeMode mode, std::uint32_t last);
    /// Software asks for that; several may be open, in order.
    void expect(Cqn cqn, std::uint64_t ring, std::uint32_t depth, ResizeMode mode);
    /// It was refused.
    void forget(std::uint64_t ring);
    /// An entry that ends the ring was written into this slot: the ring that is expected replaces
    /// it.
    void end_written(Cqn cqn, std::uint32_t slot);
    /// Software looks at an entry there: if that is in a ring that replaces another, it goes on in
    /// it from now on.
    void looks_at(Cqn cqn, std::uint64_t address) {
        if (m_reading[index_of(cqn)].is_replaced) {
            go_on(cqn, address);
        }
    }
    /// An event queue's ring of 64-byte entries.
    void add_eq(Eqn eqn, std::uint64_t ring, std::uint32_t depth);
    void set_vectors(const VectorWindow& window) { m_vectors = window; }
    /// The device's owner scheme (K02) and the bits of its indices; before rings are added.
    void set_indices(OwnerScheme scheme, std::uint32_t index_width) {
        m_scheme = scheme;
        m_mask = static_cast<std::uint32_t>((std::uint64_t{1} << index_width) - 1);
    }
    OwnerScheme scheme() const { return m_scheme; }
    std::uint32_t index_mask() const { return m_mask; }

    /// A slot of a ring.
    struct Place {
        Cqn cqn = kNoCq;  ///< kNoCq: no ring lies there
        std::uint32_t slot = 0;
    };

    Place ring_at(std::uint64_t address) const {
        const AddressRuns::Place place = m_rings.at(address);
        if (place.cqn == kNoCq) {
            return {};
        }
        return {place.cqn,
                static_cast<std::uint32_t>(place.offset / stride_of(format_of(place.cqn)))};
    }
    CqeFormat format_of(Cqn cqn) const { return m_reading[index_of(cqn)].format; }
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
                       static_cast<std::uint32_t>(place.offset / kEqStride)};
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

    RingReading& reading(Cqn cqn) { return m_reading[index_of(cqn)]; }

  private:
    static constexpr std::uint64_t kPage = 4096;
    static constexpr std::uint64_t kRecord = 8;
    static constexpr std::uint64_t kEqStride = 64;

    /// A ring that software has not come to yet.
    struct Replacement {
        Cqn cqn{};
        std::uint64_t ring = 0;
        std::uint32_t depth = 0;
        std::uint32_t last = 0;
        ResizeMode mode{};
    };

    void add_ring(Cqn cqn, std::uint64_t address, std::uint64_t bytes) {
        m_rings.add(address, (bytes + kPage - 1) / kPage * kPage, cqn);
    }
    void go_on(Cqn cqn, std::uint64_t address);

    AddressRuns m_rings;
    std::vector<Replacement> m_replacements;
    std::vector<Replacement> m_expected;  ///< `last` is not known
    AddressRuns m_records;
    AddressRuns m_eqs;  ///< by the numbers of event queues
    VectorWindow m_vectors;
    OwnerScheme m_scheme = OwnerScheme::Parity;
    std::uint32_t m_mask = UINT32_MAX;
    std::vector<RingReading> m_reading;
};

}  // namespace cqsim::tb
