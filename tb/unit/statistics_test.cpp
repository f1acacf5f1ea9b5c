// SPDX-License-Identifier: Apache-2.0
// Statistics of records that a test writes by hand: what becomes of requests (D4).
#include "tb/report/statistics.h"

#include <catch2/catch.hpp>

#include <array>

namespace {

using namespace cqsim;
using cqsim::tb::Statistics;

tb::Scenario one_qp() {
    tb::Scenario scenario;
    scenario.device.qps = 1;
    scenario.device.cqs = 1;
    tb::CqGroup cq;
    cq.count = 1;
    cq.depth = cq.capacity = 16;
    scenario.cq.push_back(cq);
    tb::QpGroup qp;
    qp.count = 1;
    scenario.qp.push_back(qp);
    return scenario;
}

/// Posts and answers of the one send queue.
class SendQueue {
  public:
    void post(std::uint32_t count) {
        for (std::uint32_t index = 0; index < count; ++index) {
            Record record;
            record.kind = Kind::Post;
            record.qpn = Qpn{0};
            record.index = index;
            show(record);
        }
    }
    void answer(std::uint32_t index, Outcome outcome) {
        Record record;
        record.kind = Kind::Outcome;
        record.qpn = Qpn{0};
        record.index = index;
        record.state = static_cast<std::uint8_t>(outcome);
        show(record);
    }
    void end(std::uint32_t index, bool flushed) {
        Record record;
        record.kind = Kind::Complete;
        record.qpn = Qpn{0};
        record.index = index;
        record.state = flushed ? 5 : 0;
        record.flags = flushed ? kFlushed : 0;
        show(record);
    }
    const Statistics::QpGroupCounts& counts() const { return m_statistics.group(0); }

  private:
    void show(const Record& record) { m_statistics.observe({&record, 1}); }

    tb::Scenario m_scenario = one_qp();
    Statistics m_statistics{m_scenario};
};

}  // namespace

TEST_CASE("D4 a granted completion retires the suppressed ones before it") {
    SendQueue queue;
    queue.post(4);
    queue.answer(0, Outcome::Suppressed);
    queue.answer(1, Outcome::Suppressed);
    queue.answer(2, Outcome::Granted);
    CHECK(queue.counts().completed == 1);
    CHECK(queue.counts().unsignaled_retired == 2);
    CHECK(queue.counts().outstanding() == 1);
}

TEST_CASE("D4 a lost completion retires nothing, and a later granted one does") {
    SendQueue queue;
    queue.post(4);
    queue.answer(0, Outcome::Suppressed);
    queue.answer(1, Outcome::Lost);
    CHECK(queue.counts().unsignaled_retired == 0);
    CHECK(queue.counts().outstanding() == 3);
    queue.answer(2, Outcome::Suppressed);
    queue.answer(3, Outcome::Granted);
    CHECK(queue.counts().unsignaled_retired == 2);
    CHECK(queue.counts().outstanding() == 0);
}

TEST_CASE("D4 a granted completion that was overtaken by a granted one is counted once") {
    SendQueue queue;
    queue.post(4);
    queue.answer(0, Outcome::Suppressed);
    queue.answer(2, Outcome::Suppressed);
    queue.answer(3, Outcome::Granted);
    queue.answer(1, Outcome::Granted);
    CHECK(queue.counts().completed == 2);
    CHECK(queue.counts().unsignaled_retired == 2);
    CHECK(queue.counts().outstanding() == 0);
}

TEST_CASE("D4 a granted completion that a lost one overtook retires only what is before it") {
    SendQueue queue;
    queue.post(5);
    queue.answer(0, Outcome::Suppressed);
    queue.answer(2, Outcome::Suppressed);
    queue.answer(3, Outcome::Lost);
    queue.answer(1, Outcome::Granted);
    CHECK(queue.counts().completed == 1);
    CHECK(queue.counts().lost == 1);
    CHECK(queue.counts().unsignaled_retired == 1);
    CHECK(queue.counts().outstanding() == 2);  // 2 waits for one to retire it, 4 for its answer
    queue.answer(4, Outcome::Granted);
    CHECK(queue.counts().unsignaled_retired == 2);
    CHECK(queue.counts().outstanding() == 0);
}

TEST_CASE("D4 a lost completion that a lost one overtook leaves the others waiting") {
    SendQueue queue;
    queue.post(4);
    queue.answer(0, Outcome::Suppressed);
    queue.answer(2, Outcome::Lost);
    queue.answer(1, Outcome::Lost);
    CHECK(queue.counts().lost == 2);
    CHECK(queue.counts().unsignaled_retired == 0);
    CHECK(queue.counts().outstanding() == 2);
    queue.answer(3, Outcome::Cancelled);
    CHECK(queue.counts().discarded == 1);
    CHECK(queue.counts().outstanding() == 1);
}

