// SPDX-License-Identifier: Apache-2.0
/// \file
/// The waves of the CQs: cqsim.engine.overflow.
#pragma once

#include "models/observe/record.h"
#include "models/verbs/cq.h"
#include "tb/record/run_header.h"
#include "tb/record/vcd_writer.h"
#include "tb/record/wave_plan.h"

#include <cstdint>
#include <vector>

namespace cqsim::tb {

/// Follows each CQ from the records; what is not in the plan is refused (false).
class CqWaves {
  public:
    /// Declares its variables in a scope of its own.
    CqWaves(VcdWriter& vcd, const WavePlan& plan, const RunHeader& header);

    bool create(const Record& record);
    bool destroy(Cqn cqn);
    /// Its ring is replaced (S4.6).
    bool resize(const Record& record);
    /// A slot was granted.
    bool slot(const Record& record);
    /// An entry is in memory.
    bool visible(const Record& record);
    bool polled(Cqn cqn, std::uint32_t slot);
    /// The host published this consumer index.
    bool consumed(Cqn cqn, std::uint32_t index);
    /// The CQ went to error (S5.3b).
    bool error(Cqn cqn);

    /// Writes of this CQ that are on their way to memory.
    bool write_begins(Cqn cqn);
    bool write_ends(Cqn cqn);
    /// Notes about CQs.
    VcdText notes() const { return m_notes; }
    std::uint32_t writes_in_flight() const { return m_writes_in_flight; }

    /// Slots reserved and not freed by the published consumer index: what the full test sees
    /// (S3.14). More than the depth: the consumer index is past the producer index.
    std::uint32_t occupancy(Cqn cqn) const;
    /// Whether its consumer index is past its producer index.
    bool is_overtaken(Cqn cqn) const;

  private:
    struct Row {
        std::uint32_t depth = 0;  ///< 0: no such CQ now
        std::uint32_t reserved = 0;
        std::uint32_t published = 0;
        std::uint32_t polled = 0;
        std::uint32_t consumed = 0;
        std::uint32_t writes = 0;
        // Slots are counted, not taken from indices: these wrap at 2^width.
        std::uint32_t published_slot = 0;
        std::uint32_t polled_slot = 0;
        CqeFormat format{};
        bool collapsed = false;  ///< every entry is in slot 0 (S3.16)
        bool ignores_overrun = false;
        bool is_replaced = false;  ///< its ring, and software has not left it
        std::uint32_t new_depth = 0;
        std::uint32_t new_first = 0;  ///< the first index of the new ring,
        std::uint32_t new_slot = 0;   ///< and its slot
        WavePlaces::Place place;      ///< in m_groups or m_drawn
        std::uint32_t counted = 0;    ///< occupancy that its group has counted
        QueueWaveState state = QueueWaveState::None;
    };
    /// A CQ with waves of its own.
    struct Drawn {
        VcdWire depth;
        VcdWire reserved;
        VcdWire published;
        VcdWire polled;
        VcdWire consumed;
        VcdWire occupancy;
        VcdWire owner;
        VcdEnum state;
        VcdEnum entry_status;  ///< of the newest entry in memory
        VcdEnum entry_opcode;
        VcdWire entry_byte_len;
        std::vector<std::uint32_t> early;  ///< slots visible before an older one (relaxed order)
    };
    /// Many CQs in one.
    struct Group {
        VcdWire occupancy_max;
        VcdWire occupancy_total;
        VcdWire full;
        VcdWire error;
        std::vector<std::uint32_t> at;  ///< CQs by occupancy
        std::uint32_t max = 0;
        std::uint64_t total = 0;
        std::uint32_t count_full = 0;
        std::uint32_t count_error = 0;
    };

    void declare_drawn(const WavePlan::Member& member, std::uint32_t index_width);
    void declare_group(const WavePlan::Group& group);
    Row* row(Cqn cqn);
    Row* live_row(Cqn cqn);
    Drawn* drawn(const Row& row);
    void leave_old_ring(Row& row) const;
    void advance_published(Row& row, Drawn& waves, std::uint32_t slot);
    /// The slot so many further.
    static std::uint32_t further(const Row& row, std::uint32_t slot, std::uint32_t steps) {
        return row.collapsed
                   ? 0
                   : static_cast<std::uint32_t>((std::uint64_t{slot} + steps) % row.depth);
    }
    void show_entry(const Row& row, const Drawn& waves, const Record& record);
    void refresh(Row& row);
    void change_state(Row& row, QueueWaveState state);
    void count(Group& group, Row& row, std::uint32_t occupancy);

    VcdWriter& m_vcd;
    VcdText m_notes{};
    std::uint32_t m_index_mask;
    OwnerScheme m_scheme = OwnerScheme::Parity;
    std::uint32_t m_unused = 0;  ///< slots of a full ring without an entry (K01)
    bool m_send_length;          ///< K19
    std::uint32_t m_writes_in_flight = 0;
    std::vector<Row> m_rows;
    std::vector<Drawn> m_drawn;
    std::vector<Group> m_groups;
};

}  // namespace cqsim::tb
