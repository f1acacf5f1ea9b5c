// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which CQ an address of host memory belongs to: what a monitor on a bus must know.
#pragma once

#include "models/verbs/ids.h"

#include <cstdint>
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

/// Rings and doorbell records by address. Rings own whole 4 KiB pages; records share theirs.
class RingMap {
  public:
    void add(Cqn cqn, const RingLayout& layout);

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

    std::uint64_t m_base = 0x1'0000'0000;  ///< where host memory begins
    std::vector<RingPage> m_rings;
    std::vector<std::vector<Cqn>> m_records_of_page;
    std::vector<RingLayout> m_layouts;
};

}  // namespace cqsim::tb
