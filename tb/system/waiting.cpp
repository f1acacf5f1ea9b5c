// SPDX-License-Identifier: Apache-2.0
#include "tb/system/waiting.h"

namespace cqsim::tb {
namespace {

std::string qps_text(const Scenario& scenario, const WaitingQps& qps) {
    std::string text = "QP " + scenario.qp_name(qps.first);
    if (qps.count > 1) {
        text += " and " + std::to_string(qps.count - 1) + " more of its group";
    }
    return text;
}

}  // namespace

std::string never_retired(const Scenario& scenario, const ParkedStream& stream) {
    const QpGroup& group = scenario.group_of(stream.first);
    if (stream.for_ever.count == 0 || group.sq_sig_all) {
        return {};
    }
    const std::string depth = std::to_string(group.send_depth);
    std::string text = qps_text(scenario, stream.for_ever) + ": the send queue of " + depth +
                       " is full of requests that ended and asked for no completion, so that no "
                       "poll will ever retire them (S2.6)";
    if (Scenario::signal_every(group) > group.send_depth) {
        text += "; signal_every = " + std::to_string(group.signal_every) + " is to be at most " +
                depth + R"(, or signal_policy = "safe")";
    }
    return text;
}

std::vector<std::string> sends_wait(const Scenario& scenario, const ParkedStream& stream) {
    std::vector<std::string> lines;
    const std::string dead = never_retired(scenario, stream);
    if (!dead.empty()) {
        lines.push_back(dead);
    }
    const WaitingQps& waiting =
        dead.empty() && stream.for_ever.count != 0 ? stream.for_ever : stream.for_slot;
    if (waiting.count != 0) {
        lines.push_back(qps_text(scenario, waiting) + ": traffic waits for a free send-queue slot" +
                        (scenario.slot_release == SlotRelease::Poll
                             ? ": only polling a completion that retires requests gives one back "
                               "(S2.5)"
                             : ": one is free when its request has ended (K26)"));
    }
    if (stream.for_credit.count != 0) {
        lines.push_back(qps_text(scenario, stream.for_credit) +
                        ": traffic waits for room in its send CQ: each of its entries is promised "
                        "to a request that no polled completion has retired (S5.13)");
    }
    return lines;
}

std::string messages_wait(const Scenario& scenario, const ParkedStream& stream) {
    return qps_text(scenario, stream.for_slot) + ": traffic waits for a posted receive request" +
           (scenario.srqn_of(stream.for_slot.first) == kNoSrq
                ? ""
                : " in SRQ " + scenario.srq_name(scenario.srqn_of(stream.for_slot.first))) +
           " (S2.14)";
}

}  // namespace cqsim::tb
