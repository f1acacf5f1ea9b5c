// SPDX-License-Identifier: Apache-2.0
// Each check of the lives of QPs and CQs fails on a trace with its one fault, and names its rule.
#include "tb/unit/check_lives.h"

#include <catch2/catch.hpp>

namespace cqsim::tb {

TEST_CASE("S4.11 a CQ that is destroyed while a QP reports to it") {
    for (const bool all : {true, false}) {
        Lives lives;
        lives.destroy(0);
        lives.destroy(1);
        if (all) {
            lives.destroy(2);
        }
        lives.stream.destroy_cq(0, DestroyPhase::Begun);
        lives.stream.destroy_cq(0, DestroyPhase::Done);
        CHECK(failed(lives.end()) == (all ? Rules{} : Rules{"S4.11"}));
    }
    for (const bool all : {true, false}) {  // a CQ that waits for nothing: done in one
        Lives lives;
        lives.destroy(0);
        lives.destroy(1);
        if (all) {
            lives.destroy(2);
        }
        lives.stream.destroy_cq(0, DestroyPhase::Done);
        CHECK(failed(lives.end()) == (all ? Rules{} : Rules{"S4.11"}));
    }
    Lives reset;  // it still reports
    reset.destroy(0);
    reset.destroy(1);
    reset.stream.modify(2, QpState::Reset);
    reset.destroy(2);
    reset.stream.destroy_cq(0, DestroyPhase::Begun);
    CHECK(failed(reset.end()) == Rules{"S4.11"});
}

TEST_CASE("S4.12 S7.2 an asynchronous event that is raised for an object that is gone") {
    for (const AsyncEvent event : {AsyncEvent::QpReqErr,
                                   AsyncEvent::QpAccessErr,
                                   AsyncEvent::CommEst,
                                   AsyncEvent::PathMig}) {
        for (const bool done : {false, true}) {
            Lives lives;
            lives.stream.destroy_qp(0, DestroyPhase::Begun);
            if (done) {
                lives.stream.destroy_qp(0, DestroyPhase::Done);
            }
            lives.stream.raise(event, 0);
            if (!done) {
                lives.stream.destroy_qp(0, DestroyPhase::Done);
            }
            CHECK(failed(lives.end()) == (done ? Rules{"S7.2"} : Rules{}));
        }
        Lives again;
        again.destroy(0);
        again.stream.next_life(0);
        again.stream.create_qp(0);
        again.stream.raise(event, 0);
        check_legal(again.end(), {"S7.2"});
    }
    Lives lives;
    for (const std::uint32_t qp : {0U, 1U, 2U}) {
        lives.destroy(qp);
    }
    lives.stream.destroy_cq(0, DestroyPhase::Done);
    Record& event = lives.add(Kind::Async);
    event.cqn = Cqn{0};
    event.state = static_cast<std::uint8_t>(AsyncEvent::CqErr);
    const Rules rules = failed(lives.end());
    CHECK(std::find(rules.begin(), rules.end(), "S4.12") != rules.end());
}

TEST_CASE(
    "S4.12 S5.12 an asynchronous event that was raised before the destroy, and is told after") {
    Play play;
    play.stream.raise(AsyncEvent::CommEst, 0);
    play.stream.destroy_qp(0, DestroyPhase::Begun);
    play.stream.destroy_qp(0, DestroyPhase::Done);
    play.stream.tell_async(AsyncEvent::CommEst, kNoCq, LegalStream::qpn(0));
    play.stream.interrupt(1);
    play.stream.ack(1, true);
    CHECK(failed(play.end()).empty());
}

TEST_CASE("D6 S4.11 a command that is refused for something that is not so") {
    enum class Life { Whole, Ending, Over };
    // The QPs' lives, then that of their CQ, to where the command on one of them is refused.
    const auto refused = [](Life qps, Life cq, Cqn cqn, Qpn qpn, CommandResult result) {
        Play play;
        for (const std::uint32_t qp : {0U, 1U}) {
            if (qps != Life::Whole) {
                play.stream.destroy_qp(qp, DestroyPhase::Begun);
            }
            if (qps == Life::Over) {
                play.stream.destroy_qp(qp, DestroyPhase::Done);
            }
        }
        if (cq == Life::Over) {
            play.stream.destroy_cq(0, DestroyPhase::Done);
        }
        Record refuse;
        refuse.kind = Kind::Refuse;
        refuse.time_ps = play.trace.records().back().time_ps;
        refuse.cqn = cqn;
        refuse.qpn = qpn;
        refuse.state = static_cast<std::uint8_t>(result);
        play.trace.add(refuse);
        return failed(play.end(EndReason::End));
    };
    const auto of_cq = [&](Life qps, Life cq, CommandResult result) {
        return refused(qps, cq, Cqn{0}, kNoQp, result);
    };
    CHECK(of_cq(Life::Whole, Life::Whole, CommandResult::Busy).empty());
    CHECK(of_cq(Life::Ending, Life::Whole, CommandResult::Busy).empty());
    CHECK(of_cq(Life::Over, Life::Whole, CommandResult::Busy) == Rules{"S4.11"});
    CHECK(of_cq(Life::Over, Life::Whole, CommandResult::NoEntry) == Rules{"D6"});
    CHECK(of_cq(Life::Over, Life::Over, CommandResult::NoEntry).empty());
    CHECK(of_cq(Life::Over, Life::Whole, CommandResult::Invalid).empty());
    const auto of_qp = [&](Life qps, CommandResult result) {
        return refused(qps, Life::Whole, kNoCq, LegalStream::qpn(0), result);
    };
    CHECK(of_qp(Life::Whole, CommandResult::Busy) == Rules{"D6"});
    CHECK(of_qp(Life::Whole, CommandResult::NoEntry) == Rules{"D6"});
    CHECK(of_qp(Life::Whole, CommandResult::Invalid).empty());
    CHECK(of_qp(Life::Ending, CommandResult::Busy).empty());
    CHECK(of_qp(Life::Ending, CommandResult::NoEntry) == Rules{"D6"});
    CHECK(of_qp(Life::Over, CommandResult::NoEntry).empty());
}

TEST_CASE("S4.12 an event for a CQ that was destroyed") {
    for (const bool reports : {false, true}) {
        Play play;
        play.stream.moderate(0, 2, 1000);
        play.stream.arm(0);
        play.send();
        for (const std::uint32_t qp : {0U, 1U}) {
            play.stream.destroy_qp(qp, DestroyPhase::Begun);
            play.stream.destroy_qp(qp, DestroyPhase::Done);
        }
        play.stream.destroy_cq(0, DestroyPhase::Begun);
        play.stream.wait(980);
        if (reports) {
            play.stream.event(0, EventCause::Period, 1);
            play.stream.tell(0);
            play.stream.interrupt(0);
        }
        play.stream.destroy_cq(0, DestroyPhase::Done);
        CHECK(failed(play.end()) == (reports ? Rules{"S4.12"} : Rules{}));
    }
}

TEST_CASE("S4.12 a CQ number begins a new life unarmed, in a new ring") {
    Play play;
    play.stream.arm(0);
    for (const std::uint32_t qp : {0U, 1U}) {
        play.stream.destroy_qp(qp, DestroyPhase::Begun);
        play.stream.destroy_qp(qp, DestroyPhase::Done);
    }
    play.stream.destroy_cq(0, DestroyPhase::Begun);
    play.stream.destroy_cq(0, DestroyPhase::Done);
    play.stream.create_cq(0);
    play.stream.next_life(0);
    play.stream.create_qp(0);
    play.send();
    play.stream.event(0, EventCause::Entry, 1);
    play.handle();
    CHECK(failed(play.end()) == Rules{"S4.5"});
}

TEST_CASE("S7.2 a slot for a life that has begun to end") {
    const auto played = [](bool late) {
        Lives lives;
        lives.stream.post(0, QueueKind::Send, true);
        if (late) {
            lives.stream.destroy_qp(0, DestroyPhase::Begun);
        }
        lives.stream.complete(0, QueueKind::Send);
        if (!late) {
            lives.stream.destroy_qp(0, DestroyPhase::Begun);
        }
        lives.stream.destroy_qp(0, DestroyPhase::Done);
        lives.stream.poll(0, 8);  // the entry stays, and counts
        lives.end();
        return std::move(lives.trace);
    };
    check_legal(played(false), {"S7.2", "S7.3"});
    CHECK(failed(played(true)) == Rules{"S7.2"});
}

TEST_CASE("S7.2 a completion that had its turn before the end began may still get its slot") {
    Lives lives;
    lives.stream.post(0, QueueKind::Send, true);
    lives.stream.complete(0, QueueKind::Send);
    lives.stream.destroy_qp(0, DestroyPhase::Begun);
    lives.stream.destroy_qp(0, DestroyPhase::Done);
    const Trace& trace = lives.end();
    const auto begun_before = [&trace](Kind kind) {
        Trace moved = trace;
        Record begun = moved.nth(Kind::Destroy, 0);
        moved.erase(Kind::Destroy, 0);
        const std::size_t place = moved.position(kind, 0);
        begun.time_ps = moved.nth(kind, 0).time_ps;
        moved.records().insert(moved.records().begin() + static_cast<std::ptrdiff_t>(place), begun);
        return moved;
    };
    check_legal(begun_before(Kind::Slot), {"S7.2"});
    CHECK(failed(begun_before(Kind::Grant)) == Rules{"S7.2"});
}

TEST_CASE("S7.2 a request of a life that has ended, and a generation that was there before") {
    Lives posts;
    posts.stream.post(0, QueueKind::Send, true);
    posts.stream.destroy_qp(0, DestroyPhase::Begun);
    posts.stream.post(0, QueueKind::Send, true);
    posts.stream.cancel(0);
    posts.stream.destroy_qp(0, DestroyPhase::Done);
    CHECK(failed(posts.end()) == Rules{"S7.2"});
    Lives again;
    again.destroy(0);
    again.stream.create_qp(0);
    CHECK(failed(again.end()) == Rules{"S7.2"});
    Lives stale;  // after a reset, by the old generation
    stale.stream.modify(0, QpState::Reset);
    stale.destroy(0);
    stale.stream.post(0, QueueKind::Send, true);
    CHECK(failed(stale.end(EndReason::End)) == Rules{"S7.2"});
}

TEST_CASE("S7.2 an entry that becomes visible after its life's end was acknowledged") {
    Lives lives;
    lives.stream.post(0, QueueKind::Send, true);
    lives.stream.complete(0, QueueKind::Send);
    lives.destroy(0);
    Trace& trace = lives.end();
    check_legal(trace, {"S7.2"});
    Record late = trace.nth(Kind::CqeVisible, 0);
    late.time_ps = trace.nth(Kind::End, 0).time_ps;
    trace.erase(Kind::CqeVisible, 0);
    trace.records().insert(trace.records().end() - 1, late);
    CHECK(failed(trace) == Rules{"S7.2"});
}

TEST_CASE("S7.3 a life that ends before its requests got an answer, or never") {
    Lives lives;
    lives.stream.post(0, QueueKind::Send, true);
    lives.stream.post(0, QueueKind::Receive, false);
    lives.destroy(0);
    Trace& trace = lives.end();
    check_legal(trace, {"S7.3"});
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}}) {
        Trace lacks = trace;
        lacks.erase(Kind::Outcome, n);
        CHECK(failed(lacks) == Rules{"S7.3"});
    }
    Trace endless = trace;
    endless.erase(Kind::Destroy, 1);
    CHECK(failed(endless) == Rules{"S7.3"});
}

