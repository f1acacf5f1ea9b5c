// SPDX-License-Identifier: Apache-2.0
// Each check of arms and completion events fails on a trace with its one fault, and names its rule.
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace cqsim::tb {
namespace {

check::Settings by_level() {
    check::Settings settings;
    settings.arm = "level";
    return settings;
}

}  // namespace

TEST_CASE("S4.5 a CQ that reports before it was ever armed") {
    Trace trace = event_trace();
    check_legal(trace, {"S4.5"});
    trace.erase(Kind::Arm, 0);
    CHECK(failed(trace) == Rules{"S4.5"});
}

TEST_CASE("S6.1 an event for an arm and an entry") {
    Play play;
    play.stream.arm(0);
    play.send();
    play.stream.event(0, EventCause::Entry, 1);
    play.handle();
    check_legal(play.end(), {"S6.1", "I6"});
}

TEST_CASE("S6.1 an event that no arm asked for, and one for an entry from before the arm") {
    Play twice;
    twice.stream.arm(0);
    for (int i = 0; i < 2; ++i) {
        twice.send();
        twice.stream.event(0, EventCause::Entry, 1);
        twice.handle();
    }
    CHECK(failed(twice.end()) == Rules{"S6.1"});
    Play old;
    old.send();
    old.stream.arm(0);
    old.stream.event(0, EventCause::Entry, 0);
    old.handle();
    CHECK(failed(old.end()) == Rules{"S6.1"});
}

TEST_CASE("S6.2 an event for entries that are not solicited") {
    for (const bool failing : {false, true}) {
        Play play;
        play.stream.arm(0, ArmKind::Solicited);
        play.receive();
        if (failing) {  // a failed send counts as solicited (K11)
            play.stream.post(0, QueueKind::Send, false);
            play.stream.post(0, QueueKind::Send, false);
            play.stream.complete(0, QueueKind::Send, WcStatus::RemInvReqErr);
            play.stream.event(0, EventCause::Entry, 2);
            play.stream.state(0, QpState::Err);
            play.stream.flush(0, QueueKind::Send);
            play.handle();
            check_legal(play.end(), {"S6.2"});
            continue;
        }
        play.stream.event(0, EventCause::Entry, 1);
        play.handle();
        CHECK(failed(play.end()) == Rules{"S6.2"});
    }
}

TEST_CASE("I6 an armed CQ that does not report, reports late, or whose run just ends") {
    Play silent;
    silent.stream.arm(0);
    silent.send();
    silent.stream.wait(5000);
    silent.stream.poll(0, 8);
    CHECK(failed(silent.end()) == Rules{"I6"});
    Play late;
    late.stream.arm(0);
    late.send();
    late.stream.wait(1);
    late.stream.event(0, EventCause::Entry, 1);
    late.handle();
    CHECK(failed(late.end()) == Rules{"I6"});
    Play solicited;
    solicited.stream.arm(0, ArmKind::Solicited);
    solicited.receive();
    solicited.receive();
    solicited.send();
    CHECK(failed(solicited.end(EndReason::End)) == Rules{"I6"});
    Play waiting;  // only entries that it does not wait for
    waiting.stream.arm(0, ArmKind::Solicited);
    waiting.receive();
    waiting.send();
    CHECK(failed(waiting.end()).empty());
}

TEST_CASE("S6.5 an arm for solicited entries that takes back one for any, in either order") {
    for (const ArmKind first : {ArmKind::Next, ArmKind::Solicited}) {
        const ArmKind second = first == ArmKind::Next ? ArmKind::Solicited : ArmKind::Next;
        Play legal;
        legal.stream.arm(0, first);
        legal.stream.arm(0, second);
        legal.send();
        legal.stream.event(0, EventCause::Entry, 1);
        legal.handle();
        check_legal(legal.end(), {"S6.5"});
        Play play;
        play.stream.arm(0, first);
        play.stream.arm(0, second);
        play.send();
        CHECK(failed(play.end()) == Rules{"S6.5"});
    }
}

TEST_CASE("S4.9 moderation that is not kept") {
    const auto played = [](std::uint32_t entries, std::uint64_t wait, EventCause cause) {
        Play play;
        play.stream.moderate(0, 3, 1000);
        play.stream.arm(0);
        for (std::uint32_t i = 0; i < entries; ++i) {
            play.send();
        }
        play.stream.wait(wait);
        play.stream.event(0, cause, entries);
        play.handle();
        play.end();
        return std::move(play.trace);
    };
    check_legal(played(3, 0, EventCause::Count), {"S4.9"});
    check_legal(played(1, 1000, EventCause::Period), {"S4.9"});
    CHECK(failed(played(2, 0, EventCause::Count)) == Rules{"S4.9"});
    CHECK(failed(played(3, 1, EventCause::Count)) == Rules{"S4.9"});
    CHECK(failed(played(1, 999, EventCause::Period)) == Rules{"S4.9"});
    CHECK(failed(played(1, 1001, EventCause::Period)) == Rules{"S4.9"});
    CHECK(failed(played(1, 0, EventCause::Entry)) == Rules{"S4.9"});
    CHECK(failed(played(1, 0, EventCause::Break)) == Rules{"S4.9"});
}

TEST_CASE("S4.9 arming again for the same entries does not begin moderation anew") {
    for (const std::uint32_t entries : {1U, 3U}) {
        Play play;
        play.stream.moderate(0, 3, 1000);
        play.stream.arm(0);
        play.stream.arm(0);
        for (std::uint32_t i = 0; i < entries; ++i) {
            play.send();
        }
        play.stream.event(0, EventCause::Count, entries);
        play.handle();
        CHECK(failed(play.end()) == (entries == 3 ? Rules{} : Rules{"S4.9"}));
    }
}

TEST_CASE("S4.9 the last entries wait for the period, and no longer") {
    Play play;
    play.stream.moderate(0, 3, 1000);
    play.stream.arm(0);
    play.send();
    CHECK(failed(play.end()) == Rules{"S4.9"});  // nothing left to run: it never comes
}

TEST_CASE("S4.9 a run that stops before the period is over proves nothing") {
    for (const std::uint64_t wait : {std::uint64_t{980}, std::uint64_t{2000}}) {
        Play play;
        play.stream.moderate(0, 3, 1000);
        play.stream.arm(0);
        play.send();
        play.stream.wait(wait);
        CHECK(failed(play.end(EndReason::End)) == (wait < 1000 ? Rules{} : Rules{"S4.9"}));
    }
}

TEST_CASE("S4.9 a solicited entry breaks moderation, if the device is set so") {
    Play play;
    play.stream.moderate(0, 4, 1000);
    play.stream.arm(0);
    play.receive();
    play.receive();
    play.stream.event(0, EventCause::Break, 2);
    play.handle();
    play.end();
    check_legal(play.trace, {"S4.9"});
    check::Settings settings;
    settings.moderation_break = false;
    CHECK(failed(play.trace, settings) == Rules{"S4.9"});
    Play waits;
    waits.stream.moderate(0, 4, 1000);
    waits.stream.arm(0);
    waits.receive();
    waits.receive();
    waits.stream.wait(980);
    waits.stream.event(0, EventCause::Period, 2);
    waits.handle();
    waits.end();
    check_legal(waits.trace, {"S4.9"}, settings);
    CHECK(failed(waits.trace) == Rules{"S4.9"});
}

TEST_CASE("S4.9 entries that wait are reported by new limits") {
    for (const bool reports : {true, false}) {
        Play play;
        play.stream.moderate(0, 4, 1000);
        play.stream.arm(0);
        play.send();
        play.send();
        play.stream.moderate(0, 2, 1000);
        if (reports) {
            play.stream.event(0, EventCause::Count, 2);
            play.handle();
        }
        CHECK(failed(play.end()) == (reports ? Rules{} : Rules{"S4.9"}));
    }
}

TEST_CASE("S6.7 by level an arm reports what it leaves unread, and nothing else") {
    const auto played = [](std::uint32_t behind, bool reports) {
        Play play;
        play.send();
        play.stream.poll(0, 8);
        play.stream.arm_behind(0, behind);
        if (reports) {
            play.stream.event(0, EventCause::Entry, 0);
            play.handle();
        }
        play.stream.wait(100);
        play.end();
        return std::move(play.trace);
    };
    check_legal(played(1, true), {"S6.7"}, by_level());
    check_legal(played(0, false), {}, by_level());
    CHECK(failed(played(1, false), by_level()) == Rules{"S6.7"});
    CHECK(failed(played(0, true), by_level()) == Rules{"S6.7"});
    CHECK(failed(played(1, true)) == Rules{"S6.1"});  // by edge it is not for a new entry
}

TEST_CASE("S6.15 an event before its entry is visible") {
    Play play;
    play.stream.arm(0);
    play.send();
    play.stream.event(0, EventCause::Entry, 1);
    play.handle();
    Trace& trace = play.end();
    check_legal(trace, {"S6.15"});
    const auto visible = static_cast<std::ptrdiff_t>(trace.position(Kind::CqeVisible, 0));
    const auto event = static_cast<std::ptrdiff_t>(trace.position(Kind::Event, 0));
    const auto first = trace.records().begin();
    std::rotate(first + visible, first + event, first + event + 1);
    trace.nth(Kind::Event, 0).time_ps = trace.nth(Kind::CqeVisible, 0).time_ps;
    CHECK(failed(trace) == Rules{"S6.15"});
}

TEST_CASE("S6.16 a completion event of a CQ in error") {
    const auto played = [](bool reports) {
        Play play;
        play.stream.arm(0, ArmKind::Solicited);
        for (int i = 0; i < 9; ++i) {
            play.send();
        }
        play.stream.tell_async(AsyncEvent::CqErr, Cqn{0}, kNoQp);
        play.stream.interrupt(1);
        play.stream.tell_async(AsyncEvent::QpFatal, kNoCq, LegalStream::qpn(0));
        play.stream.ack(1, true);
        if (reports) {
            play.stream.event(0, EventCause::Entry, 8);
            play.handle();
        }
        play.end();
        return std::move(play.trace);
    };
    check_legal(played(false), {"S6.16"});
    CHECK(failed(played(true)) == Rules{"S6.16"});
}

TEST_CASE("S5.2 a QP_FATAL before the CQ_ERR that is its reason") {
    Trace trace = overrun_trace();
    check_legal(trace, {"S5.2"});
    trace.swap(Kind::Async, 0, 1);
    CHECK(failed(trace) == Rules{"S5.2"});
}

}  // namespace cqsim::tb
