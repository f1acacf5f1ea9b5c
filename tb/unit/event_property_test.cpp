// SPDX-License-Identifier: Apache-2.0
// The event arbiter's rules against a model that looks at the whole history at each step (S6.1 to
// S6.6, S4.9, S4.10, S6.16): at most one event per arm, none lost, the tail flushed. And P2: a copy
// goes on as the original.
#include "models/random/random.h"
#include "tb/unit/event_bench.h"
#include "tb/unit/property_seeds.h"

#include <map>

namespace {

using namespace cqsim;
using namespace cqsim::test;

/// What happened to one CQ since it was created, and what follows from it.
class History {
  public:
    struct Verdict {
        bool fires = false;
        EventCause cause = EventCause::Entry;
        std::uint64_t entries = 0;
    };

    Moderation moderation;
    bool breaks = true;
    bool in_error = false;

    void arm(ArmKind kind) {
        if (!in_error) {
            m_steps.push_back({false, kind, false, TimePs{}});
        }
    }
    void entry(Mark mark, TimePs now) {
        m_steps.push_back({true, ArmKind::Next, mark != Mark::Plain, now});
    }
    /// Whether it reports at `now`; `by_entry`: the last step is an entry that has just come.
    Verdict look(TimePs now, bool by_entry) const {
        if (in_error) {
            return {};
        }
        bool any = false;
        bool solicited = false;
        std::uint64_t entries = 0;
        std::uint64_t wanted = 0;
        bool last_wanted = false;
        bool last_special = false;
        TimePs first{};
        for (const Step& step : m_steps) {  // all that happened since the last event
            if (!step.is_entry) {
                any = any || step.kind == ArmKind::Next;
                solicited = solicited || step.kind == ArmKind::Solicited;
                continue;
            }
            entries += any || solicited ? 1 : 0;
            last_wanted = any || (solicited && step.special);
            last_special = step.special;
            if (last_wanted && ++wanted == 1) {
                first = step.at;
            }
        }
        if (wanted == 0) {
            return {};
        }
        if (moderation.count <= 1) {
            return {true, EventCause::Entry, entries};
        }
        if (by_entry && last_wanted && last_special && breaks) {
            return {true, EventCause::Break, entries};
        }
        if (wanted >= moderation.count) {
            return {true, EventCause::Count, entries};
        }
        if (first + moderation.period <= now) {
            return {true, EventCause::Period, entries};
        }
        return {};
    }
    void reported() { m_steps.clear(); }

