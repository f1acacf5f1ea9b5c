// SPDX-License-Identifier: Apache-2.0
// Random streams, hashes and rows: the same in every run (P2, P6).
#include "models/random/random.h"
#include "models/rows/due_ring.h"
#include "models/rows/rows.h"

#include <catch2/catch.hpp>

#include <array>
#include <set>
#include <string_view>

namespace {

using namespace cqsim;

std::uint64_t hash_of_text(std::string_view text) {
    Hasher hasher;
    for (const char letter : text) {
        hasher.add(letter);
    }
    return hasher.value();
}

std::array<std::uint64_t, 8> draws(RandomStream stream) {
    std::array<std::uint64_t, 8> numbers{};
    for (std::uint64_t& number : numbers) {
        number = stream.below(UINT64_MAX);
    }
    return numbers;
}

struct TwoNumbers {
    std::uint32_t left = 0;
    std::uint32_t right = 0;

    friend bool operator==(const TwoNumbers& l, const TwoNumbers& r) {
        return l.left == r.left && l.right == r.right;
    }
};

}  // namespace

TEST_CASE("P6 the hash is FNV-1a with its published values") {
    CHECK(hash_of_text("") == 0xCBF29CE484222325U);
    CHECK(hash_of_text("a") == 0xAF63DC4C8601EC8CU);
    CHECK(hash_of_text("foobar") == 0x85944171F73967E8U);
}

TEST_CASE("P2 the hash of a vector tells where its parts end") {
    using Vector = std::vector<std::uint8_t>;
    const Vector one{1};
    const Vector two{2};
    const Vector both{1, 2};
    const Vector none;
    CHECK(hash_of(std::tie(one, two)) != hash_of(std::tie(both, none)));
    CHECK(hash_of(std::tie(one, two)) == hash_of(std::tie(one, two)));
    CHECK(hash_of(std::tie(one, two)) != hash_of(std::tie(two, one)));
}

TEST_CASE("P6 a random stream hangs on the seed and the name alone") {
    CHECK(draws(RandomStream(1, "arbiter")) == draws(RandomStream(1, "arbiter")));
    CHECK(draws(RandomStream(1, "arbiter")) != draws(RandomStream(2, "arbiter")));
    CHECK(draws(RandomStream(1, "arbiter")) != draws(RandomStream(1, "pipeline")));
}

TEST_CASE("P6 drawing from one stream does not move another") {
    RandomStream first(1, "first");
    RandomStream second(1, "second");
    const std::array<std::uint64_t, 8> expected = draws(second);
    for (int i = 0; i < 1000; ++i) {
        first.below(10);
    }
    CHECK(draws(second) == expected);
}

TEST_CASE("P6 below gives every number under its bound and none above") {
    RandomStream stream(3, "below");
    for (const std::uint64_t bound : {1U, 2U, 3U, 7U, 10U}) {
        std::set<std::uint64_t> seen;
        for (int i = 0; i < 1000; ++i) {
            const std::uint64_t number = stream.below(bound);
            REQUIRE(number < bound);
            seen.insert(number);
        }
        CHECK(seen.size() == bound);
    }
}

