// SPDX-License-Identifier: Apache-2.0
/// \file
/// The waves of arm and moderation of each CQ, in cqsim.engine.event_arbiter.
#pragma once

#include "models/observe/record.h"
#include "tb/record/vcd_writer.h"
#include "tb/record/wave_plan.h"

#include <array>
#include <cstdint>
#include <vector>

namespace cqsim::tb {

/// What a CQ's `armed` wave says (S6.2).
enum class ArmWave : std::uint8_t { None = 0, Next = 1, Solicited = 2 };

/// Follows from the records what each CQ waits for; what is not in the plan is refused (false).
class ArmWaves {
  public:
    /// Declares its variables in the scope that is open.
    ArmWaves(VcdWriter& vcd, const WavePlan& plan);

    bool create(const Record& record);
    /// Moderation of a CQ: a `modify`.
    bool moderate(const Record& record);
    bool arm(const Record& record);
    /// The last arm is taken back.
    void refuse_arm(Cqn cqn);
    /// An entry is in memory: it counts if the CQ is armed for such.
    bool visible(const Record& record);
    /// The CQ reports.
    bool event(const Record& record);
    /// S6.16: it is armed no more, and never again.
    void error(Cqn cqn);
    void destroy(Cqn cqn);

    /// Whether the CQ's last event has no entry in its event queue yet.
    bool reported(Cqn cqn) const;
    /// Its event queue has the entry, or will never have it.
    void answered(Cqn cqn);
    /// Where its last event goes, kNoEqn if there was none.
    std::uint16_t eqn(Cqn cqn) const;

  private:
    struct Row {
        std::uint64_t period_ps = 0;  ///< of its moderation
        std::uint64_t ends_ps = 0;    ///< when the period that runs ends
        std::uint64_t events = 0;
        std::uint32_t count = 0;  ///< of its moderation: it is on when this is more than 1
        std::uint32_t pending = 0;
        std::uint16_t eqn = kNoEqn;
        ArmWave armed = ArmWave::None;
        CqeFormat format = CqeFormat::Native;
        bool is_live = false;
        bool is_failed = false;
        bool is_running = false;
        bool is_reported = false;
    };
    /// A CQ with waves of its own.
    struct Drawn {
        VcdEnum armed;
        VcdWire pending{};
        VcdWire timer{};
        VcdWire timer_ends_ps{};
        VcdWire count{};
        VcdWire period_ps{};
        VcdWire events{};
    };
    /// Many CQs in one.
    struct Group {
        std::array<VcdWire, 3> armed{};  ///< by ArmWave; of None there is no wave
        VcdWire pending{};
        VcdWire timers{};
        std::array<std::uint32_t, 3> count_armed{};
        std::uint64_t count_pending = 0;
        std::uint32_t count_timers = 0;
    };

    void declare_drawn(const WavePlan::Member& member);
    void declare_group(const WavePlan::Group& group);
    Row* live_row(Cqn cqn);
    /// Puts a row into a state, and shows it.
    void change(Cqn cqn, const Row& row);
    static void end_arm(Row& row);
    void show_moderation(Cqn cqn, const Row& row);

    VcdWriter& m_vcd;
    WavePlaces m_places;
    std::vector<Row> m_rows;
    std::vector<Drawn> m_drawn;
    std::vector<Group> m_groups;
    Cqn m_last_armed = kNoCq;
    Row m_before_arm;
};

}  // namespace cqsim::tb
