// SPDX-License-Identifier: Apache-2.0
// The pace and the window of the CQE writer (D7).
#include "models/writer/writer_rules.h"

#include <catch2/catch.hpp>

#include <set>
#include <vector>

namespace {

using namespace cqsim;

WriterRules rules_of(TimePs service, std::uint32_t writes_in_flight) {
    return WriterRules(WriterConfig{service, writes_in_flight});
}

}  // namespace

TEST_CASE("D7 entries are formed one after the other at one service time each") {
    WriterRules rules = rules_of(from_ns(4), 32);
    CHECK(rules.free_at() == TimePs{0});
    CHECK(rules.form(TimePs{0}) == TimePs{4'000});
    CHECK(rules.form(TimePs{1'000}) == TimePs{8'000});  // began at 4 ns
    CHECK(rules.form(TimePs{8'000}) == TimePs{12'000});
    CHECK(rules.form(TimePs{20'000}) == TimePs{24'000});  // idle from 12 ns to 20 ns
    CHECK(rules.free_at() == TimePs{24'000});
}

TEST_CASE("D7 a service time of zero forms entries at once") {
    WriterRules rules = rules_of(TimePs{0}, 32);
    CHECK(rules.form(TimePs{7}) == TimePs{7});
    CHECK(rules.form(TimePs{7}) == TimePs{7});
    CHECK(rules.free_at() == TimePs{7});
}

TEST_CASE("D7 as many writes are in flight as the window has places") {
    for (const std::uint32_t places : {1U, 2U, 32U, 1024U}) {
        WriterRules rules = rules_of(from_ns(4), places);
        std::set<std::uint32_t> used;
        for (std::uint32_t i = 0; i < places; ++i) {
            REQUIRE_FALSE(rules.window_full());
            used.insert(rules.launch(static_cast<SlotTag>(i), Qpn{i}, QueueKind::Send));
        }
        CHECK(rules.window_full());
        CHECK(rules.in_flight() == places);
        CHECK(used.size() == places);  // no place twice
        CHECK(*used.rbegin() < places);
    }
}

TEST_CASE("D2 writes land in any order and each gives back what it was launched with") {
    WriterRules rules = rules_of(from_ns(4), 3);
    const std::uint32_t first = rules.launch(71, Qpn{1}, QueueKind::Send);
    const std::uint32_t second = rules.launch(72, Qpn{2}, QueueKind::Send);
    const std::uint32_t third = rules.launch(73, Qpn{3}, QueueKind::Receive);
    const WriterRules::Flight landed_second = rules.land(second);
    CHECK(landed_second.tag == 72);
    CHECK(landed_second.qpn == Qpn{2});
    CHECK_FALSE(rules.window_full());
    const std::uint32_t fourth = rules.launch(74, Qpn{4}, QueueKind::Send);
    CHECK(rules.window_full());
    CHECK(rules.land(fourth).tag == 74);
    const WriterRules::Flight landed_third = rules.land(third);
    CHECK(landed_third.qpn == Qpn{3});
    CHECK(landed_third.queue == index_of(QueueKind::Receive));
    const WriterRules::Flight landed_first = rules.land(first);
    CHECK(landed_first.tag == 71);
    CHECK(landed_first.qpn == Qpn{1});
    CHECK(landed_first.queue == index_of(QueueKind::Send));
    CHECK(rules.in_flight() == 0);
}

TEST_CASE("D7 a place serves again and again") {
    WriterRules rules = rules_of(from_ns(4), 2);
    std::vector<std::uint32_t> places{rules.launch(0, Qpn{0}, QueueKind::Send)};
    for (std::uint32_t i = 1; i < 1000; ++i) {
        places.push_back(rules.launch(static_cast<SlotTag>(i), Qpn{i}, QueueKind::Send));
        REQUIRE(rules.land(places[i - 1]).tag == i - 1);
    }
    CHECK(rules.in_flight() == 1);
}

TEST_CASE("P2 a copied writer equals the original and goes on as it does") {
    WriterRules original = rules_of(from_ns(4), 4);
    original.form(TimePs{0});
    const std::uint32_t first = original.launch(1, Qpn{1}, QueueKind::Send);
    const std::uint32_t second = original.launch(2, Qpn{2}, QueueKind::Send);
    original.land(first);
    WriterRules copy = original;
    REQUIRE(copy == original);
    REQUIRE(copy.hash() == original.hash());
    for (WriterRules* rules : {&original, &copy}) {
        CHECK(rules->form(TimePs{2'000}) == TimePs{8'000});
        CHECK(rules->land(second).tag == 2);
        rules->launch(3, Qpn{3}, QueueKind::Send);
    }
    CHECK(copy == original);
    CHECK(copy.hash() == original.hash());
    copy.form(TimePs{0});
    CHECK_FALSE(copy == original);
    CHECK(copy.hash() != original.hash());
    CHECK(original.free_at() == TimePs{8'000});
}

TEST_CASE("P2 writers differ by what is in flight and by their service time") {
    const WriterRules fast = rules_of(from_ns(1), 4);
    const WriterRules slow = rules_of(from_ns(4), 4);
    WriterRules busy = rules_of(from_ns(4), 4);
    CHECK(slow == busy);
    busy.launch(1, Qpn{1}, QueueKind::Send);
    CHECK_FALSE(slow == busy);
    CHECK(slow.hash() != busy.hash());
    CHECK_FALSE(slow == fast);
    CHECK(slow.hash() != fast.hash());
}
