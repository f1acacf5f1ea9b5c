// SPDX-License-Identifier: Apache-2.0
// The receiving end of a connection: the classes of S2.16, one by one.
#include "tb/wire/fault_plans.h"
#include "tb/wire/responder_rules.h"

#include <catch2/catch.hpp>

#include <optional>

namespace cqsim::tb {
namespace {

using Verdict = ResponderRules::Verdict;
constexpr std::uint32_t kReceive = 40;  ///< wqe_index of the receive request that is next

WireMessage message_of(std::uint32_t number,
                       WrOpcode opcode = WrOpcode::Send,
                       Fault fault = Fault::None) {
    WireMessage message;
    message.number = number;
    message.wqe_index = 100 + number;
    message.opcode = opcode;
    message.fault = fault;
    return message;
}

/// What it sends, "" if nothing.
std::string answer_of(ResponderRules& rules) {
    const std::optional<WireAnswer> answer = rules.next_answer();
    if (!answer) {
        return "";
    }
    static constexpr const char* kWords[] = {
        "request", "response", "ack", "rnr", "sequence", "invalid", "access", "operational"};
    return std::string(kWords[static_cast<std::size_t>(answer->type)]) + " " +
           std::to_string(answer->number);
}

}  // namespace

TEST_CASE("S2.10 a SEND takes a receive request, a WRITE and a READ do not") {
    ResponderRules rules;
    CHECK(rules.arrived(message_of(0), kReceive).takes);
    CHECK_FALSE(rules.arrived(message_of(1, WrOpcode::RdmaWrite), kReceive).takes);
    CHECK_FALSE(rules.arrived(message_of(2, WrOpcode::RdmaRead), kReceive).takes);
    CHECK(rules.arrived(message_of(3, WrOpcode::RdmaWriteWithImm), kReceive + 1).takes);
}

TEST_CASE("S2.13 no answer before the completion has its slot, nor to what came behind it") {
    ResponderRules rules;
    rules.arrived(message_of(0), kReceive);
    rules.arrived(message_of(1, WrOpcode::RdmaWrite), std::nullopt);
    rules.arrived(message_of(2), std::nullopt);  // RNR: its answer would cover the two
    CHECK(answer_of(rules).empty());
    rules.answered(kReceive, true);
    CHECK(answer_of(rules) == "ack 0");
    CHECK(answer_of(rules) == "ack 1");
    CHECK(answer_of(rules) == "rnr 2");
    CHECK(answer_of(rules).empty());
}

TEST_CASE("S2.16 G, S5.5 a lost completion: no answer to it, and none any more") {
    ResponderRules rules;
    rules.arrived(message_of(0), kReceive);
    rules.arrived(message_of(1), kReceive + 1);
    rules.arrived(message_of(2, WrOpcode::RdmaRead), std::nullopt);
    rules.answered(kReceive, true);
    rules.answered(kReceive + 1, false);
    CHECK(answer_of(rules) == "ack 0");
    CHECK(answer_of(rules).empty());
    CHECK_FALSE(rules.owes_ack());
    const Verdict again = rules.arrived(message_of(1), kReceive + 2);
    CHECK_FALSE(again.takes);
    CHECK_FALSE(again.at_once);
}

TEST_CASE("S2.7 ack_every: one ACK for several messages; a response covers them at once") {
    ResponderConfig config;
    config.ack_every = 3;
    ResponderRules rules(config);
    const auto write = [&](std::uint32_t number) {
        rules.arrived(message_of(number, WrOpcode::RdmaWrite), std::nullopt);
        return answer_of(rules);
    };
    CHECK(write(0).empty());
    CHECK(write(1).empty());
    CHECK(write(2) == "ack 2");
    CHECK_FALSE(rules.owes_ack());
    CHECK(write(3).empty());
    CHECK(rules.owes_ack());
    CHECK(rules.ack_now().number == 3);
    CHECK_FALSE(rules.owes_ack());
    CHECK(write(4).empty());
    rules.arrived(message_of(5, WrOpcode::RdmaRead), std::nullopt);
    CHECK(answer_of(rules) == "response 5");
    CHECK_FALSE(rules.owes_ack());
}

TEST_CASE("S2.16 B a gap: one NAK of the expected message, and nothing of what follows it") {
    ResponderRules rules;
    CHECK_FALSE(rules.arrived(message_of(1), kReceive).takes);
    CHECK(answer_of(rules) == "sequence 0");
    CHECK_FALSE(rules.arrived(message_of(2), kReceive).takes);
    CHECK(answer_of(rules).empty());
    CHECK(rules.arrived(message_of(0), kReceive).takes);
    CHECK(rules.arrived(message_of(1), kReceive + 1).takes);
    CHECK_FALSE(rules.arrived(message_of(3), kReceive + 2).takes);  // another gap
    rules.answered(kReceive, true);
    rules.answered(kReceive + 1, true);
    CHECK(answer_of(rules) == "ack 0");
    CHECK(answer_of(rules) == "ack 1");
    CHECK(answer_of(rules) == "sequence 2");
}

TEST_CASE(
    "S2.16 B no receive request: RNR NAK, nothing consumed, and the same message may come again") {
    ResponderRules rules;
    const Verdict verdict = rules.arrived(message_of(0), std::nullopt);
    CHECK_FALSE(verdict.takes);
    CHECK_FALSE(verdict.event);
    CHECK(answer_of(rules) == "rnr 0");
    CHECK_FALSE(rules.arrived(message_of(1), kReceive).takes);  // behind it
    CHECK(answer_of(rules).empty());
    CHECK(rules.arrived(message_of(0), kReceive).takes);
    ResponderRules writes;
    writes.arrived(message_of(0, WrOpcode::RdmaWrite), std::nullopt);  // needs none
    CHECK(answer_of(writes) == "ack 0");
}

TEST_CASE("S2.16 B a refusal that was not sent is not sent after the message was received") {
    ResponderRules rules;
    rules.arrived(message_of(0), kReceive);
    rules.arrived(message_of(1), std::nullopt);
    rules.arrived(message_of(1), kReceive + 1);
    rules.answered(kReceive, true);
    rules.answered(kReceive + 1, true);
    CHECK(answer_of(rules) == "ack 0");
    CHECK(answer_of(rules) == "ack 1");
    CHECK(answer_of(rules).empty());
}

TEST_CASE("S2.16 B a message that comes again is answered again, and takes nothing") {
    ResponderRules rules;
    rules.arrived(message_of(0), kReceive);
    CHECK_FALSE(rules.arrived(message_of(0), kReceive + 1).at_once);  // its answer is to come
    rules.answered(kReceive, true);
    CHECK(answer_of(rules) == "ack 0");
    const Verdict again = rules.arrived(message_of(0), kReceive + 1);
    CHECK_FALSE(again.takes);
    REQUIRE(again.at_once);
    CHECK(again.at_once->type == PacketType::Ack);
    CHECK(again.at_once->number == 0);
    rules.arrived(message_of(1, WrOpcode::RdmaRead), std::nullopt);
    CHECK(answer_of(rules) == "response 1");
    const Verdict read = rules.arrived(message_of(1, WrOpcode::RdmaRead), std::nullopt);
    REQUIRE(read.at_once);
    CHECK(read.at_once->type == PacketType::Response);
}

TEST_CASE("S2.16 A, C with a receive request: it is consumed, fails, and a NAK says so") {
    struct Row {
        Fault fault;
        WcStatus status;
        const char* answer;
    };
    const WrOpcode with_imm = WrOpcode::RdmaWriteWithImm;
    for (const Row& row : {Row{Fault::ResponderWqe, WcStatus::LocQpOpErr, "operational 0"},
                           Row{Fault::Rkey, WcStatus::RemAccessErr, "access 0"},
                           Row{Fault::InvalidRequest, WcStatus::RemInvReqErr, "invalid 0"},
                           Row{Fault::Length, WcStatus::LocLenErr, "invalid 0"}}) {
        ResponderRules rules;
        const Verdict verdict = rules.arrived(message_of(0, with_imm, row.fault), kReceive);
        CHECK(verdict.takes);
        CHECK(verdict.status == row.status);
        CHECK_FALSE(verdict.event);
        rules.stop();  // the QP goes to ERR
        CHECK(answer_of(rules).empty());
        rules.answered(kReceive, true);
        CHECK(answer_of(rules) == row.answer);
        CHECK(answer_of(rules).empty());
    }
}

TEST_CASE("S2.16 C, S1.14 without a receive request: an event, and a NAK") {
    const auto event_of = [](Fault fault, WrOpcode opcode) {
        ResponderRules rules;
        const Verdict verdict = rules.arrived(message_of(0, opcode, fault), kReceive);
        CHECK_FALSE(verdict.takes);
        REQUIRE(verdict.event);
        CHECK(answer_of(rules) == (fault == Fault::Rkey ? "access 0" : "invalid 0"));
        return *verdict.event;
    };
    CHECK(event_of(Fault::Rkey, WrOpcode::RdmaWrite) == AsyncEvent::QpAccessErr);
    CHECK(event_of(Fault::Rkey, WrOpcode::RdmaRead) == AsyncEvent::QpAccessErr);
    CHECK(event_of(Fault::InvalidRequest, WrOpcode::RdmaRead) == AsyncEvent::QpReqErr);
    CHECK(event_of(Fault::Length, WrOpcode::RdmaWrite) == AsyncEvent::QpReqErr);
}

TEST_CASE("S2.13, S2.16 the NAK of a QP in ERR waits for the completions that it covers") {
    ResponderRules rules;
    rules.arrived(message_of(0), kReceive);
    const Verdict verdict =
        rules.arrived(message_of(1, WrOpcode::RdmaWrite, Fault::Rkey), std::nullopt);
    CHECK(verdict.event);
    rules.stop();
    CHECK(answer_of(rules).empty());
    rules.answered(kReceive, true);
    CHECK(answer_of(rules) == "access 1");

    ResponderRules lost;
    lost.arrived(message_of(0), kReceive);
    lost.arrived(message_of(1, WrOpcode::RdmaWrite, Fault::Rkey), std::nullopt);
    lost.stop();
    lost.answered(kReceive, false);  // class G comes first
    CHECK(answer_of(lost).empty());
}

TEST_CASE("S2.16 J the receive request fails, and nothing is sent") {
    ResponderRules rules;
    const Verdict verdict =
        rules.arrived(message_of(0, WrOpcode::SendWithInv, Fault::InvKey), kReceive);
    CHECK(verdict.takes);
    CHECK(verdict.status == WcStatus::RemInvReqErr);
    rules.stop();
    rules.answered(kReceive, true);
    CHECK(answer_of(rules).empty());
}

TEST_CASE("S2.25 in ERR what waits to be acknowledged is not acknowledged any more") {
    ResponderConfig config;
    config.ack_every = 3;
    ResponderRules rules(config);
    rules.arrived(message_of(0), kReceive);
    rules.answered(kReceive, true);
    CHECK(answer_of(rules).empty());
    rules.arrived(message_of(1), kReceive + 1);
    rules.stop();
    CHECK_FALSE(rules.owes_ack());
    rules.answered(kReceive + 1, true);
    CHECK(answer_of(rules).empty());
    rules.restart();
    CHECK(rules.arrived(message_of(0), kReceive).takes);  // another life counts from zero
}

TEST_CASE(
    "S2.14, S2.15, S2.16 D, D1 UC and UD drop in silence, and the receive request is there still") {
    for (const QpType type : {QpType::Uc, QpType::Ud}) {
        ResponderConfig config;
        config.type = type;
        ResponderRules rules(config);
        CHECK_FALSE(rules.arrived(message_of(0), std::nullopt).takes);
        for (const Fault fault : {Fault::InvalidRequest, Fault::Length}) {
            const Verdict verdict = rules.arrived(message_of(0, WrOpcode::Send, fault), kReceive);
            CHECK_FALSE(verdict.takes);
            CHECK_FALSE(verdict.event);
        }
        const Verdict good = rules.arrived(message_of(7), kReceive);  // whatever was lost before
        CHECK(good.takes);
        CHECK(good.status == WcStatus::Success);
        CHECK(answer_of(rules).empty());
    }
}

TEST_CASE(
    "S2.16 A, S2.18 a malformed receive request fails a QP of UC or UD as well, without a NAK") {
    for (const QpType type : {QpType::Uc, QpType::Ud}) {
        for (const bool shared : {false, true}) {
            ResponderConfig config;
            config.type = type;
            config.shared = shared;
            ResponderRules rules(config);
            const WireMessage message = message_of(0, WrOpcode::Send, Fault::ResponderWqe);
            CHECK_FALSE(rules.arrived(message, std::nullopt).takes);
            const Verdict verdict = rules.arrived(message, kReceive);
            CHECK(verdict.takes);
            CHECK(verdict.status == WcStatus::LocQpOpErr);
            CHECK(answer_of(rules).empty());
        }
    }
}

TEST_CASE("S2.15, S2.16 E of an SRQ the receive request is used up by what UC drops") {
    ResponderConfig config;
    config.type = QpType::Uc;
    config.shared = true;
    ResponderRules rules(config);
    const Verdict verdict =
        rules.arrived(message_of(0, WrOpcode::Send, Fault::InvalidRequest), kReceive);
    CHECK(verdict.takes);
    CHECK(verdict.status == WcStatus::RemInvReqErr);
    CHECK_FALSE(verdict.event);
    CHECK(answer_of(rules).empty());
    CHECK_FALSE(rules.arrived(message_of(1), std::nullopt).takes);  // an empty one
}

TEST_CASE("S2.16 B of refusals that wait for the slot of an earlier completion there is one") {
    ResponderRules rules;
    rules.arrived(message_of(0), kReceive);
    rules.arrived(message_of(1), std::nullopt);
    rules.arrived(message_of(0), kReceive + 1);  // sent again: its answer is to come
    rules.arrived(message_of(1), std::nullopt);
    rules.answered(kReceive, true);
    CHECK(answer_of(rules) == "ack 0");
    CHECK(answer_of(rules) == "rnr 1");
    CHECK(answer_of(rules).empty());

    ResponderRules served;
    served.arrived(message_of(0), kReceive);
    served.arrived(message_of(1), std::nullopt);
    served.arrived(message_of(1), std::nullopt);
    served.arrived(message_of(1), kReceive + 1);
    served.answered(kReceive, true);
    served.answered(kReceive + 1, true);
    CHECK(answer_of(served) == "ack 0");
    CHECK(answer_of(served) == "ack 1");
    CHECK(answer_of(served).empty());
}

TEST_CASE("S2.25 a QP that fails refuses nothing any more: neither before its NAK nor instead") {
    ResponderRules rules;
    rules.arrived(message_of(0), kReceive);
    rules.arrived(message_of(1), std::nullopt);
    rules.arrived(message_of(1), std::nullopt);
    rules.arrived(message_of(1, WrOpcode::Send, Fault::Length), kReceive + 1);
    rules.stop();
    rules.answered(kReceive, true);
    rules.answered(kReceive + 1, true);
    CHECK(answer_of(rules) == "invalid 1");
    CHECK(answer_of(rules).empty());
    ResponderRules told;
    told.arrived(message_of(0), kReceive);
    told.arrived(message_of(1), std::nullopt);
    told.stop();
    told.answered(kReceive, true);
    CHECK(answer_of(told).empty());
}

TEST_CASE("a bad response is of another operation") {
    ResponderRules rules;
    rules.arrived(message_of(0, WrOpcode::RdmaWrite, Fault::BadResponse), std::nullopt);
    const std::optional<WireAnswer> bad = rules.next_answer();
    REQUIRE(bad);
    CHECK(bad->type == PacketType::Response);
    CHECK(bad->bad);
}

TEST_CASE("which messages a fault can hit") {
    CHECK(can_hit(Fault::Rkey, WrOpcode::RdmaWrite));
    CHECK(can_hit(Fault::Rkey, WrOpcode::AtomicCmpAndSwp));
    CHECK_FALSE(can_hit(Fault::Rkey, WrOpcode::Send));
    CHECK(can_hit(Fault::InvKey, WrOpcode::SendWithInv));
    CHECK_FALSE(can_hit(Fault::InvKey, WrOpcode::Send));
    CHECK_FALSE(can_hit(Fault::ResponderWqe, WrOpcode::RdmaRead));
    CHECK_FALSE(can_hit(Fault::Drop, WrOpcode::LocalInv));
    CHECK(can_hit(Fault::LocalProt, WrOpcode::LocalInv));
    CHECK_FALSE(can_hit(Fault::None, WrOpcode::Send));
}

TEST_CASE("S1.17 which types a fault can hit") {
    for (std::uint32_t i = 1; i < kFaults; ++i) {
        CHECK(can_hit(static_cast<Fault>(i), QpType::Rc));
    }
    CHECK_FALSE(can_hit(Fault::DropAck, QpType::Uc));  // nothing is answered
    CHECK_FALSE(can_hit(Fault::BadResponse, QpType::Uc));
    CHECK(can_hit(Fault::InvKey, QpType::Uc));
    CHECK_FALSE(can_hit(Fault::InvKey, QpType::Ud));
    CHECK(can_hit(Fault::Rkey, QpType::Uc));
    CHECK_FALSE(can_hit(Fault::Rkey, QpType::Ud));
    CHECK(can_hit(Fault::Drop, QpType::Ud));
    CHECK(can_hit(Fault::ResponderWqe, QpType::Ud));
}

TEST_CASE("a fault hits the n-th message that it can, one fault a message, and waits till then") {
    FaultPlans plans;
    plans.add({Fault::Rkey, 2, 1, 7});
    plans.add({Fault::Drop, 3, 5, 8});
    const auto begun = [&](WrOpcode opcode) {
        WireMessage message;
        message.opcode = opcode;
        plans.begin(message);
        return message;
    };
    CHECK(begun(WrOpcode::RdmaWrite).fault == Fault::None);
    CHECK(begun(WrOpcode::Send).fault == Fault::None);
    REQUIRE(plans.waiting().size() == 2);
    CHECK(plans.waiting()[0].id == 7);
    CHECK(plans.waiting()[0].counted == 1);
    CHECK(plans.waiting()[1].counted == 2);
    CHECK(begun(WrOpcode::RdmaWrite).fault == Fault::Rkey);
    const WireMessage dropped = begun(WrOpcode::Send);  // the third one had another fault
    CHECK(dropped.fault == Fault::Drop);
    CHECK(dropped.hits == 5);
    CHECK(plans.waiting().empty());
}

}  // namespace cqsim::tb