TEST_CASE("S7.3 a life that ends while its entry is on the way") {
    Lives lives;
    lives.stream.post(0, QueueKind::Send, true);
    lives.stream.complete(0, QueueKind::Send);
    lives.destroy(0);
    Trace& trace = lives.end();
    check_legal(trace, {"S7.3"});
    const Record outcome = trace.nth(Kind::Outcome, 0);
    trace.erase(Kind::Outcome, 0);
    Record late = outcome;
    late.time_ps = trace.nth(Kind::End, 0).time_ps;
    trace.records().insert(trace.records().end() - 1, late);
    CHECK(failed(trace).front() == "S7.3");
}

TEST_CASE("D4 two lives of a number, each request ends once") {
    Trace trace = life_trace();
    check_legal(trace, {"D4", "S7.2", "S7.3"});
    std::size_t cancelled = 0;
    while (trace.nth(Kind::Outcome, cancelled).state !=
           static_cast<std::uint8_t>(Outcome::Cancelled)) {
        ++cancelled;
    }
    Trace doubled = trace;
    doubled.duplicate(Kind::Outcome, cancelled);
    CHECK(failed(doubled) == Rules{"D4"});
    Trace other = trace;
    other.nth(Kind::Outcome, cancelled).index += 1;
    CHECK(failed(other) == Rules{"D4"});
}