  private:
    struct Step {
        bool is_entry = false;
        ArmKind kind{};
        bool special = false;
        TimePs at;
    };
    std::vector<Step> m_steps;
};

Moderation random_moderation(RandomStream& random) {
    const auto count = static_cast<std::uint16_t>(random.below(5));
    return {count, TimePs{1 + random.below(40)}};
}

constexpr std::uint32_t kUsed = 3;

void check_event(EventBench& bench, std::size_t before, Cqn cqn, const History::Verdict& verdict) {
    REQUIRE(bench.events.size() == before + (verdict.fires ? 1 : 0));
    if (verdict.fires) {
        const CqEvent& event = bench.events.back();
        REQUIRE(event.cqn == cqn);
        REQUIRE(event.cause == verdict.cause);
        REQUIRE(event.entries == verdict.entries);
    }
}

void play(std::uint64_t seed) {
    RandomStream random(seed, "event_property");
    EventConfig config = event_config();
    config.solicited = random.coin() ? ModerationBreak::Break : ModerationBreak::Wait;
    EventBench bench(config);
    REQUIRE(bench.eq(0, 1024) == CommandResult::Ok);
    std::array<History, kUsed> history;
    const auto create = [&](std::uint32_t cq) {
        history[cq] = History{};
        history[cq].breaks = config.solicited == ModerationBreak::Break;
        history[cq].moderation = random_moderation(random);
        REQUIRE(bench.attach(cq, 0, history[cq].moderation) == CommandResult::Ok);
    };
    for (std::uint32_t cq = 0; cq < kUsed; ++cq) {
        create(cq);
    }
    for (int step = 0; step < 400; ++step) {
        INFO("seed " << seed << ", step " << step);
        const auto cq = static_cast<std::uint32_t>(random.below(kUsed));
        History& past = history[cq];
        const std::size_t before = bench.events.size();
        bool by_entry = false;
        const std::uint64_t what = random.below(100);
        if (what < 30) {
            const ArmKind kind = random.coin() ? ArmKind::Next : ArmKind::Solicited;
            past.arm(kind);
            bench.arm(cq, kind);
        } else if (what < 70) {
            const std::array<Mark, 4> marks{
                Mark::Plain, Mark::Plain, Mark::Solicited, Mark::Failed};
            const Mark mark = marks[random.below(4)];
            past.entry(mark, bench.now);
            bench.publish(cq, mark);
            by_entry = true;
        } else if (what < 75) {
            past.moderation = random_moderation(random);
            REQUIRE(bench.modify(cq, past.moderation) == CommandResult::Ok);
        } else if (what < 76) {
            past.in_error = true;
            bench.rules.fail(Cqn{cq});
        } else if (what < 78) {
            bench.rules.detach(Cqn{cq});
            create(cq);
        } else {  // a picosecond at a time, so that each period ends when it must
            for (std::uint64_t ps = random.below(30); ps > 0; --ps) {
                std::size_t due = 0;
                const std::size_t seen = bench.events.size();
                bench.advance(bench.now + TimePs{1});
                for (std::uint32_t each = 0; each < kUsed; ++each) {
                    if (history[each].look(bench.now, false).fires) {
                        REQUIRE(history[each].look(bench.now, false).cause == EventCause::Period);
                        ++due;
                    }
                }
                REQUIRE(bench.events.size() == seen + due);
                for (std::size_t i = seen; i < bench.events.size(); ++i) {
                    const CqEvent& event = bench.events[i];
                    History& of = history[index_of(event.cqn)];
                    REQUIRE(of.look(bench.now, false).fires);
                    REQUIRE(event.cause == EventCause::Period);
                    REQUIRE(event.entries == of.look(bench.now, false).entries);
                    of.reported();
                }
            }
            continue;
        }
        const History::Verdict verdict = past.look(bench.now, by_entry);
        check_event(bench, before, Cqn{cq}, verdict);
        if (verdict.fires) {
            past.reported();
        }
    }
}

/// One random step of a system with small queues, on whatever it is given.
void random_step(RandomStream& random, EventBench& bench, Sent& sent) {
    const auto cq = static_cast<std::uint32_t>(random.below(EventBench::kCqs));
    switch (random.below(9)) {
        case 0:
        case 1:
            bench.arm(cq, random.below(4) == 0 ? ArmKind::Solicited : ArmKind::Next);
            break;
        case 2:
        case 3:
            bench.publish(cq, random.below(6) == 0 ? Mark::Failed : Mark::Plain);
            break;
        case 4:
            bench.advance(bench.now + TimePs{random.below(20)});
            break;
        case 5: {
            const Sent now = bench.send();
            sent.insert(sent.end(), now.begin(), now.end());
            break;
        }
        case 6:
            bench.land(random.below(4));
            break;
        case 7: {
            const auto eqn = static_cast<std::uint16_t>(random.below(3));
            const EventQueue& queue = bench.queue(eqn);
            const std::uint32_t unread = queue.in_memory - queue.consumer;
            const std::uint64_t take = unread > 8 ? 0 : random.below(unread + 1U);
            bench.consume(eqn, queue.consumer + static_cast<std::uint32_t>(take), random.coin());
            break;
        }
        default:
            if (random.below(8) == 0) {
                bench.rules.detach(Cqn{cq});
                bench.attach(cq, static_cast<std::uint16_t>(cq % 2), random_moderation(random));
            } else {
                bench.rules.raise({AsyncEvent::QpFatal, kNoCq, Qpn{cq}});
            }
            break;
    }
}

EventBench small_system(std::uint64_t seed, EqOverflowPolicy policy) {
    EventConfig config = event_config();
    config.eq_overflow = policy;
    config.eqe_service = TimePs{seed % 4};
    config.arm = seed % 3 == 0 ? ArmPolicy::Level : ArmPolicy::Edge;
    EventBench bench(config);
    REQUIRE(bench.eq(0, 4) == CommandResult::Ok);
    REQUIRE(bench.eq(1, 2) == CommandResult::Ok);
    REQUIRE(bench.eq(2, 2, EqKind::Async) == CommandResult::Ok);
    for (std::uint32_t cq = 0; cq < EventBench::kCqs; ++cq) {
        REQUIRE(bench.attach(cq, static_cast<std::uint16_t>(cq % 2)) == CommandResult::Ok);
    }
    return bench;
}

}  // namespace

