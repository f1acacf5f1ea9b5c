// SPDX-License-Identifier: Apache-2.0
// The top of the file, and how its arrays of tables lie in the Scenario.
#include "tb/scenario/specs.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

Words<ScenarioSize> size_words() {
    return {{"small", ScenarioSize::Small},
            {"large", ScenarioSize::Large},
            {"full", ScenarioSize::Full}};
}

/// Adds a group, which has a name of its own.
template <class Group>
void add_group(std::vector<Group>& groups,
               Group group,
               const char* kind,
               const Node& node,
               ReadContext& context) {
    const bool taken =
        !group.name.empty() && std::any_of(groups.begin(), groups.end(), [&](const Group& other) {
            return other.name == group.name;
        });
    if (taken) {
        context.errors.add(
            node.find("name")->where,
            std::string("a second ") + kind + " of the name " + in_quotes(group.name),
            "give each its own, or use count");
    }
    groups.push_back(std::move(group));
}

Elements<EqGroup> eq_elements() {
    return {[](Scenario& s, EqGroup group, const Node& node, ReadContext& context) {
                const bool second = group.kind == EqKind::Async &&
                                    std::any_of(s.eq.begin(), s.eq.end(), [](const EqGroup& other) {
                                        return other.kind == EqKind::Async;
                                    });
                if (second) {
                    context.errors.add(node.find("kind")->where,
                                       "a second event queue for asynchronous events",
                                       "one at most (S6.21)");
                }
                add_group(s.eq, std::move(group), "event queue", node, context);
            },
            [](const Scenario& s) { return s.eq; }};
}

Elements<CqGroup> cq_elements() {
    return {[](Scenario& s, CqGroup group, const Node& node, ReadContext& context) {
                add_group(s.cq, std::move(group), "CQ", node, context);
            },
            [](const Scenario& s) { return s.cq; }};
}

Elements<SrqGroup> srq_elements() {
    return {[](Scenario& s, SrqGroup group, const Node& node, ReadContext& context) {
                add_group(s.srq, std::move(group), "SRQ", node, context);
            },
            [](const Scenario& s) { return s.srq; }};
}

Elements<QpGroup> qp_elements() {
    return {[](Scenario& s, QpGroup group, const Node& node, ReadContext& context) {
                add_group(s.qp, std::move(group), "QP", node, context);
            },
            [](const Scenario& s) { return s.qp; }};
}

Elements<Connection> connection_elements() {
    return {[](Scenario& s, const Connection& connection, const Node& node, ReadContext& context) {
                check_connection(connection, node, context);
                s.connection.push_back(connection);
            },
            [](const Scenario& s) { return s.connection; }};
}

Elements<TrafficEntry> traffic_elements() {
    return {[](Scenario& s, const TrafficEntry& entry, const Node& node, ReadContext& context) {
                check_wire_traffic(entry, node, context);
                for (const std::optional<Traffic>& side : {entry.send, entry.recv}) {
                    if (side) {
                        s.traffic.push_back(*side);
                        s.traffic.back().qp = entry.qp;
                    }
                }
            },
            [](const Scenario& s) {
                std::vector<TrafficEntry> entries;
                for (const Traffic& traffic : s.traffic) {
                    TrafficEntry entry;
                    entry.qp = traffic.qp;
                    (traffic.queue == QueueKind::Send ? entry.send : entry.recv) = traffic;
                    entries.push_back(entry);
                }
                return entries;
            }};
}

Elements<HostLoop> host_elements() {
    return {[](Scenario& s, const HostLoop& host, const Node& node, ReadContext& context) {
                const Node* cq = node.find("cq");
                const bool judged =
                    cq != nullptr && host.cq < s.cq.size() && s.cq[host.cq].name == cq->text;
                for (const HostLoop& other : s.host) {
                    if (judged && other.cq == host.cq) {
                        context.errors.add(cq->where,
                                           "a second host for the CQ " + in_quotes(cq->text),
                                           "one [[host]] for each CQ or group");
                    }
                }
                if (judged && host.mode == HostMode::Event && !s.cq[host.cq].eq) {
                    context.errors.add(node.find("mode")->where,
                                       "mode = \"event\", and the CQ " + in_quotes(cq->text) +
                                           " has no event queue",
                                       "give the [[cq]] an eq, or poll it");
                }
                // One that was not understood is no neighbour; the scenario is refused anyway.
                if (judged) {
                    s.host.push_back(host);
                }
            },
            [](const Scenario& s) { return s.host; }};
}

