// SPDX-License-Identifier: Apache-2.0
// What the taps report (S2.1, S2.2, S2.3, S2.9): every status, signaled or not, sq_sig_all or not.
#include "models/tap/tap_rules.h"

#include <catch2/catch.hpp>

namespace {

using namespace cqsim;

Completion completion_of(QueueKind queue, WcStatus status, bool signaled) {
    Completion completion;
    completion.queue = queue;
    completion.status = status;
    completion.signaled = signaled;
    return completion;
}

}  // namespace

TEST_CASE("S2.1 a successful send request reports if it is signaled or the queue signals all") {
    struct Row {
        bool signaled;
        bool sq_sig_all;
        bool reports;
    };
    constexpr Row kTable[] = {
        {false, false, false},
        {false, true, true},
        {true, false, true},
        {true, true, true},
    };
    for (const Row& row : kTable) {
        const Completion sent = completion_of(QueueKind::Send, WcStatus::Success, row.signaled);
        INFO("signaled " << row.signaled << ", sq_sig_all " << row.sq_sig_all);
        CHECK(TxTapRule::reports(sent, row.sq_sig_all) == row.reports);
    }
}

TEST_CASE("S2.2 S2.3 a send request that failed or was flushed always reports") {
    for (std::uint8_t number = 1; number <= 23; ++number) {
        for (const bool signaled : {false, true}) {
            for (const bool sq_sig_all : {false, true}) {
                const auto status = static_cast<WcStatus>(number);
                INFO("status " << unsigned{number});
                CHECK(TxTapRule::reports(completion_of(QueueKind::Send, status, signaled),
                                         sq_sig_all));
            }
        }
    }
}

TEST_CASE("S2.9 a receive request always reports") {
    for (std::uint8_t number = 0; number <= 23; ++number) {
        for (const bool signaled : {false, true}) {
            for (const bool sq_sig_all : {false, true}) {
                const auto status = static_cast<WcStatus>(number);
                INFO("status " << unsigned{number});
                CHECK(RxTapRule::reports(completion_of(QueueKind::Receive, status, signaled),
                                         sq_sig_all));
            }
        }
    }
}

TEST_CASE("S2.1 S2.9 the transmit tap serves send queues and the receive tap receive queues") {
    CHECK(TxTapRule::kQueue == QueueKind::Send);
    CHECK(RxTapRule::kQueue == QueueKind::Receive);
}

TEST_CASE("S2.1 solicited is not signaled") {
    Completion sent = completion_of(QueueKind::Send, WcStatus::Success, false);
    sent.solicited = true;
    CHECK_FALSE(TxTapRule::reports(sent, false));
}
