// SPDX-License-Identifier: Apache-2.0
/// \file
/// Steps in which software acts on CQs and event queues, and gives commands.
#pragma once

#include "tb/host/reused.h"
#include "tb/system/complaints.h"
#include "tb/system/drains.h"
#include "tb/system/setup.h"

#include <vector>

namespace cqsim::tb {

/// Plays them through the parts of the host, and judges the answers to commands.
class HostSteps final : private CommandListener, private DrainListener {
  public:
    HostSteps(Timeline& timeline,
              const Scenario& scenario,
              RecordStream& records,
              Setup& setup,
              Host& host,
              Pipeline& tx,
              Pipeline& rx,
              Complaints& complaints);

    /// For each member that the step means.
    void play(const Step& step);

    const Drains& drains() const { return m_drains; }
    /// The run is over: complains of drains that have not ended.
    void finish();

  private:
    struct Given {
        const Step* step = nullptr;
        std::string target;
    };

    void answered(std::uint32_t tag, const Command& command, const CommandAnswer& answer) override;
    void drained(std::uint32_t tag, CommandResult result) override;
    void judge(std::uint32_t tag, const Command& command, const CommandAnswer& answer);
    void play_on(const Step& step, Qpn qpn);
    void play_on(const Step& step, Cqn cqn);
    void play_on(const Step& step, Eqn eqn);
    void poll(const Step& step, Cqn cqn);
    void iterate(const Step& step, Cqn cqn);
    void fill(const Step& step, Cqn cqn);
    void acknowledge(const Step& step, Cqn cqn);
    /// Whether the CQ exists; complains if not.
    bool exists(const Step& step, Cqn cqn);
    void compare(const Given& given, const CqContext& context);
    std::uint32_t tag_of(const Step& step, const std::string& target);
    std::uint32_t tag_of(const Step& step, Cqn cqn) {
        return tag_of(step, m_scenario.cq_name(cqn));
    }

    Timeline& m_timeline;
    const Scenario& m_scenario;
    Setup& m_setup;
    Host& m_host;
    Complaints& m_complaints;
    Drains m_drains;
    Reused<Given> m_given;                  ///< commands and drains, by tag
    std::vector<std::uint32_t> m_draining;  ///< tags of drains that wait for their markers
};

}  // namespace cqsim::tb
