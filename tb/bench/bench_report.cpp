// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/bench_report.h"

#include "tb/bench/floor.h"
#include "tb/bench/measure.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace cqsim::tb::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kGrowthTarget = 1.3;
constexpr double kBytesTarget = 128;
constexpr double kRequestBytes = 32;
constexpr double kEntryBytes = 64;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Rounded to a thousandth: more digits say nothing.
double rounded(double value) {
    return std::round(value * 1000) / 1000;
}

struct Medians {
    double floor_ns = 0;
    double block_ns = 0;
    double ratio = 0;
    double ratio_min = 0;
    double ratio_max = 0;
    Sample last;
};

Medians medians_of(const Configuration& configuration, int repeats) {
    std::vector<double> ratios;
    std::vector<double> floors;
    std::vector<double> blocks;
    Medians medians;
    for (int i = 0; i < repeats; ++i) {
        medians.last = measure(configuration);
        floors.push_back(medians.last.floor_ns);
        blocks.push_back(medians.last.block_ns);
        ratios.push_back(medians.last.floor_ns / medians.last.block_ns);
    }
    medians.floor_ns = median(floors);
    medians.block_ns = median(blocks);
    medians.ratio = median(ratios);
    medians.ratio_min = *std::min_element(ratios.begin(), ratios.end());
    medians.ratio_max = *std::max_element(ratios.begin(), ratios.end());
    return medians;
}

const char* subscribers(const Configuration& configuration) {
    return configuration.observed ? "statistics, all rule checkers" : "none";
}

const char* moderated_by(const Configuration& configuration) {
    switch (configuration.reporting) {
        case Reporting::Polled:
            return "no events: polled, at most 16 entries at a time";
        case Reporting::Moderated:
            return "count, of 16 entries from the arm on";
        case Reporting::Each:
            return "nothing: an event and an interrupt for each completion";
    }
    return "";
}

Configuration sized(std::uint32_t qps, std::uint32_t cqs, std::uint32_t depth, bool observed) {
    Configuration configuration;
    configuration.name = "memory";
    configuration.size = {"", qps, cqs, depth, 4};
    configuration.observed = observed;
    return configuration;
}

Json memory_with(bool observed) {
    constexpr std::uint32_t kQps = 1'000'000;
    constexpr std::uint32_t kCqs = 65'536;
    constexpr std::uint32_t kFewQps = 65'536;
    constexpr std::uint32_t kFewCqs = 16;
    constexpr std::uint32_t kDepth = 64;
    constexpr double kMoreQps = kQps - kFewQps;
    constexpr double kMoreCqs = kCqs - kFewCqs;
    const double few = resident_bytes(sized(kFewQps, kFewCqs, kDepth, observed));
    const double qps = resident_bytes(sized(kQps, kFewCqs, kDepth, observed));
    const double cqs = resident_bytes(sized(kFewQps, kCqs, kDepth, observed));
    const double deeper = resident_bytes(sized(kFewQps, kCqs, 2 * kDepth, observed));
    const double of_requests = 2 * sized(1, 1, 1, false).size.queue_depth * kRequestBytes;
    const double of_entry = (deeper - cqs) / kCqs / kDepth;
    return {{"subscribers", subscribers(sized(1, 1, 1, observed))},
            {"bytes_per_qp", std::round((qps - few) / kMoreQps - of_requests)},
            {"bytes_per_cq", std::round((cqs - few) / kMoreCqs - of_entry * kDepth)},
            {"bytes_per_ring_entry_beside_the_entry", rounded(of_entry - kEntryBytes)}};
}

}  // namespace

Json conditions() {
    return {
        {"floor",
         "SC_THREAD: b_transport in, 64-byte b_transport out, wait; nothing else in the kernel"},
        {"floor_footprint_bytes", Floor::kFootprintBytes},
        {"time", "process CPU time, floor and block in one process"},
        {"requests", "half send, half receive, all signaled"},
        {"qp_order", "random, the same in each round; send and receive differ"},
        {"cq_of_qp", "QP i reports to CQ i mod cqs, both its queues"}};
}

Json rate(const Configuration& configuration, int repeats) {
    const Medians medians = medians_of(configuration, repeats);
    const Sample& last = medians.last;
    Json json{{"name", configuration.name},
              {"qps", configuration.size.qps},
              {"cqs", configuration.size.cqs},
              {"depth", configuration.size.depth},
              {"reporting", name_of(configuration.reporting)},
              {"moderated_by", moderated_by(configuration)},
              {"timeline", configuration.ahead ? "run_ahead" : "kernel"},
              {"subscribers", subscribers(configuration)},
              {"spacing_ns", static_cast<double>(spacing(configuration).ps) / 1000},
              {"completions", last.completions},
              {"completions_per_poll", rounded(last.completions / last.polls)},
              {"events_per_completion", rounded(last.events / last.completions)},
              {"interrupts_per_completion", rounded(last.interrupts / last.completions)},
              {"activations_per_completion", rounded(last.activations / last.completions)},
              {"repeats", repeats},
              {"floor_ns", rounded(medians.floor_ns)},
              {"block_ns", rounded(medians.block_ns)},
              {"ratio_to_floor", rounded(medians.ratio)},
              {"ratio_min", rounded(medians.ratio_min)},
              {"ratio_max", rounded(medians.ratio_max)}};
    if (configuration.target) {
        json["target"] = *configuration.target;
        json["met"] = medians.ratio >= *configuration.target;
    }
    return json;
}

Json growth(int repeats, std::uint64_t completions) {
    std::vector<double> costs;
    Json json;
    for (Configuration configuration : growth_configurations()) {
        if (completions != 0) {
            configuration.completions = completions;
        }
        const Medians medians = medians_of(configuration, repeats);
        // By ratios, because the machine's speed may change between the two.
        costs.push_back(1 / medians.ratio);
        json[configuration.name + "_block_ns"] = rounded(medians.block_ns);
        json[configuration.name + "_ratio_to_floor"] = rounded(medians.ratio);
    }
    const double factor = costs.back() / costs.front();
    json["factor"] = rounded(factor);
    json["target_at_most"] = kGrowthTarget;
    json["met"] = factor <= kGrowthTarget;
    return json;
}

Json memory() {
    const Json bare = memory_with(false);
    const Json observed = memory_with(true);
    const bool met =
        observed["bytes_per_qp"] <= kBytesTarget && observed["bytes_per_cq"] <= kBytesTarget;
    return {{"apart", "posted requests (32 bytes each), rings"},
            {"with", {bare, observed}},
            {"target_at_most", kBytesTarget},
            {"met", met}};
}

}  // namespace cqsim::tb::bench
