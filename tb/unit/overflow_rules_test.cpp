// SPDX-License-Identifier: Apache-2.0
// Slots, publication and overrun (S3.11 to S3.14, S5.3, D2).
#include "tb/unit/overflow_bench.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

namespace {

using namespace cqsim;
using namespace cqsim::test;
using Verdict = OverflowRules::Verdict;

}  // namespace

TEST_CASE("S4.2 a CQ is created only with a number and a depth and addresses that are possible") {
    OverflowRules rules(overflow_of(8), Rows<CqRow>(2));
    const auto create = [&rules](std::uint32_t cq,
                                 std::uint32_t depth,
                                 std::uint64_t ring = kRing,
                                 std::uint64_t record = kRecordOfCq0) {
        return rules.create({Cqn{cq}, ring, record, depth});
    };
    CHECK(create(2, 4) == CommandResult::Invalid);  // there are CQ 0 and 1
    CHECK(rules.create({kNoCq, kRing, kRecordOfCq0, 4}) == CommandResult::Invalid);
    CHECK(create(0, 0) == CommandResult::Invalid);
    CHECK(create(0, 3) == CommandResult::Invalid);                 // no power of two
    CHECK(create(0, 256) == CommandResult::Invalid);               // no wrap bit left of 8
    CHECK(create(0, 4, kRing + 32) == CommandResult::Invalid);     // ring not 64-byte aligned
    CHECK(create(0, 4, kRing, 0x8004) == CommandResult::Invalid);  // record not 8-byte aligned
    CHECK(rules.row(Cqn{0}).state == CqState::None);
    CHECK(create(0, 128) == CommandResult::Ok);     // S3.13: the largest with a wrap bit
    CHECK(create(0, 4) == CommandResult::Invalid);  // in use
    CHECK(create(1, 1) == CommandResult::Ok);
}

TEST_CASE("S4.2 a CQ has at most 2^22 entries and its first index is a multiple of its depth") {
    OverflowRules wide(overflow_of(32), Rows<CqRow>(2));
    CHECK(wide.create({Cqn{0}, kRing, kRecordOfCq0, 1U << 23}) == CommandResult::Invalid);
    CHECK(wide.create({Cqn{0}, kRing, kRecordOfCq0, 1U << 22}) == CommandResult::Ok);
    OverflowRules offset(overflow_of(32, 4), Rows<CqRow>(2));
    CHECK(offset.create({Cqn{0}, kRing, kRecordOfCq0, 8}) == CommandResult::Invalid);
    CHECK(offset.create({Cqn{0}, kRing, kRecordOfCq0, 4}) == CommandResult::Ok);
}

TEST_CASE("S4.12 a CQ that was destroyed leaves no trace") {
    OverflowRules rules(overflow_of(8), Rows<CqRow>(2));
    const OverflowRules fresh = rules;
    CHECK(rules.destroy(Cqn{0}) == CommandResult::NoEntry);
    CHECK(rules.destroy(Cqn{2}) == CommandResult::NoEntry);
    CHECK(rules.destroy(kNoCq) == CommandResult::NoEntry);
    REQUIRE(rules.create({Cqn{0}, kRing, kRecordOfCq0, 4}) == CommandResult::Ok);
    CHECK(rules.exists(Cqn{0}));
    CHECK(rules.destroy(Cqn{0}) == CommandResult::Ok);
    CHECK_FALSE(rules.exists(Cqn{0}));
    CHECK(rules == fresh);
    CHECK(rules.hash() == fresh.hash());
}

