// SPDX-License-Identifier: Apache-2.0
// The spelling of records.
#include "models/observe/record_names.h"
#include "models/verbs/verbs.h"

#include <catch2/catch.hpp>

#include <set>
#include <string>

namespace cqsim {
namespace {

TEST_CASE("every kind has a name of its own, and the name gives the kind") {
    std::set<std::string_view> names;
    for (std::uint32_t i = 0; i < kKinds; ++i) {
        const auto kind = static_cast<Kind>(i);
        INFO(name(kind));
        CHECK(names.insert(name(kind)).second);
        CHECK(parse_kind(name(kind)) == kind);
        CHECK(info(kind).kind == kind);
    }
    CHECK(name(Kind::CqeVisible) == "cqe_visible");
    CHECK(name(Kind::Ci) == "ci");
    CHECK(name(Kind::QpState) == "qp_state");
    CHECK(name(static_cast<Kind>(200)) == "?");
    CHECK_FALSE(parse_kind("Post").has_value());
    CHECK_FALSE(parse_kind("").has_value());
}

TEST_CASE("outcomes, causes and reasons are spelled and parsed") {
    CHECK(name(Outcome::Cancelled) == "cancelled");
    CHECK(name(LostCause::WriteFailed) == "write_failed");
    CHECK(name(EndReason::Stalled) == "stalled");
    CHECK(parse_outcome("granted") == Outcome::Granted);
    CHECK(parse_lost_cause("none") == LostCause::None);
    CHECK(parse_lost_cause("cq_error") == LostCause::CqError);
    CHECK(parse_end_reason("idle") == EndReason::Idle);
    CHECK_FALSE(parse_end_reason("stopped").has_value());
    CHECK(name(static_cast<Outcome>(4)) == "?");
}

TEST_CASE("the state byte means what the kind says") {
    const auto words = [](Kind kind, std::uint8_t state) {
        const StateMeaning meaning = info(kind).state;
        return std::string(name(meaning)) + "=" + std::string(state_name(meaning, state));
    };
    CHECK(words(Kind::Post, 2) == "opcode=SEND");
    CHECK(words(Kind::Complete, 12) == "status=RETRY_EXC_ERR");
    CHECK(words(Kind::CqeVisible, 5) == "status=WR_FLUSH_ERR");
    CHECK(words(Kind::Slot, 1) == "owner=1");
    CHECK(words(Kind::Overrun, 2) == "cause=cq_error");
    CHECK(words(Kind::Async, 0) == "type=CQ_ERR");
    CHECK(words(Kind::QpState, 6) == "state=ERR");
    CHECK(words(Kind::Outcome, 0) == "outcome=suppressed");
    CHECK(words(Kind::End, 2) == "reason=stalled");
    CHECK(words(Kind::Ci, 0) == "=?");
    CHECK(words(Kind::Arm, 1) == "kind=solicited");
    CHECK(words(Kind::Event, 3) == "why=break");
    CHECK(words(Kind::Eqe, 0) == "eqe=COMP");
    CHECK(words(Kind::Eqe, 1) == "eqe=CQ_ERR");
    CHECK(words(Kind::Eqe, 6) == "eqe=SQ_DRAINED");
    CHECK(words(Kind::Destroy, 1) == "phase=done");
    CHECK(words(Kind::Modify, 4) == "state=SQD");
    CHECK(words(Kind::Refuse, 16) == "result=busy");
}

TEST_CASE("every word of a meaning gives its number back") {
    for (const StateMeaning meaning : {StateMeaning::WrOpcode,
                                       StateMeaning::WcStatus,
                                       StateMeaning::LostCause,
                                       StateMeaning::AsyncEvent,
                                       StateMeaning::QpState,
                                       StateMeaning::Outcome,
                                       StateMeaning::EndReason,
                                       StateMeaning::ArmKind,
                                       StateMeaning::EventCause,
                                       StateMeaning::Eqe,
                                       StateMeaning::EqKind,
                                       StateMeaning::DestroyPhase,
                                       StateMeaning::CommandResult,
                                       StateMeaning::QpType,
                                       StateMeaning::WcField}) {
        CHECK_FALSE(state_names(meaning).empty());
        for (const std::string_view word : state_names(meaning)) {
            const auto state = parse_state(meaning, word);
            INFO(word);
            REQUIRE(state.has_value());
            CHECK(state_name(meaning, *state) == word);
        }
    }
    CHECK(state_names(StateMeaning::WcStatus).size() == 24);  // S1.10: 0 to 23
    CHECK(state_names(StateMeaning::None).empty());
}

}  // namespace
}  // namespace cqsim
