// SPDX-License-Identifier: Apache-2.0
// Statistics of records that a test writes by hand: what becomes of requests (D4).
#include "tb/report/statistics.h"

#include <catch2/catch.hpp>

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
