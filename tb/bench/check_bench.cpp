// SPDX-License-Identifier: Apache-2.0
// What the rule checkers cost a record: a synthetic legal stream in batches of 256, as the record
// stream hands them on, with QPs in random order. Only `observe` is timed.
//
//     cqsim-check-bench [completions]
#include "tb/check/rule_checkers.h"
#include "tb/unit/check_stream.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace cqsim::tb {
namespace {

constexpr std::size_t kBatch = 256;
constexpr int kRounds = 5;

struct Shape {
    const char* name;
    std::uint32_t qps;
    std::uint32_t cqs;
    std::uint32_t depth;
    std::uint32_t posted;  // requests open in each queue
};

struct Cost {
    std::uint64_t records = 0;
    double nanoseconds = 0;

    double per_record() const { return nanoseconds / static_cast<double>(records); }
};

// Collects records as the record stream does, and times the checkers on each full batch.
class Feed {
  public:
    explicit Feed(check::RuleCheckers& checkers)
        : m_checkers(checkers) {}

    void add(const Record& record) {
        m_record[m_count] = record;
        if (record.bytes != nullptr) {
            std::memcpy(m_bytes[m_count].data(), record.bytes, record.b);
            m_record[m_count].bytes = m_bytes[m_count].data();
        }
        if (++m_count == kBatch) {
            flush();
        }
    }

    void flush() {
        const auto start = std::chrono::steady_clock::now();
        m_checkers.observe({m_record.data(), m_count});
        m_cost.nanoseconds +=
            std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
                .count();
        m_cost.records += m_count;
        m_count = 0;
    }

    Cost take() {
        flush();
        const Cost cost = m_cost;
        m_cost = Cost{};
        return cost;
    }

  private:
    check::RuleCheckers& m_checkers;
    std::size_t m_count = 0;
    std::array<Record, kBatch> m_record{};
    std::array<std::array<std::byte, 128>, kBatch> m_bytes{};
    Cost m_cost;
};

int measure(const Shape& shape, std::uint64_t completions) {
    check::RuleCheckers checkers(check::Settings{});
    Feed feed(checkers);
    LegalStream::Options options;
    options.cqs = shape.cqs;
    options.qps = shape.qps;
    options.depth = shape.depth;
    options.in_flight = 32;
    LegalStream stream(options, [&](const Record& record) { feed.add(record); });
    for (std::uint32_t round = 0; round < shape.posted; ++round) {
        for (std::uint32_t qp = 0; qp < shape.qps; ++qp) {
            stream.post(qp, QueueKind::Send, true);
            stream.post(qp, QueueKind::Receive, false);
        }
    }
    std::mt19937_64 random(1);
    const auto play = [&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t draw = random();
            const auto qp = static_cast<std::uint32_t>((draw >> 8) % shape.qps);
            const QueueKind queue = draw % 2 == 0 ? QueueKind::Send : QueueKind::Receive;
            const std::uint32_t cq = qp % shape.cqs;
            stream.complete(qp, queue);
            stream.post(qp, queue, true);
            // A poll in batches; with many CQs, of one that is half full.
            if (stream.unpolled(cq) >= std::min<std::uint32_t>(16, shape.depth / 2)) {
                stream.poll(cq, 16);
            }
        }
    };
    play(completions / 4);
    feed.take();
    std::vector<double> costs;
    std::uint64_t records = 0;
    for (int round = 0; round < kRounds; ++round) {
        play(completions / kRounds);
        const Cost cost = feed.take();
        records += cost.records;
        costs.push_back(cost.per_record());
    }
    std::sort(costs.begin(), costs.end());
    stream.settle();
    feed.flush();
    std::cout << shape.name << ": " << costs[kRounds / 2] << " ns a record (" << costs.front()
              << " to " << costs.back() << "), "
              << static_cast<double>(records) / static_cast<double>(completions)
              << " records a completion, " << checkers.failed() << " failures\n";
    for (const check::Failure& failure : checkers.failures()) {
        std::cout << "  " << failure.rule << ' ' << failure.object << ": " << failure.text << '\n';
    }
    return checkers.failed() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cqsim::tb

int main(int argc, char** argv) {
    constexpr std::uint64_t kCompletions = 2'000'000;
    const std::uint64_t completions = argc > 1 ? std::stoull(argv[1]) : kCompletions;
    const std::array<cqsim::tb::Shape, 3> shapes{
        {{"64 QPs, 8 CQs", 64, 8, 256, 16},
         {"65,536 QPs, 65,536 CQs", 65'536, 65'536, 64, 4},
         {"1,000,000 QPs, 16 CQs", 1'000'000, 16, 1024, 2}}};
    int failed = 0;
    for (const cqsim::tb::Shape& shape : shapes) {
        failed |= cqsim::tb::measure(shape, completions);
    }
    return failed;
}
