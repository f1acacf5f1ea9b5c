// SPDX-License-Identifier: Apache-2.0
// Each check of the lives of QPs and CQs fails on a trace with its one fault, and names its rule.
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

namespace cqsim::tb {
namespace {

/// Three QPs of a CQ without an event queue.
struct Lives {
    Trace trace;
    LegalStream stream;

    explicit Lives(QpType type = QpType::Uc)
        : stream(options(type), trace.sink()) {}
    Lives(const Lives&) = delete;
    Lives& operator=(const Lives&) = delete;

    static LegalStream::Options options(QpType type) {
        LegalStream::Options options;
        options.qps = 3;
        options.type = type;
        return options;
    }
    void destroy(std::uint32_t qp) {
        stream.destroy_qp(qp, DestroyPhase::Begun);
        stream.cancel(qp);
        stream.destroy_qp(qp, DestroyPhase::Done);
    }
    Trace& end(EndReason reason = EndReason::Idle) {
        stream.end(reason);
        return trace;
    }
};

}  // namespace

TEST_CASE("S1.18 a change of state that the state machine has not") {
    const std::vector<std::pair<QpState, QpState>> wrong{{QpState::Reset, QpState::Rts},
                                                         {QpState::Init, QpState::Rts},
                                                         {QpState::Rtr, QpState::Sqd},
                                                         {QpState::Err, QpState::Rts},
                                                         {QpState::Rts, QpState::Init},
                                                         {QpState::Init, QpState::Sqe}};
    for (const auto& [before, after] : wrong) {
        Lives lives;
        lives.stream.state(0, before);
        lives.stream.state(0, after);
        CHECK(failed(lives.end()) == Rules{"S1.18"});
    }
    const std::vector<QpState> right{QpState::Reset,
                                     QpState::Init,
                                     QpState::Rtr,
                                     QpState::Rts,
                                     QpState::Sqd,
                                     QpState::Rts,
                                     QpState::Sqe,
                                     QpState::Rts,
                                     QpState::Err,
                                     QpState::Reset};
    Lives lives;
    for (const QpState state : right) {
        lives.stream.state(0, state);
    }
    check_legal(lives.end(), {"S1.18"});
}

TEST_CASE("S2.22 in SQE the receive queue goes on, and an RC QP has no SQE") {
    const auto played = [](bool flushes) {
        Lives lives;
        lives.stream.state(0, QpState::Rts);
        lives.stream.post(0, QueueKind::Receive, false);
        lives.stream.post(0, QueueKind::Send, false);
        lives.stream.complete(0, QueueKind::Send, WcStatus::LocQpOpErr);
        lives.stream.state(0, QpState::Sqe);
        if (!flushes) {
            lives.stream.complete(0, QueueKind::Receive);
        }
        lives.end(flushes ? EndReason::End : EndReason::Idle);
        return std::move(lives.trace);
    };
    check_legal(played(false), {"S2.22"});
    Trace begins = played(true);
    Record flush = begins.nth(Kind::End, 0);
    flush.kind = Kind::Flush;
    flush.qpn = LegalStream::qpn(0);
    flush.queue = QueueKind::Receive;
    flush.state = 0;
    flush.serial = 0;
    flush.a = 1;
    begins.records().insert(begins.records().end() - 1, flush);
    CHECK(failed(begins) == Rules{"S2.22"});

    Lives reliable(QpType::Rc);
    reliable.stream.state(0, QpState::Rts);
    reliable.stream.state(0, QpState::Sqe);
    CHECK(failed(reliable.end()) == Rules{"S2.22"});
}

TEST_CASE("S2.23 SQ_DRAINED outside SQD, twice, too early, or never") {
    enum class Fault { None, Outside, Twice, Never, GoesOn, Unasked };
    const auto played = [](Fault fault) {
        Lives lives;
        lives.stream.state(0, QpState::Rts);
        lives.stream.post(0, QueueKind::Send, true);
        lives.stream.post(0, QueueKind::Send, true);
        lives.stream.modify(0, QpState::Sqd, fault == Fault::Unasked ? 0 : kNotifies);
        if (fault == Fault::Outside) {
            lives.stream.raise(AsyncEvent::SqDrained, 0);
            lives.stream.modify(0, QpState::Rts);
            lives.end(EndReason::End);
            return std::move(lives.trace);
        }
        lives.stream.state(0, QpState::Sqd);
        lives.stream.complete(0, QueueKind::Send);
        if (fault != Fault::Never && fault != Fault::Unasked) {
            lives.stream.raise(AsyncEvent::SqDrained, 0);
        }
        if (fault == Fault::Twice) {
            lives.stream.raise(AsyncEvent::SqDrained, 0);
        }
        if (fault == Fault::GoesOn) {
            lives.stream.complete(0, QueueKind::Send);
        }
        lives.end();
        return std::move(lives.trace);
    };
    check_legal(played(Fault::None), {"S2.23"});
    CHECK(failed(played(Fault::Unasked)).empty());
    for (const Fault fault : {Fault::Outside, Fault::Twice, Fault::Never, Fault::GoesOn}) {
        CHECK(failed(played(fault)) == Rules{"S2.23"});
    }
    // Before the last send in progress has its entry: the event in front of the answer.
    Trace early = played(Fault::None);
    early.swap(Kind::Async, 0, 0);
    const Record event = early.nth(Kind::Async, 0);
    early.erase(Kind::Async, 0);
    early.records().insert(
        early.records().begin() + static_cast<std::ptrdiff_t>(early.position(Kind::Outcome, 0)),
        event);
    CHECK(failed(early) == Rules{"S2.23"});
}

TEST_CASE("S2.24 a request that is accepted in a state that takes none") {
    const std::vector<std::pair<QpState, QueueKind>> wrong{{QpState::Reset, QueueKind::Send},
                                                           {QpState::Reset, QueueKind::Receive},
                                                           {QpState::Init, QueueKind::Send},
                                                           {QpState::Rtr, QueueKind::Send}};
    const std::vector<std::pair<QpState, QueueKind>> right{{QpState::Init, QueueKind::Receive},
                                                           {QpState::Rtr, QueueKind::Receive},
                                                           {QpState::Rts, QueueKind::Send},
                                                           {QpState::Sqd, QueueKind::Send},
                                                           {QpState::Sqe, QueueKind::Send},
                                                           {QpState::Err, QueueKind::Receive}};
    for (const auto& [state, queue] : wrong) {
        Lives lives;
        lives.stream.state(0, state);
        lives.stream.post(0, queue, false);
        CHECK(failed(lives.end(EndReason::End)) == Rules{"S2.24"});
    }
    for (const auto& [state, queue] : right) {
        Lives lives;
        lives.stream.state(0, state);
        lives.stream.post(0, queue, false);
        check_legal(lives.end(EndReason::End), {"S2.24"});
    }
}

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
}

}  // namespace cqsim::tb
