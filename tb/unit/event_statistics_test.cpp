// SPDX-License-Identifier: Apache-2.0
// K13: events that got no entry are counted, whatever the reason.
#include "tb/report/event_statistics.h"

#include <catch2/catch.hpp>

namespace cqsim {
namespace {

constexpr Cqn kCq{3};
constexpr std::uint16_t kCeq = 0;
constexpr std::uint16_t kAeq = 1;

/// Four CQs that report to event queue 0; asynchronous events go to 1.
class Counted {
  public:
    Counted() {
        Record create;
        create.kind = Kind::Create;
        create.unit = kAeq;
        create.state = static_cast<std::uint8_t>(EqKind::Async);
        see(create);
    }
    void event(Cqn cqn = kCq) {
        Record record;
        record.kind = Kind::Event;
        record.cqn = cqn;
        record.unit = kCeq;
        see(record);
    }
    void entry(Cqn cqn = kCq) {
        Record record;
        record.kind = Kind::Eqe;
        record.cqn = cqn;
        record.unit = kCeq;
        record.state = kCompletionEqe;
        see(record);
    }
    void async_entry(AsyncEvent what) {
        Record record;
        record.kind = Kind::Eqe;
        record.unit = kAeq;
        record.state = static_cast<EqeType>(1 + static_cast<unsigned>(what));
        see(record);
    }
    void async(AsyncEvent what, Cqn cqn = kNoCq, std::uint16_t eqn = 0) {
        Record record;
        record.kind = Kind::Async;
        record.state = static_cast<std::uint8_t>(what);
        record.cqn = cqn;
        record.unit = eqn;
        see(record);
    }
    void destroy() {
        Record record;
        record.kind = Kind::Destroy;
        record.cqn = kCq;
        see(record);
    }
    const tb::EventStatistics::Queue& queue(std::uint16_t eqn) const {
        return m_statistics.queue(Eqn{eqn});
    }

  private:
    static tb::Scenario scenario() {
        tb::Scenario scenario;
        scenario.device.cqs = 4;
        scenario.device.event.eqs = 2;
        return scenario;
    }
    void see(const Record& record) { m_statistics.observe({&record, 1}); }

    tb::EventStatistics m_statistics{scenario()};
};

}  // namespace

TEST_CASE("K13 an event queue in error drops what waits for it and what comes then") {
    Counted counted;
    counted.event();
    counted.entry();
    counted.event();
    counted.event(Cqn{1});
    CHECK(counted.queue(kCeq).dropped() == 0);  // they may be on their way
    counted.async(AsyncEvent::DeviceFatal, kNoCq, kCeq);
    counted.async_entry(AsyncEvent::DeviceFatal);
    counted.entry();  // it was
    counted.event();
    counted.event();
    CHECK(counted.queue(kCeq).error);
    CHECK(counted.queue(kCeq).dropped() == 3);
    CHECK_FALSE(counted.queue(kAeq).error);
    CHECK(counted.queue(kAeq).dropped() == 0);
}

TEST_CASE("K13 the queue for asynchronous events drops its own DEVICE_FATAL") {
    Counted counted;
    counted.async(AsyncEvent::QpFatal);
    counted.async(AsyncEvent::QpFatal);
    counted.async_entry(AsyncEvent::QpFatal);
    counted.async(AsyncEvent::DeviceFatal, kNoCq, kAeq);
    CHECK(counted.queue(kAeq).dropped() == 2);
    CHECK(counted.queue(kCeq).dropped() == 0);
}

TEST_CASE(
    "S4.12 S6.16 what a CQ in error, or gone, had told is dropped unless its entry comes yet") {
    for (const bool gone : {false, true}) {
        Counted counted;
        counted.event();
        counted.event();  // shares the entry
        if (gone) {
            counted.destroy();
        } else {
            counted.async(AsyncEvent::CqErr, kCq);
        }
        CHECK(counted.queue(kCeq).dropped() == 1);
        if (gone) {
            counted.event();  // of the next CQ of that number
            counted.entry();
            CHECK(counted.queue(kCeq).dropped() == 1);
        } else {
            counted.entry();
            CHECK(counted.queue(kCeq).dropped() == 0);
        }
    }
}

}  // namespace cqsim
