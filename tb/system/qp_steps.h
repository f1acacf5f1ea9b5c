// SPDX-License-Identifier: Apache-2.0
/// \file
/// What software does to QPs: creates them, asks for states, destroys them.
#pragma once

#include "models/protocol/command_link.h"
#include "tb/pipeline/pipeline.h"
#include "tb/scenario/scenario.h"

#include <string>

namespace cqsim::tb {

/// Gives the commands to the device and, by what it answers, the work queues to the pipelines. A
/// receive queue for which the scenario has messages is filled in INIT, as software does.
class QpSteps final : private QpCommandBackward {
  public:
    QpCommandInitiator isock{"qp_command_isock"};

    QpSteps(const Scenario& scenario, Pipeline& tx, Pipeline& rx);

    /// Creates every QP of the scenario and brings it up to RTS.
    void create_all();

    // Each returns why it could not be done; nothing if it was, or is under way.

    /// Creates the QP on the CQs that its group names, and brings it up to RESET, INIT, RTR or RTS.
    std::string create(Qpn qpn, QpState up_to);
    /// `sqd_notify`: to SQD, with SQ_DRAINED when it is drained (S2.23).
    std::string modify(Qpn qpn, QpState state, bool sqd_notify);
    std::string destroy(Qpn qpn);

    /// Resets and destroys that are under way.
    std::uint32_t open() const { return m_open; }

  private:
    void qp_command_done(Qpn qpn, const CommandAnswer& answer) override;
    CreateQp command_of(Qpn qpn) const;
    bool receives(const QpGroup& group) const;

    const Scenario& m_scenario;
    Pipeline& m_tx;
    Pipeline& m_rx;
    std::vector<bool> m_receives;  ///< by group: messages come for it
    std::uint32_t m_open = 0;
};

}  // namespace cqsim::tb
