// SPDX-License-Identifier: Apache-2.0
// Random input to the arbiter's rules, compared with a model made of queues.
#include "tb/unit/arbiter_bench.h"
#include "tb/unit/property_seeds.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>

namespace {

using namespace cqsim;
using namespace cqsim::test;
using Offer = ArbiterRules::Offer;
using WorkQueue = std::pair<std::uint32_t, QueueKind>;  // qpn and kind

/// What leaving makes room for.
struct Freed {
    std::uint64_t held_serial = 0;  ///< 0: none
    std::optional<WorkQueue> credit;
};

/// The rules of D3, P6 and S8.1 in queues of whole completions.
class Reference {
  public:
    Reference(const ArbiterConfig& config, std::uint64_t seed)
        : m_config(config),
          m_random(seed, "completion_arbiter") {}

    Offer offer(const Completion& completion, std::uint64_t now) {
        if (now != m_stamp) {
            settle();
            m_stamp = now;
        }
        const std::size_t port = index_of(completion.queue);
        const std::uint32_t who = requester(completion);
        if (m_config.admission == AdmissionPolicy::Credits) {
            if (m_used[who] == m_config.credits) {
                std::deque<WorkQueue>& waiting = m_waiting[who];
                const WorkQueue queue{index_of(completion.qpn), completion.queue};
                if (std::find(waiting.begin(), waiting.end(), queue) == waiting.end()) {
                    waiting.push_back(queue);
                }
                return Offer::NoCredit;
            }
            ++m_used[who];
        } else if (m_inside == m_config.depth) {
            m_held[port] = completion;
            return Offer::Held;
        }
        ++m_inside;
        m_staged[port].push_back(completion);
        return Offer::Taken;
    }

    Completion next() {
        settle();
        if (m_config.policy == ArbiterPolicy::Fifo) {
            return take(m_all);
        }
        const std::uint32_t who = m_round.front();
        m_round.pop_front();
        const Completion chosen = take(m_queues[who]);
        if (!m_queues[who].empty()) {
            m_round.push_back(who);
        }
        return chosen;
    }

    Freed release(const Completion& gone) {
        Freed freed;
        --m_inside;
        if (m_config.admission == AdmissionPolicy::Credits) {
            const std::uint32_t who = requester(gone);
            --m_used[who];
            if (!m_waiting[who].empty()) {
                freed.credit = m_waiting[who].front();
                m_waiting[who].pop_front();
            }
            return freed;
        }
        const std::size_t served = index_of(gone.queue);
        for (const std::size_t port : {1 - served, served}) {
            if (m_held[port]) {
                freed.held_serial = m_held[port]->serial;
                ++m_inside;
                if (m_staged[port].empty()) {
                    enter(*m_held[port]);
                } else {
                    m_staged[port].push_back(*m_held[port]);
                }
                m_held[port].reset();
                break;
            }
        }
        return freed;
    }

    std::size_t inside() const { return m_inside; }
    bool holds(QueueKind port) const { return m_held[index_of(port)].has_value(); }

  private:
    static Completion take(std::deque<Completion>& queue) {
        const Completion first = queue.front();
        queue.pop_front();
        return first;
    }
    std::uint32_t requester(const Completion& completion) const {
        switch (m_config.requester) {
            case Requester::Tap:
                return index_of(completion.queue);
            case Requester::Qp:
                return index_of(completion.qpn);
            case Requester::Cq:
                break;
        }
        return index_of(completion.cqn);
    }
    void enter(const Completion& completion) {
        if (m_config.policy == ArbiterPolicy::Fifo) {
            m_all.push_back(completion);
            return;
        }
        const std::uint32_t who = requester(completion);
        if (m_queues[who].empty()) {
            m_round.push_back(who);
        }
        m_queues[who].push_back(completion);
    }
    void settle() {
        const bool tie = !m_staged[0].empty() && !m_staged[1].empty();
        std::size_t first = m_config.tie_break == TieBreak::RxFirst ? 1 : 0;
        if (tie && m_config.tie_break == TieBreak::Seeded) {
            first = m_random.coin() ? 1 : 0;
        }
        for (const std::size_t port : {first, 1 - first}) {
            for (const Completion& completion : m_staged[port]) {
                enter(completion);
            }
            m_staged[port].clear();
        }
    }

