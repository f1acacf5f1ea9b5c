// SPDX-License-Identifier: Apache-2.0
// Shared receive queues: each check fails on a trace with its one fault, and names its rule.
#include "tb/unit/check_srq_play.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace cqsim::tb {
namespace {

/// For the tests: some rule fails with these words.
bool says(const Trace& trace, const std::string& words) {
    const std::string text = verdict_of(trace).text();
    UNSCOPED_INFO(text);
    return text.find(words) != std::string::npos;
}

/// QP 0 holds two requests and goes to ERR; one more waits for others.
void play_last_wqe(SharedPlay& play) {
    play.post(3);
    play.take(0);
    play.take(0);
    play.stream.state(0, QpState::Err);
    play.stream.flush(0, QueueKind::Receive);
}

}  // namespace

TEST_CASE("S2.11 the checkers take what QPs do with a shared receive queue") {
    SharedPlay play;
    play.post(4);
    for (std::uint32_t round = 0; round < 6; ++round) {
        play.take(0);
        play.take(1);
        play.end_one(1);  // out of order
        play.end_one(0);
        play.stream.poll(0, 2);
        play.post(2);
    }
    play.take(1);
    play.end_one(1, WcStatus::LocProtErr);
    play.stream.state(1, QpState::Err);
    play.last_wqe(1);
    play.stream.settle();
    play.stream.poll(0, 1);
    play.post(1);
    check_legal(play.finish(), {"S2.11", "S2.26"});
}

TEST_CASE("S2.11 a request that is taken by two, by none, by a stranger, or out of order") {
    enum class Fault { None, Twice, Never, Stranger, Unknown, Younger };
    const auto played = [](Fault fault) {
        SharedPlay play;
        play.post(3);
        for (const Kind kind : {Kind::Create, Kind::Post}) {  // another SRQ, and what waits there
            Record& other = play.add(kind);
            other.unit = kPool + 1;
            other.index = kind == Kind::Create ? kPoolDepth : 1;
            other.queue = QueueKind::Receive;
            other.serial = kind == Kind::Create ? 0 : 1001;
        }
        play.take(0);
        play.take(1);
        play.end_one(0);
        play.end_one(1);
        play.finish();
        Record& first = play.taken(0);
        Record& second = play.taken(1);
        switch (fault) {
            case Fault::None:
                break;
            case Fault::Twice:
                second.index = first.index;
                second.serial = first.serial;
                break;
            case Fault::Never:
                second.serial += 100;
                break;
            case Fault::Stranger:
                second.unit = kPool + 1;
                break;
            case Fault::Unknown:
                second.unit = kPool + 2;
                break;
            case Fault::Younger:
                std::swap(first.index, second.index);
                std::swap(first.serial, second.serial);
                std::swap(first.wr_id, second.wr_id);
                break;
        }
        return std::move(play.trace);
    };
    check_legal(played(Fault::None), {"S2.11"});
    CHECK(says(played(Fault::Twice), "takes slot 0 (serial 1000) of SRQ 1, in which no request"));
    CHECK(says(played(Fault::Never),
               "S2.11 qp.1: takes slot 1 (serial 1101) of SRQ 1, in which another"));
    CHECK(
        says(played(Fault::Stranger), "takes slot 1 (serial 1001) of SRQ 2, which is not its SRQ"));
    CHECK(
        says(played(Fault::Unknown), "D6 srq.3: slot 1 is posted or taken, but there is no such"));
    CHECK(says(played(Fault::Younger),
               "takes slot 1 (serial 1001) of SRQ 1, in which not the oldest"));
}

TEST_CASE("S2.11 a slot that is posted again before software has seen the end of its request") {
    enum class Fault { None, Waiting, Taken, Unseen };
    const auto played = [](Fault fault) {
        SharedPlay play;
        play.post(2);
        if (fault == Fault::Waiting) {
            play.post_into(1);
        }
        play.take(0);
        if (fault == Fault::Taken) {
            play.post_into(0);
        }
        play.end_one(0);
        if (fault == Fault::Unseen) {
            play.post_into(0);
        }
        play.stream.poll(0, 1);
        if (fault == Fault::None) {
            play.post_into(0);
        }
        play.finish();
        return std::move(play.trace);
    };
    check_legal(played(Fault::None), {"S2.11"});
    CHECK(says(played(Fault::Waiting),
               "S2.11 srq.1: slot 1 is posted again, but its last request was not taken"));
    CHECK(says(played(Fault::Taken),
               "S2.11 srq.1: slot 0 is posted again, but its last request has not ended"));
    CHECK(says(played(Fault::Unseen),
               "slot 0 is posted again, but its last request has ended and software"));
}

