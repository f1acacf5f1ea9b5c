// SPDX-License-Identifier: Apache-2.0
// What software does when an object goes: stale entries (S7.1, S7.7, S7.9), destroys that wait.
#include "tb/unit/host_bench.h"

namespace cqsim::test {
namespace {

constexpr Qpn kDead{5};
constexpr Qpn kAlive{2};

std::vector<std::uint32_t> handed_wqes(const HostBench& bench, Qpn qpn) {
    std::vector<std::uint32_t> wqes;
    for (const Handed& handed : bench.handed) {
        if (handed.qpn == qpn) {
            wqes.push_back(handed.wqe_index);
        }
    }
    return wqes;
}

using Wqes = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("S7.9 30 entries of an earlier life are skipped, those of the new life are not") {
    HostBench bench("bench");
    bench.begin();
    bench.create_cq(kCq, 16);
    bench.host.rings().reserve(16);
    bench.entry(kCq, kDead, 0);
    bench.entry(kCq, kAlive, 0);
    bench.entry(kCq, kDead, 1);
    bench.host.driver().destroy_qp(1, kDead, {kCq, kCq});
    bench.entry(kCq, kDead, 0);  // of the new life
    bench.entry(kCq, kAlive, 1);
    CHECK(bench.host.rings().take(kCq, 16) == 5);
    CHECK(handed_wqes(bench, kDead) == Wqes{0});
    CHECK(handed_wqes(bench, kAlive) == Wqes{0, 1});
    CHECK(bench.host.rings().skipped() == 2);
    CHECK(bench.published(kCq) == 5);  // S7.10: they count for fullness until then
    bench.entry(kCq, kDead, 1);
    CHECK(bench.host.rings().take(kCq, 16) == 1);
    CHECK(handed_wqes(bench, kDead) == Wqes{0, 1});
    CHECK(bench.host.rings().skipped() == 2);
}

TEST_CASE("S7.8a S7.9 every slot of a full ring can be stale, over the wrap") {
    HostBench bench("bench");
    bench.begin();
    bench.create_cq(kCq, 4);
    bench.host.rings().reserve(16);
    for (std::uint32_t i = 0; i < 3; ++i) {
        bench.entry(kCq, kAlive, i);
    }
    CHECK(bench.host.rings().take(kCq, 16) == 3);
    for (std::uint32_t i = 0; i < 4; ++i) {
        bench.entry(kCq, kDead, i);
    }
    bench.host.driver().modify_qp(1, {kDead, QpState::Reset, false}, {kCq, kCq});
    CHECK(bench.host.rings().take(kCq, 16) == 4);
    CHECK(handed_wqes(bench, kDead).empty());
    CHECK(bench.host.rings().skipped() == 4);
}

TEST_CASE("S7.9 each QP's stale entries end where they ended when it went") {
    HostBench bench("bench");
    bench.begin();
    bench.create_cq(kCq, 8);
    bench.host.rings().reserve(16);
    bench.entry(kCq, kDead, 0);
    bench.host.driver().destroy_qp(1, kDead, {kCq, kCq});
    bench.entry(kCq, kDead, 7);  // of its new life
    bench.entry(kCq, kAlive, 0);
    bench.host.driver().destroy_qp(1, kAlive, {kCq, kCq});
    CHECK(bench.host.rings().take(kCq, 16) == 3);
    CHECK(handed_wqes(bench, kDead) == Wqes{7});
    CHECK(handed_wqes(bench, kAlive).empty());
}

TEST_CASE("S7.7 a sweep over the ring's wrap keeps the owner bits of the slots") {
    HostBench bench("bench", tb::StalePolicy::Compact);
    bench.begin();
    bench.create_cq(kCq, 4);
    bench.host.rings().reserve(16);
    for (std::uint32_t i = 0; i < 3; ++i) {
        bench.entry(kCq, kAlive, i);
    }
    REQUIRE(bench.host.rings().take(kCq, 16) == 3);
    bench.entry(kCq, kAlive, 3);  // index 3, owner 0: goes to index 4, owner 1
    bench.entry(kCq, kDead, 0);
    bench.host.driver().destroy_qp(1, kDead, {kCq, kCq});
    CHECK(bench.published(kCq) == 4);
    CHECK(bench.host.rings().take(kCq, 16) == 1);
    CHECK(handed_wqes(bench, kAlive) == Wqes{0, 1, 2, 3});
}

// Case 29: the index of a send names nothing of an SRQ.
TEMPLATE_TEST_CASE_SIG(
    "S7.7 29 of the entries that a QP leaves unread the receives are told, each once",
    "",
    ((tb::StalePolicy policy), policy),
    (tb::StalePolicy::Compact),
    (tb::StalePolicy::None)) {
    HostBench bench("bench", policy);
    bench.begin();
    bench.create_cq(kCq, 8);
    bench.host.rings().reserve(16);
    for (const Qpn qpn : {kDead, kAlive}) {
        Completion received;
        received.qpn = qpn;
        received.queue = QueueKind::Receive;
        received.wqe_index = 5;
        bench.entry(kCq, qpn, 0);
        bench.entry(kCq, received, {});
        bench.entry(kCq, qpn, 1);
    }
    bench.host.driver().destroy_qp(1, kDead, {kCq, kCq});
    bench.host.rings().take(kCq, 16);
    REQUIRE(bench.unowned_receives.size() == 1);
    CHECK(bench.unowned_receives.front().qpn == kDead);
    CHECK(bench.unowned_receives.front().wqe_index == 5);
    CHECK(handed_wqes(bench, kAlive) == Wqes{0, 1});
    CHECK(bench.handed_receives.size() == 1);  // that of kAlive
}

TEST_CASE("A QP that asks for another state than RESET leaves nothing stale") {
    HostBench bench("bench");
    bench.begin();
    bench.create_cq(kCq, 4);
    bench.host.rings().reserve(16);
    bench.entry(kCq, kDead, 0);
    bench.host.driver().modify_qp(1, {kDead, QpState::Err, false}, {kCq, kCq});
    CHECK(bench.host.rings().take(kCq, 16) == 1);
    CHECK(handed_wqes(bench, kDead) == Wqes{0});
}

TEST_CASE("S7.7 21 the sweep comes when the device has acknowledged the destroy") {
    HostBench bench("bench", tb::StalePolicy::Compact);
    bench.begin();
    bench.create_cq(kCq, 16);
    bench.host.rings().reserve(16);
    bench.accepts = true;
    bench.early.at(from_ns(10), [&] { bench.entry(kCq, kDead, 0); });
    bench.early.at(from_ns(20), [&] { bench.host.driver().destroy_qp(1, kDead, {kCq, kCq}); });
    bench.early.at(from_ns(30), [&] { bench.entry(kCq, kDead, 1); });
    bench.early.at(from_ns(40), [&] { bench.answer(); });
    bench.early.at(from_ns(50), [&] {
        bench.entry(kCq, kAlive, 0);
        bench.entry(kCq, kAlive, 1);
    });
    bench.early.at(from_ns(60), [&] { bench.host.rings().take(kCq, 16); });
    run_to_the_end();
    CHECK(handed_wqes(bench, kDead).empty());
    CHECK(handed_wqes(bench, kAlive) == Wqes{0, 1});
    CHECK(bench.host.rings().swept() == 2);
    CHECK(bench.published(kCq) == 4);
}

TEST_CASE("21 who sweeps before the acknowledgement meets the entries that came between") {
    HostBench bench("bench", tb::StalePolicy::CompactEarly);
    bench.begin();
    bench.create_cq(kCq, 16);
    bench.host.rings().reserve(16);
    bench.accepts = true;
    bench.early.at(from_ns(10), [&] { bench.entry(kCq, kDead, 0); });
    bench.early.at(from_ns(20), [&] { bench.host.driver().destroy_qp(1, kDead, {kCq, kCq}); });
    bench.early.at(from_ns(30), [&] { bench.entry(kCq, kDead, 1); });
    bench.early.at(from_ns(40), [&] { bench.answer(); });
    bench.early.at(from_ns(60), [&] { bench.host.rings().take(kCq, 16); });
    run_to_the_end();
    CHECK(handed_wqes(bench, kDead) == Wqes{1});
    CHECK(bench.host.rings().swept() == 1);
}

TEST_CASE("S7.7 both CQs of the QP are swept, and their consumer indices published") {
    HostBench bench("bench", tb::StalePolicy::Compact);
    bench.begin();
    bench.create_cq(kCq, 8);
    bench.create_cq(kOther, 8);
    bench.host.rings().reserve(16);
    bench.entry(kCq, kAlive, 0);
    bench.entry(kCq, kDead, 0);
    bench.entry(kOther, kDead, 7);
    bench.host.driver().destroy_qp(1, kDead, {kCq, kOther});
    CHECK(bench.published(kCq) == 1);
    CHECK(bench.published(kOther) == 1);
    CHECK(bench.host.rings().take(kCq, 16) == 1);
    CHECK(bench.host.rings().take(kOther, 16) == 0);
    CHECK(handed_wqes(bench, kAlive) == Wqes{0});
    CHECK(handed_wqes(bench, kDead).empty());
}

TEST_CASE("A refused destroy leaves the entries as they are") {
    HostBench bench("bench");
    bench.begin();
    bench.create_cq(kCq, 8);
    bench.host.rings().reserve(16);
    bench.accepts = true;
    bench.early.at(from_ns(10), [&] {
        bench.entry(kCq, kDead, 0);
        bench.host.driver().destroy_qp(1, kDead, {kCq, kCq});
        bench.answer(CommandResult::NoEntry);
    });
    bench.early.at(from_ns(20), [&] { bench.host.rings().take(kCq, 16); });
    run_to_the_end();
    CHECK(bench.answers.back() == CommandResult::NoEntry);
    CHECK(handed_wqes(bench, kDead) == Wqes{0});
}

TEST_CASE("S4.13 a destroy of a CQ waits until its events are acknowledged") {
    HostBench bench("bench");
    bench.begin();
    bench.host.driver().create_eq(0, Eqn{0}, EqKind::Completion, 4, 0, false);
    bench.create_cq(kCq, 8);
    bench.create_eq(1, 4, 0);
    for (const Cqn cqn : {kCq, kCq}) {
        bench.completion_event(1, cqn);
        REQUIRE(bench.host.event_loop().read(Eqn{1}));
    }
    const std::size_t before = bench.commands.size();
    bench.host.driver().destroy_cq(1, kCq);
    CHECK_FALSE(bench.host.event_loop().acknowledge(kCq, 3));  // S6.18: more than were read
    CHECK(bench.host.event_loop().acknowledge(kCq, 1));
    bench.host.driver().acknowledged(kCq);
    CHECK(bench.commands.size() == before);
    CHECK(bench.host.event_loop().acknowledge(kCq, 1));
    bench.host.driver().acknowledged(kCq);
    CHECK(bench.commands.size() == before + 1);
    CHECK_FALSE(bench.host.rings().has_ring(kCq));
}

TEST_CASE("57 a CQ that was created again starts at its first index, with nothing of the old one") {
    HostBench bench("bench");
    bench.begin();
    bench.create_eq(0, 4, 0);
    bench.create_cq(kCq, 8);
    bench.host.rings().reserve(16);
    bench.host.poll_loop().serve(kCq, {16, from_ns(100), {}});
    bench.entry(kCq, kAlive, 0);
    bench.host.driver().destroy_cq(1, kCq);
    bench.create_cq(kCq, 8);
    bench.host.event_loop().serve(kCq, {16, from_ns(100), {}});
    bench.early.at(from_ns(50), [&] { bench.entry(kCq, kAlive, 9); });
    run_to_the_end();
    CHECK(bench.handed == std::vector<Handed>{{from_ns(200), kAlive, 9}});  // poll, arm, poll
    CHECK(bench.published(kCq) == 1);
}

}  // namespace cqsim::test
