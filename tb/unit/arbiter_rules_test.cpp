// SPDX-License-Identifier: Apache-2.0
// Who goes next (S8.1, S8.2, K22), and ties (P6).
#include "tb/unit/arbiter_bench.h"

#include <catch2/catch.hpp>

namespace {

using namespace cqsim;
using namespace cqsim::test;

ArbiterConfig config_of(ArbiterPolicy policy,
                        Requester requester,
                        TieBreak tie_break = TieBreak::TxFirst) {
    ArbiterConfig config;
    config.policy = policy;
    config.requester = requester;
    config.tie_break = tie_break;
    return config;
}

constexpr Requester kRequesters[] = {Requester::Tap, Requester::Qp, Requester::Cq};

}  // namespace

TEST_CASE("S8.1 fifo serves in the order of arrival whoever competes") {
    for (const Requester requester : kRequesters) {
        ArbiterBench bench(config_of(ArbiterPolicy::Fifo, requester));
        bench.receive(1, 10, 5, 2);
        bench.send(2, 20, 0, 0);
        bench.send(3, 30, 0, 0);
        bench.receive(4, 40, 0, 1);
        bench.send(5, 50, 5, 2);
        INFO("requester " << static_cast<int>(requester));
        CHECK(bench.serve_all() == Serials{1, 2, 3, 4, 5});
    }
}

TEST_CASE("S8.1 round_robin by qp takes one of each QP in turn") {
    ArbiterBench bench(config_of(ArbiterPolicy::RoundRobin, Requester::Qp));
    bench.send(1, 10, 0);
    bench.send(2, 20, 0);
    bench.send(3, 30, 0);
    bench.send(4, 40, 1);
    bench.send(5, 50, 2);
    bench.send(6, 60, 2);
    CHECK(bench.serve_all() == Serials{1, 4, 5, 2, 6, 3});
}

TEST_CASE("S8.1 round_robin by qp counts both work queues of a QP as one") {
    ArbiterBench bench(config_of(ArbiterPolicy::RoundRobin, Requester::Qp));
    bench.send(1, 10, 0);
    bench.receive(2, 20, 0);
    bench.send(3, 30, 0);
    bench.receive(4, 40, 1);
    CHECK(bench.serve_all() == Serials{1, 4, 2, 3});
}

TEST_CASE("S8.1 round_robin by cq counts all QPs that report to a CQ as one") {
    ArbiterBench bench(config_of(ArbiterPolicy::RoundRobin, Requester::Cq));
    bench.send(1, 10, 0, 0);
    bench.send(2, 20, 1, 0);
    bench.receive(3, 30, 0, 0);
    bench.send(4, 40, 2, 1);
    bench.send(5, 50, 3, 1);
    CHECK(bench.serve_all() == Serials{1, 4, 2, 5, 3});
}

TEST_CASE("S8.1 round_robin by tap alternates between the taps") {
    ArbiterBench bench(config_of(ArbiterPolicy::RoundRobin, Requester::Tap));
    bench.send(1, 10, 0);
    bench.send(2, 20, 1);
    bench.send(3, 30, 2);
    bench.receive(4, 40, 3);
    bench.receive(5, 50, 0);
    CHECK(bench.serve_all() == Serials{1, 4, 2, 5, 3});
}

TEST_CASE("K22 a requester that comes back joins the end of the round") {
    ArbiterBench bench(config_of(ArbiterPolicy::RoundRobin, Requester::Qp));
    bench.send(1, 10, 0);
    bench.send(2, 20, 1);
    bench.send(3, 30, 2);
    CHECK(bench.serve() == 1);
    bench.send(4, 40, 0);
    CHECK(bench.serve_all() == Serials{2, 3, 4});
}

TEST_CASE("K22 a requester with more to offer waits for each other one once") {
    ArbiterBench bench(config_of(ArbiterPolicy::RoundRobin, Requester::Qp));
    for (std::uint64_t i = 0; i < 10; ++i) {
        bench.send(100 + i, 10 + i, 0);
    }
    CHECK(bench.serve() == 100);
    bench.send(1, 40, 1);  // QP 0 is in the round already: one more of it, then QP 1
    CHECK(bench.serve() == 101);
    CHECK(bench.serve() == 1);
    CHECK(bench.serve() == 102);
}

TEST_CASE("P6 tx_first serves the send side first whatever the order of the calls") {
    for (const ArbiterPolicy policy : {ArbiterPolicy::Fifo, ArbiterPolicy::RoundRobin}) {
        for (const Requester requester : kRequesters) {
            ArbiterBench tx_called_first(config_of(policy, requester));
            tx_called_first.send(1, 10, 0, 0);
            tx_called_first.receive(2, 10, 1, 1);
            ArbiterBench rx_called_first(config_of(policy, requester));
            rx_called_first.receive(2, 10, 1, 1);
            rx_called_first.send(1, 10, 0, 0);
            CHECK(tx_called_first.serve_all() == Serials{1, 2});
            CHECK(rx_called_first.serve_all() == Serials{1, 2});
        }
    }
}

TEST_CASE("P6 rx_first serves the receive side first whatever the order of the calls") {
    for (const ArbiterPolicy policy : {ArbiterPolicy::Fifo, ArbiterPolicy::RoundRobin}) {
        for (const Requester requester : kRequesters) {
            ArbiterBench tx_called_first(config_of(policy, requester, TieBreak::RxFirst));
            tx_called_first.send(1, 10, 0, 0);
            tx_called_first.receive(2, 10, 1, 1);
            ArbiterBench rx_called_first(config_of(policy, requester, TieBreak::RxFirst));
            rx_called_first.receive(2, 10, 1, 1);
            rx_called_first.send(1, 10, 0, 0);
            CHECK(tx_called_first.serve_all() == Serials{2, 1});
            CHECK(rx_called_first.serve_all() == Serials{2, 1});
        }
    }
}

