// SPDX-License-Identifier: Apache-2.0
// What the rule checkers and the event log cost a record: a synthetic legal stream in batches of
// 256, as the record stream hands them on, with QPs in random order. Only `observe` is timed; the
// log goes to /dev/null.
//
//     cqsim-check-bench [completions]
#include "tb/check/rule_checkers.h"
#include "tb/record/event_log_writer.h"
#include "tb/unit/check_stream.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <sstream>
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
    explicit Feed(RecordSubscriber& subscriber)
        : m_subscriber(subscriber) {}

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
        m_subscriber.observe({m_record.data(), m_count});
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
    RecordSubscriber& m_subscriber;
    std::size_t m_count = 0;
    std::array<Record, kBatch> m_record{};
    std::array<std::array<std::byte, 128>, kBatch> m_bytes{};
    Cost m_cost;
};

// Nanoseconds a record for `subscriber`: the median of some rounds, and what they lie between.
std::string measure(const Shape& shape, std::uint64_t completions, RecordSubscriber& subscriber) {
    Feed feed(subscriber);
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
            if (stream.unpolled(cq) >= 16) {
                stream.poll(cq, 16);
            }
        }
    };
    play(completions / 4);
    feed.take();
    std::vector<double> costs;
    for (int round = 0; round < kRounds; ++round) {
        play(completions / kRounds);
        costs.push_back(feed.take().per_record());
    }
    std::sort(costs.begin(), costs.end());
    stream.settle();
    feed.flush();
    std::ostringstream text;
    text.precision(3);
    text << costs[kRounds / 2] << " ns a record (" << costs.front() << " to " << costs.back()
         << ")";
    return text.str();
}

int measure_all(const Shape& shape, std::uint64_t completions) {
    check::RuleCheckers checkers(check::Settings{});
    std::cout << shape.name << ": checkers " << measure(shape, completions, checkers);
    RunHeader header;
    header.cq = {{"shared", 0, shape.cqs}};
    header.qp = {{"victim", 0, shape.qps}};
    EventLogWriter log("/dev/null", header, kAllKinds, [](std::uint8_t) { return "engine.nic"; });
    std::cout << ", event log " << measure(shape, completions / 4, log) << '\n';
    log.close();
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
        failed |= cqsim::tb::measure_all(shape, completions);
    }
    return failed;
}
