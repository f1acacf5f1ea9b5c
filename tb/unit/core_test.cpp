// SPDX-License-Identifier: Apache-2.0
// P2: the timed engine at zero latency and the untimed composition, driven with the same random
// stimulus, decide the same record by record; and a copy of the composition goes on as it would.
#include "tb/unit/core_timed_run.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

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

/// The composition, and who waits in front of it. A value as the composition is.
struct UntimedRun {
    explicit UntimedRun(std::uint64_t seed)
        : core(core_of(seed)) {}

    /// Plays one group; adds to `trace` what was decided.
    void play(const Group& group, std::uint64_t stamp, Trace& trace) {
        arrivals.add(group.arrivals, [this](Qpn qpn) { return core.qp(qpn).generation; });
        arrivals.offer_all(trace, [&](const Completion& completion) {
            switch (core.offer(completion, stamp)) {
                case Core::Offered::Held:
                    return OfferStatus::Held;
                case Core::Offered::NoCredit:
                    return OfferStatus::NoCredit;
                case Core::Offered::Cancelled:
                    trace.decisions.push_back({completion.serial, Outcome::Cancelled, 0, 0});
                    break;
                case Core::Offered::Suppressed:
                case Core::Offered::Taken:
                    break;
            }
            return OfferStatus::Taken;
        });
        for (const Completion& ended : group.arrivals) {
            told(ended.qpn,
                 core.request_failed(
                     ended.qpn, core.qp(ended.qpn).generation, ended.queue, ended.status));
        }
        for (std::uint32_t qp = 0; qp < kQps; ++qp) {
            const QpRow& row = core.qp(Qpn{qp});
            trace.qps.push_back(qp_word(row.state, row.in_flight()));
            CHECK(in_err[qp] == (row.state == QpState::Err));
        }
        bool over = end_life(group);
        while (const std::optional<Core::Step> step = core.step()) {
            take(*step, trace);
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

    /// \returns whether no life is about to end.
    bool end_life(const Group& group) {
        bool over = true;
        if (group.end_of != kQps) {
            const Qpn qpn{group.end_of};
            CHECK((group.destroyed ? core.destroy_qp(qpn, over)
                                   : core.modify_qp({qpn, QpState::Reset}, over))
                      .result == CommandResult::Ok);
            in_err[group.end_of] = false;
        }
        return over;
    }

    void take(const Core::Step& step, Trace& trace) {
        trace.decisions.push_back(
            {step.answer.serial, step.answer.outcome, step.slot.index, step.slot.owner});
        told(step.answer.qpn, step.qp);
        if (step.held_taken) {
            trace.rooms.push_back({*step.held_taken, kNoQp});
        }
        if (step.credit) {
            trace.rooms.push_back({step.credit->queue, step.credit->qpn});
        }
        if (step.held_taken || step.credit) {
            arrivals.room(trace.rooms.back());
        }
    }

    /// The composition said what became of this QP: it goes to ERR once in a life.
    void told(Qpn qpn, const QpRules::Effect& effect) {
        if (effect.changed() && effect.after == QpState::Err) {
            CHECK_FALSE(in_err[index_of(qpn)]);
            in_err[index_of(qpn)] = true;
        }
    }

    Core core;
    Arrivals arrivals;
    std::array<bool, kQps> in_err{};
};

/// How far two sequences agree.
template <class T>
std::size_t agree(const std::vector<T>& l, const std::vector<T>& r) {
    std::size_t count = 0;
    while (count < l.size() && count < r.size() && l[count] == r[count]) {
        ++count;
    }
    return count;
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

    UntimedRun run(seed);
    Trace untimed;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        run.play(groups[g], g + 1, untimed);
    }
    INFO("seed " << seed);
    REQUIRE(untimed.decisions.size() > 10'000);
    CHECK(agree(timed.trace.decisions, untimed.decisions) == untimed.decisions.size());
    CHECK(timed.trace.decisions.size() == untimed.decisions.size());
    CHECK(agree(timed.trace.rooms, untimed.rooms) == untimed.rooms.size());
    CHECK(timed.trace.rooms.size() == untimed.rooms.size());
    CHECK(agree(timed.trace.qps, untimed.qps) == std::size_t{kQps} * groups.size());

    // The stimulus brought about what is compared.
    const bool credits = arbiter_of(seed).admission == AdmissionPolicy::Credits;
    CHECK((credits ? untimed.no_credit : untimed.held) > 100);
    CHECK(untimed.rooms.size() > 100);
    CHECK(std::count_if(untimed.decisions.begin(), untimed.decisions.end(), [](const Decision& d) {
              return d.outcome == Outcome::Cancelled;
          }) > 50);
}

TEST_CASE("D3 a completion that is held is inside: the end of its QP's life waits for it") {
    CoreConfig config;
    config.qps = 2;
    config.cqs = 1;
    config.arbiter.depth = 1;
    Core core(config);
    REQUIRE(core.create_cq({Cqn{0}, 0x1000, 0x8000, 4}) == CommandResult::Ok);
    for (std::uint32_t qp = 0; qp < 2; ++qp) {
        REQUIRE(core.create_qp({Qpn{qp}, Cqn{0}, Cqn{0}, 4, 4, true}).result == CommandResult::Ok);
        bring_up(core, qp);
    }
    Completion first;
    first.qpn = Qpn{0};
    first.generation = 1;
    Completion second = first;
    second.qpn = Qpn{1};
    REQUIRE(core.offer(first, 1) == Core::Offered::Taken);
    REQUIRE(core.offer(second, 1) == Core::Offered::Held);
    CHECK(core.qp(Qpn{1}).in_flight() == 1);
    bool done = true;
    CHECK(core.destroy_qp(Qpn{1}, done).result == CommandResult::Ok);
    CHECK_FALSE(done);
    const std::optional<Core::Step> step = core.step();
    REQUIRE(step);
    CHECK(step->held_taken == QueueKind::Send);
    CHECK_FALSE(step->credit);
    CHECK_FALSE(step->life_over);
    CHECK(core.qp(Qpn{1}).in_flight() == 1);
    const std::optional<Core::Step> last = core.step();
    REQUIRE(last);
    CHECK(last->answer.outcome == Outcome::Cancelled);
    CHECK(last->life_over);
    CHECK_FALSE(last->held_taken);
    CHECK(core.qp(Qpn{1}).in_flight() == 0);
    CHECK_FALSE(core.step());
}

TEST_CASE("P2 a copy of the composition in mid-run continues as the original does") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const std::vector<Group> groups = random_groups(seed, 60);
        UntimedRun run(seed);
        Trace before;
        for (std::size_t g = 0; g < 30; ++g) {
            run.play(groups[g], g + 1, before);
        }
        UntimedRun copy = run;
        REQUIRE(copy.core == run.core);
        REQUIRE(copy.core.hash() == run.core.hash());
        Trace original;
        Trace copied;
        for (std::size_t g = 30; g < groups.size(); ++g) {
            run.play(groups[g], g + 1, original);
            copy.play(groups[g], g + 1, copied);
        }
        REQUIRE(original.decisions == copied.decisions);
        REQUIRE(original.rooms == copied.rooms);
        REQUIRE(copy.core == run.core);
    }
}
