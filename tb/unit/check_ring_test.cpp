// SPDX-License-Identifier: Apache-2.0
// Owner schemes, rings of any depth, full rings, rings that are overwritten, writes that overtake
// each other, and queries: each check passes what is right, and fails on its one fault.
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

namespace cqsim::tb {
namespace {

constexpr CqeFormat kNative = CqeFormat::Native;

// One CQ, one QP with receives; software polls after each `batch`.
Trace receives(const LegalStream::Options& options, std::uint32_t count, std::uint32_t batch) {
    Trace trace;
    LegalStream stream(options, trace.sink());
    for (std::uint32_t i = 1; i <= count; ++i) {
        stream.post(0, QueueKind::Receive, false);
        stream.complete(0, QueueKind::Receive);
        if (i % batch == 0) {
            stream.settle();
            stream.poll(0, batch);
        }
    }
    stream.end();
    return trace;
}

// 6 slots, indices of 4 bits: 16 is no multiple of 6, and laps go on past the wrap.
LegalStream::Options six_slots(OwnerScheme scheme) {
    LegalStream::Options options;
    options.owner = scheme;
    options.depth = 6;
    options.index_width = 4;
    options.first_index = 6;
    return options;
}

check::Settings settings_of(OwnerScheme scheme, std::uint32_t index_width) {
    check::Settings settings;
    settings.index_width = index_width;
    settings.owner = kOwnerSchemeNames.at(static_cast<std::size_t>(scheme));
    return settings;
}

LegalStream::Options overwriting(bool collapsed = false) {
    LegalStream::Options options;
    options.depth = 4;
    options.flags = collapsed ? kIgnoreOverrun | kCollapsed : kIgnoreOverrun;
    return options;
}

// A ring of 4: 5 entries at a time, of which the oldest is lost, or all but the newest.
Trace overwritten(bool collapsed = false) {
    return receives(overwriting(collapsed), 15, 5);
}

Record query(std::uint32_t producer, std::uint32_t consumer, std::uint64_t time_ps) {
    Record record;
    record.kind = Kind::Query;
    record.time_ps = time_ps;
    record.cqn = Cqn{0};
    record.index = producer;
    record.a = consumer;
    record.wr_id = 8;
    record.state = 1;
    return record;
}

// 8 slots; 5 entries, of which software took 3; then the answer to a query.
Trace queried(const Record& answer) {
    Trace trace;
    LegalStream stream({}, trace.sink());
    for (std::uint32_t i = 0; i < 5; ++i) {
        stream.post(0, QueueKind::Receive, false);
        stream.complete(0, QueueKind::Receive);
    }
    stream.poll(0, 3);
    Record at_its_time = answer;
    at_its_time.time_ps = trace.records().back().time_ps;
    trace.add(at_its_time);
    stream.end();
    return trace;
}

}  // namespace

TEST_CASE("K02 S3.4 an owner value of each scheme, in a ring whose laps are not in the index") {
    for (const OwnerScheme scheme : {OwnerScheme::Phase, OwnerScheme::Generation}) {
        const check::Settings settings = settings_of(scheme, 4);
        const Trace legal = receives(six_slots(scheme), 60, 5);  // ten laps
        check_legal(legal, {"S3.3", "S3.11", "S3.13", "S1.7"}, settings);
        for (const std::size_t n : {0U, 7U, 59U}) {
            Trace slot = legal;
            slot.nth(Kind::Slot, n).state ^= 1;
            CHECK(failed(slot, settings) == Rules{"S3.3"});
            Trace entry = legal;
            flip_entry(entry, n, 63, 1, kNative);
            CHECK(failed(entry, settings) == Rules{"S3.3", "S3.3", "S3.3"});
        }
    }
    // The other schemes see other laps.
    const Trace phase = receives(six_slots(OwnerScheme::Phase), 6, 5);
    CHECK(failed(phase, settings_of(OwnerScheme::Parity, 4)).empty());  // 6 / 6 is odd
    LegalStream::Options from_zero = six_slots(OwnerScheme::Phase);
    from_zero.first_index = 0;
    const Rules rules = failed(receives(from_zero, 1, 1), settings_of(OwnerScheme::Parity, 4));
    CHECK(rules == Rules{"S3.3", "S3.3", "S3.3", "S3.3"});
}

TEST_CASE("K02 the owner value of a generation has three bits, of any other scheme one") {
    const Trace legal = receives(six_slots(OwnerScheme::Generation), 30, 5);
    Trace two_laps = legal;
    flip_entry(two_laps, 3, 63, 2, kNative);
    CHECK(failed(two_laps, settings_of(OwnerScheme::Generation, 4)) ==
          Rules{"S3.3", "S3.3", "S3.3"});
    Trace phase = receives(six_slots(OwnerScheme::Phase), 6, 5);
    flip_entry(phase, 3, 63, 2, kNative);
    CHECK(failed(phase, settings_of(OwnerScheme::Phase, 4)) == Rules{"S1.1"});
}

TEST_CASE("K01 a ring that is full with one slot unused") {
    LegalStream::Options options;
    options.qps = 3;
    options.depth = 4;
    options.unused = 1;
    const auto overrun = [&](std::uint32_t unused) {
        options.unused = unused;
        return receives(options, 5, 5);
    };
    check::Settings settings;
    settings.cq_full = "depth_minus_one";
    check_legal(overrun(1), {"S3.14", "S5.3a", "S5.3b"}, settings);
    CHECK(failed(overrun(1)) == Rules{"S5.3a"});  // with room for one more
    check_legal(overrun(0), {"S5.3a"});
    const Rules rules = failed(overrun(0), settings);
    REQUIRE_FALSE(rules.empty());
    CHECK(rules.front() == "S3.14");  // a slot that should be unused was given
}

TEST_CASE("S4.3 a ring that is overwritten passes, and what was lost is counted") {
    for (const bool collapsed : {false, true}) {
        const Verdict verdict = verdict_of(overwritten(collapsed));
        INFO(verdict.text());
        CHECK(verdict.failed.empty());
        // Entries without room, and entries that were lost unread: 1 and 1 of each 5; of a
        // collapsed ring, whose 5 entries have 4 slots by their indices, 1 and 4.
        CHECK(verdict.checked("S4.3") == (collapsed ? 3 * (1 + 4) : 3 * (1 + 1)));
        CHECK(verdict.checked("D4") > 0);
    }
}

TEST_CASE("S4.3 a CQ that ignores overruns refuses nothing and raises no CQ_ERR") {
    Trace refused = overwritten();
    Record overrun = refused.nth(Kind::Slot, 4);
    overrun.kind = Kind::Overrun;
    overrun.state = static_cast<std::uint8_t>(LostCause::Overrun);
    refused.nth(Kind::Slot, 4) = overrun;
    CHECK(failed(refused).front() == "S4.3");
    Trace error = overwritten();
    Record& event = error.nth(Kind::Ci, 0);
    event.kind = Kind::Async;
    event.state = static_cast<std::uint8_t>(AsyncEvent::CqErr);
    CHECK(failed(error).front() == "S4.3");
    for (const bool all_visible : {true, false}) {
        Trace trace;
        LegalStream::Options options;
        options.flags = kIgnoreOverrun;
        options.in_flight = 2;
        LegalStream stream(options, trace.sink());
        for (int i = 0; i < 3; ++i) {
            stream.post(0, QueueKind::Receive, false);
            stream.complete(0, QueueKind::Receive);
        }
        Record raised;  // while two writes are under way
        raised.time_ps = trace.records().back().time_ps;
        raised.kind = Kind::Async;
        raised.state = static_cast<std::uint8_t>(AsyncEvent::CqErr);
        raised.cqn = Cqn{0};
        trace.add(raised);
        stream.end();
        if (!all_visible) {
            trace.erase(Kind::CqeVisible, 2);
        }
        const Rules rules = failed(trace);
        CHECK((std::find(rules.begin(), rules.end(), "S4.3") != rules.end()) == all_visible);
    }
    Trace strict = overwritten();
    strict.nth(Kind::Create, 0).flags = 0;
    CHECK(failed(strict).front() == "S3.14");
}

TEST_CASE("S1.7 S3.1 S3.3 S3.6 S3.8 S3.11 S3.13 hold of a ring that is overwritten") {
    const auto with = [](const auto& fault) {
        Trace trace = overwritten();
        fault(trace);
        return failed(trace);
    };
    CHECK(with([](Trace& trace) { trace.nth(Kind::Slot, 6).index += 2; }).front() == "S3.13");
    CHECK(with([](Trace& trace) { trace.nth(Kind::Slot, 6).state ^= 1; }) == Rules{"S3.3"});
    CHECK(with([](Trace& trace) { flip_entry(trace, 0, 63, 1, kNative); }).front() == "S3.3");
    CHECK(with([](Trace& trace) { trace.nth(Kind::CqeWrite, 6).a += 64; }).front() == "S3.11");
    CHECK(with([](Trace& trace) {
              trace.own_bytes(trace.nth(Kind::CqeVisible, 6))[12] ^= std::byte{1};
          }).front() == "S3.6");
    CHECK(with([](Trace& trace) {
              trace.own_bytes(trace.nth(Kind::Poll, 2))[12] ^= std::byte{1};
          }) == Rules{"S3.8"});
    CHECK(with([](Trace& trace) { trace.duplicate(Kind::Poll, 2); }) == Rules{"S1.7"});
    CHECK(with([](Trace& trace) { trace.swap(Kind::Poll, 1, 2); }) == Rules{"S1.7"});
    CHECK(with([](Trace& trace) { trace.nth(Kind::Ci, 1).index += 1; }).front() == "S3.1");
    CHECK(with([](Trace& trace) { trace.nth(Kind::Ci, 1).a += 8; }).front() == "S3.1");
    CHECK(with([](Trace& trace) { trace.erase(Kind::CqeVisible, 14); }).back() == "S3.6");
    CHECK(with([](Trace& trace) { trace.erase(Kind::Poll, 2); }).empty());  // it may skip
}

TEST_CASE("S3.16 a collapsed ring has one slot") {
    Trace trace = overwritten(true);
    Record& write = trace.nth(Kind::CqeWrite, 1);
    write.index = 1;
    write.a += 64;
    CHECK(failed(trace).front() == "S3.11");
    Trace alone = receives({}, 3, 3);
    alone.nth(Kind::Create, 0).flags = kCollapsed;  // only together with ignore_overrun
    CHECK(failed(alone).front() == "D6");
}

TEST_CASE("D1 writes that overtake each other are right only of a device that says so") {
    LegalStream::Options options;
    options.in_flight = 8;
    options.newest_first = true;
    const Trace trace = receives(options, 16, 4);
    check::Settings relaxed;
    relaxed.memory_ordering = "relaxed";
    check_legal(trace, {"S3.6", "S3.10"}, relaxed);
    CHECK(failed(trace).front() == "S3.10");
    Trace lost = trace;
    lost.erase(Kind::CqeVisible, 15);  // the oldest of the last four
    CHECK(failed(lost, relaxed).front() == "S3.6");
    Trace other = trace;
    other.own_bytes(other.nth(Kind::CqeVisible, 0))[12] ^= std::byte{1};
    CHECK(failed(other, relaxed).front() == "S3.6");
}

TEST_CASE("K20 in a ring that is overwritten, too, consumer indices go where the device looks") {
    Trace trace = receives({}, 4, 2);
    trace.nth(Kind::Create, 0).flags = kIgnoreOverrun;
    for (Record& record : trace.records()) {
        record.a = record.kind == Kind::Ci ? 0x28 : record.a;
    }
    CHECK(failed(trace).front() == "S3.1");
    check::Settings settings;
    settings.consumer_index = "mmio";
    CHECK(failed(trace, settings).empty());
}

TEST_CASE("S4.15 a query is answered with what the records say") {
    check_legal(queried(query(5, 3, 0)), {"S4.15"});
    CHECK(failed(queried(query(5, 0, 0))).empty());  // what the device knows may be old
    CHECK(failed(queried(query(6, 3, 0))) == Rules{"S4.15"});
    CHECK(failed(queried(query(4, 3, 0))) == Rules{"S4.15"});
    CHECK(failed(queried(query(5, 4, 0))) == Rules{"S4.15"});
    CHECK(failed(queried(query(5, 0xFFFF'FFF0U, 0))) == Rules{"S4.15"});
    Record answer = query(5, 3, 0);
    answer.wr_id = 4;
    CHECK(failed(queried(answer)) == Rules{"S4.15"});
    answer = query(5, 3, 0);
    answer.state = 2;
    CHECK(failed(queried(answer)) == Rules{"S4.15"});
    answer = query(5, 3, 0);
    answer.b = 1;  // armed: nobody asked
    CHECK(failed(queried(answer)) == Rules{"S4.15"});
}

TEST_CASE("S4.15 a query of an armed CQ") {
    const auto with = [](ArmKind asked, std::uint16_t answered, bool reported) {
        Play play;
        play.stream.arm(0, asked);
        if (reported) {
            play.send();
            play.stream.event(0, EventCause::Entry, 1);
            play.stream.tell(0);
            play.stream.interrupt(0);
        }
        Record answer = query(reported ? 1 : 0, 0, play.trace.records().back().time_ps);
        answer.b = answered;
        play.trace.add(answer);
        return failed(play.end());
    };
    CHECK(with(ArmKind::Next, 1, false).empty());
    CHECK(with(ArmKind::Next, 0, false).empty());  // the arm may be on its way
    CHECK(with(ArmKind::Solicited, 2, false).empty());
    CHECK(with(ArmKind::Solicited, 1, false) == Rules{"S4.15"});
    CHECK(with(ArmKind::Next, 1, true) == Rules{"S4.15"});
}

TEST_CASE("S1.2 software that uses an undefined field fails the run") {
    Trace trace;
    LegalStream stream({}, trace.sink());
    stream.post(0, QueueKind::Send, false);
    stream.fail(0, QueueKind::Send, WcStatus::RetryExcErr);
    stream.poll(0, 2);
    const std::size_t polled = trace.records().size();
    stream.end();
    check_legal(trace, {"S1.2"});
    // One failed entry: written, and polled.
    CHECK(verdict_of(trace).checked("S1.2") == 2);
    Record read = trace.nth(Kind::Poll, 0);
    read.kind = Kind::UndefinedRead;
    read.bytes = nullptr;
    read.a = 1U << 4U;   // opcode
    read.serial = 0x80;  // what it was
    trace.records().insert(trace.records().begin() + static_cast<std::ptrdiff_t>(polled), read);
    const Verdict verdict = verdict_of(trace);
    REQUIRE(verdict.failed == Rules{"S1.2"});
    CHECK(verdict.failures[0].text ==
          "software used opcode (0x80) of the entry in slot 0 (send queue, QP 0, wr_id 0x3), which "
          "has status RETRY_EXC_ERR: wr_id, status, qp_num and vendor_err are all that it defines");
}

}  // namespace cqsim::tb