    ArbiterConfig m_config;
    RandomStream m_random;
    std::uint64_t m_stamp = 0;
    std::size_t m_inside = 0;
    std::deque<Completion> m_all;
    std::map<std::uint32_t, std::deque<Completion>> m_queues;
    std::deque<std::uint32_t> m_round;
    std::array<std::deque<Completion>, 2> m_staged;
    std::array<std::optional<Completion>, 2> m_held;
    std::map<std::uint32_t, std::uint32_t> m_used;
    std::map<std::uint32_t, std::deque<WorkQueue>> m_waiting;
};

ArbiterConfig random_config(RandomStream& random) {
    ArbiterConfig config;
    config.policy = random.coin() ? ArbiterPolicy::Fifo : ArbiterPolicy::RoundRobin;
    config.requester = static_cast<Requester>(random.below(3));
    config.admission = random.coin() ? AdmissionPolicy::Credits : AdmissionPolicy::SharedPool;
    config.depth = static_cast<std::uint32_t>(1 + random.below(8));
    config.credits = static_cast<std::uint32_t>(1 + random.below(4));
    config.tie_break = static_cast<TieBreak>(random.below(3));
    return config;
}

Completion random_completion(RandomStream& random, std::uint64_t serial) {
    const auto qp = static_cast<std::uint32_t>(random.below(kArbiterQps));
    const QueueKind queue = random.coin() ? QueueKind::Send : QueueKind::Receive;
    // A work queue reports to one CQ.
    return completion_of(serial, queue, qp, (qp + index_of(queue)) % kArbiterCqs);
}

/// Both, side by side; each step answers whether they agree.
class ArbiterPair {
  public:
    ArbiterPair(const ArbiterConfig& config, std::uint64_t seed)
        : m_rules(config, kArbiterQps, kArbiterCqs, seed, Rows<RequesterRow>(kArbiterQps)),
          m_reference(config, seed) {}

    bool offer(const Completion& completion, std::uint64_t now) {
        if (m_reference.holds(completion.queue)) {
            return true;  // the link allows no offer
        }
        const Offer expected = m_reference.offer(completion, now);
        return m_rules.offer(port_of(completion.queue), completion, TimePs{now}) == expected;
    }
    /// Takes the next one out; its place stays taken until `release`.
    bool choose() {
        m_chosen = m_reference.next();
        m_entry = m_rules.next();
        return m_rules.completion(m_entry) == m_chosen;
    }
    bool release() {
        const Freed expected = m_reference.release(m_chosen);
        const ArbiterRules::Room room = m_rules.release(m_entry);
        const std::uint64_t held =
            room.held_taken ? m_rules.completion(room.entry).serial : std::uint64_t{0};
        const bool credit =
            room.credit == expected.credit.has_value() &&
            (!room.credit || (index_of(room.work_queue.qpn) == expected.credit->first &&
                              room.work_queue.queue == expected.credit->second));
        return credit && held == expected.held_serial && m_rules.inside() == inside();
    }
    std::size_t inside() const { return m_reference.inside(); }

  private:
    ArbiterRules m_rules;
    Reference m_reference;
    EntryId m_entry = kNone;
    Completion m_chosen;
};

/// \returns the first step at which they disagree; 0 if there is none.
std::uint64_t first_arbiter_difference(std::uint64_t seed) {
    RandomStream random(seed, "arbiter_property_test");
    ArbiterPair pair(random_config(random), seed);
    std::uint64_t now = 1;
    std::uint64_t serial = 0;
    for (std::uint64_t step = 1; step <= 300; ++step) {
        bool agree = true;
        if (random.below(3) == 0) {
            ++now;
        }
        if (random.below(5) < 3 || pair.inside() == 0) {
            agree = pair.offer(random_completion(random, ++serial), now);
        } else {
            agree = pair.choose();
            while (random.below(4) == 0) {  // arrivals between the choice and the release
                agree = pair.offer(random_completion(random, ++serial), now) && agree;
            }
            agree = pair.release() && agree;
        }
        if (!agree) {
            return step;
        }
    }
    while (pair.inside() != 0) {
        if (!pair.choose() || !pair.release()) {
            return 301;
        }
    }
    return 0;
}

}  // namespace

TEST_CASE("S8.1 D3 P6 the arbiter agrees with a model made of queues") {
    for (std::uint64_t seed = 1; seed <= property_seeds(); ++seed) {
        INFO("seed " << seed);
        REQUIRE(first_arbiter_difference(seed) == 0);
    }
}

TEST_CASE("P6 the order of calls between the taps at one time stamp changes nothing") {
    for (std::uint64_t seed = 1; seed <= property_seeds(); ++seed) {
        RandomStream random(seed, "arbiter_orders");
        ArbiterConfig config = random_config(random);
        config.admission = AdmissionPolicy::SharedPool;
        config.depth = 1000;
        ArbiterBench tx_called_first(config, seed);
        ArbiterBench mixed(config, seed);
        std::uint64_t serial = 0;
        Serials expected;
        Serials served;
        for (std::uint64_t now = 1; now <= 20; ++now) {
            std::vector<Completion> arrivals;
            for (std::uint64_t i = random.below(6); i > 0; --i) {
                arrivals.push_back(random_completion(random, ++serial));
            }
            for (const Completion& arrival : arrivals) {
                mixed.offer(arrival, now);
            }
            std::stable_sort(arrivals.begin(), arrivals.end(), [](const auto& l, const auto& r) {
                return l.queue < r.queue;
            });
            for (const Completion& arrival : arrivals) {
                tx_called_first.offer(arrival, now);
            }
            for (std::uint64_t i = random.below(4); i > 0 && !mixed.rules.empty(); --i) {
                expected.push_back(tx_called_first.serve());
                served.push_back(mixed.serve());
            }
        }
        INFO("seed " << seed);
        REQUIRE(served == expected);
        REQUIRE(mixed.serve_all() == tx_called_first.serve_all());
    }
}