TEST_CASE("P6 below and coin are even") {
    RandomStream stream(4, "even");
    std::array<std::uint32_t, 3> count{};
    std::uint32_t heads = 0;
    for (int i = 0; i < 30'000; ++i) {
        ++count[static_cast<std::size_t>(stream.below(3))];
        heads += stream.coin() ? 1 : 0;
    }
    for (const std::uint32_t of_one : count) {  // 10,000 +- 5 x 81.6
        CHECK(of_one > 9'590);
        CHECK(of_one < 10'410);
    }
    CHECK(heads > 14'560);  // 15,000 +- 5 x 86.6
    CHECK(heads < 15'440);
}

TEST_CASE("P2 a copied random stream goes on as the original does") {
    RandomStream original(5, "copy");
    original.below(100);
    RandomStream copy = original;
    REQUIRE(copy == original);
    Hasher hash_of_original;
    original.hash_into(hash_of_original);
    Hasher hash_of_copy;
    copy.hash_into(hash_of_copy);
    CHECK(hash_of_original.value() == hash_of_copy.value());
    CHECK(draws(copy) == draws(original));
    copy.coin();
    CHECK_FALSE(copy == original);
}

TEST_CASE("P2 random streams that will go on differently are unequal and hash apart") {
    const RandomStream one(1, "arbiter");
    for (const RandomStream& other : {RandomStream(2, "arbiter"), RandomStream(1, "pipeline")}) {
        CHECK_FALSE(one == other);
        CHECK(hash_of(std::tie(one)) != hash_of(std::tie(other)));
    }
    RandomStream later(1, "arbiter");
    later.coin();
    CHECK_FALSE(one == later);
    CHECK(hash_of(std::tie(one)) != hash_of(std::tie(later)));
}

TEST_CASE("P2 the hash of rows tells where they end") {
    Rows<TwoNumbers> one(1);
    const Rows<TwoNumbers> two(2);
    CHECK(hash_of(std::tie(one, two)) != hash_of(std::tie(two, one)));
}

TEST_CASE("P2 rows on shared lines keep apart from their neighbours") {
    LineSlab lines(4);
    Rows<TwoNumbers> front(lines, 0);
    Rows<TwoNumbers> back(lines, 8);
    for (std::uint32_t i = 0; i < 4; ++i) {
        front[i] = TwoNumbers{i, 100 + i};
        back[i] = TwoNumbers{200 + i, 300 + i};
    }
    for (std::uint32_t i = 0; i < 4; ++i) {
        CHECK(front[i] == TwoNumbers{i, 100 + i});
        CHECK(back[i] == TwoNumbers{200 + i, 300 + i});
    }
    CHECK(front.size() == 4);
}

TEST_CASE("P2 rows in the second line of each object keep apart as well") {
    LineSlab lines(4, 2);
    CHECK(lines.stride() == 128);
    Rows<TwoNumbers> first(lines, 56);
    Rows<TwoNumbers> second(lines, 64);
    for (std::uint32_t i = 0; i < 4; ++i) {
        first[i] = TwoNumbers{i, 100 + i};
        second[i] = TwoNumbers{200 + i, 300 + i};
    }
    for (std::uint32_t i = 0; i < 4; ++i) {
        CHECK(first[i] == TwoNumbers{i, 100 + i});
        CHECK(second[i] == TwoNumbers{200 + i, 300 + i});
    }
}

TEST_CASE("P2 a queue is equal to another that holds the same, whatever room either has") {
    DueRing<std::uint32_t> grown;
    for (std::uint32_t i = 0; i < 100; ++i) {
        grown.push(i);
    }
    while (grown.front() != 98) {
        grown.pop();
    }
    DueRing<std::uint32_t> fresh;
    fresh.push(98);
    CHECK_FALSE(fresh == grown);
    fresh.push(99);
    CHECK(fresh == grown);
    CHECK(hash_of(std::tie(fresh)) == hash_of(std::tie(grown)));
    fresh.pop();
    fresh.push(99);
    CHECK_FALSE(fresh == grown);
}

TEST_CASE("P2 rows are equal and hash alike wherever they lie") {
    LineSlab lines(4);
    Rows<TwoNumbers> on_lines(lines, 16);
    Rows<TwoNumbers> alone(4);
    on_lines[2] = TwoNumbers{7, 8};
    CHECK_FALSE(on_lines == alone);
    alone[2] = TwoNumbers{7, 8};
    CHECK(on_lines == alone);
    CHECK(hash_of(std::tie(on_lines)) == hash_of(std::tie(alone)));
    CHECK_FALSE(Rows<TwoNumbers>(3) == Rows<TwoNumbers>(4));

    Rows<TwoNumbers> copy(on_lines);
    copy[0].left = 1;
    CHECK(on_lines[0] == TwoNumbers{});
    copy = on_lines;
    CHECK(copy == on_lines);
    copy[1].right = 9;
    CHECK(on_lines[1] == TwoNumbers{});
}
