// SPDX-License-Identifier: Apache-2.0
// S7.7 each check of a sweep fails on a trace with its one fault.
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace cqsim::tb {
namespace {

/// On a CQ of 4 that is in its second lap: B A B A, with A = QP 0 destroyed and swept, and B = QP 1
/// polled. The sweep writes the second B into the last slot and the first into the one before.
Trace swept(bool sweeps = true) {
    Trace trace;
    LegalStream::Options options;
    options.qps = 2;
    options.depth = 4;
    LegalStream stream(options, trace.sink());
    const auto send = [&stream](std::uint32_t qp) {
        stream.post(qp, QueueKind::Send, true);
        stream.complete(qp, QueueKind::Send);
    };
    for (int i = 0; i < 3; ++i) {
        send(1);
    }
    stream.poll(0, 4);
    for (const std::uint32_t qp : {1U, 0U, 1U, 0U}) {
        send(qp);
    }
    stream.destroy_qp(0, DestroyPhase::Begun);
    stream.destroy_qp(0, DestroyPhase::Done);
    if (sweeps) {
        stream.sweep(0, 0);
    }
    stream.poll(0, 4);
    send(1);
    stream.poll(0, 4);
    stream.end();
    return trace;
}

/// A A B with A swept: nothing is rewritten, the consumer index skips two.
Trace skipped(std::uint32_t victim) {
    Trace trace;
    LegalStream::Options options;
    options.qps = 2;
    LegalStream stream(options, trace.sink());
    for (const std::uint32_t qp : {0U, 0U, 1U}) {
        stream.post(qp, QueueKind::Send, true);
        stream.complete(qp, QueueKind::Send);
    }
    stream.destroy_qp(victim, DestroyPhase::Begun);
    stream.destroy_qp(victim, DestroyPhase::Done);
    stream.sweep(0, 0);
    stream.poll(0, 4);
    stream.end();
    return trace;
}

/// The bytes of a sweep, of a QP that is not there.
void rename(Trace& trace, std::size_t n, std::uint8_t qp) {
    Record& sweep = trace.nth(Kind::Sweep, n);
    trace.own_bytes(sweep)[8] = std::byte{qp};
    sweep.qpn = Qpn{qp};
}

}  // namespace

TEST_CASE("S7.7 a sweep keeps the entries of other QPs") {
    Trace trace = swept();
    REQUIRE(trace.count(Kind::Sweep) == 2);
    check_legal(trace, {"S7.7"});
    check_legal(skipped(0), {"S7.7"});
    CHECK(failed(swept(false)).empty());  // S7.2: none is as good; the entries stay and are polled
}

TEST_CASE("S7.7 a sweep that changes, loses or doubles an entry of another QP") {
    Trace changed = swept();
    changed.own_bytes(changed.nth(Kind::Sweep, 0))[0] ^= std::byte{1};
    CHECK(failed(changed).front() == "S7.7");
    Trace renamed = swept();
    rename(renamed, 0, 0);
    CHECK(failed(renamed).front() == "S7.7");
    Trace doubled = swept();  // the second B in both slots
    Record& sweep = doubled.nth(Kind::Sweep, 1);
    const std::byte owner = sweep.bytes[63];
    const Record& source = doubled.nth(Kind::Sweep, 0);
    std::byte* bytes = doubled.own_bytes(sweep);
    std::copy(source.bytes, source.bytes + 63, bytes);
    bytes[63] = owner;
    CHECK(failed(doubled).front() == "S7.7");
}

TEST_CASE("S7.7 a sweep that turns the order of entries round") {
    Trace trace = swept();
    Record& first = trace.nth(Kind::Sweep, 0);
    Record& second = trace.nth(Kind::Sweep, 1);
    std::byte* left = trace.own_bytes(first);
    std::byte* right = trace.own_bytes(second);
    std::swap_ranges(left, left + 63, right);
    // Both are right for their slots, and software polls them in their new order.
    std::byte* polled = trace.own_bytes(trace.nth(Kind::Poll, 3));
    std::byte* behind = trace.own_bytes(trace.nth(Kind::Poll, 4));
    std::swap_ranges(polled, polled + 63, behind);
    std::swap(trace.nth(Kind::Poll, 3).wr_id, trace.nth(Kind::Poll, 4).wr_id);
    CHECK(failed(trace) == Rules{"S7.7"});
}

TEST_CASE("S7.7 a sweep that leaves the owner bit of the slot an entry came from") {
    Trace trace = swept();
    // From slot 0 of the second lap (owner 1) into slot 1 ... the first B came from lap 0.
    Record& sweep = trace.nth(Kind::Sweep, 1);
    trace.own_bytes(sweep)[63] ^= std::byte{1};
    const Rules rules = failed(trace);
    REQUIRE_FALSE(rules.empty());
    CHECK(rules.front() == "S7.7");
}

TEST_CASE("S7.7 a sweep of a QP that lives") {
    CHECK(failed(skipped(1)) == Rules{"S3.7"});  // nothing of it is a sweep: entries are skipped
    Trace trace = swept();
    trace.erase(Kind::Destroy, 1);
    trace.erase(Kind::Destroy, 0);
    CHECK(failed(trace) == Rules{"S7.7"});
}

TEST_CASE("S7.7 a consumer index that does not move by what was taken out") {
    for (const int by : {-1, 1}) {
        Trace trace = swept();
        trace.nth(Kind::Ci, 1).index += static_cast<std::uint32_t>(by);
        CHECK(failed(trace).front() == "S7.7");
    }
    Trace still = swept();
    still.nth(Kind::Ci, 1).index -= 2;
    CHECK(failed(still).front() == "S7.7");
}

TEST_CASE("S7.7 an entry that is rewritten after the consumer index was published") {
    Trace trace = swept();
    Record late = trace.nth(Kind::Sweep, 1);
    late.time_ps = trace.nth(Kind::Ci, 1).time_ps;
    trace.erase(Kind::Sweep, 1);
    trace.records().insert(
        trace.records().begin() + static_cast<std::ptrdiff_t>(trace.position(Kind::Ci, 1)) + 1,
        late);
    CHECK(failed(trace).front() == "S7.7");
    Trace never = swept();
    never.erase(Kind::Ci, 1);
    CHECK(failed(never).back() == "S7.7");
}

TEST_CASE("S7.7 a sweep that rewrites a slot that the device owns") {
    Trace trace = swept();
    Record& sweep = trace.nth(Kind::Sweep, 0);
    sweep.a += 64;
    CHECK(failed(trace).front() == "S7.7");
}

namespace {

/// Three entries of a CQ of 4, read and returned, and one more behind them; a slot is overwritten
/// with ones: that of the `polled`-th of the three, before or after they were returned.
Trace filled(std::size_t polled, bool returned, std::uint64_t beside = 0) {
    Trace trace;
    LegalStream::Options options;
    options.qps = 1;
    options.depth = 4;
    LegalStream stream(options, trace.sink());
    const auto send = [&stream] {
        stream.post(0, QueueKind::Send, true);
        stream.complete(0, QueueKind::Send);
    };
    send();
    send();
    send();
    stream.poll(0, 4);
    send();
    send();
    stream.poll(0, 4);
    stream.end();
    Record fill = trace.nth(Kind::Poll, polled);
    std::byte* bytes = trace.own_bytes(fill);
    std::fill(bytes, bytes + fill.b, std::byte{0xFF});
    fill.kind = Kind::Sweep;
    fill.time_ps = trace.nth(Kind::Ci, 0).time_ps;
    fill.a += beside;
    const std::size_t place = trace.position(Kind::Ci, 0) + (returned ? 1 : 0);
    trace.records().insert(trace.records().begin() + static_cast<std::ptrdiff_t>(place), fill);
    return trace;
}

}  // namespace

TEST_CASE("S3.8 software overwrites a slot that it has read: its own until it returns it") {
    for (const std::size_t polled : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
        check_legal(filled(polled, false), {"S3.8"});
        CHECK(failed(filled(polled, true)) == Rules{"S7.7"});
    }
    CHECK(failed(filled(3, false)) == Rules{"S7.7"});  // not written yet
    CHECK(failed(filled(0, false, 32)) == Rules{"S7.7"});
}

}  // namespace cqsim::tb
