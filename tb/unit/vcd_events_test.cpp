// SPDX-License-Identifier: Apache-2.0
// The waves of the event side: arms, moderation, event queues, interrupts.
#include "tb/record/waves.h"
#include "tb/unit/vcd_file.h"
#include "tb/unit/vcd_first_look.h"

#include <catch2/catch.hpp>

#include <array>
#include <string>
#include <vector>

using namespace cqsim;
using namespace cqsim::tb;
using namespace cqsim::tb::test;

namespace {

const std::string arbiter = "cqsim.engine.event_arbiter.";
const std::string ring = arbiter + "cq_ring.";
const std::string ceq = arbiter + "eq_ceq.";

RunHeader with_events() {
    RunHeader header = header_of({{"ring", 0, 1}}, {{"qp", 0, 1}});
    header.eq = {{"ceq", 0, 1}, {"aeq", 1, 1}};
    header.vectors = 3;
    return header;
}

Record of_eq(Kind kind, std::uint64_t time_ps, std::uint16_t eqn) {
    Record record = record_of(kind, time_ps);
    record.unit = eqn;
    return record;
}

Record create_eq(std::uint16_t eqn, std::uint32_t depth, std::uint32_t vector, EqKind kind) {
    Record record = of_eq(Kind::Create, 0, eqn);
    record.index = depth;
    record.serial = vector;
    record.state = static_cast<std::uint8_t>(kind);
    return record;
}

Record moderate(std::uint64_t time_ps, std::uint32_t count, std::uint64_t period_ps) {
    Record record = record_of(Kind::Modify, time_ps, kCq);
    record.index = count;
    record.a = period_ps;
    return record;
}

Record arm(std::uint64_t time_ps, ArmKind kind, Cqn cqn = kCq) {
    Record record = record_of(Kind::Arm, time_ps, cqn);
    record.state = static_cast<std::uint8_t>(kind);
    return record;
}

Record visible(std::uint64_t time_ps, std::uint32_t slot, Cqn cqn = kCq) {
    return entry_of(Kind::CqeVisible, time_ps, cqn, slot, kQp);
}

/// An entry with the solicited bit of the native format: bit 3 of its last byte.
Record solicited(std::uint64_t time_ps, std::uint32_t slot) {
    static const std::array<std::byte, 64> bytes = [] {
        std::array<std::byte, 64> entry{};
        entry[63] = std::byte{8};
        return entry;
    }();
    Record record = visible(time_ps, slot);
    record.bytes = bytes.data();
    record.b = 64;
    return record;
}

Record event(std::uint64_t time_ps, EventCause cause, std::uint64_t entries) {
    Record record = record_of(Kind::Event, time_ps, kCq);
    record.state = static_cast<std::uint8_t>(cause);
    record.a = entries;
    return record;
}

Record eqe(std::uint64_t time_ps, std::uint16_t eqn, EqeType type, Cqn cqn) {
    Record record = of_eq(Kind::Eqe, time_ps, eqn);
    record.state = type;
    record.cqn = cqn;
    return record;
}

Record ack(std::uint64_t time_ps, std::uint16_t eqn, std::uint32_t index, bool arms) {
    Record record = of_eq(Kind::Ack, time_ps, eqn);
    record.index = index;
    record.flags = arms ? kArms : std::uint8_t{0};
    return record;
}

Record refuse(std::uint64_t time_ps, Cqn cqn, std::uint16_t eqn, std::uint32_t offset) {
    Record record = record_of(Kind::Refuse, time_ps, cqn);
    record.unit = eqn;
    record.index = offset;
    record.state = static_cast<std::uint8_t>(CommandResult::NoEntry);
    return record;
}

Record async(std::uint64_t time_ps, AsyncEvent what, Cqn cqn) {
    Record record = record_of(Kind::Async, time_ps, cqn);
    record.state = static_cast<std::uint8_t>(what);
    return record;
}

/// The waves of these records, behind those that create what `with_events` names.
VcdFile waves_with(std::vector<Record> records) {
    records.insert(records.begin(),
                   {create_eq(0, 4, 1, EqKind::Completion),
                    create_eq(1, 8, 2, EqKind::Async),
                    create_cq(0, kCq, 8),
                    create_qp(0, kQp, kCq, kCq)});
    return waves_of(with_events(), records);
}

}  // namespace

