// SPDX-License-Identifier: Apache-2.0
// P2: the timed engine at zero latency and the untimed composition, driven with the same random
// stimulus, decide the same record by record; and a copy of the composition goes on as it would.
#include "tb/unit/core_timed_run.h"

#include <algorithm>
#include <cstdlib>

namespace {

using namespace cqsim;
using namespace cqsim::test;

void bring_up(Core& core, std::uint32_t qp) {
    for (const QpState state : kBringUp) {
        bool done = false;
        REQUIRE(core.modify_qp({Qpn{qp}, state}, done).result == CommandResult::Ok);
        REQUIRE(done);
    }
}

Core core_of(std::uint64_t seed) {
    CoreConfig config;
    config.qps = kQps;
    config.cqs = kCqs;
    config.seed = seed;
    config.arbiter = arbiter_of(seed);
    config.overflow = overflow_config();
    Core core(config);
    for (std::uint32_t i = 0; i < kCqs; ++i) {
        REQUIRE(
            core.create_cq(
                {Cqn{i}, std::uint64_t{0x1000} * (i + 1), 0x8000 + std::uint64_t{8} * i, kDepth}) ==
            CommandResult::Ok);
    }
    for (std::uint32_t i = 0; i < kQps; ++i) {
        REQUIRE(core.create_qp(qp_of(i)).result == CommandResult::Ok);
        bring_up(core, i);
    }
    return core;
}

/// Plays one group; appends what was decided.
void play(Core& core, const Group& group, std::uint64_t stamp, std::vector<Decision>& decisions) {
    for (const Completion& arrival : group.arrivals) {
        Completion completion = arrival;
        completion.generation = core.qp(completion.qpn).generation;
        core.offer(completion, stamp);
        core.request_failed(
            completion.qpn, completion.generation, completion.queue, completion.status);
    }
    bool over = group.end_of == kQps;
    if (!over) {
        const Qpn qpn{group.end_of};
        CHECK((group.destroyed ? core.destroy_qp(qpn, over)
                               : core.modify_qp({qpn, QpState::Reset}, over))
                  .result == CommandResult::Ok);
    }
    while (const std::optional<Core::Step> step = core.step()) {
        decisions.push_back(
            {step->answer.serial, step->answer.outcome, step->slot.index, step->slot.owner});
        over = over || step->life_over;
    }
    CHECK(over);
    if (group.end_of != kQps) {
        if (group.destroyed) {
            CHECK(core.create_qp(qp_of(group.end_of)).result == CommandResult::Ok);
        }
        bring_up(core, group.end_of);
    }
    if (group.consume_from != kCqs) {
        const Cqn cqn{group.consume_from};
        CHECK(core.consumer(cqn, core.cq(cqn).published));
    }
}

std::uint64_t seed_from(const char* variable, std::uint64_t fallback) {
    const char* text = std::getenv(variable);
    return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

}  // namespace

TEST_CASE("P2 the timed engine at zero latency decides as the untimed composition does") {
    const std::uint64_t seed = seed_from("CQSIM_SEED", 1);
    const std::vector<Group> groups = random_groups(seed, 10'000);
    TimedRun timed("timed", seed, groups);
    timed.play();

    Core core = core_of(seed);
    std::vector<Decision> untimed;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        play(core, groups[g], g + 1, untimed);
    }
    REQUIRE(timed.decisions.size() > 100);
    CHECK(std::count_if(untimed.begin(), untimed.end(), [](const Decision& decision) {
              return decision.outcome == Outcome::Cancelled;
          }) > 50);
    REQUIRE(timed.decisions.size() == untimed.size());
    std::size_t differ = 0;
    while (differ < untimed.size() && timed.decisions[differ] == untimed[differ]) {
        ++differ;
    }
    INFO("seed " << seed << ", decision " << differ << " of " << untimed.size());
    CHECK(differ == untimed.size());
}

TEST_CASE("P2 a copy of the composition in mid-run continues as the original does") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const std::vector<Group> groups = random_groups(seed, 60);
        Core core = core_of(seed);
        std::vector<Decision> before;
        for (std::size_t g = 0; g < 30; ++g) {
            play(core, groups[g], g + 1, before);
        }
        Core copy = core;
        REQUIRE(copy == core);
        REQUIRE(copy.hash() == core.hash());
        std::vector<Decision> original;
        std::vector<Decision> copied;
        for (std::size_t g = 30; g < groups.size(); ++g) {
            play(core, groups[g], g + 1, original);
            play(copy, groups[g], g + 1, copied);
        }
        REQUIRE(original == copied);
        REQUIRE(copy == core);
    }
}
