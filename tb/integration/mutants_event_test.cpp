// SPDX-License-Identifier: Apache-2.0
// Broken event arbiters, doorbells and publications, each in a shipped scenario: which rule the
// checkers name. The expected rule is what spec.md says about the fault, before any run.
#include "models/event/eqe.h"
#include "tb/integration/broken_event.h"
#include "tb/integration/mutant_run.h"

#include <catch2/catch.hpp>

#include <array>

namespace cqsim::tb::test {
namespace {

using Payload = tlm::tlm_generic_payload;

MutantRun run_event(const char* scenario, const EventHooks& hooks) {
    return run_with(scenario, broken_event(hooks));
}

/// Does `fault` with every third write of entries (64 bytes) or of interrupts.
template <class Fault>
EventHooks each_third(std::uint32_t length, Fault fault) {
    EventHooks hooks;
    hooks.dma.write = [length, fault, seen = 0U](Payload& payload,
                                                 tlm::tlm_initiator_socket<>&) mutable {
        if (payload.get_data_length() != length || ++seen % 3 != 0) {
            return WriteFate::Pass;
        }
        return fault(payload);
    };
    return hooks;
}

template <class Fault>
EventHooks entries(Fault fault) {
    return each_third(eqe::kBytes, fault);
}

template <class Fault>
EventHooks interrupts(Fault fault) {
    return each_third(EventConfig::kMsixBytes, fault);
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("control: the event arbiter behind shims passes without a fault",
                       "",
                       ((int which), which),
                       0,
                       1,
                       2,
                       3) {
    const std::array<const char*, 4> scenarios{
        "interrupts", "event_queue_full", "overrun_while_armed", "solicited_only"};
    CHECK(passes(run_event(scenarios.at(static_cast<std::size_t>(which)), {})));
}

TEST_CASE("I6 an arm that never reaches the event arbiter") {
    EventHooks hooks;
    hooks.armed = [](Cqn& cqn, std::uint32_t&, ArmKind&) { return cqn == Cqn{1} ? 0U : 1U; };
    CHECK(names_rule(run_event("event_queue_full", hooks), "I6"));
}

TEST_CASE("I6 a doorbell that arms another CQ, which there is not") {
    EventHooks hooks;
    hooks.armed = [](Cqn& cqn, std::uint32_t&, ArmKind&) {
        cqn = Cqn{index_of(cqn) ^ 1U};
        return 1U;
    };
    CHECK(names_rule(run_event("cases/55_drain_all_before_waiting", hooks), "I6"));
}

TEST_CASE("I6 an entry of an armed CQ of which the event arbiter is not told") {
    EventHooks hooks;
    hooks.published = [](PublishedEntry& entry) { return entry.cqn == Cqn{1} ? 0U : 1U; };
    CHECK(names_rule(run_event("event_queue_full", hooks), "I6"));
}

TEST_CASE("I6 an arm for any entry that is taken for one of solicited entries") {
    EventHooks hooks;
    hooks.armed = [](Cqn&, std::uint32_t&, ArmKind& kind) {
        kind = ArmKind::Solicited;
        return 1U;
    };
    CHECK(names_rule(run_event("event_queue_full", hooks), "I6"));
}

TEST_CASE("S4.9 an arm of a moderated CQ that never reaches the event arbiter") {
    EventHooks hooks;
    hooks.armed = [seen = 0U](Cqn&, std::uint32_t&, ArmKind&) mutable {
        return ++seen % 20 == 0 ? 0U : 1U;
    };
    CHECK(names_rule(run_event("interrupts", hooks), "S4.9"));
}

TEST_CASE("S4.9 a device that forgets every second entry of a moderated CQ") {
    EventHooks hooks;
    hooks.published = [](PublishedEntry& entry) { return entry.index % 2 == 0 ? 0U : 1U; };
    CHECK(names_rule(run_event("interrupts", hooks), "S4.9"));
}

TEST_CASE("a device that takes another moderation than it was told fails interrupts") {
    EventHooks hooks;
    hooks.attached = [](CreateCq& command) {
        command.moderation.count = 0xFFFF;
        command.moderation.period = from_ns(50'000);
        return 1U;
    };
    CHECK(fails(run_event("interrupts",
                          hooks)));  // by what it expects: the device itself says what it was told
}

TEST_CASE("S6.1 an event arbiter that stays armed after an event") {
    EventHooks hooks;
    hooks.rearms = true;
    CHECK(names_rule(run_event("cases/55_drain_all_before_waiting", hooks), "S6.1"));
}

TEST_CASE("S4.5 a CQ that is armed when it is created") {
    EventHooks hooks;
    hooks.armed_at_birth = true;
    CHECK(names_rule(run_event("cases/49_arm_before_the_first_completion", hooks), "S4.5"));
}

TEST_CASE("S6.2 an arm for solicited entries that is taken for one of any entry") {
    EventHooks hooks;
    hooks.armed = [](Cqn&, std::uint32_t&, ArmKind& kind) {
        kind = ArmKind::Next;
        return 1U;
    };
    CHECK(names_rule(run_event("solicited_only", hooks), "S6.2"));
}

TEST_CASE("S6.15 an entry that is published while its write is under way") {
    CHECK(names_rule(run_with("interrupts", eager_publication()), "S6.15"));
}

TEST_CASE("S6.15 an interrupt that passes its event queue entry") {
    EventHooks hooks;
    hooks.dma.write = [](Payload& payload, tlm::tlm_initiator_socket<>&) {
        return payload.get_data_length() == eqe::kBytes ? WriteFate::Postpone : WriteFate::Pass;
    };
    CHECK(names_rule(run_event("cases/49_arm_before_the_first_completion", hooks), "S6.15"));
}

TEST_CASE("S6.16 an event arbiter that does not hear of a CQ in error") {
    EventHooks hooks;
    hooks.deaf_to_failures = true;
    CHECK(names_rule(run_event("overrun_while_armed", hooks), "S6.16"));
}

TEST_CASE("S3.5 an event queue entry with the wrong owner bit") {
    const auto fault = [](Payload& payload) {
        payload.get_data_ptr()[eqe::kOwnByte] ^= 1U;
        return WriteFate::Pass;
    };
    CHECK(names_rule(run_event("interrupts", entries(fault)), "S3.5"));
}

TEST_CASE("S3.5 an event queue entry beside its place") {
    const auto fault = [](Payload& payload) {
        payload.set_address(payload.get_address() ^ eqe::kBytes);
        return WriteFate::Pass;
    };
    CHECK(names_rule(run_event("interrupts", entries(fault)), "S3.5"));
}

TEST_CASE("S6.21 an event queue entry that names another CQ") {
    const auto fault = [](Payload& payload) {
        payload.get_data_ptr()[eqe::kCqnByte] ^= 1U;
        return WriteFate::Pass;
    };
    CHECK(names_rule(run_event("interrupts", entries(fault)), "S6.21"));
}

TEST_CASE("S3.5 an event queue entry that is never written: a hole in the ring") {
    const auto fault = [](Payload&) { return WriteFate::Swallow; };
    CHECK(names_rule(run_event("interrupts", entries(fault)), "S3.5"));
}

TEST_CASE("S6.15 an interrupt for an entry that is never written") {
    EventHooks hooks;
    hooks.dma.write = [](Payload& payload, tlm::tlm_initiator_socket<>&) {
        return payload.get_data_length() == eqe::kBytes ? WriteFate::Swallow : WriteFate::Pass;
    };
    CHECK(names_rule(run_event("cases/49_arm_before_the_first_completion", hooks), "S6.15"));
}

TEST_CASE("S6.21 an asynchronous event that gets no entry") {
    EventHooks hooks;
    hooks.raised = [](AsyncReport& report) { return report.event == AsyncEvent::CqErr ? 0U : 1U; };
    CHECK(names_rule(run_event("overrun_while_armed", hooks), "S6.21"));
}

TEST_CASE("S6.15 an asynchronous event that gets a second entry, for which nothing was raised") {
    EventHooks hooks;
    hooks.raised = [](AsyncReport&) { return 2U; };
    CHECK(names_rule(run_event("overrun_while_armed", hooks), "S6.15"));
}

TEST_CASE("S6.22 an interrupt that is never written") {
    const auto fault = [](Payload&) { return WriteFate::Swallow; };
    CHECK(names_rule(run_event("interrupts", interrupts(fault)), "S6.22"));
}

TEST_CASE("S6.22 an interrupt that is written twice") {
    const auto fault = [](Payload&) { return WriteFate::Twice; };
    CHECK(names_rule(run_event("interrupts", interrupts(fault)), "S6.22"));
}

TEST_CASE("S6.22 an interrupt through another vector") {
    const auto fault = [](Payload& payload) {
        payload.set_address(payload.get_address() ^ EventConfig::kMsixBytes);
        payload.get_data_ptr()[0] ^= 1U;
        return WriteFate::Pass;
    };
    CHECK(names_rule(run_event("interrupts", interrupts(fault)), "S6.22"));
}

TEST_CASE("S6.24 an event queue that is never full") {
    EventHooks hooks;
    hooks.never_full = true;
    CHECK(names_rule(run_event("event_queue_full", hooks), "S6.24"));
}

}  // namespace cqsim::tb::test
