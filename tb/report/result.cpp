// SPDX-License-Identifier: Apache-2.0
#include "tb/report/result.h"

#include "models/observe/record_names.h"

#include <nlohmann/json.hpp>

namespace cqsim::tb {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kPsPerNs = 1000;

double ns(double ps) {
    return ps / kPsPerNs;
}

/// Latencies in ns.
Json times_json(const Histogram& times) {
    constexpr double kHalf = 0.5;
    constexpr double k99 = 0.99;
    constexpr double k999 = 0.999;
    return {{"min", ns(static_cast<double>(times.min()))},
            {"p50", ns(times.percentile(kHalf))},
            {"avg", ns(times.mean())},
            {"p99", ns(times.percentile(k99))},
            {"p999", ns(times.percentile(k999))},
            {"max", ns(static_cast<double>(times.max()))},
            {"stdev", ns(times.stdev())}};
}

/// One CQ, or the sum over a group's members.
struct CqSum {
    std::uint64_t written = 0;
    std::uint64_t polled = 0;
    std::uint64_t dropped = 0;
    std::uint64_t overruns = 0;
    std::uint32_t peak = 0;
    std::uint32_t errors = 0;
    std::uint64_t events = 0;
    std::uint64_t swept = 0;
    std::uint64_t overwritten = 0;
    std::uint32_t capacity = 0;  ///< of the largest

    void add(const Statistics& statistics, Cqn cqn, std::uint64_t reported) {
        const Statistics::Cq& cq = statistics.cq(cqn);
        events += reported;
        swept += statistics.swept(cqn);
        overwritten += statistics.overwritten(cqn);
        capacity = std::max(capacity, statistics.capacity(cqn));
        written += cq.written;
        polled += cq.polled;
        dropped += cq.dropped;
        overruns += cq.overruns;
        peak = std::max(peak, cq.peak);
        errors += (cq.flags & Statistics::Cq::kError) != 0 ? 1 : 0;
    }
};

Json cq_json(const CqGroup& group, const CqSum& sum, const Statistics::Times* times) {
    Json json{{"cqn", group.first},
              {"count", group.count},
              {"depth", group.depth},
              {"capacity", sum.capacity},
              {"state", sum.errors == 0 ? "ok" : "error"},
              {"in_error", sum.errors},
              {"written", sum.written},
              {"polled", sum.polled},
              {"swept", sum.swept},
              {"dropped", sum.dropped},
              {"overwritten", sum.overwritten},
              {"overruns", sum.overruns},
              {"peak_occupancy", sum.peak},
              {"events", sum.events}};
    if (times != nullptr) {
        json["report_ns"] = times_json(times->report);
        json["pickup_ns"] = times_json(times->pickup);
    }
    return json;
}

Json cqs_json(const Scenario& scenario,
              const Statistics& statistics,
              const EventStatistics& events) {
    Json all = Json::object();
    for (std::size_t g = 0; g < scenario.cq.size(); ++g) {
        const CqGroup& group = scenario.cq[g];
        CqSum sum;
        for (std::uint32_t i = 0; i < group.count; ++i) {
            const Cqn cqn{group.first + i};
            sum.add(statistics, cqn, events.events(cqn));
        }
        const bool alone = group.count == 1;
        const Statistics::Times* times = nullptr;
        if (!statistics.singly()) {
            times = &statistics.times(static_cast<std::uint32_t>(g));
        } else if (alone) {
            times = &statistics.times(group.first);
        }
        all[group.name] = cq_json(group, sum, times);
        if (alone || !statistics.singly()) {
            continue;
        }
        for (std::uint32_t i = 0; i < group.count; ++i) {
            CqGroup member = group;
            member.first += i;
            member.count = 1;
            CqSum single;
            const Cqn cqn{member.first};
            single.add(statistics, cqn, events.events(cqn));
            all[group.name + "[" + std::to_string(i) + "]"] =
                cq_json(member, single, &statistics.times(member.first));
        }
    }
    return all;
}

/// Event queues of a group together.
struct EqSum {
    std::uint64_t entries = 0;
    std::uint64_t dropped = 0;
    std::uint32_t errors = 0;
    std::uint32_t peak = 0;

