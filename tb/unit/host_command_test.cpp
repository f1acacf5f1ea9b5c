// SPDX-License-Identifier: Apache-2.0
// The driver and its commands: refusals, time-outs, late answers; and reading entry by entry
// (S1.6).
#include "tb/host/poll_iterator.h"
#include "tb/unit/host_bench.h"

namespace cqsim::test {
namespace {

constexpr Qpn kBusyQp{2};
using Answers = std::vector<CommandResult>;
using Tags = std::vector<std::uint32_t>;

const CreateCq& created(const HostBench& bench, std::size_t which) {
    return std::get<CreateCq>(bench.commands.at(which));
}

}  // namespace

TEST_CASE("S4.2 a depth that no CQ can have is asked for as it is, and takes no memory") {
    HostBench bench("bench");
    bench.begin();
    bench.create_cq(kCq, 8);
    const std::uint64_t before = bench.memory.bytes().allocate(1);
    for (const std::uint32_t depth : {0U, 0x40'0001U, 0x8000'0001U, 0xFFFF'FFFFU}) {
        bench.at_once = CommandResult::Invalid;
        bench.create_cq(kOther, depth);
        CHECK(std::get<CreateCq>(bench.commands.back()).depth == depth);
        CHECK_FALSE(bench.host.rings().has_ring(kOther));
    }
    CHECK(bench.memory.bytes().allocate(1) - before == HostMemory::kPage);  // nothing between
}

TEST_CASE("P8 a device that takes a depth which no CQ can have gets no ring to write") {
    HostBench bench("bench");
    bench.begin();
    for (const std::uint32_t depth : {0U, 0xFFFF'FFFFU}) {
        bench.create_cq(kCq, depth);
        CHECK(bench.answers.back() == CommandResult::Ok);
        CHECK_FALSE(bench.host.rings().has_ring(kCq));
    }
}

TEST_CASE("S4.2 a create of a number in use leaves the CQ that is there alone") {
    HostBench bench("bench");
    bench.begin();
    bench.create_cq(kCq, 8);
    bench.host.rings().reserve(16);
    bench.entry(kCq, kBusyQp, 0);
    bench.entry(kCq, kBusyQp, 1);
    CHECK(bench.host.rings().take(kCq, 1) == 1);
    bench.at_once = CommandResult::Invalid;
    bench.host.driver().create_cq(0, kCq, {8, kNoEqn});
    CHECK(created(bench, 1).ring_address != created(bench, 0).ring_address);
    CHECK(bench.published(kCq) == 1);
    CHECK(bench.host.rings().take(kCq, 16) == 1);
    CHECK(bench.published(kCq) == 2);
}

TEST_CASE("67 a CQ that is created again lies in the memory of the one that went") {
    HostBench bench("bench");
    bench.begin();
    bench.create_cq(kCq, 8);
    bench.entry(kCq, kBusyQp, 0);
    bench.host.driver().destroy_cq(1, kCq);
    bench.create_cq(kCq, 8);
    CHECK(created(bench, 2).ring_address == created(bench, 0).ring_address);
    bench.host.rings().reserve(16);
    CHECK(bench.host.rings().take(kCq, 16) == 0);
    CHECK(bench.published(kCq) == 0);
}

TEST_CASE("a command without an answer is given up, and software goes on") {
    HostBench bench("bench");
    bench.begin();
    bench.accepts = true;
    bench.host.driver().query_cq(7, kCq);
    bench.late.at(HostBench::kTimeout - TimePs{1}, [&] {
        CHECK(bench.answers.empty());
        CHECK(bench.host.driver().open() == 1);
    });
    bench.late.at(HostBench::kTimeout, [&] {
        CHECK(bench.answers == Answers{CommandResult::TimedOut});
        CHECK(bench.tags == Tags{7});
        CHECK(bench.host.driver().open() == 0);
        bench.accepts = false;
        bench.create_cq(kCq, 8);
    });
    run_to_the_end();
    CHECK(bench.answers == Answers{CommandResult::TimedOut, CommandResult::Ok});
    CHECK(bench.host.rings().has_ring(kCq));
}

TEST_CASE("commands are given up one by one, and an answer at the last moment is in time") {
    HostBench bench("bench");
    bench.begin();
    bench.accepts = true;
    bench.host.driver().query_cq(1, kCq);
    bench.early.at(from_ns(10), [&] { bench.host.driver().query_cq(2, kCq); });
    bench.early.at(HostBench::kTimeout, [&] { bench.answer(); });
    run_to_the_end();
    CHECK(bench.answers == Answers{CommandResult::Ok, CommandResult::TimedOut});
    CHECK(bench.tags == Tags{1, 2});
    CHECK(kernel_now() == HostBench::kTimeout + from_ns(10));
}

TEST_CASE("an answer in time leaves no time-out behind: the run is not longer for it") {
    HostBench bench("bench");
    bench.begin();
    bench.accepts = true;
    bench.host.driver().query_cq(1, kCq);
    bench.early.at(from_ns(10), [&] { bench.answer(); });
    run_to_the_end();
    CHECK(bench.answers == Answers{CommandResult::Ok});
    CHECK(kernel_now() == from_ns(10));
}

TEST_CASE("a late answer is no error: software takes note of what there is") {
    HostBench bench("bench");
    bench.begin();
    bench.accepts = true;
    bench.host.driver().create_cq(1, kCq, {8, kNoEqn});
    bench.late.at(HostBench::kTimeout, [&] { CHECK_FALSE(bench.host.rings().has_ring(kCq)); });
    bench.early.at(HostBench::kTimeout + from_ns(5), [&] { bench.answer(); });
    bench.late.at(HostBench::kTimeout + from_ns(5), [&] {
        CHECK(bench.host.rings().has_ring(kCq));
        bench.host.driver().destroy_cq(2, kCq);
    });
    bench.early.at(HostBench::kTimeout * 3, [&] { bench.answer(); });
    run_to_the_end();
    CHECK(bench.answers == Answers{CommandResult::TimedOut,
                                   CommandResult::Ok,
                                   CommandResult::TimedOut,
                                   CommandResult::Ok});
    CHECK(bench.tags == Tags{1, tb::Driver::kLateTag, 2, tb::Driver::kLateTag});
    CHECK_FALSE(bench.host.rings().has_ring(kCq));
}

TEST_CASE("a command that is lost never reaches the device; the one after it does") {
    HostBench bench("bench");
    bench.begin();
    bench.host.driver().lose_next();
    bench.create_cq(kCq, 8);
    CHECK(bench.commands.empty());
    run_to_the_end();
    CHECK(bench.answers == Answers{CommandResult::TimedOut});
    bench.create_cq(kCq, 8);
    CHECK(bench.answers.back() == CommandResult::Ok);
    CHECK(bench.commands.size() == 1);
}

TEST_CASE("68 S1.6 the consumer index counts the entries that software stood on, and no more") {
    HostBench bench("bench");
    bench.begin();
    bench.create_cq(kCq, 8);
    bench.host.rings().reserve(1);
    tb::PollIterator pass(bench.host.rings());
    CHECK_FALSE(pass.start(kCq));  // ENOENT: there is no pass, and nothing to end
    CHECK_FALSE(pass.is_open());
    bench.entry(kCq, kBusyQp, 0);
    CHECK(pass.start(kCq));
    CHECK(pass.is_open());
    CHECK_FALSE(pass.next());
    CHECK(bench.published(kCq) == 0);  // once, at the end
    pass.end();
    CHECK(bench.published(kCq) == 1);
    CHECK_FALSE(pass.start(kCq));
    CHECK(bench.published(kCq) == 1);
    bench.entry(kCq, kBusyQp, 1);
    bench.entry(kCq, kBusyQp, 2);
    CHECK(pass.start(kCq));
    CHECK(pass.next());
    pass.end();  // before it has found that there is no more
    CHECK(bench.published(kCq) == 3);
    REQUIRE(bench.handed.size() == 3);
    CHECK(bench.handed[2].wqe_index == 2);
}

}  // namespace cqsim::test