TEST_CASE("S2.22 what a queue completes after it flushed counts as completed, answered when ever") {
    SendQueue queue;
    queue.post(6);
    queue.end(0, true);
    queue.end(1, true);
    queue.answer(0, Outcome::Granted);
    queue.end(2, false);  // left SQE
    queue.answer(1, Outcome::Granted);
    queue.end(3, true);  // and is in SQE again
    queue.answer(2, Outcome::Granted);
    queue.answer(3, Outcome::Granted);
    CHECK(queue.counts().flushed == 3);
    CHECK(queue.counts().completed == 1);
}

namespace {

/// A ring of 16 that is written, read and given back.
class Ring {
  public:
    void create(std::uint32_t first) {
        Record record = of(Kind::Create);
        record.wr_id = first;
        record.index = 16;
        show(record);
    }
    void write(std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            Record record = of(Kind::CqeVisible);
            record.qpn = Qpn{0};
            show(record);
        }
    }
    void poll(std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            show(of(Kind::Poll));
        }
    }
    void give_back(std::uint32_t consumer) {
        Record record = of(Kind::Ci);
        record.index = consumer;
        show(record);
    }
    std::uint64_t swept() const { return m_statistics.swept(Cqn{0}); }
    std::uint32_t peak() const { return m_statistics.cq(Cqn{0}).peak; }

  private:
    static Record of(Kind kind) {
        Record record;
        record.kind = kind;
        record.cqn = Cqn{0};
        return record;
    }
    void show(const Record& record) { m_statistics.observe({&record, 1}); }

    tb::Scenario m_scenario = one_qp();
    Statistics m_statistics{m_scenario};
};

}  // namespace

TEST_CASE("S7.7 entries that were given back unread were swept") {
    Ring ring;
    ring.create(0);
    ring.write(16);
    ring.poll(4);
    ring.give_back(3);  // one later than polled: software is free to
    CHECK(ring.swept() == 0);
    ring.give_back(9);  // 4 polled, 5 taken out
    CHECK(ring.swept() == 5);
    ring.poll(7);
    ring.give_back(16);
    CHECK(ring.swept() == 5);
}

TEST_CASE("S4.12 what a destroyed CQ held does not count in the one after it") {
    Ring ring;
    ring.create(0);
    ring.write(5);
    ring.poll(2);
    ring.create(0);
    ring.write(3);
    ring.poll(3);
    ring.give_back(3);
    CHECK(ring.peak() == 5);
    CHECK(ring.swept() == 0);
}

TEST_CASE("S1.2 uses of undefined fields are counted") {
    const tb::Scenario scenario = one_qp();
    Statistics statistics(scenario);
    CHECK(statistics.undefined_reads() == 0);
    Record record;
    record.kind = Kind::UndefinedRead;
    statistics.observe({&record, 1});
    statistics.observe({&record, 1});
    CHECK(statistics.undefined_reads() == 2);
    CHECK((Statistics::kKinds & mask_of(Kind::UndefinedRead)) != 0);
}

TEST_CASE("S2.11 requests of an SRQ count for the QP that took them, whatever their slots") {
    tb::Scenario scenario = one_qp();
    Statistics statistics(scenario);
    const auto show = [&statistics](Kind kind, std::uint32_t slot, std::uint8_t state) {
        Record record;
        record.kind = kind;
        record.qpn = Qpn{0};
        record.queue = QueueKind::Receive;
        record.flags = kShared;
        record.unit = 1;
        record.index = slot;
        record.serial = slot + 100;
        record.state = state;
        if (kind == Kind::Complete && state != 0) {
            record.flags |= kFlushed;
        }
        statistics.observe({&record, 1});
    };
    Record software;
    software.kind = Kind::Post;  // into the SRQ: of no QP yet
    software.flags = kShared;
    software.unit = 1;
    statistics.observe({&software, 1});
    constexpr std::array<std::uint32_t, 5> kSlots{7, 0, 3, 2, 5};
    for (const std::uint32_t slot : kSlots) {
        show(Kind::Post, slot, 0);
    }
    CHECK(statistics.group(0).posted == 5);
    constexpr auto kFlushErr = static_cast<std::uint8_t>(WcStatus::WrFlushErr);
    constexpr std::array<Outcome, 4> kEnds{
        Outcome::Granted, Outcome::Granted, Outcome::Lost, Outcome::Cancelled};
    for (std::size_t i = 0; i < kEnds.size(); ++i) {
        show(Kind::Complete, kSlots[i], i == 1 ? kFlushErr : 0);
        show(Kind::Outcome, kSlots[i], static_cast<std::uint8_t>(kEnds[i]));
    }
    const Statistics::QpGroupCounts& counts = statistics.group(0);
    CHECK(counts.completed == 1);
    CHECK(counts.flushed == 1);
    CHECK(counts.lost == 1);
    CHECK(counts.discarded == 1);
    CHECK(counts.outstanding() == 1);
}