    void add(const EventStatistics::Queue& queue) {
        entries += queue.entries;
        dropped += queue.dropped();
        errors += queue.error ? 1 : 0;
        peak = std::max(peak, queue.peak);
    }
};

Json eq_json(std::uint32_t eqn, const EqSum& sum) {
    return {{"eqn", eqn},
            {"state", sum.errors == 0 ? "ok" : "error"},
            {"in_error", sum.errors},
            {"events", sum.entries},
            {"dropped", sum.dropped},
            {"peak", sum.peak}};
}

/// The members of an event queue's group together, and each for itself.
Json eqs_json(const Scenario& scenario, const EventStatistics& events) {
    Json all = Json::object();
    for (const EqGroup& group : scenario.eq) {
        EqSum sum;
        for (std::uint32_t i = 0; i < group.count; ++i) {
            EqSum single;
            const Eqn eqn{static_cast<std::uint16_t>(group.first + i)};
            single.add(events.queue(eqn));
            sum.add(events.queue(eqn));
            if (group.count > 1) {
                all[group.name + "[" + std::to_string(i) + "]"] = eq_json(group.first + i, single);
            }
        }
        all[group.name] = eq_json(group.first, sum);
    }
    return all;
}

Json srq_json(std::uint32_t srqn, std::uint32_t depth, const SrqEnd& sum) {
    return {{"srqn", srqn},
            {"depth", depth},
            {"posted", sum.posted},
            {"taken", sum.taken},
            {"returned", sum.returned},
            {"refused", sum.refused},
            {"lost", sum.lost},
            {"waiting", sum.waiting},
            {"free", sum.free},
            {"held", sum.held}};
}

/// As eqs_json.
Json srqs_json(const Scenario& scenario, const RunEnd& end) {
    Json all = Json::object();
    for (const SrqGroup& group : scenario.srq) {
        SrqEnd sum;
        for (std::uint32_t i = 0; i < group.count; ++i) {
            const SrqEnd& single = end.srq.at(group.first + i - 1);
            sum.posted += single.posted;
            sum.taken += single.taken;
            sum.returned += single.returned;
            sum.refused += single.refused;
            sum.lost += single.lost;
            sum.waiting += single.waiting;
            sum.free += single.free;
            sum.held += single.held;
            if (group.count > 1) {
                all[group.name + "[" + std::to_string(i) + "]"] =
                    srq_json(group.first + i, group.depth, single);
            }
        }
        all[group.name] = srq_json(group.first, group.depth * group.count, sum);
    }
    return all;
}

/// The vectors that event queues have.
Json vectors_json(const Scenario& scenario, const EventStatistics& events) {
    Json all = Json::object();
    for (const EqGroup& group : scenario.eq) {
        for (std::uint32_t i = 0; i < group.count; ++i) {
            const std::uint32_t vector = group.vector + i;
            all[std::to_string(vector)] = {{"interrupts", events.interrupts()[vector]}};
        }
    }
    return all;
}

/// How often each asynchronous event arose.
Json async_json(const Statistics& statistics) {
    Json all = Json::object();
    for (std::uint32_t i = 0; i < kAsyncEvents; ++i) {
        const auto event = static_cast<AsyncEvent>(i);
        all[std::string(name(event))] = statistics.async(event);
    }
    return all;
}

Json qps_json(const Scenario& scenario, const Statistics& statistics) {
    Json all = Json::object();
    for (std::size_t g = 0; g < scenario.qp.size(); ++g) {
        const QpGroup& group = scenario.qp[g];
        const Statistics::QpGroupCounts& counts = statistics.group(g);
        Json states = Json::object();
        for (std::size_t state = 0; state < counts.state.size(); ++state) {
            const auto value = static_cast<QpState>(state);
            if (counts.state[state] != 0 || value == QpState::Rts || value == QpState::Err) {
                states[std::string(name(value))] = counts.state[state];
            }
        }
        all[group.name] = {{"count", group.count},
                           {"state", states},
                           {"posted", counts.posted},
                           {"completed", counts.completed},
                           {"unsignaled_retired", counts.unsignaled_retired},
                           {"flushed", counts.flushed},
                           {"lost", counts.lost},
                           {"discarded", counts.discarded},
                           {"outstanding", counts.outstanding()},
                           {"report_ns", times_json(counts.report)}};
    }
    return all;
}

Json rules_json(const RunFindings& findings) {
    Json rules = Json::object();
    for (const check::RuleCount& rule : findings.rules) {
        rules[std::string(rule.rule)] = {{"checked", rule.checked}, {"failed", rule.failed}};
    }
    return rules;
}

Json failures_json(const RunFindings& findings) {
    Json all = Json::array();
    for (const check::Failure& failure : findings.failures) {
        all.push_back({{"rule", failure.rule},
                       {"time_ps", failure.time_ps},
                       {"object", failure.object},
                       {"text", failure.text}});
    }
    for (const Disappointment& disappointment : findings.disappointments) {
        all.push_back({{"rule", "expect"},
                       {"time_ps", disappointment.time_ps},
                       {"object", disappointment.where},
                       {"text", disappointment.text}});
    }
    for (const std::string& complaint : findings.end.script) {
        all.push_back({{"rule", "step"},
                       {"time_ps", findings.end.time.ps},
                       {"object", "script"},
                       {"text", complaint}});
    }
    return all;
}

}  // namespace

