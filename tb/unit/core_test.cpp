// SPDX-License-Identifier: Apache-2.0
// P2: the timed engine at zero latency and the untimed composition, driven with the same random
// software and pipelines, do the same record by record.
#include "tb/unit/core_coverage.h"
#include "tb/unit/core_timed_device.h"
#include "tb/unit/core_untimed_run.h"
#include "tb/unit/seed_processes.h"

#include <catch2/catch.hpp>

#include <iostream>

namespace {

using namespace cqsim;
using namespace cqsim::test;

constexpr std::uint32_t kSteps = 10'000;

/// Plays a seed on both. \returns how they differ; empty when they do not.
std::string compare(std::uint64_t seed, std::uint32_t steps, Coverage& coverage) {
    Software software(seed, steps);
    TimedDevice timed("timed", Setting(seed), software);
    timed.play();
    UntimedRun untimed(seed, steps);
    untimed.play();
    coverage = Coverage(untimed.device, untimed.software);
    std::string differs = difference(timed.history, untimed.device.history);
    if (differs.empty() &&
        timed.refused_consumer_indices() != untimed.device.core.refused_consumer_indices()) {
        differs = "the refused consumer indices are not as many";
    }
    return differs.empty() ? differs : "seed " + std::to_string(seed) + ", " + differs;
}

/// Sums of many runs, and in how many each arose.
struct Arisen {
    Coverage sum;
    std::array<std::uint64_t, Coverage::kWhats> runs{};

    void add(const Coverage& coverage) {
        sum.add(coverage);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            runs[i] += coverage[static_cast<Coverage::What>(i)] != 0 ? 1 : 0;
        }
    }
};

std::uint64_t number_from(const char* variable, std::uint64_t fallback) {
    const char* text = std::getenv(variable);
    return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

/// What every seed brings about, by its setting. A comparison says nothing of what never happened.
void check_coverage(const Coverage& coverage, const CoreConfig& setting) {
    CHECK(coverage[Coverage::Steps] >= kSteps);
    for (const Coverage::What what : Coverage::kAlways) {
        INFO(Coverage::kNames[what]);
        CHECK(coverage[what] >= 3);
    }
    CHECK(coverage[setting.arbiter.admission == AdmissionPolicy::Credits ? Coverage::NoCredit
                                                                         : Coverage::Held] > 100);
    if (setting.event.solicited == ModerationBreak::Break) {
        CHECK(coverage[Coverage::FiredByBreak] >= 3);
    }
    if (setting.event.arm == ArmPolicy::Level) {
        CHECK(coverage[Coverage::FiredAtArm] >= 3);
    }
}

}  // namespace

// CQSIM_SEED says which; a debugger can follow it, as it needs no other process.
TEST_CASE("P2 the timed engine at zero latency does what the untimed composition does") {
    Coverage coverage;
    const std::string differs = compare(number_from("CQSIM_SEED", 1), kSteps, coverage);
    INFO(differs);
    CHECK(differs.empty());
    CHECK(coverage[Coverage::Steps] >= kSteps);
}

TEMPLATE_TEST_CASE_SIG("P2 timed equals untimed in a quarter of the seeds",
                       "",
                       ((unsigned Quarter), Quarter),
                       0,
                       1,
                       2,
                       3) {
    const std::uint64_t seeds = compared_seeds();
    SeedProcesses<Coverage> processes;
    Arisen arisen;
    std::uint64_t run = 0;
    for (std::uint64_t seed = 1 + Quarter; seed <= seeds; seed += 4) {
        Coverage coverage;
        const std::string differs = processes.run(
            [seed](Coverage& of_seed) { return compare(seed, kSteps, of_seed); }, coverage);
        INFO(differs);
        REQUIRE(differs.empty());
        check_coverage(coverage, Setting(seed).core);
        arisen.add(coverage);
        ++run;
    }
    std::cout << run << " of seeds 1.." << seeds << ", " << kSteps << " steps each\n";
    for (std::size_t i = 0; i < Coverage::kWhats; ++i) {
        INFO(Coverage::kNames[i]);
        CHECK(arisen.runs[i] * 20 >= run);  // the rarest come about in one seed of five
        std::cout << "  " << Coverage::kNames[i] << ": "
                  << arisen.sum[static_cast<Coverage::What>(i)] << " in " << arisen.runs[i]
                  << " seeds\n";
    }
}