TEST_CASE("S6.1 S6.5 the wave of an arm: set, widened and never narrowed, gone with its event") {
    const auto read = waves_with({arm(10, ArmKind::Solicited),
                                  arm(20, ArmKind::Next),
                                  arm(30, ArmKind::Solicited),
                                  visible(40, 0),
                                  event(40, EventCause::Entry, 1),
                                  visible(50, 1),
                                  arm(60, ArmKind::Solicited)});
    CHECK(
        read[ring + "armed_text"] ==
        VcdChanges{{0, "NONE"}, {10, "SOLICITED"}, {20, "NEXT"}, {40, "NONE"}, {60, "SOLICITED"}});
    CHECK(read[ring + "armed"] == VcdChanges{{0, "0"}, {10, "2"}, {20, "1"}, {40, "0"}, {60, "2"}});
    CHECK(read[ring + "events"] == VcdChanges{{0, "0"}, {40, "1"}});
    // S6.1: an entry before the arm, or while nothing is armed, is not counted.
    CHECK(read[ring + "pending"] == VcdChanges{{0, "0"}});
}

TEST_CASE("S6.11 an arm that is refused leaves no trace in the waves") {
    const auto read = waves_with({arm(10, ArmKind::Solicited),
                                  arm(20, ArmKind::Next),
                                  refuse(20, kCq, 0, 0x20),
                                  ack(30, 0, 3, true),
                                  refuse(30, kNoCq, 0, 0x40),
                                  refuse(40, kCq, 0, 0)});  // of a command: no doorbell
    CHECK(read[ring + "armed_text"] == VcdChanges{{0, "NONE"}, {10, "SOLICITED"}});
    CHECK(read[ceq + "consumer_index"] == VcdChanges{{0, "0"}});
    CHECK(read[ceq + "armed"] == VcdChanges{{0, "0"}});
    CHECK(read["cqsim.engine.notable"][2] ==
          std::pair<std::uint64_t, std::string>{20, "a doorbell of cq ring is refused: no_entry"});
}

TEST_CASE("S4.9 moderation: entries pending, and the period from the first of them") {
    const auto read = waves_with({moderate(0, 3, 1000),
                                  arm(10, ArmKind::Next),
                                  visible(100, 0),
                                  visible(200, 1),
                                  visible(300, 2),
                                  event(300, EventCause::Count, 3),
                                  arm(400, ArmKind::Next),
                                  visible(500, 3),
                                  moderate(600, 4, 5000),
                                  event(5500, EventCause::Period, 1)});
    CHECK(read[ring + "moderation_count"] == VcdChanges{{0, "3"}, {600, "4"}});
    CHECK(read[ring + "moderation_period_ps"] == VcdChanges{{0, "1000"}, {600, "5000"}});
    CHECK(read[ring + "pending"] ==
          VcdChanges{{0, "0"}, {100, "1"}, {200, "2"}, {300, "0"}, {500, "1"}, {5500, "0"}});
    CHECK(read[ring + "timer"] ==
          VcdChanges{{0, "0"}, {100, "1"}, {300, "0"}, {500, "1"}, {5500, "0"}});
    CHECK(read[ring + "timer_ends_ps"] ==
          VcdChanges{{0, "x"}, {100, "1100"}, {500, "1500"}, {600, "5500"}});
    CHECK(read[arbiter + "notes"][2] ==
          std::pair<std::uint64_t, std::string>{300,
                                                "S4.9 cq ring reports 3 entries to eq ceq: count"});
}

TEST_CASE("S6.2 armed for solicited entries, only a solicited or failed one is pending") {
    const auto read =
        waves_with({moderate(0, 8, 1000),
                    arm(10, ArmKind::Solicited),
                    visible(100, 0),
                    solicited(200, 1),
                    entry_of(Kind::CqeVisible, 300, kCq, 2, kQp, WcStatus::RetryExcErr)});
    CHECK(read[ring + "pending"] == VcdChanges{{0, "0"}, {200, "1"}, {300, "2"}});
    CHECK(read[ring + "timer_ends_ps"] == VcdChanges{{0, "x"}, {200, "1200"}});
}

