// SPDX-License-Identifier: Apache-2.0
// Each check of event queues and interrupts fails on a trace with its one fault, and names its
// rule.
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

namespace cqsim::tb {
namespace {

/// Events one after the other, each told and handled.
Trace told(int events) {
    Play play;
    for (int i = 0; i < events; ++i) {
        play.stream.arm(0);
        play.send();
        play.stream.event(0, EventCause::Entry, 1);
        play.handle();
    }
    play.end();
    return std::move(play.trace);
}

void report(Play& play) {
    play.stream.arm(0);
    play.send();
    play.stream.event(0, EventCause::Entry, 1);
    play.stream.poll(0, 8);
}

/// QP 0 overruns the CQ: CQ_ERR, then QP_FATAL.
void overrun(Play& play) {
    for (int i = 0; i < 9; ++i) {
        play.send();
    }
}

/// DEVICE_FATAL, with its entry, which is the first of the asynchronous ones.
void fail_queue(Play& play, std::uint16_t eqn) {
    play.stream.device_fatal(eqn);
    play.stream.tell_async(AsyncEvent::DeviceFatal, kNoCq, kNoQp);
    play.stream.interrupt(1);
    play.stream.ack(1, true);
}

constexpr std::uint16_t kNoFailure = 9;

/// The third event for a queue of two. `fatal`: the queue that is in error for it.
Trace full_queue(bool writes, std::uint32_t unread, std::uint16_t fatal = kNoFailure) {
    LegalStream::Options options = Play::with_events();
    options.eq_depth = 2;
    Play play(options);
    report(play);
    play.stream.tell(0);
    play.stream.interrupt(0);
    report(play);
    play.stream.tell(0);
    report(play);
    if (unread != 2) {
        play.stream.ack(0, false, unread);
    }
    if (writes) {
        play.stream.tell(0);
    }
    if (fatal != kNoFailure) {
        fail_queue(play, fatal);
    }
    play.end();
    return std::move(play.trace);
}

}  // namespace

TEST_CASE(
    "S3.5 an entry of an event queue in a wrong place, or with the owner bit of another lap") {
    check_legal(told(9), {"S3.5", "S6.15", "S6.21", "S6.22", "S6.24"});
    for (const std::size_t n : {std::size_t{0}, std::size_t{5}}) {
        Trace owner = told(9);
        Record& entry = owner.nth(Kind::Eqe, n);
        entry.flags ^= kOwner;
        owner.own_bytes(entry)[63] ^= std::byte{1};
        CHECK(failed(owner) == Rules{"S3.5"});
        Trace slot = told(9);
        slot.nth(Kind::Eqe, n).index += 1;
        CHECK(failed(slot) == Rules{"S3.5"});
        Trace address = told(9);
        address.nth(Kind::Eqe, n).a += 64;
        CHECK(failed(address) == Rules{"S3.5"});
    }
}

TEST_CASE("S6.15 an entry of an event queue without, or before, its event") {
    Play twice;
    report(twice);
    twice.stream.tell(0);
    twice.stream.tell(0);
    twice.stream.interrupt(0);
    twice.stream.ack(0, true);
    CHECK(failed(twice.end()) == Rules{"S6.15"});
    Play async;
    async.stream.tell_async(AsyncEvent::QpFatal, kNoCq, LegalStream::qpn(0));
    async.stream.interrupt(1);
    CHECK(failed(async.end()) == Rules{"S6.15"});
}

TEST_CASE("S6.15 an interrupt before its entry") {
    Play play;
    report(play);
    play.stream.interrupt(0);
    play.stream.tell(0);
    play.stream.ack(0, true);
    CHECK(failed(play.end()) == Rules{"S6.15"});
}

TEST_CASE("S6.21 an event that gets no entry, or one in a queue that is not its own") {
    Play silent;
    report(silent);
    CHECK(failed(silent.end()) == Rules{"S6.21"});
    Play stopped;  // it may be under way
    report(stopped);
    CHECK(failed(stopped.end(EndReason::End)).empty());

    LegalStream::Options options = Play::with_events();
    options.eqs = 2;
    options.cqs = 2;
    Play other(options);
    other.stream.ack(2, true);
    report(other);
    other.stream.tell(0);
    other.stream.interrupt(0);
    Trace& trace = other.end();
    CHECK(failed(trace).empty());
    Record& entry = trace.nth(Kind::Eqe, 0);
    entry.unit = 1;
    entry.a += 4096;
    trace.nth(Kind::Irq, 0).unit = 1;
    CHECK(failed(trace) == Rules{"S6.21"});
}

TEST_CASE("S6.21 asynchronous events that get no entry, or out of order") {
    const auto played = [](int first, int second) {
        Play play;
        overrun(play);
        for (const int which : {first, second}) {
            if (which == 1) {
                play.stream.tell_async(AsyncEvent::CqErr, Cqn{0}, kNoQp);
            } else if (which == 2) {
                play.stream.tell_async(AsyncEvent::QpFatal, kNoCq, LegalStream::qpn(0));
            }
            if (which == first) {
                play.stream.interrupt(1);
            }
        }
        play.end();
        return std::move(play.trace);
    };
    check_legal(played(1, 2), {"S6.21"});
    CHECK(failed(played(1, 0)) == Rules{"S6.21"});
    CHECK(failed(played(2, 1)) == Rules{"S6.21"});
}

TEST_CASE("S6.21 an asynchronous event in a queue for completions") {
    Play play;
    overrun(play);
    play.stream.tell_async(AsyncEvent::CqErr, Cqn{0}, kNoQp);
    play.stream.interrupt(1);
    play.stream.tell_async(AsyncEvent::QpFatal, kNoCq, LegalStream::qpn(0));
    Trace& trace = play.end(EndReason::End);
    Record& entry = trace.nth(Kind::Eqe, 1);
    entry.unit = 0;
    entry.index = 0;
    entry.a -= 4096 + 64;
    CHECK(failed(trace) == Rules{"S6.21"});
}

TEST_CASE("S6.22 an event queue that is not armed does not interrupt") {
    Play play;
    report(play);
    play.stream.tell(0);
    play.stream.interrupt(0);
    report(play);
    play.stream.tell(0);
    check_legal(play.end(), {"S6.22"});
}

TEST_CASE("S6.22 one interrupt for an arm") {
    Play twice;
    report(twice);
    twice.stream.tell(0);
    twice.stream.interrupt(0);
    report(twice);
    twice.stream.tell(0);
    twice.stream.interrupt(0);
    CHECK(failed(twice.end()) == Rules{"S6.22"});
    Play lost;
    report(lost);
    lost.stream.tell(0);
    CHECK(failed(lost.end()) == Rules{"S6.22"});
    Play rearmed;  // with an entry that software has not read
    report(rearmed);
    rearmed.stream.tell(0);
    rearmed.stream.interrupt(0);
    rearmed.stream.ack(0, true, 1);
    CHECK(failed(rearmed.end()) == Rules{"S6.22"});
}

TEST_CASE("S6.22 an interrupt under way when software arms again is no second one") {
    Play play;
    report(play);
    play.stream.tell(0);
    play.stream.ack(0, true);  // software looked without being told
    play.stream.interrupt(0);
    report(play);
    play.stream.tell(0);
    play.stream.interrupt(0);
    play.stream.ack(0, true);
    CHECK(failed(play.end()).empty());
}

TEST_CASE("S6.22 interrupts that are under way come, whatever software has read and armed since") {
    Play play;
    report(play);
    play.stream.tell(0);
    play.stream.ack(0, true);  // something else woke it
    report(play);
    play.stream.tell(0);
    play.stream.interrupt(0);  // of the first
    play.stream.ack(0, true);
    play.stream.interrupt(0);  // of the second
    CHECK(failed(play.end()).empty());
    Play more;  // armed twice, it has earned no second one
    more.stream.ack(0, true);
    report(more);
    more.stream.tell(0);
    more.stream.interrupt(0);
    more.stream.ack(0, true);
    more.stream.interrupt(0);
    CHECK(failed(more.end()) == Rules{"S6.15"});
}

TEST_CASE("S6.22 entries that software reads before the device knows them interrupt nobody") {
    Play play;
    report(play);
    play.stream.tell(0);
    play.stream.ack(0, true);
    CHECK(failed(play.end()).empty());
}

TEST_CASE("S6.24 an entry over one that software has not read") {
    check_legal(full_queue(true, 0), {"S6.24"});
    check_legal(full_queue(true, 1), {"S6.24"});
    CHECK(failed(full_queue(true, 2)) == Rules{"S6.24"});
}

TEST_CASE(
    "S6.24 K13 what a full queue drops is not missed, and what it holds back is while it is full") {
    check_legal(full_queue(false, 2, 0), {"S6.23"});
    check_legal(full_queue(false, 2, kNoEqn), {"S6.23"});
    CHECK(failed(full_queue(false, 2)) == Rules{"S6.21"});
    check::Settings holds;
    holds.eq_overflow = "back_pressure";
    CHECK(failed(full_queue(false, 2), holds).empty());
    CHECK(failed(full_queue(false, 0), holds) == Rules{"S6.21"});
}

TEST_CASE("S6.24 K13 a queue that was full once, and had room again, drops nothing") {
    LegalStream::Options options = Play::with_events();
    options.eq_depth = 1;
    for (const bool told : {true, false}) {
        Play play(options);
        report(play);
        play.handle();
        report(play);
        if (told) {
            play.handle();
        }
        CHECK(failed(play.end()) == (told ? Rules{} : Rules{"S6.21"}));
    }
}

TEST_CASE("S6.23 DEVICE_FATAL for no reason: nothing is missing, or not in that queue") {
    for (const std::uint16_t eqn : {std::uint16_t{0}, std::uint16_t{7}, kNoEqn}) {
        Play idle;
        fail_queue(idle, eqn);
        CHECK(failed(idle.end()) == Rules{"S6.23"});
    }
    Play told;  // its event was only under way
    report(told);
    told.stream.device_fatal(0);
    told.handle();
    told.stream.tell_async(AsyncEvent::DeviceFatal, kNoCq, kNoQp);
    told.stream.interrupt(1);
    told.stream.ack(1, true);
    CHECK(failed(told.end()) == Rules{"S6.23"});
    CHECK(failed(full_queue(false, 2, 1)) == Rules{"S6.23", "S6.21"});
}

TEST_CASE("S6.23 an entry that could not be written, once") {
    for (const bool twice : {false, true}) {
        Play play;
        report(play);
        fail_queue(play, 0);
        if (twice) {
            fail_queue(play, 0);
        }
        CHECK(failed(play.end()) == (twice ? Rules{"S6.23"} : Rules{}));
    }
}

TEST_CASE("D6 an entry whose bytes say something else than its record") {
    for (const std::size_t at : {std::size_t{4}, std::size_t{8}, std::size_t{30}}) {
        Trace trace = told(1);
        trace.own_bytes(trace.nth(Kind::Eqe, 0))[at] ^= std::byte{1};
        CHECK(failed(trace) == Rules{"D6"});
    }
    Trace cut = told(1);
    cut.nth(Kind::Eqe, 0).b = 32;
    CHECK_FALSE(failed(cut).empty());
    Trace unknown = told(1);
    unknown.erase(Kind::Create, 0);
    CHECK_FALSE(failed(unknown).empty());
}

}  // namespace cqsim::tb
