// SPDX-License-Identifier: Apache-2.0
// Device-visible indices: width, first value, wrap, and what the doorbell record may say (S3.1,
// S3.13, S3.14); copies (P2).
#include "tb/unit/overflow_bench.h"

#include <catch2/catch.hpp>

namespace {

using namespace cqsim;
using namespace cqsim::test;
using Verdict = OverflowRules::Verdict;

/// Adds entries one at a time, each consumed at once. \returns the indices.
Indices run_through(OverflowBench& bench, std::uint32_t count) {
    Indices indices;
    for (std::uint32_t i = 0; i < count && bench.add(); ++i) {
        indices.push_back(bench.answer.index);
        CHECK(bench.rules.consumer_read(Cqn{0}, bench.row().published));
    }
    return indices;
}

OverflowConfig by_bar(ConsumerPath path, std::uint32_t width = 32, std::uint32_t first = 0) {
    OverflowConfig config = overflow_of(width, first);
    config.consumer_index = path;
    return config;
}

}  // namespace

TEST_CASE(
    "S3.2 K20 a device that learns of indices by its BAR declares an overrun without a read") {
    for (const ConsumerPath path : {ConsumerPath::Mmio, ConsumerPath::Increment}) {
        OverflowBench bench(4, by_bar(path));
        REQUIRE(bench.grant(4).size() == 4);
        SlotRequest wanted;
        wanted.cqn = Cqn{0};
        CHECK(bench.rules.request(wanted, false, bench.answer) == Verdict::Overrun);
    }
}

TEST_CASE("S3.1 a consumer index that is written makes room at once, across the wrap") {
    OverflowBench bench(4, by_bar(ConsumerPath::Mmio, 4, 12));
    REQUIRE(bench.grant(4).size() == 4);  // 12 .. 15
    CHECK(bench.rules.consumer_written(Cqn{0}, 15) == CommandResult::Ok);
    CHECK(bench.row().consumer == 15);
    CHECK(bench.grant(3).size() == 3);  // 0 .. 2
    CHECK(bench.rules.consumer_written(Cqn{0}, 3) == CommandResult::Ok);
    CHECK(bench.rules.in_use(Cqn{0}) == 0);
    CHECK(bench.row().state == CqState::Ok);
}