TEST_CASE("S5.3f S2.11 a slot whose request was lost is posted again") {
    const auto played = [](bool lost) {
        SharedPlay play;
        play.post(1);
        play.take(0);
        play.end_one(0);
        play.stream.poll(0, 1);
        if (lost) {  // what is read in its place says nothing
            play.trace.nth(Kind::Outcome, 0).state = static_cast<std::uint8_t>(Outcome::Lost);
        }
        play.post_into(0);
        play.finish();
        return std::move(play.trace);
    };
    check_legal(played(false), {"S2.11"});
    CHECK(says(played(true), "S2.11 srq.1: slot 0 is posted again, but its last request is lost"));
}

TEST_CASE("S7.1 S7.7 what a life leaves unread or cancelled comes back, and the next one is new") {
    for (const bool resets : {false, true}) {
        SharedPlay play;
        play.post(4);
        for (int i = 0; i < 3; ++i) {
            play.take(0);
        }
        play.end_one(0);  // its entry is never polled
        play.stream.state(0, QpState::Err);
        play.stream.settle();
        if (resets) {
            play.stream.flush(0, QueueKind::Receive);
            play.last_wqe(0);
            play.stream.modify(0, QpState::Reset);
        }
        play.stream.destroy_qp(0, DestroyPhase::Begun);
        play.stream.state(0, QpState::Reset);
        play.stream.cancel(0);
        play.stream.settle();
        play.stream.destroy_qp(0, DestroyPhase::Done);
        for (const std::uint32_t slot : {1U, 2U, 0U}) {
            play.post_into(slot);
        }
        play.stream.next_life(0);
        if (!resets) {
            play.stream.create_qp(0);
        }
        play.stream.state(0, QpState::Err);
        play.last_wqe(0);
        check_legal(play.finish(), {"S2.11", "S2.26"});
    }
}

TEST_CASE("D6 SRQs may be made in any order of their numbers") {
    SharedPlay play;
    play.post(1);
    play.take(0);
    play.end_one(0);
    play.finish();
    Record later = play.trace.nth(Kind::Create, 1);
    later.unit = kPool + 1;
    play.trace.records().insert(
        play.trace.records().begin() +
            static_cast<std::ptrdiff_t>(play.trace.position(Kind::Create, 1)),
        later);
    check_legal(play.trace, {"S2.11"});
}

TEST_CASE("S2.21 K18 a QP on an SRQ flushes in the order that is promised") {
    for (const bool kept : {true, false}) {
        SharedPlay play;
        play.post(3);
        play.take(0);
        play.take(0);
        play.stream.state(0, QpState::Rts);
        play.stream.post(0, QueueKind::Send, false);
        play.stream.state(0, QpState::Err);
        play.stream.flush(0, kept ? QueueKind::Receive : QueueKind::Send);
        play.stream.flush(0, kept ? QueueKind::Send : QueueKind::Receive);
        play.last_wqe(0);
        check::Settings promises;
        promises.flush_order = "rq_then_sq";
        const Verdict verdict = verdict_of(play.finish(), promises);
        INFO(verdict.text());
        CHECK(verdict.failed == (kept ? Rules{} : Rules{"S2.21"}));
    }
}

TEST_CASE(
    "D6 an SRQ without a number or a slot, one that is made twice, a slot that there is not") {
    for (const auto& spoil : std::vector<std::function<void(Record&)>>{
             [](Record& create) { create.unit = 0; },
             [](Record& create) { create.index = 0; },
         }) {
        SharedPlay play;
        spoil(play.trace.nth(Kind::Create, 1));
        CHECK(failed(play.finish()) == Rules{"D6"});
    }
    SharedPlay twice;
    twice.add(Kind::Create).index = kPoolDepth;
    CHECK(failed(twice.finish()) == Rules{"D6"});
    SharedPlay beyond;
    beyond.post_into(kPoolDepth);
    CHECK(failed(beyond.finish()) == Rules{"D6"});
}

TEST_CASE("S2.11 a request that ends as one of another SRQ, or never ends") {
    SharedPlay other;
    other.post(1);
    other.take(0);
    other.end_one(0);
    other.finish();
    Record& complete = other.trace.nth(Kind::Complete, 0);
    other.trace.own_bytes(complete)[offsetof(CompletionDetails, srqn)] = std::byte{7};
    CHECK(failed(other.trace).front() == "S2.11");

    SharedPlay held;
    held.post(1);
    held.take(0);
    CHECK(failed(held.finish()) == Rules{"S2.11"});
}

