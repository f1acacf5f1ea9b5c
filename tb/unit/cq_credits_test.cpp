// SPDX-License-Identifier: Apache-2.0
// S2.3, S5.13: what software believes of the room in its send CQs.
#include "tb/pipeline/cq_credits.h"

#include <catch2/catch.hpp>

namespace {

using namespace cqsim;
using namespace cqsim::tb;

constexpr Qpn kFailing{0};
constexpr Qpn kHealthy{1};
constexpr Qpn kElsewhere{2};
constexpr Cqn kSharedCq{1};
constexpr Cqn kOtherCq{0};

/// Two QPs on a CQ of 8, of which the first has posted four; one on a CQ of 4.
CqCredits four_of_eight(CqCreditPolicy policy) {
    CqCredits credits(policy, {4, 8}, 3);
    credits.attach(kFailing, kSharedCq);
    credits.attach(kHealthy, kSharedCq);
    credits.attach(kElsewhere, kOtherCq);
    for (int i = 0; i < 4; ++i) {
        credits.take(kFailing);
    }
    return credits;
}

}  // namespace

TEST_CASE("S5.13 without a policy there is no account") {
    CHECK_FALSE(CqCredits().on());
    CHECK(four_of_eight(CqCreditPolicy::PerWqe).on());
    CHECK(four_of_eight(CqCreditPolicy::UntilError).on());
}

TEST_CASE("S5.13 a CQ has as many credits as entries, and each posted send holds one") {
    CqCredits credits = four_of_eight(CqCreditPolicy::PerWqe);
    CHECK(credits.free(kSharedCq) == 4);
    CHECK(credits.free(kOtherCq) == 4);
    for (int i = 0; i < 4; ++i) {
        REQUIRE(credits.available(kHealthy));
        credits.take(kHealthy);
    }
    CHECK_FALSE(credits.available(kHealthy));
    CHECK_FALSE(credits.available(kFailing));
    CHECK(credits.available(kElsewhere));
}

TEST_CASE("S2.4 a polled completion gives back one for each request that it retires, once") {
    CqCredits credits = four_of_eight(CqCreditPolicy::PerWqe);
    CHECK(credits.polled(kFailing, 2, false) == 3);
    CHECK(credits.polled(kFailing, 2, false) == 0);
    CHECK(credits.polled(kFailing, 0, false) == 0);
    CHECK(credits.polled(kHealthy, 0, false) == 0);  // it has posted nothing
    CHECK(credits.polled(kFailing, 3, false) == 1);
    CHECK(credits.free(kSharedCq) == 8);
}

TEST_CASE("S2.3 each request of a failed QP holds its credit until its own entry is polled") {
    CqCredits credits = four_of_eight(CqCreditPolicy::PerWqe);
    for (std::uint32_t wqe_index = 0; wqe_index < 4; ++wqe_index) {
        CHECK(credits.polled(kFailing, wqe_index, true) == 1);
        CHECK(credits.free(kSharedCq) == 5 + wqe_index);
    }
}

TEST_CASE(
    "S2.3 naive software gives back all that a QP holds at its first error, and then nothing") {
    CqCredits credits = four_of_eight(CqCreditPolicy::UntilError);
    CHECK(credits.polled(kFailing, 0, true) == 4);
    CHECK(credits.free(kSharedCq) == 8);
    for (std::uint32_t wqe_index = 1; wqe_index < 4; ++wqe_index) {
        CHECK(credits.polled(kFailing, wqe_index, true) == 0);
    }
    CHECK(credits.free(kSharedCq) == 8);
    credits.take(kHealthy);
    credits.take(kHealthy);
    CHECK(credits.polled(kHealthy, 0, false) == 1);  // a success as ever
}

TEST_CASE("S7.3 a QP's end gives back what it holds, and the next life counts from 0") {
    CqCredits credits = four_of_eight(CqCreditPolicy::PerWqe);
    credits.take(kHealthy);
    credits.end_life(kFailing);
    CHECK(credits.free(kSharedCq) == 7);
    credits.attach(kFailing, kOtherCq);
    credits.take(kFailing);
    CHECK(credits.free(kOtherCq) == 3);
    CHECK(credits.polled(kFailing, 0, false) == 1);
    CHECK(credits.free(kOtherCq) == 4);
}
