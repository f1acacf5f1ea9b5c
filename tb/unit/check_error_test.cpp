// SPDX-License-Identifier: Apache-2.0
// Each check of overruns and their consequences fails on a trace with its one fault, and names its
// rule.
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

namespace cqsim::tb {

TEST_CASE("S5.3a an overrun of a CQ that has room") {
    // The same, but software polled one entry before.
    Trace polled;
    LegalStream::Options options;
    options.qps = 3;
    options.depth = 4;
    LegalStream stream(options, polled.sink());
    for (std::uint32_t i = 0; i < 4; ++i) {
        stream.post(0, QueueKind::Receive, false);
        stream.complete(0, QueueKind::Receive);
    }
    stream.poll(0, 1);
    Trace trace = overrun_trace();
    const auto insert = [&](Record record) {
        const auto at = static_cast<std::ptrdiff_t>(trace.position(Kind::Overrun, 0));
        record.time_ps = trace.nth(Kind::Overrun, 0).time_ps;
        trace.records().insert(trace.records().begin() + at, record);
    };
    insert(polled.nth(Kind::Poll, 0));
    insert(polled.nth(Kind::Ci, 0));
    trace.nth(Kind::Overrun, 0).a = 1;
    trace.nth(Kind::Overrun, 1).a = 1;
    trace.erase(Kind::Poll, 1);
    CHECK(failed(trace) == Rules{"S5.3a"});
}

namespace {

// A CQ of 4 that QP 0 overruns with its fifth receive; one entry was read along. The consumer index
// 1 is published `published` ps after that receive was granted, and the refusal, which knows
// consumer index 0, comes 100 ps after the grant.
Trace late_answer(std::int64_t published) {
    constexpr std::uint64_t kAnswer = 100;
    Trace polled;
    LegalStream::Options options;
    options.depth = 4;
    LegalStream stream(options, polled.sink());
    for (std::uint32_t i = 0; i < 4; ++i) {
        stream.post(0, QueueKind::Receive, false);
        stream.complete(0, QueueKind::Receive);
    }
    stream.poll(0, 1);
    Trace trace = overrun_trace();
    std::vector<Record>& records = trace.records();
    const std::size_t grant = trace.position(Kind::Grant, 4);
    for (std::size_t i = grant + 1; i < records.size(); ++i) {
        records[i].time_ps += kAnswer;
    }
    const std::uint64_t granted = records[grant].time_ps;
    Record poll = polled.nth(Kind::Poll, 0);
    Record ci = polled.nth(Kind::Ci, 0);
    trace.own_bytes(poll);
    poll.time_ps = ci.time_ps = granted + static_cast<std::uint64_t>(published);
    const auto at =
        static_cast<std::ptrdiff_t>(published < 0 ? trace.position(Kind::Complete, 4) : grant + 1);
    records.insert(records.begin() + at, {poll, ci});
    trace.erase(Kind::Poll, 1);  // overrun_trace polls it later
    return trace;
}

}  // namespace

TEST_CASE(
    "S3.14 K20 an overrun by the consumer index that was the newest when the read may begin") {
    CHECK(failed(late_answer(1)).empty());
    CHECK(failed(late_answer(100)).empty());  // at the time of the decision
    CHECK(failed(late_answer(0)).empty());    // at that of the grant
}

TEST_CASE("S5.3a an overrun by a consumer index that was old when the completion was granted") {
    CHECK(failed(late_answer(-1)) == Rules{"S5.3a"});
}

TEST_CASE("S5.3a an overrun by an index that was the newest in time, but leaves room") {
    Trace trace = late_answer(1);
    trace.nth(Kind::Overrun, 0).a = 1;
    CHECK(failed(trace) == Rules{"S5.3a"});
}

TEST_CASE("S5.3a without a record of the grant only the newest consumer index counts") {
    Trace trace = late_answer(1);
    for (const Kind kind : {Kind::Request, Kind::Grant}) {
        while (trace.count(kind) != 0) {
            trace.erase(kind, 0);
        }
    }
    CHECK(failed(trace) == Rules{"S5.3a"});
}

TEST_CASE("S5.3a an overrun by a consumer index that nobody published") {
    Trace trace = late_answer(1);
    trace.nth(Kind::Overrun, 0).a = 2;
    CHECK(failed(trace) == Rules{"S5.3a"});
}

namespace {

/// At the end of the trace its QPs are destroyed, then CQ 0.
Trace destroyed(Trace trace) {
    const Record end = trace.records().back();
    trace.records().pop_back();
    std::vector<Record> objects;
    for (const Record& record : trace.records()) {
        if (record.kind == Kind::Create && record.qpn != kNoQp) {
            objects.push_back(record);
        }
    }
    objects.emplace_back().cqn = Cqn{0};
    for (const Record& object : objects) {
        for (const DestroyPhase phase : {DestroyPhase::Begun, DestroyPhase::Done}) {
            Record destroy;
            destroy.kind = Kind::Destroy;
            destroy.time_ps = end.time_ps;
            destroy.cqn = object.cqn;
            destroy.qpn = object.qpn;
            destroy.generation = object.generation;
            destroy.state = static_cast<std::uint8_t>(phase);
            trace.add(destroy);
        }
    }
    trace.add(end);
    return trace;
}

}  // namespace

TEST_CASE("S5.3j a ring write that fails puts the CQ in error; what is behind it stays invisible") {
    // Three sends at once; the write of the second fails.
    Trace trace;
    LegalStream::Options options;
    options.in_flight = 3;
    LegalStream stream(options, trace.sink());
    for (std::uint32_t i = 0; i < 3; ++i) {
        stream.post(0, QueueKind::Send, true);
    }
    for (std::uint32_t i = 0; i < 3; ++i) {
        stream.complete(0, QueueKind::Send);
    }
    stream.settle();
    stream.poll(0, 1);
    stream.end();
    const auto make = [&trace](Kind kind, std::uint8_t state, std::uint64_t a) {
        Record record;
        record.kind = kind;
        record.time_ps = trace.nth(Kind::Outcome, 1).time_ps;
        record.state = state;
        record.a = a;
        return record;
    };
    Record cq_err = make(Kind::Async, static_cast<std::uint8_t>(AsyncEvent::CqErr), 0);
    cq_err.cqn = Cqn{0};
    Record to_err = make(Kind::QpState,
                         static_cast<std::uint8_t>(QpState::Err),
                         static_cast<std::uint64_t>(QpState::Rts));
    Record fatal = make(Kind::Async, static_cast<std::uint8_t>(AsyncEvent::QpFatal), 0);
    to_err.qpn = fatal.qpn = Qpn{0};
    for (const std::size_t n : {1U, 2U}) {
        Record& outcome = trace.nth(Kind::Outcome, n);
        outcome.state = static_cast<std::uint8_t>(Outcome::Lost);
        outcome.a =
            static_cast<std::uint64_t>(n == 1 ? LostCause::WriteFailed : LostCause::CqError);
    }
    trace.erase(Kind::CqeVisible, 2);
    trace.erase(Kind::CqeVisible, 1);
    const auto at = static_cast<std::ptrdiff_t>(trace.position(Kind::Outcome, 1));
    Trace fatal_first = trace;
    trace.records().insert(trace.records().begin() + at, {cq_err, to_err, fatal});
    CHECK(failed(trace).empty());

    // When the QPs and the CQ are gone, what happened to them had the same reasons.
    fatal_first.records().insert(fatal_first.records().begin() + at, {to_err, fatal, cq_err});
    for (const Trace& life : {trace, fatal_first}) {
        CHECK(failed(life).empty());
        CHECK(failed(destroyed(life)).empty());
    }
    Trace causeless = fatal_first;
    causeless.nth(Kind::Outcome, 1).state = static_cast<std::uint8_t>(Outcome::Granted);
    causeless.nth(Kind::Outcome, 1).a = 0;
    causeless.nth(Kind::Outcome, 2).state = static_cast<std::uint8_t>(Outcome::Granted);
    causeless.nth(Kind::Outcome, 2).a = 0;
    CHECK(failed(destroyed(causeless)) == Rules{"S5.3e"});

    Trace silent = trace;  // S5.3b: and it is raised
    silent.erase(Kind::Async, 0);
    CHECK(failed(silent) == Rules{"S5.3b"});
    Trace early = trace;  // the answer may have come with the slot (D4): the hole and CQ_ERR tell
    for (const std::size_t n : {1U, 2U}) {
        early.nth(Kind::Outcome, n).state = static_cast<std::uint8_t>(Outcome::Granted);
        early.nth(Kind::Outcome, n).a = 0;
    }
    CHECK(failed(early).empty());
    Trace whole = early;  // S5.3b: all entries became visible, so no write failed
    for (const std::size_t n : {1U, 2U}) {
        Record visible = whole.nth(Kind::CqeWrite, n);
        visible.kind = Kind::CqeVisible;
        visible.time_ps = whole.nth(Kind::Outcome, n).time_ps;
        const auto place = static_cast<std::ptrdiff_t>(whole.position(Kind::Outcome, n));
        whole.records().insert(whole.records().begin() + place, visible);
    }
    CHECK(failed(whole) == Rules{"S5.3b"});
    Trace granted = trace;  // S3.6: without a failed write an entry that stays invisible is a fault
    granted.nth(Kind::Outcome, 1).state = static_cast<std::uint8_t>(Outcome::Granted);
    granted.nth(Kind::Outcome, 1).a = 0;
    granted.nth(Kind::Outcome, 2).state = static_cast<std::uint8_t>(Outcome::Granted);
    granted.nth(Kind::Outcome, 2).a = 0;
    for (int i = 0; i < 2; ++i) {
        granted.erase(Kind::Async, 0);
    }
    granted.erase(Kind::QpState, 0);
    CHECK(failed(granted) == Rules{"S3.6"});
    Trace taken = trace;  // S5.3c: an entry after the failed write
    const Record end = taken.records().back();
    taken.records().pop_back();
    Trace more;
    LegalStream later({}, more.sink());
    for (std::uint32_t i = 0; i < 4; ++i) {
        later.post(0, QueueKind::Send, true);
        later.complete(0, QueueKind::Send);
    }
    for (const Kind kind : {Kind::Post, Kind::Complete, Kind::Request, Kind::Grant, Kind::Slot}) {
        Record record = more.nth(kind, 3);
        record.time_ps = end.time_ps;
        taken.add(record);
    }
    taken.add(end);
    CHECK(verdict_of(taken).checked("S5.3c") != 0);
    const Rules rules = verdict_of(taken).failed;
    CHECK(std::count(rules.begin(), rules.end(), "S5.3c") == 1);
}

TEST_CASE("S5.3a a CQ without an error that refuses as if it had one") {
    Trace trace = overrun_trace();
    trace.nth(Kind::Overrun, 0).state = static_cast<std::uint8_t>(LostCause::CqError);
    trace.nth(Kind::Outcome, 4).a = static_cast<std::uint64_t>(LostCause::CqError);
    CHECK(failed(trace) == Rules{"S5.3a", "S5.3b"});
}

TEST_CASE("S3.14 an overrun by another consumer index than was published") {
    Trace trace = overrun_trace();
    trace.nth(Kind::Overrun, 0).a = 1;
    CHECK(failed(trace) == Rules{"S3.14"});
}

TEST_CASE("S5.3b CQ_ERR that is missing, doubled, or without a reason") {
    Trace missing = overrun_trace();
    missing.erase(Kind::Async, 0);
    CHECK(failed(missing) == Rules{"S5.3b"});
    Trace doubled = overrun_trace();
    doubled.duplicate(Kind::Async, 0);
    CHECK(failed(doubled) == Rules{"S5.3b"});
    Trace healthy = sends(1, true);
    Record event = healthy.nth(Kind::End, 0);
    event.kind = Kind::Async;
    event.state = static_cast<std::uint8_t>(AsyncEvent::CqErr);
    event.cqn = Cqn{0};
    healthy.records().insert(healthy.records().end() - 1, event);
    CHECK(failed(healthy) == Rules{"S5.3b"});
}

TEST_CASE("S5.3c a CQ in error that takes an entry after it was drained") {
    CHECK(failed(overrun_trace(true)) == Rules{"S5.3c"});
}

TEST_CASE("S5.3d a QP whose completion was refused stays as it was") {
    Trace state = overrun_trace();
    state.erase(Kind::QpState, 0);
    CHECK(failed(state) == Rules{"S5.3d"});
    Trace event = overrun_trace();
    event.erase(Kind::Async, 1);
    CHECK(failed(event) == Rules{"S5.3d"});
    Trace twice = overrun_trace();
    twice.duplicate(Kind::Async, 1);
    CHECK(failed(twice) == Rules{"S5.3d"});
}

TEST_CASE("S5.3e QP_FATAL at a QP that has not tried to use the CQ in error") {
    Trace never = overrun_trace();  // QP 2 never does
    Record event = never.nth(Kind::Async, 1);
    event.qpn = Qpn{2};
    never.records().insert(
        never.records().begin() + static_cast<std::ptrdiff_t>(never.position(Kind::Async, 1)),
        event);
    CHECK(failed(never) == Rules{"S5.3e"});
    Trace early = overrun_trace();  // QP 1 does later
    Record& fatal = early.nth(Kind::Async, 2);
    Record moved = fatal;
    moved.time_ps = early.nth(Kind::Async, 1).time_ps;
    early.erase(Kind::Async, 2);
    early.records().insert(
        early.records().begin() + static_cast<std::ptrdiff_t>(early.position(Kind::Async, 1)),
        moved);
    CHECK(failed(early) == Rules{"S5.3e"});
}

TEST_CASE("S5.3f a refused completion that is answered as delivered") {
    Trace trace = overrun_trace();
    Record& outcome = trace.nth(Kind::Outcome, 4);
    outcome.state = static_cast<std::uint8_t>(Outcome::Granted);
    outcome.a = 0;
    CHECK(failed(trace) == Rules{"S5.3f"});
}

}  // namespace cqsim::tb
