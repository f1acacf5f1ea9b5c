// SPDX-License-Identifier: Apache-2.0
// K11: whether a failed entry of a send counts as solicited (S6.2, S6.4, S4.10).
#include "tb/unit/event_bench.h"

namespace {

using namespace cqsim;
using namespace cqsim::test;

EventConfig failed_sends(bool solicited) {
    EventConfig config = event_config();
    config.failed_sends_solicited = solicited;
    return config;
}

EventBench failed_sends_bench(const EventConfig& config, const Moderation& moderation = {}) {
    EventBench bench(config);
    REQUIRE(bench.eq(0) == CommandResult::Ok);
    REQUIRE(bench.attach(0, 0, moderation) == CommandResult::Ok);
    return bench;
}

}  // namespace

TEST_CASE(
    "S6.2 K11 a failed send reports to an arm for solicited entries, where it counts as one") {
    EventBench yes = failed_sends_bench(failed_sends(true));
    yes.arm(0, ArmKind::Solicited);
    CHECK(yes.publish(0, Mark::FailedSend));

    EventBench no = failed_sends_bench(failed_sends(false));
    no.arm(0, ArmKind::Solicited);
    CHECK_FALSE(no.publish(0, Mark::FailedSend));
    REQUIRE(no.publish(0, Mark::Failed));  // a receive's always counts
    CHECK(no.events[0].entries == 2);      // and the other one lies before it
}

TEST_CASE("S6.1 K11 an arm for any entry does not ask what counts as solicited") {
    EventBench no = failed_sends_bench(failed_sends(false));
    no.arm(0, ArmKind::Next);
    CHECK(no.publish(0, Mark::FailedSend));
}

TEST_CASE("S4.10 K11 moderation is broken by what counts as solicited, and no more") {
    const Moderation four{4, from_ns(10'000)};
    EventBench yes = failed_sends_bench(failed_sends(true), four);
    yes.arm(0);
    REQUIRE(yes.publish(0, Mark::FailedSend));
    CHECK(yes.events[0].cause == EventCause::Break);

    EventBench no = failed_sends_bench(failed_sends(false), four);
    no.arm(0);
    CHECK_FALSE(no.publish(0, Mark::FailedSend));
    REQUIRE(no.publish(0, Mark::Failed));
    CHECK(no.events[0].cause == EventCause::Break);
    CHECK(no.events[0].entries == 2);
}

TEST_CASE("S6.7 K11 by level, a failed send that is unread fires a solicited arm if it counts") {
    for (const bool counts : {true, false}) {
        EventConfig config = failed_sends(counts);
        config.arm = ArmPolicy::Level;
        EventBench bench = failed_sends_bench(config);
        bench.publish(0, Mark::FailedSend);
        CHECK(bench.arm(0, ArmKind::Solicited, 0) == counts);
    }
}
