// SPDX-License-Identifier: Apache-2.0
// Each check of rings and contents fails on a trace with its one fault, and names its rule.
#include "models/verbs/wc_field.h"
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <tuple>

namespace cqsim::tb {
namespace {

// One CQ of 8; one QP with receives and signaled sends by turns; the ring wraps twice.
Trace wrapping_trace(std::size_t in_flight = 0) {
    Trace trace;
    LegalStream::Options options;
    options.in_flight = in_flight;
    LegalStream stream(options, trace.sink());
    for (std::uint32_t i = 0; i < 10; ++i) {
        stream.post(0, QueueKind::Send, true);
        stream.post(0, QueueKind::Receive, false);
        stream.complete(0, QueueKind::Send);
        stream.complete(0, QueueKind::Receive, WcStatus::Success, i % 4 == 1 ? kWcWithImm : 0);
        if (i % 2 == 1) {
            stream.poll(0, 4);
        }
    }
    stream.settle();
    stream.poll(0, 8);
    stream.end();
    return trace;
}

// As above, but ends with a send that fails.
Trace failing_trace() {
    Trace trace;
    LegalStream stream({}, trace.sink());
    stream.post(0, QueueKind::Send, true);
    stream.complete(0, QueueKind::Send);
    stream.post(0, QueueKind::Send, false);
    stream.fail(0, QueueKind::Send, WcStatus::RetryExcErr);
    stream.poll(0, 2);
    stream.end();
    return trace;
}

// Changes the entry that is the n-th one written, in all records that show it.
template <class Value>
void change_entry(Trace& trace, std::size_t n, std::size_t at, Value value) {
    for (const Kind kind : {Kind::CqeWrite, Kind::CqeVisible, Kind::Poll}) {
        Record& record = trace.nth(kind, n);
        std::byte* bytes = trace.own_bytes(record);
        std::memcpy(bytes + at, &value, sizeof(value));
        // What the monitor decodes from it.
        std::uint32_t number = 0;
        std::memcpy(&record.wr_id, bytes, 8);
        std::memcpy(&number, bytes + 8, 4);
        record.qpn = Qpn{number};
        record.queue = static_cast<QueueKind>(std::to_integer<std::uint8_t>(bytes[63] >> 4));
        record.state = std::to_integer<std::uint8_t>(bytes[53]);
        record.flags = (bytes[63] & std::byte{1}) != std::byte{0} ? kOwner : 0;
    }
}

void change_details(Trace& trace, std::size_t n, CompletionDetails details) {
    std::memcpy(trace.own_bytes(trace.nth(Kind::Complete, n)), &details, sizeof(details));
}

CompletionDetails details_of(const Trace& trace, std::size_t n) {
    CompletionDetails details;
    std::memcpy(
        &details, trace.records()[trace.position(Kind::Complete, n)].bytes, sizeof(details));
    return details;
}

}  // namespace

TEST_CASE("a legal trace of a ring that wraps passes") {
    CHECK(failed(wrapping_trace()).empty());
    CHECK(failed(wrapping_trace(3)).empty());
    CHECK(failed(failing_trace()).empty());
}

TEST_CASE("S1.1 an entry with another wr_id, QP, queue, index or time than its request") {
    const auto with = [](std::size_t at, auto value) {
        Trace trace = wrapping_trace();
        change_entry(trace, 4, at, value);
        return failed(trace);
    };
    CHECK(with(0, std::uint64_t{0xDEAD}) == Rules{"S1.1"});
    CHECK(with(8, std::uint32_t{1}) == Rules{"S1.1"});
    CHECK(with(28, std::uint32_t{77}) == Rules{"S1.1"});
    CHECK(with(32, std::uint64_t{1}) == Rules{"S1.1"});
    CHECK(with(54, std::uint8_t{1}) == Rules{"S1.1"});     // reserved
    CHECK(with(63, std::uint8_t{0x10}) == Rules{"S1.1"});  // queue
}

TEST_CASE("S1.2 a failed entry with another status or vendor_err; what else lies there is free") {
    const auto with = [](std::size_t at, auto value) {
        Trace trace = failing_trace();
        change_entry(trace, 1, at, value);
        return failed(trace);
    };
    CHECK(with(53, std::uint8_t{13}) == Rules{"S1.2"});
    CHECK(with(24, std::uint32_t{0x94}) == Rules{"S1.2"});
    for (std::size_t at = 12; at < 24; ++at) {  // byte_len, imm_data, src_qp
        CHECK(with(at, std::uint8_t{0xDE}).empty());
    }
    for (std::size_t at = 40; at < 53; ++at) {  // srqn to opcode
        CHECK(with(at, std::uint8_t{0xDE}).empty());
    }
}

TEST_CASE("S1.2 S1.3 software that uses a field that the entry does not define") {
    const auto with = [](WcStatus status) {
        Trace trace = failing_trace();
        trace.duplicate(Kind::Poll, 1);
        Record& used = trace.nth(Kind::Poll, 1);
        used.kind = Kind::UndefinedRead;
        used.bytes = nullptr;
        used.state = static_cast<std::uint8_t>(status);
        used.a = static_cast<std::uint64_t>(WcField::Opcode);
        used.serial = 0xDE;
        return trace;
    };
    CHECK(failed(with(WcStatus::WrFlushErr)) == Rules{"S1.2"});
    CHECK(failed(with(WcStatus::Success)) == Rules{"S1.2"});
    const std::string text = verdict_of(with(WcStatus::WrFlushErr)).failures.at(0).text;
    CHECK_THAT(text, Catch::Matchers::Contains("software used opcode (0xde) of the entry in slot"));
    CHECK_THAT(text, Catch::Matchers::Contains("status WR_FLUSH_ERR"));
}

TEST_CASE("S1.3 a successful receive with another opcode, length, flags or immediate") {
    const auto with = [](std::size_t at, auto value) {
        Trace trace = wrapping_trace();
        change_entry(trace, 3, at, value);  // receive 1, with immediate
        return failed(trace);
    };
    CHECK(with(12, std::uint32_t{68}) == Rules{"S1.3"});           // counts the immediate
    CHECK(with(16, std::uint32_t{0xD4C3B2A1U}) == Rules{"S1.3"});  // byte order
    CHECK(with(44, std::uint16_t{0}) == Rules{"S1.3"});
    CHECK(with(52, std::uint8_t{129}) == Rules{"S1.3"});
    CHECK(with(53, std::uint8_t{5}) == Rules{"S1.3"});
}

TEST_CASE("S1.3 the byte_len of a successful send is not defined and not checked") {
    Trace trace = wrapping_trace();
    change_entry(trace, 4, 12, std::uint32_t{0});
    CHECK(failed(trace).empty());
}

TEST_CASE("S1.4 an entry with both an immediate and an invalidated rkey") {
    Trace trace = wrapping_trace();
    CompletionDetails details = details_of(trace, 3);
    details.wc_flags = kWcWithImm | kWcWithInv;
    change_details(trace, 3, details);
    change_entry(trace, 3, 44, details.wc_flags);
    CHECK(failed(trace) == Rules{"S1.4"});
}

TEST_CASE("S1.7 an entry that is skipped, or polled twice") {
    Trace skipped = wrapping_trace();
    skipped.erase(Kind::Poll, 5);
    CHECK(failed(skipped) == Rules{"S1.7"});
    Trace twice = wrapping_trace();
    twice.duplicate(Kind::Poll, 5);
    CHECK(failed(twice) == Rules{"S1.7"});
}

TEST_CASE("S3.1 a consumer index that passes what is visible, goes back, or is misplaced") {
    Trace beyond = wrapping_trace();
    beyond.nth(Kind::Ci, 5).index += 1;  // the last
    CHECK(failed(beyond) == Rules{"S3.1"});
    Trace back = wrapping_trace();
    back.nth(Kind::Ci, 5).index -= 5;
    CHECK(failed(back) == Rules{"S3.1"});
    Trace misplaced = wrapping_trace();
    misplaced.nth(Kind::Ci, 5).a += 4;
    CHECK(failed(misplaced) == Rules{"S3.1"});
}

TEST_CASE("S3.1 a consumer index that is wider than the device's indices") {
    Trace trace;
    LegalStream::Options options;
    options.index_width = 4;
    LegalStream stream(options, trace.sink());
    stream.post(0, QueueKind::Send, true);
    stream.complete(0, QueueKind::Send);
    stream.poll(0, 1);
    stream.end();
    CHECK(verdict_of(trace, 4).failed.empty());
    trace.nth(Kind::Ci, 0).index = 0x11;
    CHECK(verdict_of(trace, 4).failed == Rules{"S3.1"});
}

TEST_CASE("S3.3 an owner bit of the lap before or after") {
    Trace trace = wrapping_trace();
    change_entry(trace, 9, 63, std::uint8_t{0x10});         // index 9 of depth 8: lap 1 asks for 1
    CHECK(failed(trace) == Rules{"S3.3", "S3.3", "S3.3"});  // written, visible, polled
    Trace slot = wrapping_trace();
    slot.nth(Kind::Slot, 9).state = 0;
    CHECK(failed(slot) == Rules{"S3.3"});
    Trace seen = wrapping_trace();
    seen.nth(Kind::CqeWrite, 9).flags = 0;  // the record alone
    CHECK(failed(seen) == Rules{"S3.3"});
}

TEST_CASE("S3.3 the lap counts from the first index, for narrow indices and any depth") {
    for (const std::uint32_t depth : {6U, 8U}) {
        Trace trace;
        LegalStream::Options options;
        options.depth = depth;
        options.index_width = 4;
        options.first_index = 13;
        LegalStream stream(options, trace.sink());
        for (std::uint32_t i = 0; i < 50; ++i) {
            stream.post(0, QueueKind::Receive, false);
            stream.complete(0, QueueKind::Receive);
            stream.poll(0, i % 3);
        }
        stream.end();
        const Verdict verdict = verdict_of(trace, 4);
        INFO("depth " << depth << "\n" << verdict.text());
        CHECK(verdict.failed.empty());
        CHECK(verdict.checked("S3.3") > 100);
    }
}

TEST_CASE("S3.6 an entry that shows other bytes than were written, or none, or too early") {
    Trace other = wrapping_trace();
    other.own_bytes(other.nth(Kind::CqeVisible, 4))[20] ^= std::byte{1};
    CHECK(failed(other) == Rules{"S3.6"});
    Trace never = wrapping_trace(3);
    never.erase(Kind::CqeWrite, 19);  // the last
    CHECK(failed(never) == Rules{"S3.6"});
    Trace early = wrapping_trace();
    early.erase(Kind::CqeVisible, 4);
    CHECK(failed(early) == Rules{"S3.10"});
}

TEST_CASE("S3.7 a slot that is given back before its entry was polled") {
    Trace trace = wrapping_trace();
    trace.erase(Kind::Poll, 19);
    CHECK(failed(trace) == Rules{"S3.7"});
}

TEST_CASE("S3.8 an entry that changed before it was polled") {
    Trace trace = wrapping_trace();
    trace.own_bytes(trace.nth(Kind::Poll, 4))[20] ^= std::byte{1};
    CHECK(failed(trace) == Rules{"S3.8"});
}

TEST_CASE("S3.10 entries published out of order, or with a hole") {
    Trace swapped = wrapping_trace(3);
    swapped.swap(Kind::CqeVisible, 4, 5);
    const Rules rules = failed(swapped);
    CHECK(rules == Rules{"S3.10", "S3.10"});
    Trace hole = wrapping_trace(3);
    hole.erase(Kind::CqeWrite, 4);
    CHECK(failed(hole) == Rules{"S3.10"});
    Trace twice = wrapping_trace(3);
    twice.duplicate(Kind::CqeWrite, 4);
    CHECK(failed(twice) == Rules{"S3.10"});
}

TEST_CASE("S3.11 an entry at another place than its index says") {
    Trace address = wrapping_trace();
    address.nth(Kind::CqeWrite, 9).a += 64;
    CHECK(failed(address) == Rules{"S3.11"});
    Trace slot = wrapping_trace();
    slot.nth(Kind::CqeWrite, 9).index = 9;  // of depth 8
    CHECK(failed(slot) == Rules{"S3.11"});
}

TEST_CASE("S3.13 a producer index that jumps, or stands still") {
    Trace jumps = wrapping_trace();
    jumps.nth(Kind::Slot, 9).index += 1;
    CHECK(failed(jumps) == Rules{"S3.13"});
    Trace stands = wrapping_trace();
    stands.nth(Kind::Slot, 9).index -= 1;
    CHECK(failed(stands).front() == "S3.13");
    Trace far = wrapping_trace();
    far.nth(Kind::Slot, 9).index += 100'000;
    CHECK(failed(far) == Rules{"S3.13"});
}

TEST_CASE("S3.14 a device that counts fewer entries than the published index leaves") {
    Trace trace = wrapping_trace();
    trace.nth(Kind::Slot, 3).b = 3;  // four are in use
    CHECK(failed(trace) == Rules{"S3.14"});
}

TEST_CASE("S5.3i a slot that is given and written although nothing was published") {
    Trace trace = wrapping_trace();
    // Without the first two polls and their consumer indices entry 8 has no room.
    for (int i = 0; i < 2; ++i) {
        trace.erase(Kind::Ci, 0);
    }
    for (int i = 0; i < 8; ++i) {
        trace.erase(Kind::Poll, 0);
    }
    for (std::size_t n = 0; n < 20; ++n) {
        trace.nth(Kind::Slot, n).b = static_cast<std::uint16_t>(std::min<std::size_t>(n + 1, 8));
    }
    trace.records().resize(trace.position(Kind::Poll, 0));
    Record end;
    end.kind = Kind::End;
    end.time_ps = trace.records().back().time_ps;
    trace.add(end);
    CHECK(failed(trace) == Rules{"S3.14", "S5.3i"});
}

TEST_CASE("S3.1 consumer indices go where the device looks for them, and nowhere else") {
    check::Settings by_mmio;
    by_mmio.consumer_index = "mmio";
    check::Settings by_increment;
    by_increment.consumer_index = "increment";
    Trace trace = wrapping_trace();
    CHECK(failed(trace, by_mmio).front() == "S3.1");
    for (const auto& [place, right, wrong] :
         {std::tuple(0x28U, by_mmio, by_increment), std::tuple(0x30U, by_increment, by_mmio)}) {
        for (std::size_t i = 0; i < trace.count(Kind::Ci); ++i) {
            trace.nth(Kind::Ci, i).a = place;
        }
        CHECK(failed(trace, right).empty());
        CHECK(failed(trace, wrong).front() == "S3.1");
        CHECK(failed(trace).front() == "S3.1");
    }
}

TEST_CASE("S3.1 a consumer index that is refused takes back no arm") {
    Play play;
    play.stream.arm(0);
    play.stream.refuse_arm(0);
    play.trace.nth(Kind::Refuse, 0).index = 0x28;  // of CQ_CI
    play.send();
    play.stream.event(0, EventCause::Entry, 1);
    play.handle();
    CHECK(failed(play.end()).empty());
}

}  // namespace cqsim::tb