TEST_CASE("S2.11 an entry that names another slot or another SRQ") {
    constexpr std::size_t kWqe = 28;
    constexpr std::size_t kSrqn = 40;
    for (const auto& [byte, rule] : {std::pair{kWqe, "S1.1"}, std::pair{kSrqn, "S1.3"}}) {
        SharedPlay play;
        play.post(2);
        play.take(0);
        play.end_one(0);
        play.stream.poll(0, 1);
        play.finish();
        check_legal(play.trace, {rule});
        flip_entry(play.trace, 0, byte, 2, CqeFormat::Native);
        CHECK(failed(play.trace) == Rules{rule});
    }
}

TEST_CASE("S2.26 a flush of what was not taken, and a QP in ERR that takes more") {
    SharedPlay flushes;
    play_last_wqe(flushes);
    flushes.last_wqe(0);
    flushes.finish();
    check_legal(flushes.trace, {"S2.26"});
    // The flushed completion names the slot that waits.
    Record& complete = flushes.trace.nth(Kind::Complete, 1);
    complete.index = 2;
    CHECK(failed(flushes.trace).front() == "S2.26");

    SharedPlay takes;
    play_last_wqe(takes);
    takes.last_wqe(0);
    takes.take(0);
    takes.stream.flush(0, QueueKind::Receive);
    const Rules rules = failed(takes.finish());
    CHECK(rules == Rules{"S2.26", "S2.26"});  // it takes, and it ends behind the event
}

TEST_CASE("S2.26 LAST_WQE_REACHED outside ERR, too early, twice, never, or of a QP without SRQ") {
    enum class Fault { None, Outside, Early, Twice, Never };
    const auto played = [](Fault fault) {
        SharedPlay play;
        if (fault == Fault::Outside) {
            play.last_wqe(0);
            play.finish();
            return std::move(play.trace);
        }
        play.post(2);
        play.take(0);
        play.stream.state(0, QpState::Err);
        if (fault == Fault::Early) {
            play.last_wqe(0);
        }
        play.stream.flush(0, QueueKind::Receive);
        if (fault == Fault::None || fault == Fault::Twice) {
            play.last_wqe(0);
        }
        if (fault == Fault::Twice) {
            play.last_wqe(0);
        }
        play.finish();
        return std::move(play.trace);
    };
    check_legal(played(Fault::None), {"S2.26"});
    const std::string event = "S2.26 qp.0: QP_LAST_WQE_REACHED, but ";
    CHECK(says(played(Fault::Outside), event + "it is not in ERR"));
    CHECK(says(played(Fault::Early), event + "requests that it has taken have not ended"));
    CHECK(says(played(Fault::Twice), event + "that was said before"));
    CHECK(says(played(Fault::Never), "S2.26 qp.0: is on an SRQ and in ERR, and never raised"));
    Play without;
    without.stream.state(0, QpState::Err);
    without.stream.raise(AsyncEvent::QpLastWqeReached, 0);
    without.stream.tell_async(AsyncEvent::QpLastWqeReached, kNoCq, LegalStream::qpn(0));
    without.stream.interrupt(1);
    CHECK(failed(without.end()) == Rules{"S2.26"});
}

TEST_CASE("S5.9 SRQ_LIMIT_REACHED that was not armed, comes early, twice, or never") {
    enum class Fault { None, Unarmed, Early, Twice, Never };
    const auto played = [](Fault fault) {
        SharedPlay play;
        play.post(3);
        if (fault != Fault::Unarmed) {
            play.arm(2);
        }
        play.take(0);  // two are left: not below
        if (fault == Fault::Early) {
            play.limit_reached();
        }
        play.take(0);
        if (fault != Fault::Never && fault != Fault::Early) {
            play.limit_reached();
        }
        play.take(0);
        if (fault == Fault::Twice) {
            play.limit_reached();
        }
        for (std::uint32_t i = 0; i < 3; ++i) {
            play.end_one(0);
        }
        play.finish();
        return std::move(play.trace);
    };
    check_legal(played(Fault::None), {"S5.9"});
    for (const Fault fault : {Fault::Unarmed, Fault::Early, Fault::Twice, Fault::Never}) {
        INFO(static_cast<int>(fault));
        CHECK(failed(played(fault)) == Rules{"S5.9"});
    }
}

}  // namespace cqsim::tb
