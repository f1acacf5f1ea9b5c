// SPDX-License-Identifier: Apache-2.0
/// \file
/// Brings up the objects of a scenario through the driver.
#pragma once

#include "tb/host/host.h"
#include "tb/pipeline/pipeline.h"
#include "tb/record/ring_map.h"
#include "tb/scenario/scenario.h"

namespace cqsim::tb {

/// Hears every answer of the driver: what becomes of an object that was created, and who serves it.
/// Answers to commands of steps are handed on.
class Setup final : private CommandListener {
  public:
    Setup(const Scenario& scenario, Host& host, RingMap& map, Pipeline& tx, Pipeline& rx);

    /// Creates event queues, CQs and QPs, in that order. A refusal is an error of the model
    /// (/cqsim/system/...), and so is an answer that does not come at once.
    void create_all();

    /// Creates a member of a CQ group, with what was asked for instead of what the group says.
    void create_cq(std::uint32_t tag, Cqn cqn, const CqWish& wish = {});
    /// Replaces the ring of a CQ by one that holds so many entries.
    void resize_cq(std::uint32_t tag, Cqn cqn, std::uint32_t depth);
    /// Creates a QP on the CQs that its group names and brings it up to RESET, INIT, RTR or RTS. A
    /// receive queue for which messages come is filled in INIT, as software does.
    void create_qp(std::uint32_t tag, Qpn qpn, QpState up_to);
    /// Where a QP reports to.
    QpCqs cqs_of(Qpn qpn) const;

    /// Hears the answers to commands with other tags than that of the setup.
    void forward_to(CommandListener& steps) { m_steps = &steps; }
    /// The setup's own tag.
    static constexpr std::uint32_t kTag = 0xFFFF'FFFFU;

  private:
    void giving(const Command& command) override;
    void answered(std::uint32_t tag, const Command& command, const CommandAnswer& answer) override;
    void create_srqs();
    void cq_created(const CreateCq& command);
    void qp_created(const CreateQp& command, std::uint16_t generation);
    void qp_modified(const ModifyQp& command);
    void refused(const Command& command) const;
    std::uint32_t slots_wished(std::uint32_t depth) const;

    const Scenario& m_scenario;
    Host& m_host;
    RingMap& m_map;
    Pipeline& m_tx;
    Pipeline& m_rx;
    CommandListener* m_steps = nullptr;
    bool m_at_start = true;        ///< in `create_all`, where nothing may be refused
    std::vector<bool> m_receives;  ///< by QP group: messages come for it
    std::vector<QpState> m_up_to;  ///< by QP: where its creation ends
};

}  // namespace cqsim::tb
