// SPDX-License-Identifier: Apache-2.0
// Random input to the overflow checker's rules, compared with a model that counts in 64 bits.
#include "models/random/random.h"
#include "tb/unit/overflow_bench.h"
#include "tb/unit/property_seeds.h"

#include <catch2/catch.hpp>

#include <deque>

namespace {

using namespace cqsim;
using namespace cqsim::test;
using Verdict = OverflowRules::Verdict;

/// One CQ: how many entries were ever granted, published and consumed, and what is in flight.
class ReferenceCq {
  public:
    enum class Write : std::uint8_t { Open, Ok, Failed };

    ReferenceCq(std::uint32_t depth, std::uint32_t width, std::uint32_t first)
        : m_depth(depth),
          m_range(std::uint64_t{1} << width),
          m_first(first) {}

    Verdict request(bool fresh) {
        if (m_error) {
            return Verdict::CqError;
        }
        if (m_granted - m_consumed == m_depth) {
            m_error = fresh;
            return fresh ? Verdict::Overrun : Verdict::LooksFull;
        }
        ++m_granted;
        m_writes.push_back(Write::Open);
        return Verdict::Granted;
    }
    /// The entry that was granted last.
    std::uint64_t index() const { return index_of_entry(m_granted - 1); }
    std::uint64_t owner() const { return index() / m_depth % 2; }
    std::uint64_t offset() const { return index() % m_depth * 64; }

    /// \returns whether the CQ has just gone to error.
    bool commit(std::size_t place, bool ok) {
        m_writes[place] = ok ? Write::Ok : Write::Failed;
        const bool news = !ok && !m_error;
        m_error = m_error || !ok;
        return news;
    }
    /// Entries that have become readable.
    std::vector<std::uint32_t> publish() {
        std::vector<std::uint32_t> indices;
        while (!m_writes.empty() && m_writes.front() != Write::Open) {
            m_broken = m_broken || m_writes.front() == Write::Failed;
            if (!m_broken) {
                indices.push_back(static_cast<std::uint32_t>(index_of_entry(m_published++)));
            }
            m_writes.pop_front();
        }
        return indices;
    }
    /// The record says the index after so many entries.
    bool consumer(std::uint64_t entries) {
        const bool possible = m_consumed <= entries && entries <= m_granted;  // S3.1
        m_consumed = possible ? entries : m_consumed;
        return possible;
    }

    std::uint64_t index_of_entry(std::uint64_t entry) const { return (m_first + entry) % m_range; }
    std::size_t in_flight() const { return m_writes.size(); }
    bool open(std::size_t place) const { return m_writes[place] == Write::Open; }
    std::uint64_t consumed() const { return m_consumed; }
    std::uint64_t published() const { return m_published; }
    std::uint64_t in_use() const { return m_granted - m_consumed; }

  private:
    std::uint64_t m_depth;
    std::uint64_t m_range;
    std::uint64_t m_first;
    std::uint64_t m_granted = 0;
    std::uint64_t m_published = 0;
    std::uint64_t m_consumed = 0;
    std::deque<Write> m_writes;  ///< granted and neither published nor given up
    bool m_error = false;
    bool m_broken = false;
};

/// Both, side by side, over two CQs; each step answers whether they agree.
class OverflowPair {
  public:
    explicit OverflowPair(RandomStream& random)
        : m_random(random),
          m_width(static_cast<std::uint32_t>(4 + random.below(29))),
          m_depth(1U << random.below(4)),
          m_bench(m_depth, overflow_of(m_width, first(random)), 2),
          m_cq(2, ReferenceCq(m_depth, m_width, m_first)),
          m_tags(2) {}

    bool ask() {
        const std::uint32_t cq = any_cq();
        const bool fresh = m_random.below(32) == 0;  // seldom: an overrun is for ever
        SlotRequest wanted;
        wanted.cqn = Cqn{cq};
        SlotAnswer answer;
        const Verdict expected = m_cq[cq].request(fresh);
        if (m_bench.rules.request(wanted, fresh, answer) != expected) {
            return false;
        }
        if (expected != Verdict::Granted) {
            return true;
        }
        m_tags[cq].push_back(answer.tag);
        return answer.index == m_cq[cq].index() && answer.owner == m_cq[cq].owner() &&
               answer.address == kRing * (cq + 1) + m_cq[cq].offset() && in_use_agrees(cq);
    }
    bool commit(std::uint64_t failures_of_1000) {
        const std::uint32_t cq = any_cq();
        if (m_cq[cq].in_flight() == 0) {
            return true;
        }
        const auto place = static_cast<std::size_t>(m_random.below(m_cq[cq].in_flight()));
        if (!m_cq[cq].open(place)) {
            return true;
        }
        const bool ok = m_random.below(1000) >= failures_of_1000;
        const bool news = m_cq[cq].commit(place, ok);
        if (m_bench.rules.commit(m_tags[cq][place], ok).cq_error != news) {
            return false;
        }
        const bool same = m_bench.publish(cq) == m_cq[cq].publish();
        while (m_tags[cq].size() > m_cq[cq].in_flight()) {
            m_tags[cq].pop_front();
        }
        return same;
    }
    /// A value near what is possible: one too old to one too new.
    bool consume() {
        const std::uint32_t cq = any_cq();
        ReferenceCq& reference = m_cq[cq];
        const std::uint64_t span = reference.in_use() + 3;
        const std::uint64_t entries = reference.consumed() + m_random.below(span);
        if (entries == 0) {
            return true;
        }
        const auto value = static_cast<std::uint32_t>(reference.index_of_entry(entries - 1));
        return m_bench.rules.consumer_read(Cqn{cq}, value) == reference.consumer(entries - 1) &&
               in_use_agrees(cq);
    }

  private:
    std::uint32_t any_cq() { return static_cast<std::uint32_t>(m_random.below(2)); }
    bool in_use_agrees(std::uint32_t cq) const {
        return m_bench.rules.in_use(Cqn{cq}) == m_cq[cq].in_use();
    }
    /// Zero, or shortly before the wrap.
    std::uint32_t first(RandomStream& random) {
        const std::uint64_t range = std::uint64_t{1} << m_width;
        m_first = static_cast<std::uint32_t>(random.coin() ? 0 : range - m_depth);
        return m_first;
    }

    RandomStream& m_random;
    std::uint32_t m_width;
    std::uint32_t m_depth;
    std::uint32_t m_first = 0;
    OverflowBench m_bench;
    std::vector<ReferenceCq> m_cq;
    std::vector<std::deque<SlotTag>> m_tags;
};

/// \returns the first step at which they disagree; 0 if there is none.
std::uint64_t first_overflow_difference(std::uint64_t seed) {
    RandomStream random(seed, "overflow_property_test");
    OverflowPair pair(random);
    const std::uint64_t failures_of_1000 = random.below(4) == 0 ? 20 : 0;
    for (std::uint64_t step = 1; step <= 400; ++step) {
        bool agree = true;
        switch (random.below(8)) {
            case 0:
            case 1:
                agree = pair.ask();
                break;
            case 2:
            case 3:
            case 4:
                agree = pair.commit(failures_of_1000);
                break;
            default:
                agree = pair.consume();
                break;
        }
        if (!agree) {
            return step;
        }
    }
    return 0;
}

}  // namespace

TEST_CASE("S3.13 S5.3 D2 the overflow checker agrees with a model that counts in 64 bits") {
    for (std::uint64_t seed = 1; seed <= property_seeds(); ++seed) {
        INFO("seed " << seed);
        REQUIRE(first_overflow_difference(seed) == 0);
    }
}
