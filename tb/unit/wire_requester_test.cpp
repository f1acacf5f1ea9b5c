// SPDX-License-Identifier: Apache-2.0
// The sending end of a connection: what each answer ends, and what is sent again.
#include "tb/wire/requester_rules.h"

#include <catch2/catch.hpp>

#include <vector>

namespace cqsim::tb {
namespace {

using Effect = RequesterRules::Effect;

/// Requests 10, 11, ... of these opcodes have begun.
RequesterRules begun(const std::vector<WrOpcode>& opcodes, const RequesterConfig& config = {}) {
    RequesterRules rules(config);
    std::uint32_t wqe_index = 10;
    for (const WrOpcode opcode : opcodes) {
        WireMessage message;
        message.wqe_index = wqe_index++;
        message.opcode = opcode;
        rules.begin(message);
    }
    return rules;
}

/// Sends what it can; the numbers.
std::vector<std::uint32_t> send_all(RequesterRules& rules) {
    std::vector<std::uint32_t> numbers;
    while (const WireMessage* next = rules.next()) {
        numbers.push_back(next->number);
        rules.sent(false);
    }
    return numbers;
}

using Numbers = std::vector<std::uint32_t>;
const std::vector<WrOpcode> three_sends{WrOpcode::Send, WrOpcode::Send, WrOpcode::Send};

Effect succeeds(std::uint32_t first, std::uint32_t count) {
    Effect effect;
    effect.first = first;
    effect.succeeded = count;
    return effect;
}

}  // namespace

TEST_CASE("S2.7 one ACK ends all requests up to the one that it names, and none behind it") {
    RequesterRules rules = begun(three_sends);
    CHECK(send_all(rules) == Numbers{0, 1, 2});
    CHECK(rules.ack(1) == succeeds(10, 2));
    CHECK(rules.outstanding() == 1);
    CHECK(rules.ack(2) == succeeds(12, 1));
    CHECK_FALSE(rules.in_flight());
}

TEST_CASE("S2.7 RC: sent is not ended; UC and UD: it is") {
    RequesterRules reliable = begun({WrOpcode::Send});
    CHECK(reliable.next() != nullptr);
    CHECK(reliable.sent(false) == Effect{});
    CHECK(reliable.in_flight());

    RequesterConfig config;
    config.answered = false;
    RequesterRules datagrams = begun(three_sends, config);
    CHECK(datagrams.next() != nullptr);
    CHECK(datagrams.sent(false) == succeeds(10, 1));
    CHECK(datagrams.next() != nullptr);
    CHECK(datagrams.sent(true) == succeeds(11, 1));  // lost: nobody knows
    CHECK_FALSE(datagrams.in_flight());
}

TEST_CASE("S2.8 E an answer to what has ended, or was never sent, changes nothing") {
    RequesterRules rules = begun(three_sends);
    CHECK(rules.ack(0) == Effect{});  // not sent yet
    send_all(rules);
    rules.ack(1);
    const RequesterRules before = rules;
    for (const std::uint32_t stale : {0U, 1U, 3U, kNumberMask}) {
        CHECK(rules.ack(stale) == Effect{});
        CHECK(rules.response(stale, false) == Effect{});
        CHECK(rules.nak(PacketType::NakRemoteAccess, stale) == Effect{});
    }
    CHECK(rules == before);
}

TEST_CASE("S2.7 a READ ends with its response; an ACK of one behind it says that it is missing") {
    RequesterRules rules = begun({WrOpcode::Send, WrOpcode::RdmaRead, WrOpcode::Send});
    send_all(rules);
    Effect effect = rules.ack(2);  // the response was lost
    CHECK(effect.first == 10);
    CHECK(effect.succeeded == 1);
    CHECK(effect.again);
    CHECK(send_all(rules) == Numbers{1, 2});
    CHECK(rules.response(1, false) == succeeds(11, 1));
    CHECK(rules.ack(2) == succeeds(12, 1));
}

TEST_CASE("S2.7 a response covers the SENDs before it") {
    RequesterRules rules = begun({WrOpcode::Send, WrOpcode::Send, WrOpcode::AtomicFetchAndAdd});
    send_all(rules);
    CHECK(rules.response(2, false) == succeeds(10, 3));
}

TEST_CASE("S2.4 what ends here alone waits for those before it") {
    RequesterRules rules = begun({WrOpcode::Send, WrOpcode::LocalInv, WrOpcode::Send});
    CHECK(send_all(rules) == Numbers{0, 1});  // nothing of the second goes onto the wire
    CHECK(rules.turn() == Effect{});
    CHECK(rules.ack(0) == succeeds(10, 2));
    CHECK(rules.ack(1) == succeeds(12, 1));
    RequesterRules alone = begun({WrOpcode::BindMw});
    CHECK(alone.has_turn());
    CHECK(alone.turn() == succeeds(10, 1));
}

TEST_CASE("S2.8 A silence: sent again retry_cnt times, then RETRY_EXC_ERR") {
    for (const std::uint8_t retry_cnt : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{7}}) {
        RequesterConfig config;
        config.retry_cnt = retry_cnt;
        RequesterRules rules = begun(three_sends, config);
        CHECK(send_all(rules) == Numbers{0, 1, 2});
        for (std::uint8_t i = 0; i < retry_cnt; ++i) {
            const Effect effect = rules.timeout();
            CHECK(effect.again);
            CHECK_FALSE(effect.ends());
            CHECK_FALSE(rules.in_flight());  // nothing of it is on the wire yet
            CHECK(send_all(rules) == Numbers{0, 1, 2});
        }
        const Effect last = rules.timeout();
        CHECK(last.first == 10);
        CHECK(last.succeeded == 0);
        CHECK(last.failed == WcStatus::RetryExcErr);
        CHECK(rules.outstanding() == 0);  // the others flush
        CHECK(rules.next() == nullptr);
    }
}

