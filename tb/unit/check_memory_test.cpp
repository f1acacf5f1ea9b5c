// SPDX-License-Identifier: Apache-2.0
// What the checkers say of entries that become visible in parts or out of order (S3.6, S3.10).
#include "tb/unit/check_verdict.h"

#include <cstring>
#include <utility>

namespace cqsim::tb {
namespace {

constexpr std::uint32_t kSends = 20;

/// A CQ of 8, two laps and a half; each entry is polled when it is visible.
Trace polled_one_by_one() {
    Trace trace;
    LegalStream stream({}, trace.sink());
    for (std::uint32_t i = 0; i < kSends; ++i) {
        stream.post(0, QueueKind::Send, true);
        stream.complete(0, QueueKind::Send);
        stream.poll(0, 1);
    }
    stream.end();
    return trace;
}

/// The n-th entry is polled, and its slot given back, just before it is visible.
void poll_early(Trace& trace, std::size_t n) {
    std::vector<Record>& records = trace.records();
    const std::size_t visible = trace.position(Kind::CqeVisible, n);
    for (const Kind kind : {Kind::Poll, Kind::Ci}) {
        const std::size_t from = trace.position(kind, n);
        Record moved = records[from];
        moved.time_ps = records[visible].time_ps;
        records.erase(records.begin() + static_cast<std::ptrdiff_t>(from));
        const std::size_t to = trace.position(Kind::CqeVisible, n);
        records.insert(records.begin() + static_cast<std::ptrdiff_t>(to), moved);
    }
}

/// The n-th poll finds the owner's quarter of the new entry over the rest of the one a lap before.
void tear(Trace& trace, std::size_t n) {
    constexpr std::size_t kLap = 8;
    const std::byte* before = trace.nth(Kind::Poll, n - kLap).bytes;
    Record& poll = trace.nth(Kind::Poll, n);
    std::memcpy(trace.own_bytes(poll), before, 48);
    std::memcpy(&poll.wr_id, before, sizeof(poll.wr_id));
}

check::Settings relaxed() {
    check::Settings settings;
    settings.memory_ordering = "relaxed";
    return settings;
}

/// Sends with three entries on their way, two of which become visible the wrong way round.
Trace overtaking() {
    Trace trace;
    LegalStream::Options options;
    options.in_flight = 3;
    LegalStream stream(options, trace.sink());
    for (std::uint32_t i = 0; i < 6; ++i) {
        stream.post(0, QueueKind::Send, true);
        stream.complete(0, QueueKind::Send);
    }
    stream.settle();
    stream.poll(0, 8);
    stream.end();
    trace.swap(Kind::CqeVisible, 2, 3);
    return trace;
}

/// Two CQs report to one event queue; the entries of their events are in memory the wrong way
/// round.
Trace overtaking_events() {
    LegalStream::Options options = Play::with_events();
    options.cqs = 2;
    Play play(options);
    for (const std::uint32_t cq : {0U, 1U}) {
        play.stream.arm(cq);
        play.send(cq);
        play.stream.event(cq, EventCause::Entry, 1);
    }
    play.stream.tell(0);
    play.stream.tell(1);
    play.stream.interrupt(0);
    play.stream.poll(0, 8);
    play.stream.poll(1, 8);
    play.stream.ack(0, true);
    Trace trace = std::move(play.end());  // whose bytes keep their places
    trace.swap(Kind::Eqe, 0, 1);
    return trace;
}

}  // namespace

TEST_CASE("S3.6 a torn entry that software takes for a valid one is found at the poll") {
    Trace trace = polled_one_by_one();
    REQUIRE(failed(trace).empty());
    poll_early(trace, 12);
    tear(trace, 12);
    for (const check::Settings& settings : {check::Settings{}, relaxed()}) {
        const Verdict verdict = verdict_of(trace, settings);
        INFO(verdict.text());
        REQUIRE(verdict.failed == Rules{"S3.6"});  // and its end, which comes late, is no fault
        CHECK_THAT(verdict.failures[0].text, Catch::StartsWith("slot 4 was polled torn: "));
    }
}

TEST_CASE("S3.6 each torn entry is reported, and none of what follows") {
    Trace trace = polled_one_by_one();
    for (const std::size_t n : {std::size_t{9}, std::size_t{10}, std::size_t{17}}) {
        poll_early(trace, n);
        tear(trace, n);
    }
    CHECK(failed(trace, relaxed()) == Rules{"S3.6", "S3.6", "S3.6"});
}

TEST_CASE("S3.6 in relaxed memory all bytes of an entry may be there before its write is over") {
    Trace trace = polled_one_by_one();
    poll_early(trace, 12);
    CHECK(failed(trace, relaxed()).empty());
    const Verdict verdict = verdict_of(trace);
    REQUIRE(verdict.failed == Rules{"S3.6"});
    CHECK_THAT(verdict.failures[0].text, Catch::Contains("no entry was visible"));
}

TEST_CASE("S3.6 an entry that was polled early has to become visible all the same") {
    Trace trace = polled_one_by_one();
    poll_early(trace, 12);
    trace.erase(Kind::CqeVisible, 12);
    const Rules rules = failed(trace, relaxed());
    REQUIRE_FALSE(rules.empty());
    CHECK(rules.back() == "S3.6");
}

TEST_CASE("S3.6 the same of a ring that is overwritten: all of an entry may be there early") {
    Trace trace = polled_one_by_one();
    trace.nth(Kind::Create, 0).flags = kIgnoreOverrun;
    poll_early(trace, 12);
    CHECK(failed(trace, relaxed()).empty());
    CHECK_FALSE(failed(trace).empty());
    tear(trace, 12);
    CHECK(failed(trace, relaxed()).front() == "S3.8");
}

TEST_CASE("S3.10 in relaxed memory entries overtake each other on the way, not in the ring") {
    const Trace trace = overtaking();
    CHECK(failed(trace, relaxed()).empty());
    CHECK(failed(trace).front() == "S3.10");
    CHECK(verdict_of(trace, relaxed()).checked("S3.6") == verdict_of(trace).checked("S3.6"));
}

TEST_CASE("S3.5 in relaxed memory entries of an event queue overtake each other as well") {
    const Trace trace = overtaking_events();
    CHECK(failed(trace, relaxed()).empty());
    CHECK(failed(trace).front() == "S3.5");
}

TEST_CASE("D2 the event of an entry that others waited for tells of it, or of them as well") {
    const auto told = [](std::uint32_t newest, std::uint32_t entries) {
        LegalStream::Options options = Play::with_events();
        options.in_flight = 4;
        Play play(options);
        play.stream.arm(0);
        for (int i = 0; i < 3; ++i) {
            play.send();
        }
        play.stream.settle();
        play.stream.event(0, EventCause::Entry, entries);
        play.trace.nth(Kind::Event, 0).index = newest;
        play.handle();
        Trace trace = std::move(play.end());
        trace.swap(Kind::CqeVisible, 0, 2);  // 2, 1, 0: all are published with the last
        return failed(trace, relaxed());
    };
    for (const std::uint32_t newest : {0U, 1U, 2U}) {
        CAPTURE(newest);
        CHECK(told(newest, newest + 1).empty());
        CHECK(told(newest, newest + 2) == Rules{"D6"});
    }
}

TEST_CASE("S3.6 what overtakes is looked at all the same") {
    Trace trace = overtaking();
    trace.own_bytes(trace.nth(Kind::CqeVisible, 2))[0] ^= std::byte{1};  // came before its turn
    CHECK(failed(trace, relaxed()) == Rules{"S3.6"});
}

}  // namespace cqsim::tb
