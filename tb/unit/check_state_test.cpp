// SPDX-License-Identifier: Apache-2.0
// Each check of the states of QPs fails on a trace with its one fault, and names its rule.
#include "tb/unit/check_lives.h"

#include <catch2/catch.hpp>

namespace cqsim::tb {

TEST_CASE("S1.18 a change of state that the state machine has not") {
    const std::vector<std::pair<QpState, QpState>> wrong{{QpState::Reset, QpState::Rts},
                                                         {QpState::Init, QpState::Rts},
                                                         {QpState::Rtr, QpState::Sqd},
                                                         {QpState::Err, QpState::Rts},
                                                         {QpState::Rts, QpState::Init}};
    for (const auto& [before, after] : wrong) {
        Lives lives;
        lives.stream.state(0, before);
        lives.stream.state(0, after);
        CHECK(failed(lives.end()) == Rules{"S1.18"});
    }
    Lives early;  // and without a send that failed
    early.stream.state(0, QpState::Init);
    early.stream.state(0, QpState::Sqe);
    CHECK(failed(early.end()) == Rules{"S1.18", "S1.11"});
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
        if (state == QpState::Sqe) {
            lives.stream.post(0, QueueKind::Send, true);
            lives.stream.complete(0, QueueKind::Send, WcStatus::LocQpOpErr);
        }
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
    reliable.stream.post(0, QueueKind::Send, true);
    reliable.stream.complete(0, QueueKind::Send, WcStatus::LocQpOpErr);
    reliable.stream.state(0, QpState::Sqe);
    CHECK(failed(reliable.end()) == Rules{"S2.22"});
}

TEST_CASE("S2.23 SQ_DRAINED outside SQD, twice, too early, never, or unasked") {
    enum class Fault { None, Outside, Twice, Never, GoesOn, Unasked };
    const auto played = [](Fault fault) {
        Lives lives;
        lives.stream.state(0, QpState::Rts);
        lives.stream.post(0, QueueKind::Send, true);
        lives.stream.post(0, QueueKind::Send, true);
        if (fault == Fault::Outside) {
            lives.stream.raise(AsyncEvent::SqDrained, 0);
            lives.end(EndReason::End);
            return std::move(lives.trace);
        }
        lives.stream.modify(0, QpState::Sqd, fault == Fault::Unasked ? 0 : kNotifies);
        lives.stream.state(0, QpState::Sqd);
        lives.stream.complete(0, QueueKind::Send);
        if (fault != Fault::Never) {
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
    for (const Fault fault :
         {Fault::Outside, Fault::Twice, Fault::Never, Fault::GoesOn, Fault::Unasked}) {
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
        Lives lives(QpType::Ud);
        if (state == QpState::Sqe) {
            lives.stream.post(0, QueueKind::Send, false);
            lives.stream.complete(0, QueueKind::Send, WcStatus::LocQpOpErr);
        }
        lives.stream.state(0, state);
        lives.stream.post(0, queue, false);
        check_legal(lives.end(EndReason::End), {"S2.24"});
    }
}

TEST_CASE("S2.23 SQ_DRAINED comes once for each time that it is asked for") {
    const auto played = [](std::uint32_t events) {
        Lives lives;
        lives.stream.state(0, QpState::Rts);
        lives.stream.modify(0, QpState::Sqd, kNotifies);
        lives.stream.state(0, QpState::Sqd);
        lives.stream.raise(AsyncEvent::SqDrained, 0);
        lives.stream.modify(0, QpState::Sqd, kNotifies);  // from SQD: no change of state
        for (std::uint32_t i = 1; i < events; ++i) {
            lives.stream.raise(AsyncEvent::SqDrained, 0);
        }
        lives.end();
        return std::move(lives.trace);
    };
    check_legal(played(2), {"S2.23"});
    CHECK(failed(played(1)) == Rules{"S2.23"});
    CHECK(failed(played(3)) == Rules{"S2.23"});

    Lives open;  // the second request takes the place of the first, which had no event yet
    open.stream.state(0, QpState::Rts);
    open.stream.post(0, QueueKind::Send, true);
    for (const bool changes : {true, false}) {
        open.stream.modify(0, QpState::Sqd, kNotifies);
        if (changes) {
            open.stream.state(0, QpState::Sqd);
        }
    }
    open.stream.complete(0, QueueKind::Send);
    open.stream.raise(AsyncEvent::SqDrained, 0);
    check_legal(open.end(), {"S2.23"});

    Lives taken_back;
    taken_back.stream.state(0, QpState::Rts);
    taken_back.stream.post(0, QueueKind::Send, true);
    taken_back.stream.modify(0, QpState::Sqd, kNotifies);
    taken_back.stream.state(0, QpState::Sqd);
    taken_back.stream.modify(0, QpState::Sqd);
    taken_back.stream.complete(0, QueueKind::Send);
    check_legal(taken_back.end(), {"S2.23"});
}

TEST_CASE("S2.23 a send that is posted in SQD and completes before RTS") {
    const auto played = [](bool waits, WcStatus status) {
        Lives lives;
        lives.stream.state(0, QpState::Rts);
        lives.stream.post(0, QueueKind::Send, true);
        lives.stream.modify(0, QpState::Sqd);
        lives.stream.state(0, QpState::Sqd);
        lives.stream.post(0, QueueKind::Send, true);
        lives.stream.complete(0, QueueKind::Send);  // it was in progress
        if (waits) {
            lives.stream.modify(0, QpState::Rts);
            lives.stream.state(0, QpState::Rts);
            lives.stream.modify(0, QpState::Sqd);  // it has started
            lives.stream.state(0, QpState::Sqd);
        }
        lives.stream.complete(0, QueueKind::Send, status);
        lives.end(EndReason::End);
        return std::move(lives.trace);
    };
    check_legal(played(true, WcStatus::Success), {"S2.23"});
    CHECK(failed(played(false, WcStatus::Success)) == Rules{"S2.23"});
    CHECK(failed(played(false, WcStatus::LocQpOpErr)) == Rules{"S2.23"});
}

TEST_CASE("S2.22 a send that ends in SQE and is not flushed") {
    Lives lives;
    lives.stream.state(0, QpState::Rts);
    lives.stream.post(0, QueueKind::Send, true);
    lives.stream.complete(0, QueueKind::Send, WcStatus::LocQpOpErr);
    lives.stream.state(0, QpState::Sqe);
    lives.stream.post(0, QueueKind::Send, true);
    lives.stream.complete(0, QueueKind::Send);
    CHECK(failed(lives.end()) == Rules{"S2.19", "S2.22"});
}

TEST_CASE("S1.18 a change that is asked for and answered ok has happened") {
    enum class What { Nothing, State, End, Both };
    const auto played = [](QpState from, QpState to, What what, EndReason reason) {
        Lives lives;
        lives.stream.state(0, from);
        lives.stream.modify(0, to);
        if (what == What::End || what == What::Both) {
            lives.stream.destroy_qp(0, DestroyPhase::Begun);
        }
        if (what == What::State || what == What::Both) {
            lives.stream.state(0, to);
        }
        if (what == What::End || what == What::Both) {
            lives.stream.destroy_qp(0, DestroyPhase::Done);
        }
        if (reason == EndReason::Idle) {
            lives.stream.post(1, QueueKind::Send, true);  // a later time
            lives.stream.complete(1, QueueKind::Send);
        }
        lives.end(reason);
        return std::move(lives.trace);
    };
    for (const EndReason reason : {EndReason::Idle, EndReason::End}) {
        for (const QpState to : {QpState::Sqd, QpState::Err}) {
            check_legal(played(QpState::Rts, to, What::State, reason), {"S1.18"});
            CHECK(failed(played(QpState::Rts, to, What::Nothing, reason)) == Rules{"S1.18"});
        }
        check_legal(played(QpState::Rts, QpState::Rts, What::Nothing, reason), {"S1.18"});
        check_legal(played(QpState::Rts, QpState::Reset, What::Both, reason), {"S1.18"});
        check_legal(played(QpState::Reset, QpState::Reset, What::End, reason), {"S1.18"});
        for (const What what : {What::Nothing, What::State, What::End}) {
            CHECK(failed(played(QpState::Rts, QpState::Reset, what, reason)) == Rules{"S1.18"});
        }
    }
    Trace refused = played(QpState::Rts, QpState::Sqd, What::Nothing, EndReason::Idle);
    refused.nth(Kind::Modify, 0).a = static_cast<std::uint64_t>(CommandResult::Invalid);
    CHECK(failed(refused).empty());
    Trace late = played(QpState::Rts, QpState::Sqd, What::State, EndReason::Idle);
    late.nth(Kind::QpState, 1).time_ps += LegalStream::kStepPs;
    CHECK(failed(late) == Rules{"S1.18"});
}

}  // namespace cqsim::tb
