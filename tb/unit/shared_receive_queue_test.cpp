// SPDX-License-Identifier: Apache-2.0
#include "tb/pipeline/shared_receive_queue.h"

#include "models/random/random.h"
#include "tb/unit/property_seeds.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <set>

namespace cqsim::tb {
namespace {

WorkRequest numbered(std::uint64_t serial) {
    WorkRequest request;
    request.serial = serial;
    return request;
}

}  // namespace

TEST_CASE("S2.11 an SRQ gives its requests in post order and takes slots back in any order") {
    SharedReceiveQueue srq(4);
    CHECK(srq.empty());
    CHECK_FALSE(srq.full());
    for (std::uint64_t serial = 1; serial <= 4; ++serial) {
        CHECK(srq.post(numbered(serial)) == serial - 1);
    }
    CHECK(srq.full());
    CHECK(srq.waiting() == 4);
    CHECK(srq.take() == 0);
    CHECK(srq.take() == 1);
    CHECK(srq.request(1).serial == 2);
    CHECK(srq.held() == 2);
    // Case 33, run 2: the free list gets 1, then 0.
    CHECK(srq.give_back(1));
    CHECK(srq.give_back(0));
    CHECK(srq.free() == 2);
    CHECK(srq.post(numbered(5)) == 1);
    CHECK(srq.post(numbered(6)) == 0);
    CHECK(srq.full());
    // Behind 2 and 3, which wait since the beginning.
    for (const std::uint64_t serial : {3U, 4U, 5U, 6U}) {
        CHECK(srq.request(srq.take()).serial == serial);
    }
    CHECK(srq.empty());
    CHECK(srq.posted() == 6);
    CHECK(srq.taken() == 6);
    CHECK(srq.returned() == 2);
}

TEST_CASE("case 29 a slot that is not taken is not given back, nor is one twice") {
    SharedReceiveQueue srq(2);
    CHECK_FALSE(srq.give_back(0));  // free
    srq.post(numbered(1));
    CHECK_FALSE(srq.give_back(0));  // it waits
    srq.take();
    CHECK_FALSE(srq.give_back(2));  // there is none
    CHECK(srq.give_back(0));
    CHECK_FALSE(srq.give_back(0));
    CHECK(srq.refused() == 4);
    CHECK(srq.returned() == 1);
    CHECK(srq.free() == 2);
}

TEST_CASE("S5.3f a request whose end is lost does not come back") {
    SharedReceiveQueue srq(2);
    srq.post(numbered(1));
    srq.lose(0);  // it waits: there is nothing to lose
    CHECK(srq.lost() == 0);
    srq.take();
    srq.lose(0);
    CHECK(srq.lost() == 1);
    CHECK(srq.held() == 0);
    CHECK_FALSE(srq.give_back(0));
    CHECK(srq.free() == 1);
}

TEST_CASE("S5.9 an armed limit is passed once, by the message that leaves fewer") {
    SharedReceiveQueue srq(4);
    for (std::uint64_t serial = 1; serial <= 4; ++serial) {
        srq.post(numbered(serial));
    }
    srq.take();
    CHECK_FALSE(srq.passes_limit());  // none is armed
    srq.arm(2);
    srq.take();
    CHECK_FALSE(srq.passes_limit());  // two are left
    srq.take();
    CHECK(srq.passes_limit());
    srq.take();
    CHECK_FALSE(srq.passes_limit());  // once
}

TEST_CASE("D4 an SRQ keeps each request once, against a reference, for random use") {
    for (std::uint64_t seed = 1; seed <= ::cqsim::test::property_seeds(); ++seed) {
        INFO("seed " << seed);
        RandomStream random(seed, "srq");
        const auto depth = static_cast<std::uint32_t>(1 + random.below(9));
        SharedReceiveQueue srq(depth);
        std::deque<std::uint32_t> free;
        for (std::uint32_t slot = 0; slot < depth; ++slot) {
            free.push_back(slot);
        }
        std::deque<std::uint32_t> waiting;
        std::vector<std::uint32_t> taken;
        std::uint64_t serial = 0;
        for (int i = 0; i < 2000; ++i) {
            const std::uint64_t what = random.below(3);
            if (what == 0 && !srq.full()) {
                const std::uint32_t slot = srq.post(numbered(++serial));
                REQUIRE(slot == free.front());
                free.pop_front();
                waiting.push_back(slot);
            } else if (what == 1 && !srq.empty()) {
                REQUIRE(srq.next() == waiting.front());
                const std::uint32_t slot = srq.take();
                REQUIRE(slot == waiting.front());
                waiting.pop_front();
                taken.push_back(slot);
            } else if (what == 2 && !taken.empty()) {
                const auto which = static_cast<std::ptrdiff_t>(random.below(taken.size()));
                const std::uint32_t slot = taken.at(static_cast<std::size_t>(which));
                taken.erase(taken.begin() + which);
                REQUIRE(srq.give_back(slot));
                free.push_back(slot);
            }
            REQUIRE(srq.waiting() == waiting.size());
            REQUIRE(srq.free() == free.size());
            REQUIRE(srq.held() == taken.size());
        }
        CHECK(srq.refused() == 0);
        CHECK(srq.posted() == srq.taken() + srq.waiting());
        CHECK(srq.taken() == srq.returned() + srq.held());
    }
}

TEST_CASE("S2.11 which SRQ a QP is on, and the slots of what it has taken") {
    SharedReceiveQueues srqs;
    CHECK_FALSE(srqs.has(Qpn{0}));
    const Srqn first = srqs.add(3, true);
    const Srqn second = srqs.add(8, false);
    CHECK(first == Srqn{1});
    CHECK(srqs.at(second).depth() == 8);
    CHECK_FALSE(srqs.at(second).refilled());
    srqs.attach(Qpn{5}, second);
    srqs.attach(Qpn{2}, first);
    CHECK(srqs.number_of(Qpn{5}) == second);
    CHECK_FALSE(srqs.has(Qpn{3}));
    CHECK_FALSE(srqs.has(Qpn{6}));
    for (std::uint32_t i = 0; i < 4; ++i) {
        srqs.note_slot(Qpn{2}, i, i % 3);
        srqs.note_slot(Qpn{5}, i, 7 - i);
    }
    srqs.attach(Qpn{5}, second);  // a new QP of the number
    CHECK(srqs.slot_of(Qpn{2}, 3) == 0);
    CHECK(srqs.slot_of(Qpn{2}, 2) == 2);
    CHECK(srqs.slot_of(Qpn{5}, 1) == 6);
    CHECK(wr_id_of(second, 6) == 0x2000'0002'0000'0006U);
}

}  // namespace cqsim::tb