TEST_CASE("P6 all of one time stamp from the first tap goes before the other tap's") {
    ArbiterBench tx_first(config_of(ArbiterPolicy::Fifo, Requester::Qp));
    ArbiterBench rx_first(config_of(ArbiterPolicy::Fifo, Requester::Qp, TieBreak::RxFirst));
    for (ArbiterBench* bench : {&tx_first, &rx_first}) {
        bench->receive(3, 10, 0);
        bench->send(1, 10, 0);
        bench->receive(4, 10, 1);
        bench->send(2, 10, 1);
    }
    CHECK(tx_first.serve_all() == Serials{1, 2, 3, 4});
    CHECK(rx_first.serve_all() == Serials{3, 4, 1, 2});
}

TEST_CASE("P6 a tie is within one time stamp: who came earlier goes first") {
    ArbiterBench tx_first(config_of(ArbiterPolicy::Fifo, Requester::Qp));
    tx_first.receive(1, 10, 0);
    tx_first.send(2, 11, 0);
    CHECK(tx_first.serve_all() == Serials{1, 2});
    ArbiterBench rx_first(config_of(ArbiterPolicy::Fifo, Requester::Qp, TieBreak::RxFirst));
    rx_first.send(1, 10, 0);
    rx_first.receive(2, 11, 0);
    CHECK(rx_first.serve_all() == Serials{1, 2});
}

TEST_CASE("P6 a seeded tie hangs on the seed alone and falls both ways") {
    std::uint32_t tx_wins = 0;
    const ArbiterConfig config = config_of(ArbiterPolicy::Fifo, Requester::Qp, TieBreak::Seeded);
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        ArbiterBench tx_called_first(config, seed);
        ArbiterBench rx_called_first(config, seed);
        for (std::uint64_t at = 1; at <= 8; ++at) {
            tx_called_first.send(2 * at, at, 0);
            tx_called_first.receive(2 * at + 1, at, 0);
            rx_called_first.receive(2 * at + 1, at, 0);
            rx_called_first.send(2 * at, at, 0);
        }
        const Serials served = tx_called_first.serve_all();
        REQUIRE(served.size() == 16);
        REQUIRE(served == rx_called_first.serve_all());
        for (std::size_t pair = 0; pair < served.size(); pair += 2) {
            tx_wins += served[pair] % 2 == 0 ? 1 : 0;
        }
    }
    // 800 fair coins: mean 400, standard deviation 14.1; five of them on either side.
    CHECK(tx_wins > 330);
    CHECK(tx_wins < 470);
}

TEST_CASE("P6 time stamps without a tie take nothing from the random stream") {
    const ArbiterConfig config = config_of(ArbiterPolicy::Fifo, Requester::Qp, TieBreak::Seeded);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        ArbiterBench with_others(config, seed);
        with_others.send(100, 1, 0);
        with_others.receive(101, 2, 0);
        CHECK(with_others.serve_all() == Serials{100, 101});
        ArbiterBench alone(config, seed);
        for (ArbiterBench* bench : {&with_others, &alone}) {
            bench->send(1, 10, 0);
            bench->receive(2, 10, 0);
        }
        CHECK(with_others.serve_all() == alone.serve_all());
    }
}

TEST_CASE("S3.10 one work queue is served in its order under every policy and tie break") {
    for (const ArbiterPolicy policy : {ArbiterPolicy::Fifo, ArbiterPolicy::RoundRobin}) {
        for (const Requester requester : kRequesters) {
            for (const TieBreak tie : {TieBreak::TxFirst, TieBreak::RxFirst, TieBreak::Seeded}) {
                ArbiterBench bench(config_of(policy, requester, tie));
                bench.send(1, 10, 2, 1);
                bench.receive(50, 10, 2, 1);
                bench.send(2, 10, 2, 1);
                bench.send(60, 10, 3, 1);
                bench.send(3, 11, 2, 1);
                bench.send(4, 11, 2, 1);
                Serials of_queue;
                for (const std::uint64_t serial : bench.serve_all()) {
                    if (serial < 50) {
                        of_queue.push_back(serial);
                    }
                }
                CHECK(of_queue == Serials{1, 2, 3, 4});
            }
        }
    }
}

TEST_CASE("P2 a copied arbiter equals the original and decides as it does") {
    ArbiterConfig config = config_of(ArbiterPolicy::RoundRobin, Requester::Qp, TieBreak::Seeded);
    config.depth = 4;
    ArbiterBench original(config, 7);
    original.send(1, 10, 0);
    original.receive(2, 10, 1);
    original.send(3, 10, 0);
    CHECK(original.rules.inside() == 3);
    original.serve();
    original.send(4, 20, 2);     // staged when copied
    original.receive(5, 20, 3);  // as well
    original.receive(6, 20, 3);  // held when copied
    ArbiterBench copy = original;
    REQUIRE(copy.rules == original.rules);
    REQUIRE(copy.rules.hash() == original.rules.hash());

    CHECK(original.serve_all() == copy.serve_all());
    CHECK(copy.rules == original.rules);
    for (ArbiterBench* bench : {&original, &copy}) {
        bench->send(7, 30, 4);
        bench->receive(8, 30, 5);
    }
    CHECK(copy.rules == original.rules);
    CHECK(copy.rules.hash() == original.rules.hash());

    copy.send(9, 30, 4);  // different input: different state
    CHECK_FALSE(copy.rules == original.rules);
    CHECK(copy.rules.hash() != original.rules.hash());
    CHECK(original.serve_all().size() == 2);  // the original has not noticed
    CHECK(copy.serve_all().size() == 3);
}
