// SPDX-License-Identifier: Apache-2.0
// Work queues: depth, order, and when a slot is free again (S2.4, S2.5, S2.11, K26).
#include "tb/pipeline/work_queue.h"

#include <catch2/catch.hpp>

namespace {

using namespace cqsim;
using namespace cqsim::tb;

constexpr Qpn kQp{1};

WorkRequest request_of(std::uint64_t serial) {
    WorkRequest request;
    request.serial = serial;
    return request;
}

WorkQueues queues_of(std::uint32_t depth) {
    WorkQueues queues(Rows<WorkQueueRow>(4));
    queues.create(kQp, depth);
    return queues;
}

}  // namespace

TEST_CASE("S2.5 a queue takes as many requests as its depth") {
    for (const std::uint32_t depth : {1U, 2U, 3U, 4U, 5U, 31U, 32U, 33U, 32'767U, 32'768U}) {
        WorkQueues queues = queues_of(depth);
        for (std::uint32_t i = 0; i < depth; ++i) {
            REQUIRE_FALSE(queues.full(kQp));
            REQUIRE(queues.post(kQp, request_of(i)) == i);
        }
        INFO("depth " << depth);
        CHECK(queues.full(kQp));
        CHECK(queues.release_through(kQp, 0) == 1);
        CHECK_FALSE(queues.full(kQp));
        CHECK(queues.post(kQp, request_of(depth)) == depth);
        CHECK(queues.full(kQp));
    }
}

TEST_CASE("S2.4 S2.5 a polled completion frees its request and every earlier one") {
    WorkQueues queues = queues_of(8);
    for (std::uint64_t i = 0; i < 8; ++i) {
        queues.post(kQp, request_of(i));
    }
    CHECK(queues.release_through(kQp, 2) == 3);
    CHECK(queues.row(kQp).unfreed == 5);
    CHECK(queues.release_through(kQp, 3) == 1);
    CHECK(queues.release_through(kQp, 7) == 4);
    CHECK(queues.row(kQp).unfreed == 0);
}

TEST_CASE("S2.5 a completion that was polled before frees nothing") {
    WorkQueues queues = queues_of(8);
    for (std::uint64_t i = 0; i < 8; ++i) {
        queues.post(kQp, request_of(i));
    }
    REQUIRE(queues.release_through(kQp, 4) == 5);
    CHECK(queues.release_through(kQp, 4) == 0);
    CHECK(queues.release_through(kQp, 1) == 0);
    CHECK(queues.release_through(kQp, 8) == 0);  // not posted yet
    CHECK(queues.row(kQp).unfreed == 3);
}

TEST_CASE("S1.8 a queue holds its requests by index over many laps") {
    WorkQueues queues = queues_of(3);
    for (std::uint32_t i = 0; i < 100; ++i) {
        const std::uint32_t posted = queues.post(kQp, request_of(1000 + std::uint64_t{i}));
        REQUIRE(posted == i);
        for (std::uint32_t back = 0; back < 3 && back <= i; ++back) {
            REQUIRE(queues.request(queues.row(kQp), i - back).serial == 1000 + i - back);
        }
        if (i >= 2) {
            REQUIRE(queues.full(kQp));
            REQUIRE(queues.release_through(kQp, i - 2) == 1);
        }
    }
}