Elements<StepEntry> step_elements() {
    return {[](Scenario& s, StepEntry entry, const Node& node, ReadContext& context) {
                entry.where = node.where;
                if (s.step.size() + s.triggered.size() + entry.times > kMaxSteps) {
                    context.errors.add(node.where,
                                       "more than " + std::to_string(kMaxSteps) + " steps in all",
                                       "use [[traffic]] for what goes on and on");
                    return;
                }
                if (entry.on) {
                    s.triggered.push_back(
                        {*entry.on, entry.nth, entry.after, static_cast<const Step&>(entry)});
                    return;
                }
                for (std::uint32_t i = 0; i < entry.times; ++i) {
                    s.step.push_back(entry);
                    entry.at += entry.every;
                }
            },
            [](const Scenario& s) {
                std::vector<StepEntry> entries;
                for (const Step& step : s.step) {
                    StepEntry entry;
                    static_cast<Step&>(entry) = step;
                    entries.push_back(entry);
                }
                for (const TriggeredStep& triggered : s.triggered) {
                    StepEntry entry;
                    static_cast<Step&>(entry) = triggered.step;
                    entry.on = triggered.pattern;
                    entry.nth = triggered.nth;
                    entry.after = triggered.after;
                    entries.push_back(entry);
                }
                return entries;
            }};
}

Elements<Expectation> expect_elements() {
    return {[](Scenario& s, Expectation e, const Node&, ReadContext&) {
                s.expect.push_back(std::move(e));
            },
            [](const Scenario& s) { return s.expect; }};
}

std::vector<Field<Scenario>> fields() {
    using T = Scenario;
    return {
        run_name<T>(&T::name, "What reports and files of the run are called.")
            .standing_for("the file's stem"),
        text<T>("about", &T::about, "What the scenario is about, in a sentence."),
        choice<T>("size", &T::size, size_words(), "How much it simulates."),
        integer<T>("seed", &T::seed, {0, INT64_MAX}, "Of all random streams."),
        duration<T>(
            "end", &T::end, {{1}, kMaxTime}, "Hard stop; a run ends earlier when all is idle.")
            .required(),
        table<T>(
            "device", [](auto& s) -> auto& { return s; }, device_spec(), "The block under study."),
        tables<EqGroup>("eq", "NAME", eq_elements(), eq_spec(), "Event queues."),
        tables<CqGroup>("cq", "NAME", cq_elements(), cq_spec(), "Completion queues.").required(),
        tables<SrqGroup>("srq", "NAME", srq_elements(), srq_spec(), "Shared receive queues."),
        tables<QpGroup>("qp", "NAME", qp_elements(), qp_spec(), "Queue pairs.").required(),
        tables<Connection>("connection",
                           "N",
                           connection_elements(),
                           connection_spec(),
                           "QPs that send to each other."),
        tables<TrafficEntry>(
            "traffic", "N", traffic_elements(), traffic_spec(), "Streams of work."),
        tables<HostLoop>("host", "N", host_elements(), host_spec(), "Who polls which CQ."),
        table<T>(
            "host_driver",
            [](auto& s) -> auto& { return s.host_driver; },
            host_driver_spec(),
            "How the host deals with interrupts, commands and dead QPs."),
        tables<StepEntry>("step", "N", step_elements(), step_spec(), "Single things that happen."),
        tables<Expectation>(
            "expect", "N", expect_elements(), expect_spec(), "What the run must show."),
    };
}

}  // namespace

const Spec<Scenario>& scenario_spec() {
    static const Spec<Scenario> spec{"the top of the file", {}, fields(), {}, {}};
    return spec;
}

std::vector<KeyInfo> scenario_keys() {
    std::vector<KeyInfo> keys;
    list_keys(scenario_spec(), "", keys);
    return keys;
}

}  // namespace cqsim::tb