TEST_CASE("S6.16 S4.12 a CQ in error is armed no more, one that is gone neither") {
    Record gone = record_of(Kind::Destroy, 60, kCq);
    gone.state = static_cast<std::uint8_t>(DestroyPhase::Done);
    auto read = waves_with({moderate(0, 3, 1000),
                            arm(10, ArmKind::Next),
                            visible(20, 0),
                            async(30, AsyncEvent::CqErr, kCq),
                            arm(40, ArmKind::Next),
                            visible(50, 1)});
    CHECK(read[ring + "armed_text"] == VcdChanges{{0, "NONE"}, {10, "NEXT"}, {30, "NONE"}});
    CHECK(read[ring + "pending"] == VcdChanges{{0, "0"}, {20, "1"}, {30, "0"}});
    CHECK(read[ring + "timer"] == VcdChanges{{0, "0"}, {20, "1"}, {30, "0"}});
    read = waves_with({arm(10, ArmKind::Next), gone, arm(70, ArmKind::Next)});
    CHECK(read[ring + "armed_text"] == VcdChanges{{0, "NONE"}, {10, "NEXT"}, {60, "NONE"}});
    CHECK(read["cqsim.engine.overflow.cq_ring.state_text"] == VcdChanges{{0, "OK"}, {60, "NONE"}});
}

TEST_CASE("S6.21 S6.22 an event queue: its indices, its interrupts, and what waits for it") {
    const auto irq = [](std::uint64_t time_ps) { return of_eq(Kind::Irq, time_ps, 1); };
    const auto read = waves_with({ack(5, 0, 0, true),
                                  arm(10, ArmKind::Next),
                                  visible(20, 0),
                                  event(20, EventCause::Entry, 1),
                                  eqe(30, 0, kCompletionEqe, kCq),
                                  irq(40),
                                  arm(41, ArmKind::Next),
                                  visible(42, 1),
                                  event(42, EventCause::Entry, 1),
                                  ack(45, 0, 1, true),
                                  eqe(50, 0, kCompletionEqe, kCq),
                                  eqe(51, 0, kCompletionEqe, kCq),
                                  irq(52),
                                  eqe(53, 0, kCompletionEqe, kCq),
                                  eqe(54, 0, kCompletionEqe, kCq),
                                  ack(60, 0, 4, false),
                                  ack(70, 0, 4, true),  // one is unread: it interrupts at once
                                  irq(75)});
    CHECK(read[ceq + "depth"] == VcdChanges{{0, "4"}});
    CHECK(read[ceq + "vector"] == VcdChanges{{0, "1"}});
    CHECK(read[ceq + "producer_index"] ==
          VcdChanges{{0, "0"}, {30, "1"}, {50, "2"}, {51, "3"}, {53, "4"}, {54, "5"}});
    CHECK(read[ceq + "consumer_index"] == VcdChanges{{0, "0"}, {45, "1"}, {60, "4"}});
    CHECK(
        read[ceq + "occupancy"] ==
        VcdChanges{
            {0, "0"}, {30, "1"}, {45, "0"}, {50, "1"}, {51, "2"}, {53, "3"}, {54, "4"}, {60, "1"}});
    CHECK(read[ceq + "state_text"] == VcdChanges{{0, "OK"}, {54, "FULL"}, {60, "OK"}});
    CHECK(read[ceq + "armed"] == VcdChanges{{0, "0"}, {5, "1"}, {30, "0"}, {45, "1"}, {50, "0"}});
    CHECK(read[ceq + "waiting"] ==
          VcdChanges{{0, "0"}, {20, "1"}, {30, "0"}, {42, "1"}, {50, "0"}});
    CHECK(read[arbiter + "waiting"] == read[ceq + "waiting"]);
    CHECK(read[arbiter + "vector_1.interrupts"] ==
          VcdChanges{{0, "0"}, {40, "1"}, {52, "2"}, {75, "3"}});
    CHECK(read[arbiter + "vector_1.irq"] == VcdChanges{{40, "1"}, {52, "1"}, {75, "1"}});
    CHECK(read[arbiter + "vector_0.irq"].empty());
    CHECK(read[arbiter + "interrupts"] == read[arbiter + "vector_1.interrupts"]);
    // The way of the first event is notable: what follows is routine.
    CHECK(read["cqsim.engine.notable"] ==
          VcdChanges{{0, ""},
                     {10, "S6.2 cq ring is armed: next"},
                     {20, "S6.1 cq ring reports 1 entries to eq ceq: entry"},
                     {30, "S6.15 eq ceq has an entry: COMP"},
                     {40, "S6.22 vector 1 interrupts"}});
    CHECK(read["cqsim.engine.notes"] == VcdChanges{{0, ""}});
}

