// SPDX-License-Identifier: Apache-2.0
// Each clause about what ends in ERR (S2.18), about the order of flushes (S2.21) and about drains
// (S7.6) fails on a trace with its one fault, and names its rule.
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

#include <string_view>

namespace cqsim::tb {
namespace {

check::Settings flushing(QueueKind first) {
    check::Settings settings;
    settings.flush_order = first == QueueKind::Send ? "sq_then_rq" : "rq_then_sq";
    return settings;
}

constexpr QueueKind other_than(QueueKind queue) {
    return queue == QueueKind::Send ? QueueKind::Receive : QueueKind::Send;
}

/// A QP with two requests in each queue goes to ERR; each letter flushes the oldest request of a
/// queue, S or R, or posts one, s or r.
Trace flushed_as(std::string_view letters) {
    Trace trace;
    LegalStream::Options options;
    options.depth = 32;
    LegalStream stream(options, trace.sink());
    stream.state(0, QpState::Rts);
    for (int i = 0; i < 2; ++i) {
        stream.post(0, QueueKind::Send, false);
        stream.post(0, QueueKind::Receive, false);
    }
    stream.state(0, QpState::Err);
    for (const char letter : letters) {
        const bool sends = letter == 's' || letter == 'S';
        const QueueKind queue = sends ? QueueKind::Send : QueueKind::Receive;
        if (letter == 's' || letter == 'r') {
            stream.post(0, queue, false);
        } else {
            stream.flush(0, queue, 1);
        }
    }
    stream.end(EndReason::End);
    return trace;
}

}  // namespace

TEST_CASE("S2.21 a drain by markers under either order passes, and says nothing under none") {
    for (const QueueKind first : {QueueKind::Send, QueueKind::Receive}) {
        const Trace trace = drained_trace(first);
        check_legal(trace, {"S2.21", "S7.6"}, flushing(first));
        CHECK(failed(trace, flushing(other_than(first))) == Rules{"S2.21"});  // said once
        const Verdict verdict = verdict_of(trace);
        CHECK(verdict.failed.empty());
        CHECK(verdict.checked("S2.21") == 0);
    }
}

TEST_CASE("S2.21 the second queue flushes while the first holds what it had at the failure") {
    const auto send = flushing(QueueKind::Send);
    const auto receive = flushing(QueueKind::Receive);
    check_legal(flushed_as("SSRR"), {"S2.21"}, send);
    check_legal(flushed_as("RRSS"), {"S2.21"}, receive);
    for (const char* const early : {"R", "SR", "SRSR", "sSR"}) {
        INFO(early);
        CHECK(failed(flushed_as(early), send) == Rules{"S2.21"});
    }
    for (const char* const early : {"S", "RS", "RSRS", "rRS"}) {
        INFO(early);
        CHECK(failed(flushed_as(early), receive) == Rules{"S2.21"});
    }
}

TEST_CASE("S2.21 what is posted in ERR keeps the other queue from nothing") {
    check_legal(flushed_as("sSSRSR"), {"S2.21"}, flushing(QueueKind::Send));
    check_legal(flushed_as("SSsRRS"), {"S2.21"}, flushing(QueueKind::Send));
    check_legal(flushed_as("rRRSRS"), {"S2.21"}, flushing(QueueKind::Receive));
    // Nor does what is posted behind what waits: only what the first queue held counts.
    check_legal(flushed_as("rSSRRR"), {"S2.21"}, flushing(QueueKind::Send));
}

TEST_CASE("S2.21 S2.20 a receive that was in progress ends with its own status, in no order") {
    Trace trace;
    LegalStream stream({}, trace.sink());
    stream.state(0, QpState::Rts);
    stream.post(0, QueueKind::Send, false);
    stream.post(0, QueueKind::Receive, false);
    stream.post(0, QueueKind::Receive, false);
    stream.state(0, QpState::Err);
    stream.complete(0, QueueKind::Receive, WcStatus::LocProtErr);
    stream.flush(0, QueueKind::Send);
    stream.flush(0, QueueKind::Receive);
    stream.end();
    check_legal(trace, {"S2.21"}, flushing(QueueKind::Send));
}

TEST_CASE("S2.21 an order is promised in each life anew") {
    const auto played = [](QueueKind first_of_second_life) {
        Trace trace;
        LegalStream stream({}, trace.sink());
        stream.state(0, QpState::Rts);
        stream.post(0, QueueKind::Receive, false);
        stream.post(0, QueueKind::Send, false);
        stream.complete(0, QueueKind::Send, WcStatus::RetryExcErr);  // the cause
        stream.state(0, QpState::Err);
        stream.flush(0, QueueKind::Receive);
        stream.poll(0, 8);
        stream.modify(0, QpState::Reset);
        stream.destroy_qp(0, DestroyPhase::Begun);
        stream.state(0, QpState::Reset);
        stream.destroy_qp(0, DestroyPhase::Done);
        stream.next_life(0);
        for (const QpState state : {QpState::Init, QpState::Rtr, QpState::Rts}) {
            stream.state(0, state);
        }
        stream.post(0, QueueKind::Send, false);
        stream.post(0, QueueKind::Receive, false);
        stream.state(0, QpState::Err);
        stream.flush(0, first_of_second_life);
        stream.flush(0, other_than(first_of_second_life));
        stream.end();
        return trace;
    };
    const auto settings = flushing(QueueKind::Receive);
    check_legal(played(QueueKind::Receive), {"S2.21"}, settings);
    CHECK(failed(played(QueueKind::Send), settings) == Rules{"S2.21"});
}

TEST_CASE("S7.6 software says that a QP is drained which holds a request without an end") {
    for (const QueueKind queue : {QueueKind::Send, QueueKind::Receive}) {
        Trace trace;
        LegalStream stream({}, trace.sink());
        stream.state(0, QpState::Rts);
        stream.post(0, QueueKind::Send, false);
        stream.post(0, QueueKind::Receive, false);
        stream.state(0, QpState::Err);
        stream.flush(0, other_than(queue));
        stream.poll(0, 1);
        stream.drained(0);
        stream.flush(0, queue);
        stream.end();
        CHECK(failed(trace) == Rules{"S7.6"});
        // It gave up, and claims nothing.
        trace.nth(Kind::Drain, 0).state = static_cast<std::uint8_t>(CommandResult::TimedOut);
        CHECK(failed(trace).empty());
    }
}

TEST_CASE(
    "S7.6 a QP is drained when its markers are polled, however late the pipelines hear of it") {
    Trace trace = drained_trace(QueueKind::Send);
    const std::size_t outcomes = trace.count(Kind::Outcome);
    Record answer = trace.nth(Kind::Outcome, outcomes - 1);
    trace.erase(Kind::Outcome, outcomes - 1);
    const std::size_t drain = trace.position(Kind::Drain, 0);
    answer.time_ps = trace.nth(Kind::Drain, 0).time_ps;
    trace.records().insert(trace.records().begin() + static_cast<std::ptrdiff_t>(drain) + 1,
                           answer);
    CHECK(failed(trace).empty());
}

TEST_CASE("S7.6 software says that a QP is drained while an entry of it is on its way") {
    for (const QueueKind queue : {QueueKind::Send, QueueKind::Receive}) {
        Trace trace;
        LegalStream::Options options;
        options.in_flight = 1;
        LegalStream stream(options, trace.sink());
        stream.state(0, QpState::Rts);
        stream.post(0, queue, false);
        stream.state(0, QpState::Err);
        stream.flush(0, queue);
        stream.drained(0);
        stream.end();
        CHECK(failed(trace) == Rules{"S7.6"});
    }
}

TEST_CASE("S7.6 S2.18 a marker that is not flushed leaves the QP undrained") {
    for (const QueueKind queue : {QueueKind::Send, QueueKind::Receive}) {
        Trace trace;
        LegalStream stream({}, trace.sink());
        stream.state(0, QpState::Rts);
        stream.state(0, QpState::Err);
        stream.post(0, queue, true);
        stream.drained(0);
        stream.end();
        CHECK(failed(trace) == Rules{"S7.6", "S2.18"});
    }
}

TEST_CASE("S2.18 a request that succeeds although its QP is in ERR") {
    for (const QueueKind queue : {QueueKind::Send, QueueKind::Receive}) {
        for (const bool other_failed : {false, true}) {
            Trace trace;
            LegalStream stream({}, trace.sink());
            stream.state(0, QpState::Rts);
            stream.post(0, queue, true);
            if (other_failed) {
                stream.post(0, other_than(queue), true);
                stream.complete(0, other_than(queue), WcStatus::LocProtErr);
            }
            stream.state(0, QpState::Err);
            stream.complete(0, queue);
            stream.end();
            CHECK(failed(trace) == Rules{"S2.18"});
        }
    }
}

TEST_CASE("S2.18 other QPs succeed, and so does the next life of one that was in ERR") {
    const auto played = [](std::uint32_t succeeds) {
        Trace trace;
        LegalStream::Options options;
        options.qps = 3;
        LegalStream stream(options, trace.sink());
        for (std::uint32_t qp = 0; qp < 3; ++qp) {
            stream.state(qp, QpState::Rts);
        }
        stream.state(0, QpState::Err);
        stream.state(1, QpState::Err);
        stream.modify(0, QpState::Reset);
        stream.destroy_qp(0, DestroyPhase::Begun);
        stream.state(0, QpState::Reset);
        stream.destroy_qp(0, DestroyPhase::Done);
        stream.next_life(0);
        for (const QpState state : {QpState::Init, QpState::Rtr, QpState::Rts}) {
            stream.state(0, state);
        }
        stream.post(succeeds, QueueKind::Send, true);
        stream.complete(succeeds, QueueKind::Send);
        stream.end();
        return trace;
    };
    check_legal(played(0), {});
    CHECK(failed(played(1)) == Rules{"S2.18"});
    check_legal(played(2), {});
}

TEST_CASE("S2.18 what becomes of the requests of a QP that was refused is open (S2.8)") {
    Trace trace;
    LegalStream::Options options;
    options.depth = 2;
    LegalStream stream(options, trace.sink());
    for (int i = 0; i < 4; ++i) {
        stream.post(0, QueueKind::Receive, false);
    }
    for (int i = 0; i < 4; ++i) {  // the third overruns the CQ, the fourth finds it in error
        stream.complete(0, QueueKind::Receive);
    }
    stream.end();
    check_legal(trace, {"S5.3d"});
}

TEST_CASE("S2.18 a run that stalls with nothing on its way has flushed what is in ERR") {
    Trace trace;
    LegalStream stream({}, trace.sink());
    stream.state(0, QpState::Rts);
    stream.post(0, QueueKind::Send, false);
    stream.state(0, QpState::Err);
    stream.end(EndReason::Stalled);
    CHECK(failed(trace) == Rules{"S2.18"});
    trace.nth(Kind::End, 0).state = static_cast<std::uint8_t>(EndReason::End);
    CHECK(failed(trace).empty());  // it may come
}

TEST_CASE("D4 a run that stalls has a completion without an answer, which may hold up a flush") {
    Trace trace;
    LegalStream::Options options;
    options.qps = 2;
    LegalStream stream(options, trace.sink());
    stream.state(0, QpState::Rts);
    stream.state(1, QpState::Rts);
    stream.post(0, QueueKind::Send, false);
    stream.state(0, QpState::Err);
    stream.post(1, QueueKind::Send, true);
    stream.complete(1, QueueKind::Send);
    stream.end(EndReason::Stalled);
    trace.erase(Kind::CqeVisible, 0);
    trace.erase(Kind::Outcome, 0);
    trace.nth(Kind::End, 0).a += 1;
    CHECK(failed(trace) == Rules{"D4"});
}

}  // namespace cqsim::tb
