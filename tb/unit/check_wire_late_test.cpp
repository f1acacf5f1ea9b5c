// SPDX-License-Identifier: Apache-2.0
// Connected QPs of a device that takes its time, begins its numbers anywhere, or is reset on one
// side: what is legal of it, and what is not.
#include "tb/unit/check_wire.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace cqsim::tb {
namespace {

using Faults = std::vector<std::string>;
constexpr std::uint32_t kHere = 0;   ///< sends
constexpr std::uint32_t kThere = 1;  ///< receives

/// Two SENDs from this number on, each thing later than what it follows from.
WireStory slow(std::uint32_t number) {
    const std::uint32_t second = (number + 1) % (1U << 24);
    WireStory story;
    story.receives(kThere, 2);
    for (const std::uint32_t each : {number, second}) {
        story.request(kHere, each);
    }
    for (const std::uint32_t each : {number, second}) {
        story.comes(kThere, PacketType::Request, each);
    }
    for (const std::uint32_t each : {number, second}) {
        story.later();
        story.ended(kThere, QueueKind::Receive, each);
        story.outcome(kThere, each, Outcome::Granted);
        story.answer(kThere, PacketType::Ack, each);
    }
    for (const std::uint32_t each : {number, second}) {
        story.comes(kHere, PacketType::Ack, each);
    }
    for (const std::uint32_t each : {number, second}) {
        story.later();
        story.ended(kHere, QueueKind::Send, each);
    }
    return story;
}

/// One SEND is refused, and both QPs fail some time after.
WireStory slow_failure() {
    WireStory story;
    story.receives(kThere, 1);
    story.request(kHere, 0);
    story.comes(kThere, PacketType::Request, 0);
    story.later();
    story.ended(kThere, QueueKind::Receive, 0, WcStatus::LocLenErr);
    story.outcome(kThere, 0, Outcome::Granted);
    story.later();
    story.state(kThere, QpState::Err);
    story.answer(kThere, PacketType::NakInvalidRequest, 0);
    story.comes(kHere, PacketType::NakInvalidRequest, 0);
    story.later();
    story.ended(kHere, QueueKind::Send, 0, WcStatus::RemInvReqErr);
    story.later();
    story.state(kHere, QpState::Err);
    return story;
}

/// A SEND that was received; then the sender alone is reset, and sends its number again.
WireStory reset_here() {
    WireStory story;
    story.receives(kThere, 3);
    story.request(kHere, 0);
    story.comes(kThere, PacketType::Request, 0);
    story.ended(kThere, QueueKind::Receive, 0);
    story.outcome(kThere, 0, Outcome::Granted);
    story.answer(kThere, PacketType::Ack, 0);
    story.comes(kHere, PacketType::Ack, 0);
    story.ended(kHere, QueueKind::Send, 0);
    story.state(kHere, QpState::Reset);
    story.state(kHere, QpState::Rts);
    for (const std::uint32_t number : {0U, 1U}) {
        story.request(kHere, number);
        story.comes(kThere, PacketType::Request, number);
    }
    return story;
}

/// A SEND to a QP that receives by an SRQ.
WireStory to_shared() {
    WireStory story;
    story.change(kThere, Kind::Create, 0, [](Record& create) { create.flags |= kShared; });
    story.request(kHere, 0);
    story.request(kHere, 1);
    story.comes(kThere, PacketType::Request, 0);
    story.comes(kThere, PacketType::Request, 1);
    return story;
}

}  // namespace

TEST_CASE("S2.7, S2.16 a completion may come later than the packet that it follows from") {
    CHECK(slow(0).broken().empty());
    CHECK(slow_failure().broken().empty());
}

TEST_CASE("S2.7, S2.16 but when the run has ended it is there") {
    WireStory no_end = slow(0);
    no_end.erase(kHere, Kind::Complete, 1);
    CHECK(no_end.broken() == Faults{"S2.7"});
    WireStory no_receive = slow(0);
    no_receive.erase(kThere, Kind::Complete, 1);
    no_receive.erase(kThere, Kind::Packet, 3);  // the ACK
    no_receive.erase(kHere, Kind::Packet, 3);
    no_receive.erase(kHere, Kind::Complete, 1);
    CHECK(no_receive.broken() == Faults{"S2.16"});
    WireStory runs = slow_failure();
    runs.erase(kThere, Kind::QpState, 1);
    CHECK(runs.broken() == Faults{"S2.16"});
    WireStory no_failure = slow_failure();
    no_failure.erase(kHere, Kind::Complete, 0);
    no_failure.erase(kHere, Kind::QpState, 1);
    CHECK(no_failure.broken() == Faults{"S2.17"});
}