TEST_CASE("K13 DEVICE_FATAL: the event queue is in error, and nothing waits for it any more") {
    const auto read = waves_with({eqe(5, 1, 1, kNoCq),
                                  eqe(5, 0, kCompletionEqe, kCq),
                                  eqe(6, 0, kCompletionEqe, kCq),
                                  eqe(7, 0, kCompletionEqe, kCq),
                                  eqe(8, 0, kCompletionEqe, kCq),
                                  arm(10, ArmKind::Next),
                                  visible(20, 0),
                                  event(20, EventCause::Entry, 1),
                                  async(30, AsyncEvent::DeviceFatal, kNoCq),
                                  arm(40, ArmKind::Next),
                                  visible(50, 1),
                                  event(50, EventCause::Entry, 1),
                                  eqe(60, 1, 9, kNoCq)});
    CHECK(read[ceq + "state_text"] == VcdChanges{{0, "OK"}, {8, "FULL"}, {30, "ERROR"}});
    CHECK(read[arbiter + "eq_aeq.state_text"] == VcdChanges{{0, "OK"}});
    CHECK(read[ceq + "waiting"] == VcdChanges{{0, "0"}, {20, "1"}, {30, "0"}});
    // It is itself an event of the other queue.
    CHECK(read[arbiter + "eq_aeq.waiting"] == VcdChanges{{0, "0"}, {30, "1"}, {60, "0"}});
    CHECK(read[arbiter + "eq_aeq.producer_index"] == VcdChanges{{0, "0"}, {5, "1"}, {60, "2"}});
    CHECK(
        read["cqsim.engine.notable"][4] ==
        std::pair<std::uint64_t, std::string>{
            30,
            "S6.24 DEVICE_FATAL: an event did not get into its event queue, which takes no more"});
}

TEST_CASE("S6.23 DEVICE_FATAL with room in every queue: only its number tells which is in error") {
    Record fatal = async(30, AsyncEvent::DeviceFatal, kNoCq);
    fatal.unit = 0;
    const auto named = waves_with({eqe(5, 0, kCompletionEqe, kCq), fatal});
    CHECK(named[ceq + "state_text"] == VcdChanges{{0, "OK"}, {30, "ERROR"}});
    fatal.unit = kNoEqn;
    const auto read =
        waves_with({eqe(5, 0, kCompletionEqe, kCq), eqe(6, 0, kCompletionEqe, kCq), fatal});
    CHECK(read[ceq + "state_text"] == VcdChanges{{0, "OK"}});
    CHECK(read[arbiter + "eq_aeq.state_text"] == VcdChanges{{0, "OK"}});
}

TEST_CASE("An event shares the entry of the CQ's last one while that is still to come") {
    const auto read = waves_with({arm(10, ArmKind::Next),
                                  event(20, EventCause::Entry, 1),
                                  arm(22, ArmKind::Next),
                                  event(25, EventCause::Entry, 1),
                                  eqe(30, 0, kCompletionEqe, kCq)});
    CHECK(read[ring + "events"] == VcdChanges{{0, "0"}, {20, "1"}, {25, "2"}});
    CHECK(read[ceq + "waiting"] == VcdChanges{{0, "0"}, {20, "1"}, {30, "0"}});
}

TEST_CASE("Each CQ and each event queue of a group has its own waves") {
    RunHeader header = header_of({{"first", 0, 2}, {"ring", 2, 3}}, {{"qp", 0, 1}});
    header.eq = {{"first", 0, 1}, {"ceq", 1, 2}};
    const auto read = waves_of(header,
                               {create_eq(1, 4, 0, EqKind::Completion),
                                create_eq(2, 4, 0, EqKind::Completion),
                                create_cq(0, Cqn{3}, 8),
                                create_cq(0, Cqn{4}, 8),
                                arm(10, ArmKind::Next, Cqn{4}),
                                slot_of(15, Cqn{4}, 0, 0),
                                eqe(20, 2, kCompletionEqe, Cqn{4})});
    CHECK(read[arbiter + "cq_ring_1.armed"] == VcdChanges{{0, "0"}});
    CHECK(read[arbiter + "cq_ring_2.armed"] == VcdChanges{{0, "0"}, {10, "1"}});
    CHECK(read["cqsim.engine.overflow.cq_ring_1.occupancy"] == VcdChanges{{0, "0"}});
    CHECK(read["cqsim.engine.overflow.cq_ring_2.occupancy"] == VcdChanges{{0, "0"}, {15, "1"}});
    CHECK(read[arbiter + "eq_ceq_0.producer_index"] == VcdChanges{{0, "0"}});
    CHECK(read[arbiter + "eq_ceq_1.producer_index"] == VcdChanges{{0, "0"}, {20, "1"}});
}

