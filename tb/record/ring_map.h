// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an address belongs to, the ring of a CQ or of an event queue, a doorbell record, an
/// interrupt vector: what a monitor on a bus must know.
#pragma once

#include "models/verbs/ids.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace cqsim::tb {

/// One ring as software laid it out, and how far software has read.
struct alignas(64) RingLayout {
    std::uint64_t ring = 0;
    std::uint64_t record = 0;  ///< of the doorbell record, 8-byte aligned
    std::uint32_t depth = 0;
    std::uint32_t first_index = 0;
    std::uint32_t next_slot = 0;  ///< that software has not read yet
    std::uint8_t next_owner = 0;  ///< of a valid entry there
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
        const std::uint64_t page = (address - m_base) / kPage;
        if (page >= m_rings.size()) {
            return {};
        }
        const RingPage& ring = m_rings[page];
        const std::uint64_t bytes = address - m_base - std::uint64_t{ring.first_page} * kPage;
        return {ring.cqn, static_cast<std::uint32_t>(bytes / kStride)};
    }
    /// A slot of an event queue's ring.
    struct EqPlace {
        Eqn eqn{};
        std::uint32_t slot = 0;
    };

    /// Nothing when no event queue's ring lies there.
    std::optional<EqPlace> eq_at(std::uint64_t address) const {
        const std::uint64_t page = (address - m_base) / kPage;
        if (page >= m_eqs.size() || !m_eqs[page].used) {
            return std::nullopt;
        }
        const std::uint64_t bytes =
            address - m_base - std::uint64_t{m_eqs[page].first_page} * kPage;
        return EqPlace{m_eqs[page].eqn, static_cast<std::uint32_t>(bytes / kStride)};
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
    Cqn record_at(std::uint64_t address) const;

    RingLayout& layout(Cqn cqn) { return m_layouts[index_of(cqn)]; }

  private:
    static constexpr std::uint64_t kPage = 4096;
    static constexpr std::uint64_t kRecord = 8;
    static constexpr std::uint64_t kStride = 64;  ///< of the native format

    struct RingPage {
        Cqn cqn = kNoCq;
        std::uint32_t first_page = 0;  ///< of the ring, in pages from m_base
    };

    struct EqPage {
        Eqn eqn{};
        bool used = false;
        std::uint32_t first_page = 0;
    };

    std::uint64_t m_base = 0x1'0000'0000;  ///< where host memory begins
    std::vector<RingPage> m_rings;
    std::vector<EqPage> m_eqs;
    VectorWindow m_vectors;
    std::vector<std::vector<Cqn>> m_records_of_page;
    std::vector<RingLayout> m_layouts;
};

}  // namespace cqsim::tb