TEST_CASE("D6 an end of a life that does not match it") {
    Lives lives;
    lives.destroy(0);
    Trace& trace = lives.end();
    Trace other = trace;
    other.nth(Kind::Destroy, 0).generation += 1;
    other.nth(Kind::Destroy, 1).generation += 1;
    CHECK(failed(other) == Rules{"D6", "D6"});
    Trace half = trace;
    half.erase(Kind::Destroy, 0);
    CHECK(failed(half) == Rules{"D6"});
}

TEST_CASE("S5.3d each life of a QP gets its own QP_FATAL") {
    Trace trace;
    LegalStream::Options options;
    options.depth = 2;
    LegalStream stream(options, trace.sink());
    for (std::uint32_t i = 0; i < 3; ++i) {
        stream.post(0, QueueKind::Receive, false);
        stream.complete(0, QueueKind::Receive);
    }
    stream.destroy_qp(0, DestroyPhase::Begun);
    stream.destroy_qp(0, DestroyPhase::Done);
    stream.end();
    CHECK(failed(trace).empty());
    Trace lacks = trace;
    lacks.erase(Kind::Async, 1);
    CHECK(failed(lacks) == Rules{"S5.3d"});

    // Refused when the end has begun (D3): the life that is over goes to no state any more.
    Trace late = lacks;
    late.erase(Kind::QpState, 0);
    Record begun = late.nth(Kind::Destroy, 0);
    late.erase(Kind::Destroy, 0);
    begun.time_ps = late.nth(Kind::Overrun, 0).time_ps;
    const auto place = static_cast<std::ptrdiff_t>(late.position(Kind::Overrun, 0));
    late.records().insert(late.records().begin() + place, begun);
    CHECK(failed(late).empty());
}

}  // namespace cqsim::tb