TEST_CASE("S2.8 A progress gives all retries back") {
    RequesterConfig config;
    config.retry_cnt = 1;
    RequesterRules rules = begun(three_sends, config);
    send_all(rules);
    CHECK(rules.timeout().again);
    send_all(rules);
    CHECK(rules.ack(0) == succeeds(10, 1));
    CHECK(rules.timeout().again);
    send_all(rules);
    CHECK(rules.timeout().failed == WcStatus::RetryExcErr);
}

TEST_CASE("S2.8 A a gap costs one retry, however often it is told") {
    RequesterConfig config;
    config.retry_cnt = 1;
    RequesterRules rules = begun(three_sends, config);
    send_all(rules);
    CHECK(rules.nak(PacketType::NakSequence, 0).again);
    CHECK(rules.nak(PacketType::NakSequence, 0) == Effect{});
    CHECK(send_all(rules) == Numbers{0, 1, 2});
    CHECK(rules.nak(PacketType::NakSequence, 0) == Effect{});  // of the first round, late
    CHECK(rules.timeout().failed == WcStatus::RetryExcErr);
}

TEST_CASE("S2.8 A a NAK of a gap covers what is before the gap") {
    RequesterRules rules = begun(three_sends);
    send_all(rules);
    const Effect effect = rules.nak(PacketType::NakSequence, 2);
    CHECK(effect.succeeded == 2);
    CHECK(effect.again);
    CHECK(send_all(rules) == Numbers{2});
}

TEST_CASE(
    "S2.16 B RNR: sent again when the timer is over, rnr_retry times, then RNR_RETRY_EXC_ERR") {
    RequesterConfig config;
    config.rnr_retry = 2;
    config.retry_cnt = 0;  // another count
    RequesterRules rules = begun(three_sends, config);
    send_all(rules);
    for (int i = 0; i < 2; ++i) {
        const Effect effect = rules.nak(PacketType::RnrNak, 0);
        CHECK(effect.waits);
        CHECK_FALSE(effect.ends());
        CHECK(rules.next() == nullptr);
        CHECK_FALSE(rules.in_flight());
        CHECK(rules.nak(PacketType::RnrNak, 0) == Effect{});  // one is enough
        rules.rnr_over();
        CHECK(send_all(rules) == Numbers{0, 1, 2});
    }
    const Effect last = rules.nak(PacketType::RnrNak, 0);
    CHECK(last.failed == WcStatus::RnrRetryExcErr);
    CHECK(last.first == 10);
}

TEST_CASE("S2.16 B rnr_retry 7 is for ever, 0 is not at all") {
    RequesterConfig patient;
    patient.rnr_retry = RequesterConfig::kForEver;
    RequesterRules rules = begun(three_sends, patient);
    send_all(rules);
    for (int i = 0; i < 100; ++i) {
        CHECK(rules.nak(PacketType::RnrNak, 0).waits);
        rules.rnr_over();
        send_all(rules);
    }
    RequesterConfig none;
    none.rnr_retry = 0;
    RequesterRules hasty = begun(three_sends, none);
    send_all(hasty);
    const Effect effect = hasty.nak(PacketType::RnrNak, 1);
    CHECK(effect.succeeded == 1);
    CHECK(effect.failed == WcStatus::RnrRetryExcErr);
}

TEST_CASE("S2.17 each NAK gives the status that it stands for, to the request that it names") {
    const auto after = [](PacketType nak) {
        RequesterRules rules = begun(three_sends);
        send_all(rules);
        const Effect effect = rules.nak(nak, 1);
        CHECK(effect.first == 10);
        CHECK(effect.succeeded == 1);
        CHECK_FALSE(effect.again);
        CHECK(rules.outstanding() == 0);
        return effect.failed;
    };
    CHECK(after(PacketType::NakInvalidRequest) == WcStatus::RemInvReqErr);
    CHECK(after(PacketType::NakRemoteAccess) == WcStatus::RemAccessErr);
    CHECK(after(PacketType::NakRemoteOperational) == WcStatus::RemOpErr);
}

