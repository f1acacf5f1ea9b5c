// SPDX-License-Identifier: Apache-2.0
/// \file
/// The waves of the event queues and their interrupts, in cqsim.engine.event_arbiter.
#pragma once

#include "models/observe/record.h"
#include "tb/record/vcd_writer.h"
#include "tb/record/wave_plan.h"

#include <cstdint>
#include <vector>

namespace cqsim::tb {

/// Follows each event queue from the records; what is not in the plan is refused (false).
class EqWaves {
  public:
    /// Declares its variables in the scope that is open.
    EqWaves(VcdWriter& vcd, const WavePlan& plan);

    bool create(const Record& record);
    /// An entry is in memory.
    bool entry(const Record& record);
    /// Software gives a consumer index.
    bool ack(const Record& record);
    /// The last one is taken back.
    void refuse_ack(std::uint16_t eqn);
    void interrupt(const Record& record);
    /// DEVICE_FATAL of a queue: it takes no event any more; what waits for it is dropped. kNoEqn,
    /// of a foreign log: of the one that lacks most room for what is in it and waits for it (K13).
    /// When none lacks room a write has failed (S6.23), and which queue is in error is not to be
    /// seen.
    void device_fatal(std::uint16_t eqn);

    /// An event waits for its entry in this queue; kNoEqn: in none, and it waits for nothing.
    void wait(std::uint16_t eqn);
    /// One waits no longer.
    void wait_no_more(std::uint16_t eqn);
    /// The queue for asynchronous events; kNoEqn when there is none.
    std::uint16_t async_eqn() const { return m_async_eqn; }

  private:
    struct Row {
        std::uint32_t depth = 0;  ///< 0: no such queue
        std::uint32_t produced = 0;
        std::uint32_t consumed = 0;
        std::uint32_t waiting = 0;
        std::uint32_t vector = 0;
        QueueWaveState state = QueueWaveState::None;
        bool is_armed = false;

        std::uint32_t occupancy() const { return produced - consumed; }
    };
    /// A queue with waves of its own.
    struct Drawn {
        VcdWire depth{};
        VcdWire vector{};
        VcdWire produced{};
        VcdWire consumed{};
        VcdWire occupancy{};
        VcdWire waiting{};
        VcdWire armed{};
        VcdEnum state;
    };
    /// Many queues in one.
    struct Group {
        VcdWire occupancy{};
        VcdWire waiting{};
        VcdWire full{};
        VcdWire error{};
        std::uint64_t count_occupancy = 0;
        std::uint32_t count_waiting = 0;
        std::uint32_t count_full = 0;
        std::uint32_t count_error = 0;
    };
    struct Vector {
        VcdPulse irq{};
        VcdWire interrupts{};
        std::uint64_t count = 0;
    };

    void declare_drawn(const WavePlan::Member& member);
    void declare_group(const WavePlan::Group& group);
    void declare_vectors(std::uint32_t count);
    Row* live_row(std::uint16_t eqn);
    /// The live queue that lacks most room; kNoEqn when none does.
    std::uint16_t fullest() const;
    /// Puts a row into a state, and shows it.
    void change(std::uint16_t eqn, Row row);

    VcdWriter& m_vcd;
    VcdWire m_waiting;
    VcdWire m_interrupts;
    WavePlaces m_places;
    std::vector<Row> m_rows;
    std::vector<Drawn> m_drawn;
    std::vector<Group> m_groups;
    std::vector<Vector> m_vectors;
    std::uint64_t m_count_waiting = 0;
    std::uint64_t m_count_interrupts = 0;
    std::uint16_t m_async_eqn = kNoEqn;
    std::uint16_t m_last_acked = kNoEqn;
    Row m_before_ack;
};

}  // namespace cqsim::tb