TEST_CASE("S2.5 the free-running index passes 2^32") {
    WorkQueues queues = queues_of(4);
    queues.row(kQp).posted = 0xFFFF'FFFE;
    CHECK(queues.post(kQp, request_of(1)) == 0xFFFF'FFFE);
    CHECK(queues.post(kQp, request_of(2)) == 0xFFFF'FFFF);
    CHECK(queues.post(kQp, request_of(3)) == 0);
    CHECK(queues.post(kQp, request_of(4)) == 1);
    CHECK(queues.full(kQp));
    CHECK(WorkQueues::next_to_report(queues.row(kQp)) == 0xFFFF'FFFE);
    CHECK(queues.request(queues.row(kQp), 0xFFFF'FFFF).serial == 2);
    CHECK(queues.request(queues.row(kQp), 1).serial == 4);
    CHECK(queues.release_through(kQp, 0) == 3);
    CHECK(queues.release_through(kQp, 1) == 1);
}

TEST_CASE("S2.11 receives start in post order and are reported in post order") {
    WorkQueues queues = queues_of(4);
    for (std::uint64_t i = 0; i < 4; ++i) {
        queues.post(kQp, request_of(i));
    }
    WorkQueueRow& row = queues.row(kQp);
    CHECK(WorkQueues::next_to_start(row) == 0);
    CHECK(WorkQueues::next_to_report(row) == 0);
    row.unstarted = 2;
    row.unreported = 3;
    CHECK(WorkQueues::next_to_start(row) == 2);
    CHECK(WorkQueues::next_to_report(row) == 1);
}

TEST_CASE("D3 queues keep apart and keep their requests while more are created") {
    WorkQueues queues(Rows<WorkQueueRow>(1000));
    for (std::uint32_t qp = 0; qp < 1000; ++qp) {
        queues.create(Qpn{qp}, 1 + qp % 7);
        queues.post(Qpn{qp}, request_of(qp));
    }
    for (std::uint32_t qp = 0; qp < 1000; ++qp) {
        REQUIRE(queues.request(queues.row(Qpn{qp}), 0).serial == qp);
        REQUIRE(queues.full(Qpn{qp}) == (qp % 7 == 0));
    }
}

TEST_CASE("A queue of odd depth beside queues of even depth keeps its own limit") {
    WorkQueues queues(Rows<WorkQueueRow>(3));
    queues.create(Qpn{0}, 4);
    queues.create(Qpn{1}, 3);
    queues.create(Qpn{2}, 4);
    for (std::uint32_t qp = 0; qp < 3; ++qp) {
        for (std::uint64_t i = 0; i < 3; ++i) {
            queues.post(Qpn{qp}, request_of(i));
        }
        CHECK(queues.full(Qpn{qp}) == (qp == 1));
    }
}

TEST_CASE("S7.3 a new life of a queue is empty and begins at index 0 in the same room") {
    WorkQueues queues = queues_of(3);
    queues.row(kQp).flags |= WorkQueueRow::kAccepts | WorkQueueRow::kRuns;
    for (std::uint64_t i = 0; i < 3; ++i) {
        queues.post(kQp, request_of(i));
    }
    const std::uint32_t ring = queues.row(kQp).ring;
    queues.renew(kQp);
    CHECK_FALSE(queues.row(kQp).is(WorkQueueRow::kMode));
    CHECK(queues.row(kQp).unfreed == 0);
    CHECK(queues.post(kQp, request_of(7)) == 0);
    queues.create(kQp, 4);  // after a destroy, of the same size in memory
    CHECK(queues.row(kQp).ring == ring);
    for (std::uint32_t i = 0; i < 4; ++i) {
        REQUIRE_FALSE(queues.full(kQp));
        CHECK(queues.post(kQp, request_of(i)) == i);
    }
    CHECK(queues.full(kQp));
}

TEST_CASE("S1.1 wr_id tells queue and QP and request apart at a glance, and the life") {
    CHECK(wr_id_of(Qpn{0xABCDEF}, QueueKind::Send, 0x12345678, 1) == 0x00AB'CDEF'1234'5678);
    CHECK(wr_id_of(Qpn{0xABCDEF}, QueueKind::Receive, 0x12345678, 1) == 0x10AB'CDEF'1234'5678);
    CHECK(wr_id_of(Qpn{0xABCDEF}, QueueKind::Receive, 0x12345678, 2) == 0x11AB'CDEF'1234'5678);
    CHECK(wr_id_of(Qpn{1}, QueueKind::Send, 0, 17) == 0x0000'0001'0000'0000);
    CHECK(wr_id_of(Qpn{0}, QueueKind::Send, 0, 1) == 0);
}
