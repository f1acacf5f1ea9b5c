// SPDX-License-Identifier: Apache-2.0
// P2: the timed engine at zero latency and the untimed composition, driven with the same random
// stimulus, decide the same record by record; and a copy of the composition goes on as it would.
#include "tb/unit/core_timed_run.h"

#include <cstdlib>
#include <optional>

namespace {

using namespace cqsim;
using namespace cqsim::test;

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
    }
    return core;
}

/// The composition, and who waits in front of it. A value as the composition is.
struct UntimedRun {
    explicit UntimedRun(std::uint64_t seed)
        : core(core_of(seed)) {}

    /// Plays one group; adds to `trace` what was decided.
    void play(const Group& group, std::uint64_t stamp, Trace& trace) {
        arrivals.add(group.arrivals);
        arrivals.offer_all(trace, [&](const Completion& completion) {
            bool failed = false;
            const Core::Offered offered = core.offer(completion, stamp, failed);
            told(completion.qpn, failed);
            switch (offered) {
                case Core::Offered::Held:
                    held[index_of(completion.queue)] = completion.qpn;
                    return OfferStatus::Held;
                case Core::Offered::NoCredit:
                    return OfferStatus::NoCredit;
                case Core::Offered::Suppressed:
                case Core::Offered::Taken:
                    break;
            }
            return OfferStatus::Taken;
        });
        for (std::uint32_t qp = 0; qp < kQps; ++qp) {
            const QpRow& row = core.qp(Qpn{qp});
            trace.qps.push_back(qp_word(row.state, row.in_flight));
            CHECK(in_err[qp] == (row.state == QpState::Err));
        }
        while (const std::optional<Core::Step> step = core.step()) {
            take(*step, trace);
        }
        if (group.consume_from != kCqs) {
            const Cqn cqn{group.consume_from};
            CHECK(core.consumer(cqn, core.cq(cqn).published));
        }
    }

    void take(const Core::Step& step, Trace& trace) {
        trace.decisions.push_back(
            {step.answer.serial, step.answer.outcome, step.slot.index, step.slot.owner});
        told(step.answer.qpn, step.to_err);
        if (step.held_taken) {
            trace.rooms.push_back({*step.held_taken, kNoQp});
            told(held[index_of(*step.held_taken)], step.held_failed);
        }
        if (step.credit) {
            trace.rooms.push_back({step.credit->queue, step.credit->qpn});
        }
        if (step.held_taken || step.credit) {
            arrivals.room(trace.rooms.back());
        }
    }

    /// The composition said whether this QP has just gone to ERR: it does so once.
    void told(Qpn qpn, bool to_err) {
        if (to_err) {
            CHECK_FALSE(in_err[index_of(qpn)]);
            in_err[index_of(qpn)] = true;
        }
    }

    Core core;
    Arrivals arrivals;
    std::array<Qpn, 2> held{};
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
}

TEST_CASE("D3 a completion that is held enters the block and fails its QP when it is taken") {
    CoreConfig config;
    config.qps = 2;
    config.cqs = 1;
    config.arbiter.depth = 1;
    Core core(config);
    REQUIRE(core.create_cq({Cqn{0}, 0x1000, 0x8000, 4}) == CommandResult::Ok);
    for (std::uint32_t qp = 0; qp < 2; ++qp) {
        REQUIRE(core.create_qp({Qpn{qp}, Cqn{0}, Cqn{0}, 4, 4, true}).result == CommandResult::Ok);
    }
    Completion first;
    first.qpn = Qpn{0};
    Completion second;
    second.qpn = Qpn{1};
    second.status = WcStatus::RetryExcErr;
    bool failed = false;
    REQUIRE(core.offer(first, 1, failed) == Core::Offered::Taken);
    REQUIRE(core.offer(second, 1, failed) == Core::Offered::Held);
    CHECK_FALSE(failed);
    CHECK(core.qp(Qpn{1}).in_flight == 0);
    CHECK(core.qp(Qpn{1}).state == QpState::Rts);
    const std::optional<Core::Step> step = core.step();
    REQUIRE(step);
    CHECK(step->held_taken == QueueKind::Send);
    CHECK(step->held_failed);
    CHECK_FALSE(step->credit);
    CHECK(core.qp(Qpn{1}).in_flight == 1);
    CHECK(core.qp(Qpn{1}).state == QpState::Err);
    const std::optional<Core::Step> last = core.step();
    REQUIRE(last);
    CHECK_FALSE(last->held_taken);
    CHECK(core.qp(Qpn{1}).in_flight == 0);
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
