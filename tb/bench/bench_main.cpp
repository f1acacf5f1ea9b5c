// SPDX-License-Identifier: Apache-2.0
// cqsim-bench: the block's rate as a ratio to a floor that is measured in the same process.
#include "tb/bench/floor.h"
#include "tb/check/rule_checkers.h"
#include "tb/record/event_log_check.h"
#include "tb/report/statistics.h"
#include "tb/system/system.h"

#include <boost/program_options.hpp>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace cqsim::tb {
namespace {

using Json = nlohmann::ordered_json;

struct Configuration {
    const char* name;
    std::uint32_t qps;
    std::uint32_t cqs;
    std::uint32_t depth;
    std::uint64_t completions;
    bool observed;
    bool ahead;  ///< the run-ahead timeline
};

constexpr std::uint64_t kSpacingNs = 10;  ///< between two completions
constexpr std::uint32_t kBatch = 16;
constexpr std::uint64_t kFloorRun = 1'000'000;      ///< completions of the floor, 10 ns each
constexpr std::uint64_t kStartNs = 20 * kFloorRun;  ///< of the block: well after the floor

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Traffic traffic_of(const Configuration& configuration, QueueKind queue) {
    Traffic traffic;
    traffic.queue = queue;
    traffic.period = from_ns(2 * kSpacingNs * std::uint64_t{configuration.qps});
    traffic.latency = from_ns(2000);
    traffic.start = from_ns(kStartNs + (queue == QueueKind::Send ? 0 : kSpacingNs));
    traffic.shuffled = true;
    return traffic;
}

/// Half send, half receive, all signaled, QPs in random order, polled in batches of 16.
Scenario scenario_of(const Configuration& configuration) {
    Scenario scenario;
    scenario.name = configuration.name;
    scenario.end = kNever;
    scenario.device.qps = configuration.qps;
    scenario.device.cqs = configuration.cqs;
    scenario.device.event.eqs = 0;  // it polls
    scenario.device.event.vectors = 0;
    scenario.device.writer.writes_in_flight = 128;  // latency / spacing = 61 are needed
    CqGroup cq;
    cq.name = "cq";
    cq.count = configuration.cqs;
    cq.depth = cq.capacity = configuration.depth;
    scenario.cq.push_back(cq);
    QpGroup qp;
    qp.name = "qp";
    qp.count = configuration.qps;
    scenario.qp.push_back(qp);
    scenario.traffic.push_back(traffic_of(configuration, QueueKind::Send));
    scenario.traffic.push_back(traffic_of(configuration, QueueKind::Receive));
    HostLoop host;
    host.batch = kBatch;
    host.start = from_ns(kStartNs);
    host.interval = from_ns(kBatch * kSpacingNs * configuration.cqs);
    scenario.host.push_back(host);
    return scenario;
}

struct Sample {
    double floor_ns;
    double block_ns;
    double completions;
    double polls;
};

/// One pair: floor, block, floor again, in one process.
Sample measure(const Configuration& configuration) {
    const Scenario scenario = scenario_of(configuration);
    Floor floor("floor");
    System system("cqsim", scenario, configuration.observed);
    if (configuration.ahead) {
        system.run_ahead();
    }
    std::unique_ptr<Statistics> statistics;
    std::unique_ptr<check::RuleCheckers> checkers;
    if (configuration.observed) {
        statistics = std::make_unique<Statistics>(scenario);
        checkers = std::make_unique<check::RuleCheckers>(checker_settings(header_of(scenario)));
        system.records().subscribe(*statistics, Statistics::kKinds);
        system.records().subscribe(*checkers, check::RuleCheckers::kinds());
    }
    floor.run(kFloorRun / 10);
    double t = cpu_seconds();
    floor.run(kFloorRun);
    const double floor_s = cpu_seconds() - t;

    system.begin();
    // Warm: every CQ polled at least twice.
    const TimePs round = scenario.host.front().interval;
    system.advance(from_ns(kStartNs) + round * 2 + from_ns(10'000));
    const std::uint64_t before = system.host().polled();
    const std::uint64_t polls_before = system.host().polls();
    t = cpu_seconds();
    system.advance(kernel_now() + from_ns(kSpacingNs) * configuration.completions);
    const double block_s = cpu_seconds() - t;
    const auto done = static_cast<double>(system.host().polled() - before);
    const auto polls = static_cast<double>(system.host().polls() - polls_before);
    if (checkers && checkers->failed() != 0) {
        std::cerr << "cqsim-bench: a rule failed: " << checkers->failures().front().text << '\n';
        std::exit(1);
    }
    return {floor_s / kFloorRun * 1e9, block_s / done * 1e9, done, polls};
}

/// In a child, for a process can elaborate once only.
Sample measure_apart(const Configuration& configuration) {
    int ends[2];
    if (pipe(ends) != 0) {
        std::cerr << "cqsim-bench: pipe: " << std::strerror(errno) << '\n';
        std::exit(3);
    }
    const pid_t child = fork();
    if (child == 0) {
        const Sample sample = measure(configuration);
        const bool sent = write(ends[1], &sample, sizeof sample) == sizeof sample;
        _exit(sent ? 0 : 3);
    }
    close(ends[1]);
    Sample sample{};
    const bool received = read(ends[0], &sample, sizeof sample) == sizeof sample;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!received || status != 0) {
        std::cerr << "cqsim-bench: " << configuration.name << " failed\n";
        std::exit(3);
    }
    return sample;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

Json report(const Configuration& configuration, int repeats) {
    std::vector<double> ratios;
    std::vector<double> floors;
    std::vector<double> blocks;
    Sample last{};
    for (int i = 0; i < repeats; ++i) {
        last = measure_apart(configuration);
        ratios.push_back(last.floor_ns / last.block_ns);
        floors.push_back(last.floor_ns);
        blocks.push_back(last.block_ns);
    }
    const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
    return {{"name", configuration.name},
            {"qps", configuration.qps},
            {"cqs", configuration.cqs},
            {"depth", configuration.depth},
            {"observed", configuration.observed},
            {"run_ahead", configuration.ahead},
            {"completions", last.completions},
            {"entries_per_poll", last.completions / last.polls},
            {"repeats", repeats},
            {"floor_ns", median(floors)},
            {"block_ns", median(blocks)},
            {"ratio_to_floor", median(ratios)},
            {"ratio_min", *low},
            {"ratio_max", *high}};
}

int run(int argc, char** argv) {
    namespace po = boost::program_options;
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    int repeats = 5;
    std::string only;
    std::uint64_t completions = 0;
    po::options_description options("cqsim-bench: the block's rate as a ratio to a floor, as JSON");
    options.add_options()("help", "this text")("repeats",
                                               po::value(&repeats)->default_value(5),
                                               "pairs of floor and block, each a process")(
        "only", po::value(&only), "just the configuration of this name")(
        "completions",
        po::value(&completions),
        "measured in each block run, instead of the default");
    po::variables_map given;
    try {
        po::store(po::parse_command_line(argc, argv, options), given);
        po::notify(given);
    } catch (const po::error& error) {
        std::cerr << "cqsim-bench: " << error.what() << '\n' << options;
        return 2;
    }
    if (given.count("help") != 0) {
        std::cout << options;
        return 0;
    }
    std::vector<Configuration> configurations{
        {"8cq", 64, 8, 1024, 3'000'000, false, false},
        {"65536cq", 65'536, 65'536, 64, 6'000'000, false, false},
        {"8cq_observed", 64, 8, 1024, 3'000'000, true, false},
        {"65536cq_observed", 65'536, 65'536, 64, 4'000'000, true, false},
        {"8cq_ahead", 64, 8, 1024, 3'000'000, false, true},
        {"65536cq_ahead", 65'536, 65'536, 64, 6'000'000, false, true},
        {"8cq_observed_ahead", 64, 8, 1024, 3'000'000, true, true},
        {"65536cq_observed_ahead", 65'536, 65'536, 64, 4'000'000, true, true},
    };
    Json all;
    all["floor"] = "SC_THREAD: b_transport in, 64-byte b_transport out, wait; two 64-byte buffers";
    for (Configuration& configuration : configurations) {
        if (completions != 0) {
            configuration.completions = completions;
        }
        if (only.empty() || only == configuration.name) {
            all["configurations"].push_back(report(configuration, std::max(repeats, 1)));
        }
    }
    std::cout << all.dump(2) << '\n';
    return 0;
}

}  // namespace
}  // namespace cqsim::tb

int sc_main(int, char**) {
    return 0;
}

int main(int argc, char** argv) {
    try {
        return cqsim::tb::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cqsim-bench: %s\n", error.what());
        return 3;
    }
}