TEST_CASE("S2.8 B a response of another operation: BAD_RESP_ERR") {
    RequesterRules rules = begun({WrOpcode::RdmaRead});
    send_all(rules);
    CHECK(rules.response(0, true).failed == WcStatus::BadRespErr);
    RequesterRules send = begun({WrOpcode::Send});
    send_all(send);
    CHECK(send.response(0, false).failed == WcStatus::BadRespErr);
}

TEST_CASE("S2.8 B a bad buffer fails when it is the oldest; neither it nor what follows is sent") {
    RequesterRules rules = begun({WrOpcode::Send});
    WireMessage bad;
    bad.wqe_index = 11;
    bad.opcode = WrOpcode::Send;
    bad.fault = Fault::LocalProt;
    rules.begin(bad);
    WireMessage behind = bad;
    behind.wqe_index = 12;
    behind.fault = Fault::None;
    rules.begin(behind);
    CHECK(send_all(rules) == Numbers{0});
    CHECK_FALSE(rules.has_turn());
    const Effect effect = rules.ack(0);
    CHECK(effect.first == 10);
    CHECK(effect.succeeded == 1);
    CHECK(effect.failed == WcStatus::LocProtErr);
    CHECK(rules.outstanding() == 0);
}

TEST_CASE("S2.25 what is stopped takes no answer; S2.22 resumed, numbers go on where they were") {
    RequesterConfig config;
    config.answered = false;
    RequesterRules rules = begun(three_sends, config);
    rules.next();
    rules.sent(false);
    rules.stop();
    CHECK(rules.next() == nullptr);
    WireMessage message;
    message.wqe_index = 13;
    rules.begin(message);  // flushes
    CHECK(rules.outstanding() == 0);
    rules.resume();
    message.wqe_index = 14;
    message.opcode = WrOpcode::Send;
    rules.begin(message);
    CHECK(send_all(rules) == Numbers{1});

    RequesterRules reliable = begun(three_sends);
    send_all(reliable);
    reliable.stop();
    CHECK(reliable.ack(2) == Effect{});
    CHECK(reliable.timeout() == Effect{});
    reliable.restart();
    CHECK(reliable == RequesterRules());
}

TEST_CASE("a fault hits as many transmissions as it says") {
    RequesterRules rules;
    WireMessage message;
    message.opcode = WrOpcode::Send;
    message.fault = Fault::Drop;
    message.hits = 2;
    rules.begin(message);
    for (const std::uint32_t left : {2U, 1U, 0U, 0U}) {
        REQUIRE(rules.next() != nullptr);
        CHECK(rules.next()->hits == left);
        rules.sent(left != 0);
        rules.timeout();
    }
}

TEST_CASE(
    "drop_ack: an answer that covers the message is lost, and that counts; a refusal is not") {
    RequesterRules rules;
    WireMessage message;
    message.opcode = WrOpcode::Send;
    rules.begin(message);
    message.fault = Fault::DropAck;
    message.hits = 2;
    rules.begin(message);
    CHECK_FALSE(rules.loses_answer(PacketType::Ack, 1));  // it is not sent yet
    send_all(rules);
    CHECK_FALSE(rules.loses_answer(PacketType::Ack, 0));
    CHECK_FALSE(rules.loses_answer(PacketType::RnrNak, 1));
    CHECK_FALSE(rules.loses_answer(PacketType::NakSequence, 1));
    CHECK(rules.loses_answer(PacketType::Ack, 1));
    CHECK(rules.loses_answer(PacketType::NakRemoteAccess, 1));
    CHECK_FALSE(rules.loses_answer(PacketType::Ack, 1));  // twice it was
    CHECK(rules.ack(1).succeeded == 2);
    CHECK_FALSE(rules.loses_answer(PacketType::Ack, 1));
}

TEST_CASE("numbers have 24 bits and go round") {
    RequesterRules rules;
    WireMessage message;
    message.opcode = WrOpcode::Send;
    for (std::uint32_t i = 0; i <= kNumberMask; ++i) {
        rules.begin(message);
        rules.next();
        rules.sent(false);
        rules.ack(i);
    }
    message.wqe_index = 7;
    rules.begin(message);
    message.wqe_index = 8;
    rules.begin(message);
    CHECK(send_all(rules) == Numbers{0, 1});
    CHECK(rules.ack(kNumberMask) == Effect{});
    CHECK(rules.ack(1) == succeeds(7, 2));
}

}  // namespace cqsim::tb