TEST_CASE("S3.3 slots go round the ring and the owner value changes with every lap") {
    OverflowBench bench(4);
    for (std::uint32_t i = 0; i < 20; ++i) {  // five laps
        REQUIRE(bench.add());
        CHECK(bench.answer.index == i);
        CHECK(bench.answer.address == 0x1'0000 + 64 * (i % 4));
        CHECK(bench.answer.owner == (i / 4) % 2);
        CHECK(bench.answer.cause == LostCause::None);
        REQUIRE(bench.rules.consumer_read(Cqn{0}, i + 1));
    }
}

TEST_CASE("K01 every slot is usable and an exactly full CQ is no error") {
    OverflowBench bench(4);
    CHECK(bench.grant(4).size() == 4);
    CHECK(bench.rules.in_use(Cqn{0}) == 4);
    CHECK(bench.row().state == CqState::Ok);
    OverflowBench single(1);
    CHECK(single.add());
    CHECK(single.row().state == CqState::Ok);
    CHECK(single.request() == Verdict::Overrun);
}

TEST_CASE("K20 an apparently full CQ is no overrun before the consumer index was read again") {
    OverflowBench bench(2);
    REQUIRE(bench.add());
    REQUIRE(bench.add());
    const SlotRequest wanted{1, {}, Cqn{0}, Qpn{9}, 0, QueueKind::Send, false, false};
    CHECK(bench.rules.request(wanted, false, bench.answer) == Verdict::LooksFull);
    CHECK(bench.row().state == CqState::Ok);
    REQUIRE(bench.rules.consumer_read(Cqn{0}, 1));
    CHECK(bench.rules.request(wanted, true, bench.answer) == Verdict::Granted);
    CHECK(bench.answer.index == 2);
    CHECK(bench.rules.request(wanted, false, bench.answer) == Verdict::LooksFull);
}

TEST_CASE("S3.14 a CQ with room does not ask for the consumer index") {
    OverflowBench bench(2);
    const SlotRequest wanted{1, {}, Cqn{0}, Qpn{9}, 0, QueueKind::Send, false, false};
    CHECK(bench.rules.request(wanted, false, bench.answer) == Verdict::Granted);
    CHECK(bench.rules.request(wanted, false, bench.answer) == Verdict::Granted);
    CHECK(bench.rules.request(wanted, false, bench.answer) == Verdict::LooksFull);
}

TEST_CASE("S5.3a an overrun is an attempt to add to a full CQ") {
    OverflowBench bench(2);
    REQUIRE(bench.grant(2).size() == 2);
    CHECK(bench.row().state == CqState::Ok);
    CHECK(bench.request() == Verdict::Overrun);
    CHECK_FALSE(bench.answer.granted());
    CHECK(bench.answer.cause == LostCause::Overrun);
    CHECK(bench.answer.index == 2);  // the one that was wanted
    CHECK(bench.row().state == CqState::Error);
    CHECK(bench.row().reserved == 2);
}

TEST_CASE("S5.3b only the first attempt is the overrun") {
    OverflowBench bench(2);
    REQUIRE(bench.grant(2).size() == 2);
    CHECK(bench.request() == Verdict::Overrun);
    for (int i = 0; i < 3; ++i) {
        CHECK(bench.request() == Verdict::CqError);
        CHECK_FALSE(bench.answer.granted());
        CHECK(bench.answer.cause == LostCause::CqError);
    }
}

TEST_CASE("S5.3c a CQ in error takes no entry even after it was drained") {
    OverflowBench bench(2);
    REQUIRE(bench.add());
    REQUIRE(bench.add());
    REQUIRE(bench.request() == Verdict::Overrun);
    REQUIRE(bench.rules.consumer_read(Cqn{0}, 2));
    CHECK(bench.rules.in_use(Cqn{0}) == 0);
    CHECK(bench.request() == Verdict::CqError);
    CHECK(bench.row().state == CqState::Error);
}

TEST_CASE("S5.3e another CQ takes entries while one is in error") {
    OverflowBench bench(2);
    REQUIRE(bench.grant(2, 0).size() == 2);
    REQUIRE(bench.request(0) == Verdict::Overrun);
    CHECK(bench.add(1));
    CHECK(bench.answer.address == 2 * kRing);
}

TEST_CASE("K08 D2 slots that were granted before an overrun still commit and are published") {
    OverflowBench bench(2);
    const std::vector<SlotTag> tags = bench.grant(2);
    REQUIRE(bench.request() == Verdict::Overrun);
    CHECK_FALSE(bench.rules.commit(tags[0], true).cq_error);
    CHECK_FALSE(bench.rules.commit(tags[1], true).cq_error);
    CHECK(bench.publish() == Indices{0, 1});
}

TEST_CASE("S5.3c a request to a CQ that does not exist is refused as one in error") {
    OverflowRules rules(OverflowConfig{}, Rows<CqRow>(1));
    SlotRequest wanted;
    wanted.cqn = Cqn{0};
    SlotAnswer answer;
    CHECK(rules.request(wanted, true, answer) == Verdict::CqError);
    CHECK_FALSE(answer.granted());
}

TEST_CASE("D2 commits in any order publish the contiguous prefix") {
    OverflowBench bench(8);
    const std::vector<SlotTag> tags = bench.grant(4);
    bench.rules.commit(tags[2], true);
    CHECK(bench.publish().empty());
    bench.rules.commit(tags[0], true);
    CHECK(bench.publish() == Indices{0});
    bench.rules.commit(tags[3], true);
    CHECK(bench.publish().empty());
    bench.rules.commit(tags[1], true);
    CHECK(bench.publish() == Indices{1, 2, 3});
    CHECK(bench.row().published == 4);
}

TEST_CASE("D2 each of the 120 orders of five commits publishes every entry once and in order") {
    std::vector<std::size_t> order{0, 1, 2, 3, 4};
    do {
        OverflowBench bench(8);
        const std::vector<SlotTag> tags = bench.grant(5);
        std::vector<bool> done(5, false);
        Indices all;
        for (const std::size_t i : order) {
            bench.rules.commit(tags[i], true);
            done[i] = true;
            const Indices fresh = bench.publish();
            all.insert(all.end(), fresh.begin(), fresh.end());
            const auto prefix = std::find(done.begin(), done.end(), false) - done.begin();
            REQUIRE(all.size() == static_cast<std::size_t>(prefix));
        }
        REQUIRE(all == Indices{0, 1, 2, 3, 4});
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("D2 slots behind one whose write is still out keep their tags, however many") {
    constexpr std::uint32_t kSlots = 70'000;  // more than 16 bits can tell apart
    OverflowBench bench(1U << 17);
    const std::vector<SlotTag> tags = bench.grant(kSlots);
    REQUIRE(tags.size() == kSlots);
    REQUIRE(std::set<SlotTag>(tags.begin(), tags.end()).size() == kSlots);
    for (std::uint32_t i = 1; i < kSlots; ++i) {
        bench.rules.commit(tags[i], true);
    }
    CHECK(bench.publish().empty());
    bench.rules.commit(tags[0], true);
    CHECK(bench.publish().size() == kSlots);
    CHECK(bench.row().published == kSlots);
}

TEST_CASE("D2 a commit says whose slot it was and publication says what the entry counts as") {
    OverflowBench bench(4);
    SlotRequest wanted;
    wanted.cqn = Cqn{1};
    wanted.qpn = Qpn{0xABCDE};
    wanted.generation = 7;
    wanted.solicited = true;
    wanted.failed = false;
    wanted.queue = QueueKind::Receive;
    REQUIRE(bench.rules.request(wanted, true, bench.answer) == Verdict::Granted);
    const OverflowRules::Committed committed = bench.rules.commit(bench.answer.tag, true);
    CHECK(committed.cqn == Cqn{1});
    CHECK(committed.qpn == Qpn{0xABCDE});
    CHECK(committed.generation == 7);
    wanted.solicited = false;
    wanted.failed = true;
    wanted.queue = QueueKind::Send;
    REQUIRE(bench.rules.request(wanted, true, bench.answer) == Verdict::Granted);
    bench.rules.commit(bench.answer.tag, true);

    PublishedEntry published;
    REQUIRE(bench.rules.publish_next(Cqn{1}, published));
    CHECK(published.cqn == Cqn{1});
    CHECK(published.index == 0);
    CHECK(published.solicited);
    CHECK_FALSE(published.failed);
    CHECK(published.queue == QueueKind::Receive);
    REQUIRE(bench.rules.publish_next(Cqn{1}, published));
    CHECK(published.index == 1);
    CHECK_FALSE(published.solicited);
    CHECK(published.failed);
    CHECK(published.queue == QueueKind::Send);
    CHECK_FALSE(bench.rules.publish_next(Cqn{1}, published));
    CHECK(bench.publish(0).empty());  // CQ 0 has nothing
}

TEST_CASE("S5.3j a failed write puts the CQ in error and nothing behind it is published") {
    OverflowBench bench(8);
    const std::vector<SlotTag> tags = bench.grant(4);
    CHECK_FALSE(bench.rules.commit(tags[0], true).cq_error);
    CHECK(bench.rules.commit(tags[1], false).cq_error);
    CHECK(bench.row().state == CqState::Error);
    CHECK_FALSE(bench.rules.commit(tags[2], true).cq_error);
    CHECK_FALSE(bench.rules.commit(tags[3], false).cq_error);  // once
    CHECK(bench.publish() == Indices{0});
    CHECK(bench.row().published == 1);
    CHECK(bench.request() == Verdict::CqError);
}

TEST_CASE("S5.3j entries before a failed write are published though they commit after it") {
    OverflowBench bench(8);
    const std::vector<SlotTag> tags = bench.grant(4);
    CHECK(bench.rules.commit(tags[2], false).cq_error);
    bench.rules.commit(tags[3], true);
    CHECK(bench.publish().empty());
    bench.rules.commit(tags[0], true);
    bench.rules.commit(tags[1], true);
    CHECK(bench.publish() == Indices{0, 1});
    CHECK(bench.row().head == kNoTag);  // every tag is given back
}

TEST_CASE("S5.3j a failed write after an overrun is no second CQ error") {
    OverflowBench bench(2);
    const std::vector<SlotTag> tags = bench.grant(2);
    REQUIRE(bench.request() == Verdict::Overrun);
    CHECK_FALSE(bench.rules.commit(tags[0], false).cq_error);
    bench.rules.commit(tags[1], true);
    CHECK(bench.publish().empty());
}

TEST_CASE("D2 a tag serves again once its entry is published") {
    OverflowBench bench(4);
    REQUIRE(bench.add());
    const SlotTag only = bench.answer.tag;
    for (std::uint32_t i = 1; i < 100; ++i) {
        REQUIRE(bench.rules.consumer_read(Cqn{0}, i));
        REQUIRE(bench.add());
        REQUIRE(bench.answer.tag == only);
    }
}

TEST_CASE("D2 S4.12 a CQ is destroyed when no slot of it is granted, full or in error") {
    OverflowBench bench(4);
    const auto destroy = [&bench] { return bench.rules.destroy(Cqn{0}); };
    CHECK(bench.rules.destroy(kNoCq) == CommandResult::NoEntry);
    CHECK(bench.rules.destroy(Cqn{2}) == CommandResult::NoEntry);  // there are CQ 0 and 1
    const std::vector<SlotTag> tags = bench.grant(3);
    REQUIRE(tags.size() == 3);
    CHECK(destroy() == CommandResult::Busy);
    bench.rules.commit(tags[0], true);
    bench.rules.commit(tags[2], true);
    CHECK(bench.publish() == Indices{0});
    CHECK(destroy() == CommandResult::Busy);  // the second one is not over
    bench.rules.commit(tags[1], true);
    CHECK(destroy() == CommandResult::Busy);  // over, and not yet published
    CHECK(bench.publish() == Indices{1, 2});
    CHECK(destroy() == CommandResult::Ok);  // with unread entries
    CHECK_FALSE(bench.rules.exists(Cqn{0}));
    CHECK(destroy() == CommandResult::NoEntry);
    CHECK(bench.request() == Verdict::CqError);  // nothing is granted any more

    // The number begins anew.
    REQUIRE(bench.rules.create({Cqn{0}, kRing, kRecordOfCq0, 2}) == CommandResult::Ok);
    REQUIRE(bench.add());
    CHECK(bench.answer.index == 0);
    CHECK(bench.answer.owner == 0);
    REQUIRE(bench.add());
    CHECK(bench.request() == Verdict::Overrun);
    CHECK(destroy() == CommandResult::Ok);  // in error
    CHECK(bench.rules.exists(Cqn{1}));
}
