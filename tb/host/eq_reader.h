// SPDX-License-Identifier: Apache-2.0
/// \file
/// The part of software that reads event queues.
#pragma once

#include "models/event/eqe.h"
#include "tb/host/host_bus.h"

#include <optional>
#include <vector>

namespace cqsim::tb {

/// Where an event queue lies, as software made it.
struct EqPlace {
    std::uint64_t ring = 0;
    std::uint32_t depth = 0;  ///< a power of two
    std::uint16_t vector = 0;
};

/// Owns software's position in each event queue.
class EqReader {
  public:
    explicit EqReader(HostBus& bus)
        : m_bus(bus) {}

    void add(Eqn eqn, const EqPlace& place);
    bool has(Eqn eqn) const {
        return index_of(eqn) < m_rows.size() && m_rows[index_of(eqn)].place.depth != 0;
    }
    const EqPlace& place(Eqn eqn) const { return m_rows[index_of(eqn)].place; }

    /// Reads the next entry and steps over it; nothing when none is valid (S3.5). Steps over what
    /// was dropped. At least every
    /// depth / 2 entries the device learns how far software is, without an arm (S6.22).
    std::optional<eqe::Decoded> next(Eqn eqn);
    /// Tells the device how far software is, and asks for the next interrupt (S6.22).
    void arm(Eqn eqn);
    /// S4.13: what lies unread in the queues and names the CQ, which is gone, is for nobody. An
    /// entry of it that is still on its way to memory is not found. \returns how many there were.
    std::uint32_t drop(Cqn cqn);
    /// Entries read so far: the consumer index, 32 bits, free-running.
    std::uint32_t consumer(Eqn eqn) const { return m_rows[index_of(eqn)].consumer; }

    /// Event queues, existing or not, have numbers below this.
    std::uint32_t limit() const { return static_cast<std::uint32_t>(m_rows.size()); }
    /// Doorbells that the bus refused.
    std::uint64_t refused() const { return m_refused; }

  private:
    struct Row {
        EqPlace place;
        std::uint32_t consumer = 0;
        std::uint32_t told = 0;              ///< consumer index that the device knows
        std::vector<std::uint32_t> dropped;  ///< free-running indices, unread, in no order
    };
    static std::uint32_t index_of(Eqn eqn) { return static_cast<std::uint32_t>(eqn); }
    std::optional<eqe::Decoded> look(const Row& row, std::uint32_t index);
    static bool take_dropped(Row& row, std::uint32_t index);
    void tell(Eqn eqn, std::uint64_t offset);

    HostBus& m_bus;
    std::vector<Row> m_rows;
    std::uint64_t m_refused = 0;
};

}  // namespace cqsim::tb
