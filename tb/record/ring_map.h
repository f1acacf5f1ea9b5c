// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which CQ an address of host memory belongs to: what a monitor on a bus must know.
#pragma once

#include "models/verbs/ids.h"
#include "tb/host/address_runs.h"

#include <cstdint>
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
        const AddressRuns::Place place = m_rings.at(address);
        return {place.cqn, static_cast<std::uint32_t>(place.offset / kStride)};
    }
    /// kNoCq when no doorbell record begins there.
    Cqn record_at(std::uint64_t address) const {
        const AddressRuns::Place place = m_records.at(address);
        return place.offset == 0 ? place.cqn : kNoCq;
    }

    RingReading& reading(Cqn cqn) { return m_reading[index_of(cqn)]; }

  private:
    static constexpr std::uint64_t kPage = 4096;
    static constexpr std::uint64_t kRecord = 8;
    static constexpr std::uint64_t kStride = 64;  ///< of the native format

    AddressRuns m_rings;
    AddressRuns m_records;
    std::vector<RingReading> m_reading;
};

}  // namespace cqsim::tb