TEST_CASE(
    "S3.1 an index that gives back slots never granted, or takes back freed ones, is refused") {
    OverflowBench bench(8, by_bar(ConsumerPath::Mmio));
    REQUIRE(bench.grant(5).size() == 5);
    REQUIRE(bench.rules.consumer_written(Cqn{0}, 2) == CommandResult::Ok);
    for (const std::uint32_t wrong : {0U, 1U, 6U, 100U, 0xFFFF'FFFFU}) {
        CAPTURE(wrong);
        CHECK(bench.rules.consumer_written(Cqn{0}, wrong) == CommandResult::Invalid);
        CHECK(bench.row().consumer == 2);
    }
    // An entry is readable before its commit is back: 4 of these are not published.
    CHECK(bench.rules.consumer_written(Cqn{0}, 5) == CommandResult::Ok);
    CHECK(bench.rules.consumer_written(Cqn{0}, 5) == CommandResult::Ok);  // the same again
    CHECK(bench.rules.consumer_written(Cqn{7}, 0) == CommandResult::NoEntry);
}

TEST_CASE(
    "S4.6 the consumer index of a resize counts on every path; an older one changes nothing") {
    for (const ConsumerPath path :
         {ConsumerPath::Record, ConsumerPath::Mmio, ConsumerPath::Increment}) {
        const auto resize = [](OverflowBench& bench, std::uint32_t consumer) {
            return bench.rules.resize({Cqn{0}, 8 * kRing, 4, consumer}, bench.answer);
        };
        OverflowBench bench(8, by_bar(path));
        REQUIRE(bench.grant(5).size() == 5);
        CHECK(resize(bench, 6) == CommandResult::Invalid);  // never granted
        CHECK(resize(bench, 0) == CommandResult::Invalid);  // 5 unread in a ring of 4
        CHECK(resize(bench, 3) == CommandResult::Ok);       // read, though not published yet
        CHECK(bench.row().consumer == 3);
        OverflowBench later(8, by_bar(path));
        REQUIRE(later.grant(5).size() == 5);
        REQUIRE(later.rules.credit_written(Cqn{0}, 4) == CommandResult::Ok);
        CHECK(resize(later, 2) == CommandResult::Ok);  // the command was given before that
        CHECK(later.row().consumer == 4);
    }
}

TEST_CASE("S4.3 a CQ that ignores overruns takes whatever consumer index is written") {
    OverflowRules rules(by_bar(ConsumerPath::Mmio), Rows<CqRow>(1));
    CreateCq command{Cqn{0}, kRing, kRecordOfCq0, 4};
    command.flags = kIgnoreOverrun;
    REQUIRE(rules.create(command) == CommandResult::Ok);
    SlotRequest wanted;
    wanted.cqn = Cqn{0};
    SlotAnswer answer;
    for (std::uint32_t i = 0; i < 10; ++i) {
        REQUIRE(rules.request(wanted, false, answer) == Verdict::Granted);
    }
    for (const std::uint32_t index : {7U, 3U, 100U}) {
        CHECK(rules.consumer_written(Cqn{0}, index) == CommandResult::Ok);
        CHECK(rules.row(Cqn{0}).consumer == index);
        CHECK(rules.request(wanted, false, answer) == Verdict::Granted);
    }
    CHECK(rules.credit_written(Cqn{0}, 50) == CommandResult::Ok);
}

TEST_CASE("6 increments of 4 bits: 20 as 15 and 5, cut to 4, or held at 15") {
    struct Case {
        std::vector<std::uint32_t> increments;
        std::size_t granted;  // of 20 more
    };
    for (const Case& c : {Case{{15, 5}, 20}, Case{{4}, 8}, Case{{15}, 19}}) {
        OverflowBench bench(64, by_bar(ConsumerPath::Increment));
        REQUIRE(bench.grant(60).size() == 60);
        for (const std::uint32_t increment : c.increments) {
            CHECK(bench.rules.credit_written(Cqn{0}, increment) == CommandResult::Ok);
        }
        CHECK(bench.grant(20).size() == c.granted);
        CHECK((bench.row().state == CqState::Error) == (c.granted < 20));
    }
}

TEST_CASE("S3.2 an increment that gives back slots never granted is refused as a whole") {
    OverflowBench bench(8, by_bar(ConsumerPath::Increment, 4));
    REQUIRE(bench.grant(3).size() == 3);
    CHECK(bench.rules.credit_written(Cqn{0}, 4) == CommandResult::Invalid);
    CHECK(bench.row().consumer == 0);
    CHECK(bench.rules.credit_written(Cqn{0}, 3) == CommandResult::Ok);
    CHECK(bench.row().consumer == 3);
    CHECK(bench.rules.credit_written(Cqn{0}, 0) == CommandResult::Ok);
    CHECK(bench.rules.credit_written(Cqn{7}, 0) == CommandResult::NoEntry);
}

TEST_CASE("S3.13 every index width from 4 to 32 wraps and keeps index and owner and room") {
    for (std::uint32_t width = 4; width <= 32; ++width) {
        const std::uint64_t range = std::uint64_t{1} << width;
        const std::uint32_t depth = 4;
        const auto first = static_cast<std::uint32_t>(range - std::uint64_t{2} * depth);
        OverflowBench bench(depth, overflow_of(width, first));
        REQUIRE(bench.created == CommandResult::Ok);
        for (std::uint32_t i = 0; i < 5 * depth; ++i) {  // two laps before the wrap, three after
            REQUIRE(bench.add());
            const std::uint64_t index = (first + std::uint64_t{i}) % range;
            CHECK(bench.answer.index == index);
            CHECK(bench.answer.owner == index / depth % 2);
            CHECK(bench.answer.address == kRing + 64 * (index % depth));
            const auto consumed = static_cast<std::uint32_t>((index + 1) % range);
            REQUIRE(bench.rules.consumer_read(Cqn{0}, consumed));
        }
    }
}

TEST_CASE("S3.13 a CQ is full at its depth on both sides of the wrap") {
    for (std::uint32_t consumed = 0; consumed <= 8; ++consumed) {
        OverflowBench bench(4, overflow_of(4, 12));
        REQUIRE(run_through(bench, consumed).size() == consumed);
        CHECK(bench.grant(5).size() == 4);
        CHECK(bench.rules.in_use(Cqn{0}) == 4);
        CHECK(bench.row().state == CqState::Error);
    }
}

TEST_CASE("S3.1 a 24-bit index passes 2^24") {
    OverflowBench bench(4, overflow_of(24, 0xFF'FFFC));
    CHECK(run_through(bench, 6) == Indices{0xFF'FFFC, 0xFF'FFFD, 0xFF'FFFE, 0xFF'FFFF, 0, 1});
    CHECK(bench.answer.owner == 0);
}

TEST_CASE("S3.1 a 32-bit index passes 2^24 without a wrap") {
    OverflowBench bench(4, overflow_of(32, 0xFF'FFFC));
    CHECK(run_through(bench, 6) ==
          Indices{0xFF'FFFC, 0xFF'FFFD, 0xFF'FFFE, 0xFF'FFFF, 0x100'0000, 0x100'0001});
}

TEST_CASE("S3.1 a 32-bit index passes 2^32") {
    OverflowBench bench(4, overflow_of(32, 0xFFFF'FFFC));
    CHECK(run_through(bench, 6) ==
          Indices{0xFFFF'FFFC, 0xFFFF'FFFD, 0xFFFF'FFFE, 0xFFFF'FFFF, 0, 1});
    CHECK(bench.grant(4).size() == 4);
    CHECK(bench.request() == Verdict::Overrun);
    CHECK(bench.answer.index == 6);
}

TEST_CASE("S3.14 a consumer index that goes backwards is refused") {
    OverflowBench bench(4);
    REQUIRE(run_through(bench, 3).size() == 3);
    CHECK_FALSE(bench.rules.consumer_read(Cqn{0}, 2));
    CHECK_FALSE(bench.rules.consumer_read(Cqn{0}, 0));
    CHECK(bench.row().consumer == 3);
    CHECK(bench.rules.consumer_read(Cqn{0}, 3));  // the same again is not backwards
}

TEST_CASE("S3.1 S3.14 a consumer index beyond what is granted is refused") {
    OverflowBench bench(4);
    const std::vector<SlotTag> tags = bench.grant(3);
    CHECK_FALSE(bench.rules.consumer_read(Cqn{0}, 4));
    CHECK(bench.rules.consumer_read(Cqn{0}, 1));  // in memory, but its commit has not come back
    bench.rules.commit(tags[0], true);
    bench.rules.commit(tags[2], true);
    CHECK(bench.publish() == Indices{0});
    CHECK_FALSE(bench.rules.consumer_read(Cqn{0}, 0));
    CHECK_FALSE(bench.rules.consumer_read(Cqn{0}, 4));
    CHECK(bench.row().consumer == 1);
    CHECK(bench.rules.in_use(Cqn{0}) == 2);
}

TEST_CASE("S3.14 the consumer index is judged across the wrap") {
    OverflowBench bench(4, overflow_of(4, 12));
    for (int i = 0; i < 4; ++i) {
        REQUIRE(bench.add());  // 12 .. 15: published is 0
    }
    CHECK(bench.row().published == 0);
    CHECK_FALSE(bench.rules.consumer_read(Cqn{0}, 1));
    CHECK_FALSE(bench.rules.consumer_read(Cqn{0}, 11));
    CHECK(bench.rules.consumer_read(Cqn{0}, 14));
    CHECK_FALSE(bench.rules.consumer_read(Cqn{0}, 13));
    CHECK(bench.rules.consumer_read(Cqn{0}, 0));
    CHECK(bench.rules.in_use(Cqn{0}) == 0);
}

TEST_CASE("S3.14 reading an old consumer index only makes a CQ look fuller") {
    OverflowBench bench(4);
    REQUIRE(run_through(bench, 2).size() == 2);
    REQUIRE(bench.add());
    CHECK_FALSE(bench.rules.consumer_read(Cqn{0}, 1));
    CHECK(bench.rules.in_use(Cqn{0}) == 1);
    CHECK(bench.grant(4).size() == 3);
}

TEST_CASE("P2 a copied overflow checker equals the original and decides as it does") {
    OverflowBench original(4, overflow_of(4, 12));
    REQUIRE(run_through(original, 3).size() == 3);
    const std::vector<SlotTag> tags = original.grant(3);
    original.rules.commit(tags[1], true);  // out of order: pending when copied
    OverflowBench copy = original;
    REQUIRE(copy.rules == original.rules);
    REQUIRE(copy.rules.hash() == original.rules.hash());

    for (OverflowBench* bench : {&original, &copy}) {
        bench->rules.commit(tags[0], true);
        CHECK(bench->publish() == Indices{15, 0});
        CHECK(bench->rules.consumer_read(Cqn{0}, 0));
        CHECK(bench->grant(2).size() == 2);
        CHECK(bench->answer.index == 3);
    }
    CHECK(copy.rules == original.rules);
    CHECK(copy.rules.hash() == original.rules.hash());

    CHECK(copy.request() == Verdict::Overrun);
    CHECK_FALSE(copy.rules == original.rules);
    CHECK(copy.rules.hash() != original.rules.hash());
    CHECK(original.row().state == CqState::Ok);
}

TEST_CASE("P2 two overflow checkers of other widths or first indices are not equal") {
    const OverflowBench wide(4, overflow_of(32));
    const OverflowBench narrow(4, overflow_of(24));
    const OverflowBench again(4, overflow_of(24));
    CHECK_FALSE(wide.rules == narrow.rules);
    CHECK(wide.rules.hash() != narrow.rules.hash());
    CHECK(again.rules == narrow.rules);
    CHECK(again.rules.hash() == narrow.rules.hash());
}
