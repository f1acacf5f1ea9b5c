// SPDX-License-Identifier: Apache-2.0
// Each check of work queues fails on a trace with its one fault, and names its rule.
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

#include <cstring>

namespace cqsim::tb {
namespace {

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
    // S1.11: with this status the QP may run on.
    trace.nth(Kind::Complete, 2).state = static_cast<std::uint8_t>(WcStatus::GeneralErr);
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

TEST_CASE("S2.18 a QP in error one queue of which is never flushed") {
    Trace trace = flush_trace();
    std::vector<Record>& records = trace.records();
    records.erase(records.begin() + static_cast<std::ptrdiff_t>(trace.position(Kind::Flush, 1)),
                  records.begin() + static_cast<std::ptrdiff_t>(trace.position(Kind::End, 0)));
    trace.nth(Kind::End, 0).serial = 1;  // its one receive is open
    CHECK(failed(trace) == Rules{"S2.18"});
    trace.nth(Kind::End, 0).state = static_cast<std::uint8_t>(EndReason::End);
    CHECK(failed(trace).empty());  // it may have come to that later
}

TEST_CASE("S2.18 a QP that does not go to ERR when a request of it failed") {
    for (const WcStatus status : {WcStatus::RetryExcErr, WcStatus::GeneralErr}) {
        Trace trace;
        LegalStream stream({}, trace.sink());
        stream.post(0, QueueKind::Send, false);
        stream.complete(0, QueueKind::Send, status);
        stream.end();
        // S1.11: not every status says that the QP is in error.
        CHECK(failed(trace) == (status == WcStatus::RetryExcErr ? Rules{"S2.18"} : Rules{}));
    }
}

TEST_CASE("S2.19 a success after a failed request of the same work queue") {
    Trace trace;
    LegalStream stream({}, trace.sink());
    stream.post(0, QueueKind::Send, false);
    stream.post(0, QueueKind::Send, false);
    stream.complete(0, QueueKind::Send, WcStatus::RetryExcErr);
    stream.complete(0, QueueKind::Send);
    stream.end();
    CHECK(failed(trace) == Rules{"S2.19", "S2.18"});  // and the QP did not go to ERR
}

TEST_CASE("S2.19 S1.11 a status after which the QP runs on stops nothing") {
    // S2.15: on the receive queue also these two.
    const auto runs_on = [](QueueKind queue, WcStatus status) {
        Trace trace;
        LegalStream::Options options;
        options.type = status == WcStatus::GeneralErr ? QpType::Rc : QpType::Uc;
        LegalStream stream(options, trace.sink());
        for (std::uint32_t i = 0; i < 4; ++i) {
            stream.post(0, queue, false);
        }
        stream.complete(0, queue, status);
        stream.complete(0, queue);
        stream.complete(0, queue);
        stream.fail(0, queue, WcStatus::LocProtErr);  // for another reason
        stream.end();
        return failed(trace);
    };
    CHECK(runs_on(QueueKind::Send, WcStatus::GeneralErr).empty());
    CHECK(runs_on(QueueKind::Receive, WcStatus::GeneralErr).empty());
    CHECK(runs_on(QueueKind::Receive, WcStatus::RemAbortErr).empty());
    CHECK(runs_on(QueueKind::Receive, WcStatus::RemInvReqErr).empty());
}

TEST_CASE("S2.19 a success after GENERAL_ERR of a QP that did go to ERR") {
    Trace trace;
    LegalStream stream({}, trace.sink());
    for (std::uint32_t i = 0; i < 3; ++i) {
        stream.post(0, QueueKind::Send, false);
    }
    stream.fail(0, QueueKind::Send, WcStatus::GeneralErr);
    stream.end();
    CHECK(failed(trace).empty());
    Record& success = trace.nth(Kind::Complete, 1);
    success.state = static_cast<std::uint8_t>(WcStatus::RetryExcErr);
    success.flags = 0;
    const Rules rules = failed(trace);
    REQUIRE(!rules.empty());
    CHECK(rules.front() == "S2.19");
}

TEST_CASE("S2.19 a failure of one work queue does not stop the other before the QP is in ERR") {
    Trace trace;
    LegalStream stream({}, trace.sink());
    stream.post(0, QueueKind::Send, false);
    stream.post(0, QueueKind::Send, true);
    stream.post(0, QueueKind::Receive, false);
    stream.complete(0, QueueKind::Send, WcStatus::GeneralErr);
    stream.complete(0, QueueKind::Receive, WcStatus::LocProtErr);
    stream.complete(0, QueueKind::Send);
    stream.end();
    CHECK(failed(trace) == Rules{"S2.18"});  // the receive did not move the QP to ERR
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
    format.cqe_format = "thin";
    CHECK_THROWS_WITH(check::RuleCheckers(format), Catch::Contains("thin"));
    check::Settings width;
    width.index_width = 33;
    CHECK_THROWS_WITH(check::RuleCheckers(width), Catch::Contains("33"));
}

}  // namespace cqsim::tb
