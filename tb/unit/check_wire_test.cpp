// SPDX-License-Identifier: Apache-2.0
// Each check of connected QPs fails on a story with its one fault, and names its rule.
#include "tb/unit/check_wire.h"

#include <catch2/catch.hpp>

namespace cqsim::tb {
namespace {

using Broken = std::vector<std::string>;
constexpr std::uint32_t kAlice = 0;  ///< sends
constexpr std::uint32_t kBob = 1;    ///< receives

/// Three SENDs, one ACK for all of them.
WireStory coalesced() {
    WireStory story;
    story.receives(kBob, 3);
    for (std::uint32_t i = 0; i < 3; ++i) {
        story.request(kAlice, i);
    }
    for (std::uint32_t i = 0; i < 3; ++i) {
        story.comes(kBob, PacketType::Request, i);
        story.ended(kBob, QueueKind::Receive, i);
        story.outcome(kBob, i, Outcome::Granted);
    }
    story.answer(kBob, PacketType::Ack, 2);
    story.comes(kAlice, PacketType::Ack, 2);
    for (std::uint32_t i = 0; i < 3; ++i) {
        story.ended(kAlice, QueueKind::Send, i);
    }
    return story;
}

/// A SEND whose receive request fails, with the NAK for it, and what it ends with at the sender.
WireStory refused(WcStatus receive, PacketType nak, WcStatus send) {
    WireStory story;
    story.receives(kBob, 1);
    story.request(kAlice, 0);
    story.comes(kBob, PacketType::Request, 0);
    story.ended(kBob, QueueKind::Receive, 0, receive);
    story.state(kBob, QpState::Err);
    story.outcome(kBob, 0, Outcome::Granted);
    story.answer(kBob, nak, 0);
    story.comes(kAlice, nak, 0);
    story.ended(kAlice, QueueKind::Send, 0, send);
    story.state(kAlice, QpState::Err);
    return story;
}

/// A WRITE that is refused.
WireStory refused_write() {
    WireStory story;
    story.request(kAlice, 0, WrOpcode::RdmaWrite);
    story.comes(kBob, PacketType::Request, 0);
    story.answer(kBob, PacketType::NakRemoteAccess, 0);
    story.raise(kBob, AsyncEvent::QpAccessErr);
    story.state(kBob, QpState::Err);
    story.comes(kAlice, PacketType::NakRemoteAccess, 0);
    story.ended(kAlice, QueueKind::Send, 0, WcStatus::RemAccessErr);
    story.state(kAlice, QpState::Err);
    return story;
}

/// A SEND that is sent `resends` times again to nobody, and fails.
WireStory unheard(std::uint32_t resends, bool fails = true) {
    WireStory story;
    story.request(kAlice, 0);
    for (std::uint32_t i = 0; i < resends; ++i) {
        story.again(kAlice, 0);
    }
    if (fails) {
        story.ended(kAlice, QueueKind::Send, 0, WcStatus::RetryExcErr);
        story.state(kAlice, QpState::Err);
    }
    return story;
}

/// A SEND that meets an empty receive queue `times`.
WireStory not_ready(std::uint32_t times, bool fails = true) {
    WireStory story;
    story.request(kAlice, 0);
    for (std::uint32_t i = 0; i < times; ++i) {
        if (i != 0) {
            story.again(kAlice, 0);
        }
        story.comes(kBob, PacketType::Request, 0);
        story.answer(kBob, PacketType::RnrNak, 0);
        story.comes(kAlice, PacketType::RnrNak, 0);
    }
    if (fails) {
        story.ended(kAlice, QueueKind::Send, 0, WcStatus::RnrRetryExcErr);
        story.state(kAlice, QpState::Err);
    }
    return story;
}

/// The second of two SENDs comes before the first.
WireStory gap() {
    WireStory story;
    story.receives(kBob, 2);
    story.request(kAlice, 0);
    story.request(kAlice, 1);
    story.comes(kBob, PacketType::Request, 1);
    story.answer(kBob, PacketType::NakSequence, 0);
    story.comes(kAlice, PacketType::NakSequence, 0);
    return story;
}

}  // namespace

TEST_CASE("legal stories of connected QPs") {
    CHECK(coalesced().broken().empty());
    CHECK(refused_write().broken().empty());
    CHECK(unheard(2).broken().empty());
    CHECK(not_ready(2).broken().empty());
    CHECK(gap().broken().empty());
    using T = PacketType;
    using S = WcStatus;
    CHECK(refused(S::LocQpOpErr, T::NakRemoteOperational, S::RemOpErr).broken().empty());
    CHECK(refused(S::LocProtErr, T::NakRemoteOperational, S::RemOpErr).broken().empty());
    CHECK(refused(S::LocLenErr, T::NakInvalidRequest, S::RemInvReqErr).broken().empty());
    CHECK(refused(S::RemInvReqErr, T::NakInvalidRequest, S::RemInvReqErr).broken().empty());
    CHECK(refused(S::RemAccessErr, T::NakRemoteAccess, S::RemAccessErr).broken().empty());
    for (const char* rule : {"S2.7", "S2.13", "S2.16", "S2.25", "S5.5"}) {
        CHECK(coalesced().checked(rule) > 0);
    }
    CHECK(refused_write().checked("S2.17") > 0);
    CHECK(unheard(2).checked("S2.8") > 0);
}

TEST_CASE("S2.7 an ACK for a message that did not come, or was not executed") {
    WireStory story = coalesced();
    story.erase(kBob, Kind::Packet, 2);  // the third message
    story.erase(kBob, Kind::Complete, 2);
    story.erase(kBob, Kind::Outcome, 2);
    CHECK(story.broken() == Broken{"S2.7", "S2.7"});  // and the request succeeds
}

TEST_CASE("S2.7 a success before an answer that covers it") {
    WireStory late = coalesced();
    late.change(kBob, Kind::Packet, 3, [](Record& ack) { ack.index = 1; });
    late.change(kAlice, Kind::Packet, 3, [](Record& ack) { ack.index = 1; });
    CHECK(late.broken() == Broken{"S2.7"});
    WireStory none = coalesced();
    none.erase(kBob, Kind::Packet, 3);
    none.erase(kAlice, Kind::Packet, 3);
    CHECK(none.broken() == Broken{"S2.7", "S2.7", "S2.7"});
}

TEST_CASE("S2.7 a request that was answered and does not end") {
    WireStory story = coalesced();
    story.erase(kAlice, Kind::Complete, 2);
    CHECK(story.broken() == Broken{"S2.7"});
}

TEST_CASE("S2.7 a success of what was never sent, but for what ends here") {
    WireStory story;
    story.ended(kAlice, QueueKind::Send, 0, WcStatus::Success, WcOpcode::LocalInv);
    CHECK(story.broken().empty());
    story.ended(kAlice, QueueKind::Send, 1, WcStatus::Success, WcOpcode::Send);
    CHECK(story.broken() == Broken{"S2.7"});
}

TEST_CASE("S2.7 a READ that is acknowledged has no response yet") {
    WireStory story;
    story.request(kAlice, 0, WrOpcode::RdmaRead);
    story.comes(kBob, PacketType::Request, 0);
    story.answer(kBob, PacketType::Ack, 0);
    story.comes(kAlice, PacketType::Ack, 0);
    CHECK(story.broken().empty());
    story.ended(kAlice, QueueKind::Send, 0);
    CHECK(story.broken() == Broken{"S2.7"});
}

TEST_CASE("S2.7 numbers count on, and what is sent again has its old one") {
    WireStory skips;
    skips.request(kAlice, 0);
    skips.again(kAlice, 2);
    CHECK(skips.broken() == Broken{"S2.7"});
    WireStory other;
    other.request(kAlice, 0);
    other.again(kAlice, 0);
    other.change(kAlice, Kind::Packet, 1, [](Record& packet) { packet.wr_id = 9; });
    CHECK(other.broken() == Broken{"S2.7"});
    WireStory ended = coalesced();
    ended.again(kAlice, 1);
    CHECK(ended.broken() == Broken{"S2.7"});
}

TEST_CASE("S2.7 UC ends when it is sent, and is not answered") {
    WireStory story(QpType::Uc);
    story.receives(kBob, 2);
    story.request(kAlice, 0);
    story.ended(kAlice, QueueKind::Send, 0);
    story.request(kAlice, 1);
    story.ended(kAlice, QueueKind::Send, 1);
    story.comes(kBob, PacketType::Request, 1);  // the first is lost
    story.ended(kBob, QueueKind::Receive, 0);
    CHECK(story.broken().empty());
    WireStory answered = story;
    answered.answer(kBob, PacketType::Ack, 1);
    CHECK(answered.broken() == Broken{"S2.16"});
    story.ended(kAlice, QueueKind::Send, 2);
    CHECK(story.broken() == Broken{"S2.7"});
}

TEST_CASE("S2.8 retry_cnt is 2: not once more, and not once less before RETRY_EXC_ERR") {
    CHECK(unheard(1).broken() == Broken{"S2.8"});
    CHECK(unheard(3).broken() == Broken{"S2.8"});
    CHECK(unheard(3, false).broken() == Broken{"S2.8"});
}

TEST_CASE("S2.8 rnr_retry is 1: the second RNR NAK is the last") {
    CHECK(not_ready(1).broken() == Broken{"S2.8"});
    CHECK(not_ready(1, false).broken().empty());
    CHECK(not_ready(2, false).broken() == Broken{"S2.8"});
}

TEST_CASE("S2.8 what fails here was not sent") {
    WireStory story;
    story.ended(kAlice, QueueKind::Send, 0, WcStatus::LocProtErr);
    CHECK(story.broken().empty());
    WireStory sent;
    sent.request(kAlice, 0);
    sent.ended(kAlice, QueueKind::Send, 0, WcStatus::LocProtErr);
    CHECK(sent.broken() == Broken{"S2.8"});
}

TEST_CASE("S2.13 an answer before the completion has its slot") {
    WireStory story = coalesced();
    story.erase(kBob, Kind::Outcome, 1);
    CHECK(story.broken() == Broken{"S2.13"});
}

TEST_CASE("S5.5 an answer to a message whose completion is lost") {
    WireStory story = coalesced();
    story.change(kBob, Kind::Outcome, 2, [](Record& outcome) {
        outcome.state = static_cast<std::uint8_t>(Outcome::Lost);
    });
    CHECK(story.broken() == Broken{"S5.5"});
}

TEST_CASE("S2.16 a receive request that ends without a message of its own") {
    WireStory unasked;
    unasked.receives(kBob, 1);
    unasked.ended(kBob, QueueKind::Receive, 0);
    CHECK(unasked.broken() == Broken{"S2.16"});
    WireStory write;
    write.receives(kBob, 1);
    write.request(kAlice, 0, WrOpcode::RdmaWrite);
    write.comes(kBob, PacketType::Request, 0);
    write.ended(kBob, QueueKind::Receive, 0);
    CHECK(write.broken() == Broken{"S2.16"});
    WireStory twice = coalesced();
    twice.receives(kBob, 1);
    twice.request(kAlice, 3);
    twice.comes(kBob, PacketType::Request, 3);
    twice.ended(kBob, QueueKind::Receive, 3);
    twice.outcome(kBob, 3, Outcome::Granted);
    twice.receives(kBob, 1);
    twice.again(kAlice, 3);
    twice.comes(kBob, PacketType::Request, 3);
    CHECK(twice.broken().empty());
    twice.ended(kBob, QueueKind::Receive, 4);
    CHECK(twice.broken() == Broken{"S2.16"});
}

TEST_CASE("S2.16 a message that finds a receive request takes it") {
    WireStory story = coalesced();
    story.receives(kBob, 1);
    story.request(kAlice, 3);
    story.comes(kBob, PacketType::Request, 3);
    story.later();
    CHECK(story.broken() == Broken{"S2.16"});
    story.answer(kBob, PacketType::RnrNak, 3);
    CHECK(story.broken() == Broken{"S2.16", "S2.16"});
}

TEST_CASE("S2.16 B a gap is told if there is one, by the number of the expected message") {
    WireStory other = gap();
    other.change(kBob, Kind::Packet, 1, [](Record& nak) { nak.index = 1; });
    other.erase(kAlice, Kind::Packet, 2);
    CHECK(other.broken() == Broken{"S2.16"});
    WireStory none = coalesced();
    none.answer(kBob, PacketType::NakSequence, 3);
    CHECK(none.broken() == Broken{"S2.16"});
}

TEST_CASE("S2.16 A, C the QP goes to ERR, and a NAK is sent") {
    WireStory runs =
        refused(WcStatus::LocQpOpErr, PacketType::NakRemoteOperational, WcStatus::RemOpErr);
    runs.erase(kBob, Kind::QpState, 1);
    CHECK(runs.broken() == Broken{"S2.16"});
    WireStory silent;
    silent.receives(kBob, 1);
    silent.request(kAlice, 0, WrOpcode::SendWithInv);
    silent.comes(kBob, PacketType::Request, 0);
    silent.ended(kBob, QueueKind::Receive, 0, WcStatus::RemInvReqErr);
    silent.state(kBob, QpState::Err);
    silent.outcome(kBob, 0, Outcome::Granted);
    CHECK(silent.broken().empty());  // class J
    silent.change(kBob, Kind::Complete, 0, [](Record& complete) {
        complete.state = static_cast<std::uint8_t>(WcStatus::LocQpOpErr);
    });
    CHECK(silent.broken() == Broken{"S2.16"});
    WireStory acked = refused(WcStatus::LocQpOpErr, PacketType::Ack, WcStatus::Success);
    CHECK(acked.broken() == Broken{"S2.25", "S2.16", "S2.7"});
}

TEST_CASE("S2.16 C, S1.14 without a receive request: the NAK and the event go together") {
    WireStory no_event = refused_write();
    no_event.erase(kBob, Kind::Async, 0);
    CHECK(no_event.broken() == Broken{"S2.16"});
    WireStory no_nak = refused_write();
    no_nak.erase(kBob, Kind::Packet, 1);
    no_nak.erase(kAlice, Kind::Packet, 1);
    no_nak.erase(kAlice, Kind::Complete, 0);
    CHECK(no_nak.broken() == Broken{"S2.16"});
    WireStory other = refused_write();
    other.change(kBob, Kind::Async, 0, [](Record& event) {
        event.state = static_cast<std::uint8_t>(AsyncEvent::QpReqErr);
    });
    CHECK(other.broken() == Broken{"S2.16", "S2.16"});
    WireStory no_message;
    no_message.raise(kBob, AsyncEvent::QpAccessErr);
    no_message.state(kBob, QpState::Err);
    CHECK(no_message.broken() == Broken{"S2.16"});
    WireStory runs = refused_write();
    runs.erase(kBob, Kind::QpState, 1);
    CHECK(runs.broken() == Broken{"S2.16"});
}

TEST_CASE("S2.17 the NAK says how the receive request ended") {
    using T = PacketType;
    using S = WcStatus;
    CHECK(refused(S::LocQpOpErr, T::NakRemoteAccess, S::RemAccessErr).broken() == Broken{"S2.17"});
    CHECK(refused(S::LocLenErr, T::NakRemoteOperational, S::RemOpErr).broken() == Broken{"S2.17"});
    CHECK(refused(S::RemAccessErr, T::NakInvalidRequest, S::RemInvReqErr).broken() ==
          Broken{"S2.17"});
}

TEST_CASE("S2.17 the request that was refused ends with the status that the NAK stands for") {
    using T = PacketType;
    using S = WcStatus;
    CHECK(refused(S::LocQpOpErr, T::NakRemoteOperational, S::RemAccessErr).broken() ==
          Broken{"S2.17"});
    CHECK(refused(S::LocQpOpErr, T::NakRemoteOperational, S::Success).broken() ==
          Broken{"S2.7", "S2.7"});  // neither acknowledged nor received
    WireStory goes_on = refused(S::LocQpOpErr, T::NakRemoteOperational, S::RemOpErr);
    goes_on.erase(kAlice, Kind::Complete, 0);
    goes_on.erase(kAlice, Kind::QpState, 1);
    CHECK(goes_on.broken() == Broken{"S2.17"});
    WireStory unasked;
    unasked.request(kAlice, 0);
    unasked.ended(kAlice, QueueKind::Send, 0, S::RemOpErr);
    CHECK(unasked.broken() == Broken{"S2.17"});
    WireStory response;
    response.request(kAlice, 0);
    response.ended(kAlice, QueueKind::Send, 0, S::BadRespErr);
    CHECK(response.broken() == Broken{"S2.17"});
}

TEST_CASE("S2.25 a QP in ERR sends no request and no ACK") {
    WireStory story = refused_write();
    story.again(kAlice, 0);
    story.change(kAlice, Kind::Packet, 2, [](Record& packet) { packet.index = 1; });
    CHECK(story.broken() == Broken{"S2.25"});
    WireStory answers = coalesced();
    answers.state(kBob, QpState::Err);
    answers.answer(kBob, PacketType::Ack, 2);
    CHECK(answers.broken() == Broken{"S2.25"});
}

TEST_CASE("D6 what comes was sent, by the peer") {
    WireStory story = coalesced();
    story.erase(kBob, Kind::Packet, 3);  // the ACK
    CHECK(story.broken() == Broken{"D6", "S2.7", "S2.7", "S2.7"});
    WireStory stranger = coalesced();
    stranger.change(kBob, Kind::Packet, 3, [](Record& packet) { packet.serial = 5; });
    CHECK(stranger.broken() == Broken{"D6", "D6", "S2.7", "S2.7", "S2.7"});
}

TEST_CASE("S7.3 another life begins at number 0, and nothing of the last one comes") {
    WireStory story = coalesced();
    story.request(kAlice, 3);
    story.state(kAlice, QpState::Reset);
    story.state(kBob, QpState::Reset);
    story.state(kAlice, QpState::Rts);
    story.state(kBob, QpState::Rts);
    story.receives(kBob, 1);
    story.request(kAlice, 0);
    story.comes(kBob, PacketType::Request, 0);
    story.ended(kBob, QueueKind::Receive, 0);
    CHECK(story.broken().empty());
    story.comes(kBob, PacketType::Request, 3);
    CHECK(story.broken() == Broken{"D6"});
}

}  // namespace cqsim::tb