TEST_CASE("S2.13 an answer to a message whose receive request is still to end") {
    WireStory story = slow(0);
    story.erase(kThere, Kind::Complete, 0);
    story.erase(kThere, Kind::Outcome, 0);
    CHECK(story.broken().front() == "S2.13");
}

TEST_CASE("S2.16 what comes behind a message that failed the QP takes nothing") {
    WireStory story = slow(0);
    story.change(kThere, Kind::Complete, 0, [](Record& complete) {
        complete.state = static_cast<std::uint8_t>(WcStatus::LocLenErr);
    });
    const Faults broken = story.broken();
    REQUIRE(broken.size() > 1);
    CHECK(broken[0] == "S2.16");  // acknowledged
    CHECK(broken[1] == "S2.16");
    WireStory behind = slow_failure();
    behind.erase(kThere, Kind::QpState, 1);
    behind.receives(kThere, 1);
    behind.request(kHere, 1);
    behind.comes(kThere, PacketType::Request, 1);
    behind.ended(kThere, QueueKind::Receive, 1);
    CHECK(behind.broken() == Faults{"S2.25", "S2.16", "S2.16"});
    WireStory came;
    came.receives(kThere, 2);
    for (const std::uint32_t each : {0U, 1U}) {
        came.request(kHere, each);
        came.comes(kThere, PacketType::Request, each);
    }
    came.ended(kThere, QueueKind::Receive, 0, WcStatus::LocLenErr);
    came.outcome(kThere, 0, Outcome::Granted);
    came.answer(kThere, PacketType::NakInvalidRequest, 0);
    WireStory fails = came;
    fails.state(kThere, QpState::Err);
    CHECK(fails.broken().empty());
    came.ended(kThere, QueueKind::Receive, 1);
    came.state(kThere, QpState::Err);
    CHECK(came.broken() == Faults{"S2.16"});
}

TEST_CASE("S2.16 B a message finds nothing if the last request is taken by one that is to end") {
    WireStory story;
    story.receives(kThere, 1);
    for (const std::uint32_t each : {0U, 1U}) {
        story.request(kHere, each);
        story.comes(kThere, PacketType::Request, each);
    }
    story.ended(kThere, QueueKind::Receive, 0);
    story.outcome(kThere, 0, Outcome::Granted);
    story.answer(kThere, PacketType::RnrNak, 1);
    CHECK(story.broken().empty());
}