TEST_CASE("S6.1 S4.9 at most one event per arm, none lost, the tail flushed: any history") {
    for (std::uint64_t seed = 1; seed <= property_seeds(); ++seed) {
        play(seed);
    }
}

TEST_CASE("K13 back_pressure: every CQ that reports gets its entry after it, whatever happens") {
    for (std::uint64_t seed = 1; seed <= property_seeds(); ++seed) {
        RandomStream random(seed, "event_entries");
        EventConfig config = event_config();
        config.eq_overflow = EqOverflowPolicy::BackPressure;
        EventBench bench(config);
        REQUIRE(bench.eq(0, 2) == CommandResult::Ok);
        REQUIRE(bench.eq(1, 4) == CommandResult::Ok);
        for (std::uint32_t cq = 0; cq < EventBench::kCqs; ++cq) {
            REQUIRE(bench.attach(cq, static_cast<std::uint16_t>(cq % 2)) == CommandResult::Ok);
        }
        std::map<std::string, int> owed;  // CQs with an event and no entry since
        const auto entries = [&owed](const Sent& sent) {
            for (const std::string& text : sent) {
                const std::size_t at = text.find("=cq");
                if (at != std::string::npos) {
                    INFO(text);
                    REQUIRE(owed.erase(text.substr(at + 1, 3)) == 1);  // no entry without an event
                }
            }
        };
        for (int step = 0; step < 300; ++step) {
            const auto cq = static_cast<std::uint32_t>(random.below(EventBench::kCqs));
            const auto eqn = static_cast<std::uint16_t>(cq % 2);
            if (random.coin()) {
                bench.arm(cq);
                REQUIRE(bench.publish(cq));
                ++owed["cq" + std::to_string(cq)];
            } else if (random.coin()) {
                entries(bench.send());
            } else if (random.coin()) {
                bench.land(1 + random.below(3));
            } else {
                bench.consume(eqn, bench.queue(eqn).in_memory, random.coin());
            }
        }
        for (int round = 0; round < 40; ++round) {
            entries(bench.run());
            bench.land();
            bench.consume(0, bench.queue(0).in_memory);
            bench.consume(1, bench.queue(1).in_memory);
        }
        INFO("seed " << seed);
        REQUIRE(owed.empty());
        REQUIRE(bench.rules.idle());
    }
}

TEST_CASE("P2 a copy of the event arbiter's rules in mid-run continues as the original does") {
    for (std::uint64_t seed = 1; seed <= property_seeds(); ++seed) {
        RandomStream random(seed, "event_copy");
        EventBench bench = small_system(
            seed, seed % 2 == 0 ? EqOverflowPolicy::BackPressure : EqOverflowPolicy::DeviceFatal);
        Sent before;
        for (int step = 0; step < 100; ++step) {
            random_step(random, bench, before);
        }
        EventBench copy = bench;
        REQUIRE(copy.rules == bench.rules);
        REQUIRE(copy.rules.hash() == bench.rules.hash());
        Sent original;
        Sent copied;
        RandomStream same = random;
        for (int step = 0; step < 100; ++step) {
            random_step(random, bench, original);
            random_step(same, copy, copied);
        }
        REQUIRE(original == copied);
        REQUIRE(copy.rules == bench.rules);
        REQUIRE(copy.rules.hash() == bench.rules.hash());
        // What is still in flight, waits or is armed is part of the state.
        bench.arm(0);
        bench.publish(0, Mark::Failed);
        REQUIRE_FALSE(copy.rules == bench.rules);
    }
}
