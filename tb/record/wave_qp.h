// SPDX-License-Identifier: Apache-2.0
/// \file
/// The waves of the QPs: cqsim.engine.qp_table.
#pragma once

#include "models/observe/record.h"
#include "models/verbs/verbs.h"
#include "tb/record/vcd_writer.h"
#include "tb/record/wave_plan.h"

#include <array>
#include <cstdint>
#include <vector>

namespace cqsim::tb {

/// Follows the state of each QP; what is not in the plan, or is no state, is refused (false).
class QpWaves {
  public:
    /// Declares its variables in a scope of its own.
    QpWaves(VcdWriter& vcd, const WavePlan& plan);

    bool create(const Record& record);
    bool change(Qpn qpn, QpState state);
    /// Software asks for a state: a reset ends a life as a destroy does, but the QP stays.
    void modify(const Record& record);
    bool destroy(const Record& record);
    /// Whether the life that ends does so by a reset.
    bool resets(Qpn qpn) const {
        return index_of(qpn) < m_resets.size() && m_resets[index_of(qpn)];
    }

    /// Notes about QPs.
    VcdText notes() const { return m_notes; }
    /// Where this work queue reports to; kNoCq if that is not known.
    Cqn cq_of(Qpn qpn, QueueKind queue) const;

  private:
    static constexpr std::uint8_t kNoState = 7;
    static constexpr std::uint32_t kStates = 7;

    struct Group {
        std::uint32_t first = 0;
        std::uint32_t count = 0;
        std::array<VcdWire, kStates> in_state{};
        std::array<std::uint32_t, kStates> counts{};
        std::vector<VcdEnum> members;
    };

    bool move(Qpn qpn, std::uint8_t state);
    Group* group_of(std::uint32_t qpn);

    VcdWriter& m_vcd;
    VcdText m_notes{};
    std::vector<Group> m_groups;  ///< in order of their numbers
    std::vector<std::uint8_t> m_state;
    std::vector<std::array<Cqn, 2>> m_reports_to;  ///< by QueueKind
    std::vector<bool> m_resets;                    ///< a reset is under way
};

}  // namespace cqsim::tb
