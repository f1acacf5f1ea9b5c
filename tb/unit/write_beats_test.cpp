// SPDX-License-Identifier: Apache-2.0
// When the parts of a write become visible (S3.6, S3.7).
#include "models/ring/write_beats.h"

#include "models/cqe/native.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace {

using namespace cqsim;

using Order = std::array<std::uint32_t, 4>;
using Slot = std::array<std::byte, native::kStride>;

MemoryConfig in_beats(MemoryOrdering ordering, TimePs gap, TimePs reorder = {}) {
    MemoryConfig config;
    config.ordering = ordering;
    config.beat = 16;
    config.beat_gap = gap;
    config.reorder = reorder;
    return config;
}

/// The entry of index 4 * lap of a ring of 4, whose fields all differ from those of other laps.
Slot entry_of(std::uint32_t lap) {
    Completion completion;
    completion.wr_id = 0x1111'1111'1111'1111U * (lap + 1);
    completion.qpn = Qpn{lap + 1};
    completion.wqe_index = lap + 1;
    completion.completed = from_ns(100) * (lap + 1);
    completion.details.byte_len = lap + 1;
    Slot entry{};
    native::encode(completion, static_cast<std::uint8_t>(lap & 1U), {}, entry.data());
    return entry;
}

/// Lets the four beats of a new entry come over the one of the lap before, in this order.
/// \returns after how many of them a poll takes the slot for an entry of the new lap though it is
/// not whole.
unsigned torn_polls(std::uint32_t lap, const Order& order) {
    const Slot fresh = entry_of(lap);
    Slot slot = entry_of(lap - 1);
    unsigned torn = 0;
    for (const std::size_t beat : order) {
        std::copy_n(fresh.begin() + beat * 16, 16, slot.begin() + beat * 16);
        const bool valid = owner::is_valid(
            cqe::own_byte(slot.data(), native::kStride), 1, static_cast<std::uint8_t>(lap & 1U));
        torn += valid && slot != fresh ? 1 : 0;
    }
    CHECK(slot == fresh);
    return torn;
}

std::vector<WriteBeats::Beat> taken(WriteBeats& beats) {
    std::vector<WriteBeats::Beat> all;
    while (beats.next_at() != kNever) {
        all.push_back(beats.take());
    }
    return all;
}

}  // namespace

TEST_CASE("S3.6 of all orders of four beats those are right in which the owner's is the last") {
    Order order{0, 1, 2, 3};
    unsigned orders = 0;
    do {
        for (const std::uint32_t lap : {1U, 2U, 3U}) {
            // Behind the owner's beat, number 3, each missing one is a poll that is torn.
            auto* const owner = std::find(order.begin(), order.end(), 3U);
            CAPTURE(order, lap);
            CHECK(torn_polls(lap, order) == std::distance(owner, order.end()) - 1);
        }
        ++orders;
    } while (std::next_permutation(order.begin(), order.end()));
    CHECK(orders == 24);
}

TEST_CASE("S3.6 in order the beats of a write come one gap apart, the owner's last") {
    WriteBeats beats(in_beats(MemoryOrdering::Ordered, from_ns(10)), 1);
    CHECK(beats.add(0x1000, 64, from_ns(100)) == 0);
    CHECK(beats.pending() == 1);
    const auto all = taken(beats);
    REQUIRE(all.size() == 4);
    for (std::uint32_t i = 0; i < 4; ++i) {
        CHECK(all[i].at == from_ns(100 + 10 * i));
        CHECK(all[i].first == 16 * i);
        CHECK(all[i].bytes == 16);
        CHECK(all[i].left == 3 - i);
    }
    CHECK(beats.pending() == 0);
}