TEST_CASE("A CQ that fails takes back the event that waits for its entry") {
    const auto read = waves_with({arm(10, ArmKind::Next),
                                  visible(20, 0),
                                  event(20, EventCause::Entry, 1),
                                  async(30, AsyncEvent::CqErr, kCq)});
    CHECK(read[ceq + "waiting"] == VcdChanges{{0, "0"}, {20, "1"}, {30, "0"}});
    CHECK(read[arbiter + "waiting"] == VcdChanges{{0, "0"}, {20, "1"}});  // of CQ_ERR instead
}

TEST_CASE("Arms of more than 64 CQs and queues of more than 64 EQs are drawn as a group") {
    RunHeader header = header_of({{"many", 0, 65}}, {{"qp", 0, 1}});
    header.eq = {{"crowd", 0, 65}};
    header.vectors = 65;
    std::vector<Record> records;
    for (std::uint16_t i = 0; i < 65; ++i) {
        records.push_back(create_eq(i, 2, i, EqKind::Completion));
        records.push_back(create_cq(0, Cqn{i}, 2));
    }
    Record modify = moderate(0, 2, 100);
    modify.cqn = Cqn{7};
    Record reports = event(70, EventCause::Period, 1);
    reports.cqn = Cqn{7};
    reports.unit = 7;
    Record fatal = async(96, AsyncEvent::DeviceFatal, kNoCq);
    fatal.unit = 7;
    records.insert(records.end(),
                   {modify,
                    arm(10, ArmKind::Next, Cqn{7}),
                    arm(20, ArmKind::Solicited, Cqn{8}),
                    visible(30, 0, Cqn{7}),
                    reports,
                    eqe(80, 7, kCompletionEqe, Cqn{7}),
                    eqe(90, 7, kCompletionEqe, Cqn{7}),
                    of_eq(Kind::Irq, 95, 64),
                    fatal,
                    ack(97, 7, 2, false)});
    const auto read = waves_of(header, records);
    const std::string cqs = arbiter + "cqs_many.";
    CHECK(read[cqs + "armed_next"] == VcdChanges{{0, "0"}, {10, "1"}, {70, "0"}});
    CHECK(read[cqs + "armed_solicited"] == VcdChanges{{0, "0"}, {20, "1"}});
    CHECK(read[cqs + "pending"] == VcdChanges{{0, "0"}, {30, "1"}, {70, "0"}});
    CHECK(read[cqs + "timers"] == VcdChanges{{0, "0"}, {30, "1"}, {70, "0"}});
    const std::string eqs = arbiter + "eqs_crowd.";
    CHECK(read[eqs + "occupancy_total"] == VcdChanges{{0, "0"}, {80, "1"}, {90, "2"}, {97, "0"}});
    CHECK(read[eqs + "waiting"] == VcdChanges{{0, "0"}, {70, "1"}, {80, "0"}});
    CHECK(read[eqs + "full"] == VcdChanges{{0, "0"}, {90, "1"}, {96, "0"}});
    CHECK(read[eqs + "error"] == VcdChanges{{0, "0"}, {96, "1"}});
    CHECK(read[arbiter + "interrupts"] == VcdChanges{{0, "0"}, {95, "1"}});
    CHECK(read.variables.count(arbiter + "cq_many_0.armed") == 0);
    CHECK(read.variables.count(arbiter + "eq_crowd_0.state") == 0);
    CHECK(read.variables.count(arbiter + "vector_63.irq") == 1);
    CHECK(read.variables.count(arbiter + "vector_64.irq") == 0);
}

TEST_CASE("A run without event queues has no waves of them") {
    const auto read = waves_of(header_of({{"ring", 0, 1}}, {}), {create_cq(0, kCq, 4)});
    for (const auto& variable : read.variables) {
        CHECK(variable.first.find("event_arbiter") == std::string::npos);
    }
}