std::vector<std::string> warnings_of(const RunFindings& findings) {
    std::vector<std::string> warnings = findings.scenario.warnings;
    warnings.insert(warnings.end(), findings.end.warnings.begin(), findings.end.warnings.end());
    return warnings;
}

std::string_view end_word(const RunEnd& end) {
    return end.interrupted ? "interrupted" : name(end.reason);
}

Json statistics_json(const RunFindings& findings) {
    const Statistics& statistics = findings.statistics;
    const Statistics::Storm& storm = statistics.storm();
    const std::string policy =
        findings.scenario.device.arbiter.policy == ArbiterPolicy::Fifo ? "fifo" : "round_robin";
    const std::uint64_t drain =
        storm.last_flush_ps > storm.first_error_ps ? storm.last_flush_ps - storm.first_error_ps : 0;
    return {{"rules", rules_json(findings)},
            {"end", {{"reason", end_word(findings.end)}, {"time_ps", findings.end.time.ps}}},
            {"cq", cqs_json(findings.scenario, statistics, findings.events)},
            {"srq", srqs_json(findings.scenario, findings.end)},
            {"qp", qps_json(findings.scenario, statistics)},
            {"eq", eqs_json(findings.scenario, findings.events)},
            {"vector", vectors_json(findings.scenario, findings.events)},
            {"host",
             {{"undefined_reads", statistics.undefined_reads()},
              {"overwrites_seen", findings.end.overwrites_seen}}},
            {"arbiter",
             {{"policy", policy},
              {"grants", statistics.arbiter().grants},
              {"max_wait_ns", ns(static_cast<double>(statistics.arbiter().max_wait_ps))},
              {"jain_fairness", statistics.jain_fairness()},
              {"starved", Json::array()}}},
            {"storm",
             {{"first_error_ps", storm.first_error_ps},
              {"last_flush_ps", storm.last_flush_ps},
              {"drain_ns", ns(static_cast<double>(drain))},
              {"flush_cqes", storm.flush_cqes}}},
            {"async", async_json(statistics)}};
}

Json result_json(const RunFindings& findings, const std::string& verdict) {
    Json json{{"schema", 1},
              {"scenario", findings.scenario.name},
              {"seed", findings.scenario.seed},
              {"verdict", verdict},
              {"failures", failures_json(findings)}};
    json.update(statistics_json(findings));
    json["waiting"] = findings.end.waiting;
    json["warnings"] = warnings_of(findings);
    json["omitted"] = findings.omitted;
    return json;
}

}  // namespace cqsim::tb