TEST_CASE("S3.6 in order a write is not begun before the one before it is whole") {
    WriteBeats beats(in_beats(MemoryOrdering::Ordered, from_ns(10)), 1);
    CHECK(beats.add(0x1000, 64, from_ns(100)) == 0);
    CHECK(beats.add(0x2000, 4, from_ns(101)) == 1);   // an interrupt behind its entry (S6.15)
    CHECK(beats.add(0x1040, 40, from_ns(500)) == 2);  // the last beat has the 8 bytes that are left
    const auto all = taken(beats);
    REQUIRE(all.size() == 8);
    CHECK(all[3].at == from_ns(130));
    CHECK(all[4].write == 1);
    CHECK(all[4].at == from_ns(130));
    CHECK(all[4].bytes == 4);
    CHECK(all[5].at == from_ns(500));
    CHECK(all[7].first == 32);
    CHECK(all[7].bytes == 8);
    CHECK(beats.add(0x1000, 64, from_ns(600)) == 0);  // numbers are used again
}

TEST_CASE("S3.6 relaxed, the beats of a write come in every order") {
    WriteBeats beats(in_beats(MemoryOrdering::Relaxed, from_ns(10)), 1);
    std::set<Order> seen;
    for (std::uint32_t n = 0; n < 1000; ++n) {  // P(one of 24 is missing) < 24 * (23/24)^1000
        beats.add(0x1000, 64, from_ns(100) * n);
        Order order{};
        for (std::uint32_t i = 0; i < 4; ++i) {
            const WriteBeats::Beat beat = beats.take();
            CHECK(beat.at == from_ns(100) * n + from_ns(10) * i);
            order.at(i) = beat.first / 16;
        }
        seen.insert(order);
    }
    CHECK(seen.size() == 24);
}

TEST_CASE("relaxed, a beat is late by no more than the configuration says") {
    WriteBeats beats(in_beats(MemoryOrdering::Relaxed, {}, TimePs{7}), 1);
    std::set<std::uint64_t> late;
    for (std::uint64_t n = 0; n < 200; ++n) {
        beats.add(0x1000 + 64 * n, 64, TimePs{100 * n});
        for (const WriteBeats::Beat& beat : taken(beats)) {
            late.insert(beat.at.ps - 100 * n);
        }
    }
    CHECK(late == std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("relaxed, writes to different places overtake each other, to the same place never") {
    bool overtaken = false;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        WriteBeats beats(in_beats(MemoryOrdering::Relaxed, {}, from_ns(100)), seed);
        beats.add(0x1000, 64, from_ns(0));
        beats.add(0x1040, 64, from_ns(1));
        beats.add(0x1030, 32, from_ns(2));  // over the end of the first and the start of the second
        TimePs first_two{};
        std::vector<std::uint32_t> ends;
        for (const WriteBeats::Beat& beat : taken(beats)) {
            if (beat.write != 2) {
                first_two = beat.at;
            } else {
                CHECK(first_two <= beat.at);
            }
            if (beat.left == 0) {
                ends.push_back(beat.write);
            }
        }
        REQUIRE(ends.size() == 3);
        CHECK(ends.back() == 2);
        overtaken = overtaken || ends.front() == 1;
    }
    CHECK(overtaken);
}

TEST_CASE("P6 the order hangs on the seed alone") {
    const MemoryConfig config = in_beats(MemoryOrdering::Relaxed, from_ns(1), from_ns(50));
    WriteBeats one(config, 5);
    WriteBeats same(config, 5);
    WriteBeats other(config, 6);
    for (WriteBeats* beats : {&one, &same, &other}) {
        beats->add(0x1000, 64, from_ns(10));
    }
    CHECK(one == same);
    CHECK(one.hash() == same.hash());
    CHECK_FALSE(one == other);
    CHECK(taken(one) == taken(same));
    CHECK_FALSE(one == WriteBeats(config, 5));
}

TEST_CASE("only writes that come in parts or out of order need a plan") {
    CHECK(WriteBeats::at_once(MemoryConfig{}));
    CHECK(WriteBeats::at_once(in_beats(MemoryOrdering::Ordered, {})));
    CHECK_FALSE(WriteBeats::at_once(in_beats(MemoryOrdering::Ordered, TimePs{1})));
    CHECK_FALSE(WriteBeats::at_once(in_beats(MemoryOrdering::Relaxed, {})));
}
