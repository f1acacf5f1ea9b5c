// SPDX-License-Identifier: Apache-2.0
// Each check of work queues and errors fails on a trace with its one fault, and names its rule.
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

#include <cstring>

namespace cqsim::tb {
namespace {

using Rules = std::vector<std::string>;

Rules failed(const Trace& trace) {
    const Verdict verdict = verdict_of(trace);
    for (const check::Failure& failure : verdict.failures) {
        UNSCOPED_INFO(failure.rule << " " << failure.object << ": " << failure.text);
    }
    return verdict.failed;
}

// One QP: `count` sends, each posted and completed before the next.
Trace sends(std::uint32_t count, bool signaled) {
    Trace trace;
    LegalStream stream({}, trace.sink());
    for (std::uint32_t i = 0; i < count; ++i) {
        stream.post(0, QueueKind::Send, signaled);
        stream.complete(0, QueueKind::Send);
        stream.poll(0, 1);
    }
    stream.end();
    return trace;
}

// A CQ of 4 is filled by QP 0; QP 0 overruns it; software drains it; QP 1 finds it in error.
Trace overrun_trace(bool resumes = false) {
    Trace trace;
    LegalStream::Options options;
    options.qps = 3;
    options.depth = 4;
    options.resumes_after_error = resumes;
    LegalStream stream(options, trace.sink());
    for (std::uint32_t i = 0; i < 5; ++i) {
        stream.post(0, QueueKind::Receive, false);
        stream.complete(0, QueueKind::Receive);
    }
    stream.poll(0, 4);
    stream.post(1, QueueKind::Receive, false);
    stream.complete(1, QueueKind::Receive);
    stream.end();
    return trace;
}

// QP 0 fails with two more sends and a receive open.
Trace flush_trace() {
    Trace trace;
    LegalStream stream({}, trace.sink());
    for (std::uint32_t i = 0; i < 3; ++i) {
        stream.post(0, QueueKind::Send, false);
    }
    stream.post(0, QueueKind::Receive, false);
    stream.fail(0, QueueKind::Send, WcStatus::RetryExcErr);
    stream.end();
    return trace;
}

void set_opcode(Trace& trace, std::size_t n, WcOpcode opcode) {
    trace.own_bytes(trace.nth(Kind::Complete, n))[offsetof(CompletionDetails, opcode)] =
        static_cast<std::byte>(opcode);
}

}  // namespace

TEST_CASE("legal traces of sends, an overrun, a flush pass") {
    CHECK(failed(sends(4, true)).empty());
    CHECK(failed(sends(4, false)).empty());
    CHECK(failed(overrun_trace()).empty());
    CHECK(failed(flush_trace()).empty());
}

TEST_CASE("S1.15 a send that completes with the opcode of another request") {
    Trace trace = sends(3, false);
    set_opcode(trace, 1, WcOpcode::RdmaRead);
    CHECK(failed(trace) == Rules{"S1.15"});
}

TEST_CASE("S2.1 a signaled send that the tap holds back") {
    Trace trace = sends(3, false);
    trace.nth(Kind::Post, 1).flags = kSignaled;
    trace.nth(Kind::Complete, 1).flags = kSignaled;
    CHECK(failed(trace) == Rules{"S2.1"});
}

TEST_CASE("S2.1 with sq_sig_all no send is held back") {
    Trace trace = sends(1, false);
    trace.nth(Kind::Create, 1).flags = kSigAll;
    CHECK(failed(trace) == Rules{"S2.1"});
}

TEST_CASE("S2.1 a successful unsignaled send that is reported") {
    Trace trace = sends(3, true);
    trace.nth(Kind::Post, 1).flags = 0;
    trace.nth(Kind::Complete, 1).flags = 0;
    CHECK(failed(trace) == Rules{"S2.1"});
}

TEST_CASE("S2.2 a failed unsignaled send that the tap holds back") {
    Trace trace = sends(3, false);
    trace.nth(Kind::Complete, 2).state = static_cast<std::uint8_t>(WcStatus::RetryExcErr);
    CHECK(failed(trace) == Rules{"S2.2"});
}

TEST_CASE("S2.4 sends that complete out of post order") {
    Trace trace;
    LegalStream stream({}, trace.sink());
    for (std::uint32_t i = 0; i < 3; ++i) {
        stream.post(0, QueueKind::Send, false);
    }
    for (std::uint32_t i = 0; i < 3; ++i) {
        stream.complete(0, QueueKind::Send);
    }
    stream.end();
    REQUIRE(failed(trace).empty());
    for (const Kind kind : {Kind::Complete, Kind::Suppress, Kind::Outcome}) {
        trace.swap(kind, 0, 1);
    }
    CHECK(failed(trace) == Rules{"S2.4"});
}

TEST_CASE("S2.4 a request index that is left out") {
    Trace trace = sends(4, false);
    for (const Kind kind : {Kind::Post, Kind::Complete, Kind::Suppress, Kind::Outcome}) {
        trace.erase(kind, 2);
    }
    CHECK(failed(trace) == Rules{"S2.4"});
}

TEST_CASE("S2.9 a receive that the tap holds back") {
    Trace trace = sends(2, false);
    for (const Kind kind : {Kind::Post, Kind::Complete, Kind::Suppress, Kind::Outcome}) {
        trace.nth(kind, 1).queue = QueueKind::Receive;
    }
    set_opcode(trace, 1, WcOpcode::Recv);
    CHECK(failed(trace) == Rules{"S2.9"});
}

TEST_CASE("S2.9 a receive that is reported twice") {
    Trace trace = overrun_trace();
    const Record again = trace.nth(Kind::Slot, 2);
    trace.nth(Kind::Slot, 3).serial = again.serial;  // in place of receive 3
    trace.nth(Kind::Slot, 3).a = again.a;
    CHECK(failed(trace).front() == "S2.9");
}

TEST_CASE("S2.18 a queue that is flushed although its QP is not in error") {
    Trace trace = flush_trace();
    trace.erase(Kind::QpState, 0);
    CHECK(failed(trace) == Rules{"S2.18", "S2.18"});  // send and receive queue
}

TEST_CASE("S2.18 a flush that leaves a request out, or has another status") {
    Trace first = flush_trace();
    first.nth(Kind::Flush, 0).index += 1;
    CHECK(failed(first) == Rules{"S2.18"});
    Trace count = flush_trace();
    count.nth(Kind::Flush, 0).a -= 1;
    CHECK(failed(count) == Rules{"S2.18"});
    Trace status = flush_trace();
    status.nth(Kind::Complete, 1).flags = 0;
    CHECK(failed(status) == Rules{"S2.18"});
}

TEST_CASE("S2.19 a success after a failed request of the same work queue") {
    Trace trace;
    LegalStream stream({}, trace.sink());
    stream.post(0, QueueKind::Send, false);
    stream.post(0, QueueKind::Send, false);
    stream.complete(0, QueueKind::Send, WcStatus::RetryExcErr);
    stream.complete(0, QueueKind::Send);
    stream.end();
    CHECK(failed(trace) == Rules{"S2.19"});
}

TEST_CASE("S3.9 a completion in the CQ of another queue") {
    Trace trace = sends(1, true);
    trace.nth(Kind::Create, 1).a = 1;  // send_cq; there is CQ 0 only
    CHECK(failed(trace) == Rules{"S3.9"});
}

TEST_CASE("S3.10 two completions of a work queue that overtake each other") {
    Trace trace;
    LegalStream::Options options;
    options.in_flight = 4;
    LegalStream stream(options, trace.sink());
    stream.post(0, QueueKind::Receive, false);
    stream.post(0, QueueKind::Receive, false);
    stream.complete(0, QueueKind::Receive);
    stream.complete(0, QueueKind::Receive);
    stream.end();
    // Complete 0, Complete 1, then all that follows of 1 before all of 0.
    std::vector<Record>& records = trace.records();
    std::rotate(
        records.begin() + static_cast<std::ptrdiff_t>(trace.position(Kind::Request, 0)),
        records.begin() + static_cast<std::ptrdiff_t>(trace.position(Kind::Complete, 1)),
        records.begin() + static_cast<std::ptrdiff_t>(trace.position(Kind::Complete, 1)) + 1);
    for (const Kind kind : {Kind::Request, Kind::Grant, Kind::Slot}) {
        std::swap(trace.nth(kind, 0).serial, trace.nth(kind, 1).serial);
    }
    std::swap(trace.nth(Kind::Slot, 0).a, trace.nth(Kind::Slot, 1).a);
    for (const Kind kind : {Kind::CqeWrite, Kind::CqeVisible}) {
        std::swap(trace.nth(kind, 0).wr_id, trace.nth(kind, 1).wr_id);
        std::swap(trace.nth(kind, 0).bytes, trace.nth(kind, 1).bytes);
    }
    trace.swap(Kind::Outcome, 0, 1);
    // The rotation moved a record in time.
    for (std::size_t i = 1; i < records.size(); ++i) {
        records[i].time_ps = std::max(records[i].time_ps, records[i - 1].time_ps);
    }
    CHECK(failed(trace) == Rules{"S3.10"});
}

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

TEST_CASE("D4 a request without an answer, with two, or miscounted at the end") {
    Trace none = sends(3, true);
    none.erase(Kind::Outcome, 1);
    CHECK(failed(none) == Rules{"D4", "D4"});  // the count at the end, and the queue by name
    Trace two = sends(3, true);
    two.duplicate(Kind::Outcome, 1);
    CHECK(failed(two) == Rules{"D4"});
    Trace counted = sends(3, true);
    counted.nth(Kind::End, 0).a = 1;
    CHECK(failed(counted) == Rules{"D4"});
    Trace astray = sends(3, true);
    astray.erase(Kind::Grant, 1);
    CHECK(failed(astray).front() == "D4");
}

TEST_CASE("D4 the ends of all requests add up") {
    const Trace trace = overrun_trace();
    check::RuleCheckers checkers(check::Settings{});
    checkers.observe({trace.records().data(), trace.records().size()});
    checkers.finish();
    const check::Ends& ends = checkers.ends(QueueKind::Receive);
    CHECK(ends.posted == 6);
    CHECK(ends.reported == 4);
    CHECK(ends.lost == 2);
    CHECK(ends.open() == 0);
}

TEST_CASE("D6 records without an end, after the end, back in time, or of nobody") {
    Trace cut = sends(2, true);
    cut.erase(Kind::End, 0);
    CHECK(failed(cut) == Rules{"D6"});
    Trace after = sends(2, true);
    Record late = after.nth(Kind::Ci, 1);
    late.time_ps = after.records().back().time_ps;
    after.records().push_back(late);
    CHECK(failed(after) == Rules{"D6"});
    Trace back = sends(2, true);
    back.nth(Kind::Ci, 1).time_ps = 0;
    CHECK(failed(back) == Rules{"D6"});
    Trace no_queue = sends(2, true);
    no_queue.nth(Kind::Post, 1).queue = static_cast<QueueKind>(2);
    CHECK(failed(no_queue).front() == "D6");
    Trace nobody = sends(2, true);
    nobody.erase(Kind::Create, 0);
    CHECK(failed(nobody) == Rules{"D6"});
    Trace no_qp = sends(2, true);
    no_qp.erase(Kind::Create, 1);
    CHECK(failed(no_qp) == Rules{"D6"});
}

TEST_CASE("D6 a monitor that decodes something else than the bytes say") {
    Trace trace = sends(2, true);
    trace.nth(Kind::CqeWrite, 1).wr_id += 1;
    CHECK(failed(trace) == Rules{"D6"});
}

TEST_CASE("a fault is told with its rule, time, object and values; at most 100 are kept") {
    Trace trace = sends(200, true);
    for (std::size_t n = 0; n < 150; ++n) {
        trace.nth(Kind::Ci, n).a += 8;
    }
    check::Settings settings;
    settings.names.cq = [](Cqn) { return "shared"; };
    check::RuleCheckers checkers(settings);
    checkers.observe({trace.records().data(), trace.records().size()});
    checkers.finish();
    REQUIRE(checkers.failures().size() == 100);
    CHECK(checkers.failed() >= 150);
    const check::Failure& failure = checkers.failures().front();
    CHECK(failure.rule == "S3.1");
    CHECK(failure.time_ps == trace.nth(Kind::Ci, 0).time_ps);
    CHECK(failure.object == "cq.shared");
    CHECK(failure.text ==
          "consumer index written to 0x8000008; the doorbell record is at 0x8000000");
}

TEST_CASE("a format or a width that the checkers do not know is refused") {
    check::Settings format;
    format.cqe_format = "mlx5";
    CHECK_THROWS_WITH(check::RuleCheckers(format), Catch::Contains("mlx5"));
    check::Settings width;
    width.index_width = 33;
    CHECK_THROWS_WITH(check::RuleCheckers(width), Catch::Contains("33"));
}

}  // namespace cqsim::tb
