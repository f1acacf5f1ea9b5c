// SPDX-License-Identifier: Apache-2.0
/// \file
/// Plays the steps of a scenario.
#pragma once

#include "models/time/timeline.h"
#include "tb/pipeline/pipeline.h"
#include "tb/scenario/scenario.h"
#include "tb/system/qp_steps.h"

#include <string>
#include <vector>

namespace cqsim::tb {

/// Does each step at its time; steps of equal time in file order (P6).
class Script final : private TimedBlock {
  public:
    Script(Timeline& timeline, const Scenario& scenario, Pipeline& tx, Pipeline& rx, QpSteps& qps);

    /// From now on steps are played: the objects that they name exist.
    void begin() { ask_for_next(); }

    /// Steps that have not come yet.
    std::size_t left() const { return m_scenario.step.size() - m_next; }
    /// What could not be done, a line each: `file:line: ...`.
    const std::vector<std::string>& complaints() const { return m_complaints; }

  private:
    void due(TimePs now) override;
    void play(const Step& step);
    void play_on(const Step& step, Qpn qpn);
    void post(const Step& step, Qpn qpn);
    void ask_for_next();
    void complain_of_post(const Step& step, Qpn qpn, PostResult result);
    void complain_of_fail(const Step& step, Qpn qpn, FailResult result);
    void complain_unless_empty(const Step& step,
                               Qpn qpn,
                               const std::string& wish,
                               const std::string& failure);
    void complain(const Step& step, const std::string& text);

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    const Scenario& m_scenario;
    Pipeline& m_tx;
    Pipeline& m_rx;
    QpSteps& m_qps;
    std::size_t m_next = 0;
    std::vector<std::string> m_complaints;
};

}  // namespace cqsim::tb
