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