TEST_CASE("S2.7 the numbers of a life begin anywhere, and go round") {
    CHECK(slow(1000).broken().empty());
    CHECK(slow(0xFF'FFFF).broken().empty());
    WireStory skips = slow(1000);
    skips.request(kHere, 1003);
    CHECK(skips.broken() == Faults{"S2.7"});
}

TEST_CASE("S2.8 A of a round that went back to another message, none counts for the next one") {
    WireStory story;
    story.receives(kThere, 1);
    story.request(kHere, 0);
    story.request(kHere, 1);
    story.again(kHere, 0);
    story.comes(kThere, PacketType::Request, 0);
    story.ended(kThere, QueueKind::Receive, 0);
    story.outcome(kThere, 0, Outcome::Granted);
    story.answer(kThere, PacketType::Ack, 0);
    story.comes(kHere, PacketType::Ack, 0);
    story.ended(kHere, QueueKind::Send, 0);
    story.again(kHere, 1);  // goes on
    story.again(kHere, 1);
    story.again(kHere, 1);
    CHECK(story.broken().empty());
    WireStory fails = story;
    fails.ended(kHere, QueueKind::Send, 1, WcStatus::RetryExcErr);
    fails.state(kHere, QpState::Err);
    CHECK(fails.broken().empty());
    story.again(kHere, 1);
    CHECK(story.broken() == Faults{"S2.8"});
    WireStory early = fails;
    early.erase(kHere, Kind::Packet, 6);
    CHECK(early.broken() == Faults{"S2.8"});  // the round of the other one is none of its own
}

TEST_CASE("S2.8 A a round that the answer to the message before did not prevent any more") {
    WireStory story;
    story.receives(kThere, 1);
    story.request(kHere, 0);
    story.request(kHere, 1);
    story.comes(kThere, PacketType::Request, 0);
    story.ended(kThere, QueueKind::Receive, 0);
    story.outcome(kThere, 0, Outcome::Granted);
    story.answer(kThere, PacketType::Ack, 0);
    story.comes(kHere, PacketType::Ack, 0);
    story.ended(kHere, QueueKind::Send, 0);
    for (int i = 0; i < 3; ++i) {
        story.again(kHere, 1);  // the time-out of the first round was that of the first message
    }
    CHECK(story.broken().empty());
    story.again(kHere, 1);
    CHECK(story.broken() == Faults{"S2.8"});
}

TEST_CASE("S7.3 a peer that was not reset hears nothing of the next life") {
    CHECK(reset_here().broken().empty());
    WireStory takes = reset_here();
    takes.ended(kThere, QueueKind::Receive, 1);
    CHECK(takes.broken() == Faults{"S2.16"});
    WireStory answers = reset_here();
    answers.answer(kThere, PacketType::Ack, 0);  // again, to the life before
    CHECK(answers.broken().empty());
    answers.comes(kHere, PacketType::Ack, 0);
    answers.ended(kHere, QueueKind::Send, 0);
    CHECK(answers.broken() == Faults{"D6", "S2.7", "S2.7"});
    WireStory both = reset_here();
    both.state(kThere, QpState::Reset);
    both.state(kHere, QpState::Reset);
    both.state(kThere, QpState::Rts);
    both.state(kHere, QpState::Rts);
    both.receives(kThere, 1);
    both.request(kHere, 7);
    both.comes(kThere, PacketType::Request, 7);
    both.ended(kThere, QueueKind::Receive, 0);
    both.outcome(kThere, 0, Outcome::Granted);
    CHECK(both.broken().empty());
    both.state(kThere, QpState::Reset);
    both.state(kThere, QpState::Rts);
    both.request(kHere, 8);
    both.comes(kThere, PacketType::Request, 8);
    both.answer(kThere, PacketType::NakSequence, 7);  // the first that it may ask for
    CHECK(both.broken().empty());
}

TEST_CASE("S2.10 whatever packets say: a SEND that succeeds was received") {
    WireStory story = slow(0);
    story.change(kThere, Kind::Complete, 1, [](Record& complete) {
        complete.state = static_cast<std::uint8_t>(WcStatus::WrFlushErr);
    });
    story.erase(kThere, Kind::Outcome, 1);
    const Faults broken = story.broken();
    CHECK(std::count(broken.begin(), broken.end(), "S2.7") == 1);
    WireStory writes;  // takes none
    writes.request(kHere, 0, WrOpcode::RdmaWrite);
    writes.comes(kThere, PacketType::Request, 0);
    writes.answer(kThere, PacketType::Ack, 0);
    writes.comes(kHere, PacketType::Ack, 0);
    writes.ended(kHere, QueueKind::Send, 0);
    CHECK(writes.broken().empty());
}

TEST_CASE("S2.16 B of an SRQ: a message is refused, or takes, and what came behind it counts not") {
    WireStory taken = to_shared();
    for (const std::uint32_t each : {0U, 1U}) {
        taken.later();
        taken.ended(kThere, QueueKind::Receive, each);
        taken.outcome(kThere, each, Outcome::Granted);
    }
    CHECK(taken.broken().empty());
    taken.answer(kThere, PacketType::RnrNak, 1);
    CHECK(taken.broken() == Faults{"S2.16"});
    WireStory refused = to_shared();
    refused.answer(kThere, PacketType::RnrNak, 0);
    CHECK(refused.broken().empty());
    refused.ended(kThere, QueueKind::Receive, 0);
    CHECK(refused.broken() == Faults{"S2.16"});
}

TEST_CASE("S2.8 B a response that is a bad one shows when the request ends, behind other answers") {
    WireStory story;
    story.request(kHere, 0, WrOpcode::RdmaRead);
    story.request(kHere, 1, WrOpcode::RdmaRead);
    for (const std::uint32_t each : {0U, 1U}) {
        story.comes(kThere, PacketType::Request, each);
        story.answer(kThere, PacketType::Response, each);
    }
    for (const std::uint32_t each : {0U, 1U}) {
        story.comes(kHere, PacketType::Response, each);
    }
    story.later();
    story.ended(kHere, QueueKind::Send, 0, WcStatus::BadRespErr);
    story.state(kHere, QpState::Err);
    CHECK(story.broken().empty());
}

TEST_CASE("S2.16 D, D1 UC may drop what comes") {
    WireStory story(QpType::Uc);
    story.receives(kThere, 1);
    story.request(kHere, 0);
    story.ended(kHere, QueueKind::Send, 0);
    story.comes(kThere, PacketType::Request, 0);
    CHECK(story.broken().empty());
}

TEST_CASE("S2.16 A fails a QP of UC as well") {
    WireStory story(QpType::Uc);
    story.receives(kThere, 1);
    story.request(kHere, 0);
    story.ended(kHere, QueueKind::Send, 0);
    story.comes(kThere, PacketType::Request, 0);
    story.ended(kThere, QueueKind::Receive, 0, WcStatus::LocQpOpErr);
    CHECK(story.broken() == Faults{"S2.16"});
    story.later();
    story.state(kThere, QpState::Err);
    CHECK(story.broken().empty());
}

}  // namespace cqsim::tb
