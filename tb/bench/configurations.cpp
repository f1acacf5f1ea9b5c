// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/configurations.h"

#include "tb/bench/floor.h"

#include <algorithm>
#include <array>

namespace cqsim::tb::bench {
namespace {

constexpr std::uint32_t kBatch = 16;
/// Of a consumer that an event wakes: more than come until it has woken, so that one poll finds
/// fewer and it goes to sleep.
constexpr std::uint32_t kEventBatch = 128;
constexpr TimePs kLatency = from_ns(2000);  ///< of a request
/// The device reads a doorbell record once a lap of a ring (K20), and nothing is written meanwhile.
/// With rings of 64 entries the usual 800 ns would leave it saturated.
constexpr TimePs kRecordRead = from_ns(20);

// An event for each completion needs a device and software that are through with one before the
// next one of the CQ comes, which may be the very next one. The times are such that entry, event,
// interrupt, poll, arm and second poll of one completion share time stamps with each other and with
// its neighbours' where they can, as under load: the bench finds five stamps each.
constexpr TimePs kEachService = from_ns(4);  ///< of the writer, and of the event arbiter
constexpr TimePs kEachWrite = from_ns(22);   ///< until a write is visible
constexpr TimePs kEachEntry = kEachService + kEachWrite;
constexpr TimePs kEachInterval = kEachEntry;  ///< between two actions of software
constexpr TimePs kEachSpacing = kEachEntry + kEachEntry + kEachWrite + kEachInterval;

constexpr Size kEight{"8cq", 64, 8, 1024, 16};
constexpr Size kMany{"65536cq", 65'536, 65'536, 64, 16};
constexpr Size kMillion{"16cq", 1'000'000, 16, 1024, 4};

/// From one event of each CQ to the next of each: they come in waves.
constexpr std::uint64_t kManyCycle = std::uint64_t{kBatch} * kMany.cqs;

struct Targets {
    Size size{};
    Reporting reporting = Reporting::Polled;
    bool observed = false;
    std::uint64_t completions = 0;
    std::optional<double> kernel;
    std::optional<double> ahead;
};

constexpr std::array<Targets, 13> kTargets{{
    {kEight, Reporting::Polled, false, 3'000'000, 0.35, {}},
    {kMany, Reporting::Polled, false, 6'000'000, 0.25, {}},
    {kEight, Reporting::Polled, true, 3'000'000, 0.20, {}},
    {kMany, Reporting::Polled, true, 4'000'000, 0.20, {}},
    {kEight, Reporting::Moderated, false, 3'000'000, 0.40, 0.65},
    {kMany, Reporting::Moderated, false, 6 * kManyCycle, 0.28, 0.45},
    {kMillion, Reporting::Moderated, false, 4'000'000, 0.36, 0.65},
    {kEight, Reporting::Each, false, 2'000'000, 0.22, 0.35},
    {kMany, Reporting::Each, false, 2'000'000, 0.16, 0.28},
    {kMillion, Reporting::Each, false, 2'000'000, 0.20, 0.33},
    {kEight, Reporting::Moderated, true, 3'000'000, 0.25, 0.40},
    {kMany, Reporting::Moderated, true, 4 * kManyCycle, 0.20, 0.28},
    {kMillion, Reporting::Moderated, true, 4'000'000, 0.22, 0.33},
}};

Configuration configuration_of(const Targets& targets, bool ahead) {
    Configuration configuration;
    configuration.name = targets.size.name;
    if (targets.reporting != Reporting::Polled) {
        configuration.name += std::string("_") + name_of(targets.reporting);
    }
    configuration.name += targets.observed ? "_observed" : "";
    configuration.name += ahead ? "_ahead" : "";
    configuration.size = targets.size;
    configuration.reporting = targets.reporting;
    configuration.observed = targets.observed;
    configuration.ahead = ahead;
    configuration.completions = targets.completions;
    configuration.target = ahead ? targets.ahead : targets.kernel;
    return configuration;
}

Traffic traffic_of(const Configuration& configuration, QueueKind queue) {
    Traffic traffic;
    traffic.queue = queue;
    traffic.period = spacing(configuration) * 2 * configuration.size.qps;
    traffic.latency = kLatency;
    traffic.start = start_time() + (queue == QueueKind::Send ? TimePs{} : spacing(configuration));
    traffic.shuffled = true;
    return traffic;
}

/// How long software takes between two polls of a CQ: one batch comes in it.
TimePs poll_interval(const Configuration& configuration) {
    return spacing(configuration) * kBatch * configuration.size.cqs;
}

void use_event_queue(Scenario& scenario, const Configuration& configuration) {
    EqGroup eq;
    eq.name = "eq";
    eq.depth = eq.capacity = 4096;
    scenario.eq.push_back(eq);
    CqGroup& cq = scenario.cq.front();
    cq.eq = 0;
    HostLoop& host = scenario.host.front();
    host.mode = HostMode::Event;
    host.batch = kEventBatch;
    if (configuration.reporting == Reporting::Moderated) {
        cq.moderation = {static_cast<std::uint16_t>(kBatch), EventConfig::kMaxPeriod};
        host.interval = from_ns(100);
        scenario.device.writer.service = from_ns(2);  // as the spacing may ask for
        scenario.device.writer.writes_in_flight = 256;
        scenario.device.event.writes_in_flight = 256;  // CQs whose arms coincide fire together
        scenario.memory.bandwidth = 32'000'000'000;
        return;
    }
    host.interval = kEachInterval;
    scenario.host_driver.interrupt_latency = {};
    scenario.device.writer.service = kEachService;
    scenario.device.event.eqe_service = kEachService;
    scenario.memory.write_latency = kEachWrite;
    scenario.memory.bandwidth = 0;
}

}  // namespace

const char* name_of(Reporting reporting) {
    constexpr std::array<const char*, 3> kNames{"polled", "moderated", "each"};
    return kNames.at(static_cast<std::size_t>(reporting));
}

TimePs start_time() {
    return Floor::kService * (2 * Floor::kRun);
}

TimePs spacing(const Configuration& configuration) {
    if (configuration.reporting == Reporting::Each) {
        return kEachSpacing;
    }
    constexpr std::uint64_t kUsual = 10;
    if (configuration.reporting == Reporting::Polled) {
        return from_ns(kUsual);
    }
    // The count must come before the end of the longest period that there is.
    const std::uint64_t entries = std::uint64_t{kBatch + 2} * configuration.size.cqs;
    return from_ns(std::min(kUsual, EventConfig::kMaxPeriod.ps / 1000 / entries));
}

TimePs warm_up(const Configuration& configuration) {
    const TimePs polls = poll_interval(configuration) * 2;
    const TimePs turns = spacing(configuration) * 2 * configuration.size.qps;
    // When an event comes for each completion, software polls as often.
    const bool polls_seldom = configuration.reporting != Reporting::Each;
    return (polls_seldom ? later_of(polls, turns) : turns) + from_ns(10'000);
}

std::vector<Configuration> all_configurations() {
    std::vector<Configuration> all;
    for (const bool ahead : {false, true}) {
        for (const Targets& targets : kTargets) {
            all.push_back(configuration_of(targets, ahead));
        }
    }
    return all;
}

std::vector<Configuration> growth_configurations() {
    const Size one{"1qp", 1, 1, 1024, 4096};
    const Size million{"1000000qp", 1'000'000, 1, 1024, 4};
    return {configuration_of({one, Reporting::Polled, false, 3'000'000, {}, {}}, false),
            configuration_of({million, Reporting::Polled, false, 4'000'000, {}, {}}, false)};
}

Scenario scenario_of(const Configuration& configuration) {
    Scenario scenario;
    scenario.name = configuration.name;
    scenario.end = kNever;
    scenario.device.qps = configuration.size.qps;
    scenario.device.cqs = configuration.size.cqs;
    scenario.device.event.eqs = 1;
    scenario.device.event.vectors = 1;
    scenario.device.writer.writes_in_flight = 128;  // latency / spacing = 61 are needed
    scenario.memory.read_latency = kRecordRead;
    CqGroup cq;
    cq.name = "cq";
    cq.count = configuration.size.cqs;
    cq.depth = cq.slots = cq.capacity = configuration.size.depth;
    scenario.cq.push_back(cq);
    QpGroup qp;
    qp.name = "qp";
    qp.count = configuration.size.qps;
    qp.send_depth = qp.recv_depth = configuration.size.queue_depth;
    scenario.qp.push_back(qp);
    scenario.traffic.push_back(traffic_of(configuration, QueueKind::Send));
    scenario.traffic.push_back(traffic_of(configuration, QueueKind::Receive));
    HostLoop host;
    host.batch = kBatch;
    host.start = start_time();
    host.interval = poll_interval(configuration);
    scenario.host.push_back(host);
    if (configuration.reporting == Reporting::Polled) {
        scenario.device.event.eqs = 0;
        scenario.device.event.vectors = 0;
    } else {
        use_event_queue(scenario, configuration);
    }
    return scenario;
}

}  // namespace cqsim::tb::bench
