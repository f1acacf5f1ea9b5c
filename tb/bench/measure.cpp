// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/measure.h"

#include "tb/bench/floor.h"
#include "tb/bench/in_child.h"
#include "tb/bench/resident.h"
#include "tb/check/rule_checkers.h"
#include "tb/record/event_log_check.h"
#include "tb/report/statistics.h"
#include "tb/system/system.h"

#include <ctime>
#include <memory>
#include <stdexcept>

namespace cqsim::tb::bench {
namespace {

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Statistics and all rule checkers, if the configuration has them.
class Observers {
  public:
    Observers(const Configuration& configuration, const Scenario& scenario, System& system) {
        if (!configuration.observed) {
            return;
        }
        m_statistics = std::make_unique<Statistics>(scenario);
        m_checkers = std::make_unique<check::RuleCheckers>(checker_settings(header_of(scenario)));
        system.records().subscribe(*m_statistics, Statistics::kKinds);
        system.records().subscribe(*m_checkers, check::RuleCheckers::kinds());
    }

    void require_no_failure() const {
        if (m_checkers && m_checkers->failed() != 0) {
            throw std::runtime_error("a rule failed: " + m_checkers->failures().front().text);
        }
    }

  private:
    std::unique_ptr<Statistics> m_statistics;
    std::unique_ptr<check::RuleCheckers> m_checkers;
};

/// Everything that is counted, from the start of the process on.
Sample counts(System& system) {
    const EventCounts& events = system.host().event_loop().counts();
    Sample counted;
    counted.completions = static_cast<double>(system.host().polled());
    counted.polls = static_cast<double>(system.host().polls());
    counted.events = static_cast<double>(events.events);
    counted.interrupts = static_cast<double>(events.interrupts);
    counted.activations = static_cast<double>(sc_core::sc_delta_count());
    return counted;
}

Sample difference(const Sample& after, const Sample& before) {
    Sample sample;
    sample.completions = after.completions - before.completions;
    sample.polls = after.polls - before.polls;
    sample.events = after.events - before.events;
    sample.interrupts = after.interrupts - before.interrupts;
    sample.activations = after.activations - before.activations;
    return sample;
}

/// A saturated device is another matter: its backlog costs as well.
void require_throughput(const Configuration& configuration, const Sample& sample) {
    const auto wanted = static_cast<double>(configuration.completions);
    const double in_rings = static_cast<double>(configuration.size.cqs) * 16;
    if (sample.completions < 0.99 * wanted - in_rings) {
        throw std::runtime_error(configuration.name +
                                 " saturates the device: " + std::to_string(sample.completions) +
                                 " completions instead of " + std::to_string(wanted));
    }
}

/// What the configuration is called must be what was measured.
void require_events(const Configuration& configuration, const Sample& sample) {
    const double events = sample.events / sample.completions;
    const double interrupts = sample.interrupts / sample.completions;
    const auto fail = [&](const char* wanted) {
        throw std::runtime_error(configuration.name + " is to have " + wanted + ", not " +
                                 std::to_string(events) + " events and " +
                                 std::to_string(interrupts) + " interrupts for each completion");
    };
    constexpr double kNearlyOne = 0.999;
    constexpr double kAtMost = 1.0 / 15;  // the measured part need not end with an event
    if (configuration.reporting == Reporting::Each &&
        (events < kNearlyOne || interrupts < kNearlyOne)) {
        fail("an event and an interrupt for each completion");
    }
    if (configuration.reporting == Reporting::Moderated && (events > kAtMost || events == 0)) {
        fail("an event for at least 16 completions");
    }
}

Sample measure_here(const Configuration& configuration) {
    const Scenario scenario = scenario_of(configuration);
    Floor floor("floor");
    System system("cqsim", scenario, configuration.observed);
    if (configuration.ahead) {
        system.run_ahead();
    }
    const Observers observers(configuration, scenario, system);
    floor.run(Floor::kRun / 10);
    const double floor_start = cpu_seconds();
    floor.run(Floor::kRun);
    const double floor_s = cpu_seconds() - floor_start;

    system.begin();
    system.advance(start_time() + warm_up(configuration));
    const Sample before = counts(system);
    const double block_start = cpu_seconds();
    system.advance(kernel_now() + spacing(configuration) * configuration.completions);
    const double block_s = cpu_seconds() - block_start;
    Sample sample = difference(counts(system), before);
    observers.require_no_failure();
    require_throughput(configuration, sample);
    require_events(configuration, sample);
    sample.floor_ns = floor_s / static_cast<double>(Floor::kRun) * 1e9;
    sample.block_ns = block_s / sample.completions * 1e9;
    return sample;
}

double resident_here(const Configuration& configuration) {
    const double before = resident_now();
    const Scenario scenario = scenario_of(configuration);
    System system("cqsim", scenario, configuration.observed);
    const Observers observers(configuration, scenario, system);
    system.begin();
    system.advance(start_time() + warm_up(configuration));
    observers.require_no_failure();
    return resident_now() - before;
}

}  // namespace

Sample measure(const Configuration& configuration) {
    return in_child<Sample>([&] { return measure_here(configuration); });
}

double resident_bytes(const Configuration& configuration) {
    return in_child<double>([&] { return resident_here(configuration); });
}

}  // namespace cqsim::tb::bench
