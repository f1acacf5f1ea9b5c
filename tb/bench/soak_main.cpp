// SPDX-License-Identifier: Apache-2.0
// cqsim-soak: a long run of everything, with all checkers on, in flat memory.
#include "models/observe/record_names.h"
#include "tb/bench/program.h"
#include "tb/bench/resident.h"
#include "tb/bench/soak_scenario.h"
#include "tb/check/rule_checkers.h"
#include "tb/record/event_log_check.h"
#include "tb/report/event_statistics.h"
#include "tb/report/statistics.h"
#include "tb/system/system.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <vector>

namespace cqsim::tb::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned kSamples = 10;
/// How much more may be resident at the end than after the first tenth. A tenth brings every part
/// into use, so what comes later grows with the run.
constexpr double kAllowedGrowth = 1 << 20;

/// How many records of each kind there were.
class Counter final : public RecordSubscriber {
  public:
    void observe(const RecordBatch& batch) override {
        for (const Record& record : batch) {
            ++m_counts[static_cast<std::size_t>(record.kind)];
            if (record.kind == Kind::Destroy &&
                record.state == static_cast<std::uint8_t>(DestroyPhase::Done)) {
                ++(record.cqn != kNoCq ? m_cqs_destroyed : m_qp_lives_ended);
            }
        }
    }
    std::uint64_t of(Kind kind) const { return m_counts[static_cast<std::size_t>(kind)]; }
    std::uint64_t cqs_destroyed() const { return m_cqs_destroyed; }
    /// By a destroy or a reset.
    std::uint64_t qp_lives_ended() const { return m_qp_lives_ended; }

  private:
    std::array<std::uint64_t, kKinds> m_counts{};
    std::uint64_t m_cqs_destroyed = 0;
    std::uint64_t m_qp_lives_ended = 0;
};

/// How often an index that starts at `first` passes a multiple of 2^width in so many steps.
std::uint64_t passes(std::uint64_t first, std::uint64_t steps, unsigned width) {
    return ((first + steps) >> width) - (first >> width);
}

struct Soak {
    Soak(std::uint64_t cycles, bool other_policies)
        : scenario(soak_scenario(cycles, other_policies)),
          system("cqsim", scenario, true),
          statistics(scenario),
          events(scenario),
          checkers(checker_settings(header_of(scenario))) {
        system.run_ahead();
        system.records().subscribe(statistics, Statistics::kKinds);
        system.records().subscribe(events, EventStatistics::kKinds);
        system.records().subscribe(checkers, check::RuleCheckers::kinds());
        system.records().subscribe(counter, kAllKinds);
    }

    /// Requests that have ended, whatever became of them.
    std::uint64_t completions() const { return counter.of(Kind::Complete); }

    Scenario scenario;
    System system;
    Statistics statistics;
    EventStatistics events;
    check::RuleCheckers checkers;
    Counter counter;
};

Json wraps_json(const Soak& soak) {
    const std::uint64_t first = soak.scenario.device.overflow.first_index;
    const std::uint64_t busy = soak.statistics.cq(Cqn{0}).written;
    std::uint64_t eq_laps = 0;
    for (const EqGroup& group : soak.scenario.eq) {
        for (std::uint32_t i = 0; i < group.count; ++i) {
            const Eqn eqn{static_cast<std::uint16_t>(group.first + i)};
            eq_laps += soak.events.queue(eqn).entries / group.capacity;
        }
    }
    return {{"cq_index_past_2_to_32", passes(first, busy, 32)},
            {"cq_index_past_a_multiple_of_2_to_24", passes(first, busy, 24)},
            {"cq_ring_laps", busy / soak.scenario.cq.front().capacity},
            {"eq_ring_laps", eq_laps}};
}

