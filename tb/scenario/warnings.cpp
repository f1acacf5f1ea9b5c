// SPDX-License-Identifier: Apache-2.0
#include "tb/scenario/warnings.h"

#include "tb/scenario/errors.h"

#include <limits>

namespace cqsim::tb {
namespace {

/// Sends that traffic posts to each QP of the group.
std::uint64_t sends_of(const Scenario& scenario, std::size_t group) {
    std::uint64_t sum = 0;
    for (const Traffic& traffic : scenario.traffic) {
        if (traffic.qp != group || traffic.queue != QueueKind::Send) {
            continue;
        }
        if (traffic.count == 0) {
            return std::numeric_limits<std::uint64_t>::max();
        }
        sum += traffic.count;
    }
    return sum;
}

/// S2.6: a full send queue none of whose requests asked for a completion.
bool fills_for_ever(const Scenario& scenario, std::size_t index) {
    const QpGroup& group = scenario.qp[index];
    return scenario.slot_release == SlotRelease::Poll && !group.sq_sig_all &&
           Scenario::signal_every(group) > group.send_depth &&
           sends_of(scenario, index) > group.send_depth;
}

}  // namespace

std::vector<std::string> warnings_of(const Scenario& scenario, const Node& document) {
    std::vector<std::string> warnings;
    for (std::size_t i = 0; i < scenario.qp.size(); ++i) {
        if (!fills_for_ever(scenario, i)) {
            continue;
        }
        const QpGroup& group = scenario.qp[i];
        const Node& table = document.find("qp")->children.at(i);
        const Node* said = table.find("signal_every");
        const std::string depth = std::to_string(group.send_depth);
        const ScenarioError warning{
            said != nullptr ? said->where : table.where,
            "[[qp]] " + group.name + " has signal_every = " + std::to_string(group.signal_every) +
                " and send_depth = " + depth +
                ": its send queue fills with requests of which "
                "none asks for a completion, and its traffic stops for ever (S2.6)",
            "signal_every is at most " + depth + R"(, or signal_policy = "safe")"};
        warnings.push_back(warning.text());
    }
    return warnings;
}

}  // namespace cqsim::tb