Json counts_json(const Soak& soak) {
    const Counter& counter = soak.counter;
    std::uint64_t flushed = 0;
    std::uint64_t lost = 0;
    std::uint64_t discarded = 0;
    for (std::size_t group = 0; group < soak.scenario.qp.size(); ++group) {
        flushed += soak.statistics.group(group).flushed;
        lost += soak.statistics.group(group).lost;
        discarded += soak.statistics.group(group).discarded;
    }
    Json json{{"completions", soak.completions()},
              {"flushed", flushed},
              {"lost", lost},
              {"discarded_by_destroy_or_reset", discarded},
              {"overruns", counter.of(Kind::Overrun)},
              {"events", counter.of(Kind::Event)},
              {"interrupts", counter.of(Kind::Irq)},
              {"cqs_destroyed", counter.cqs_destroyed()},
              {"qp_lives_ended", counter.qp_lives_ended()}};
    Json records;
    for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
        records[std::string(name(static_cast<Kind>(kind)))] = counter.of(static_cast<Kind>(kind));
    }
    json["records"] = records;
    return json;
}

/// What must have happened, or the soak soaked something else.
std::vector<std::string> missing(const Soak& soak, std::uint64_t completions) {
    std::vector<std::string> kinds;
    for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
        // Its software makes no such mistake.
        const bool built =
            info(static_cast<Kind>(kind)).emitted && static_cast<Kind>(kind) != Kind::UndefinedRead;
        if (built && soak.counter.of(static_cast<Kind>(kind)) == 0) {
            kinds.emplace_back(name(static_cast<Kind>(kind)));
        }
    }
    if (soak.completions() < completions) {
        kinds.emplace_back("completions");
    }
    return kinds;
}

std::vector<std::string> first_of(const std::vector<std::string>& lines) {
    constexpr std::size_t kShown = 10;
    return {lines.begin(),
            lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), kShown))};
}

int soak(std::uint64_t completions, bool other_policies) {
    const std::uint64_t per_cycle = kSoakCompletions;
    // Each sample after whole cycles.
    const std::uint64_t cycles =
        (completions + per_cycle * kSamples - 1) / (per_cycle * kSamples) * kSamples;
    const auto run = std::make_unique<Soak>(cycles, other_policies);
    run->system.begin();
    std::vector<double> resident;
    for (unsigned sample = 1; sample <= kSamples; ++sample) {
        run->system.advance(kSoakCycle * (cycles / kSamples * sample));
        resident.push_back(resident_now());
        std::cerr << "cqsim-soak: " << sample * 100 / kSamples << " %, " << run->completions()
                  << " completions\n";
    }
    const RunEnd end = run->system.finish();
    run->checkers.finish();

    const double growth = resident.back() - resident.front();
    const std::vector<std::string> absent = missing(*run, completions);
    std::vector<std::string> failures;
    for (const check::Failure& failure : run->checkers.failures()) {
        failures.push_back(std::string(failure.rule) + " at " + std::to_string(failure.time_ps) +
                           " ps, " + failure.object + ": " + failure.text);
    }
    const bool passed = growth <= kAllowedGrowth && absent.empty() && end.script.empty() &&
                        run->checkers.failed() == 0;
    Json json = counts_json(*run);
    json["wraps"] = wraps_json(*run);
    json["simulated_ps"] = end.time.ps;
    json["resident_bytes"] = resident;
    json["resident_growth_bytes_after_the_first_tenth"] = growth;
    json["resident_growth_allowed"] = kAllowedGrowth;
    json["rule_failures"] = run->checkers.failed();
    json["first_failures"] = failures;
    json["steps_that_failed"] = end.script.size();
    json["first_failed_steps"] = first_of(end.script);
    json["missing"] = absent;
    json["verdict"] = passed ? "pass" : "fail";
    std::cout << json.dump(2) << '\n';
    return passed ? 0 : 1;
}

int run(int argc, char** argv) {
    namespace po = boost::program_options;
    std::uint64_t completions = 1'000'000;
    bool other_policies = false;
    po::options_description options("cqsim-soak: a long run of everything in flat memory, as JSON");
    auto add = options.add_options();
    add("help", "this text");
    add("completions", po::value(&completions)->default_value(completions), "at least so many");
    add("other-policies",
        po::bool_switch(&other_policies),
        "arms by level, full event queues that wait, credits, and more");
    return run_program("cqsim-soak", argc, argv, options, [&] {
        return soak(std::max<std::uint64_t>(completions, 1), other_policies);
    });
}

}  // namespace
}  // namespace cqsim::tb::bench

int main(int argc, char** argv) {
    return cqsim::tb::bench::run(argc, argv);
}
