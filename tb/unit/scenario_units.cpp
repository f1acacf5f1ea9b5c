// SPDX-License-Identifier: Apache-2.0
// Numbers with units, and nearest names.
#include "tb/scenario/nearest.h"
#include "tb/scenario/units.h"

#include <catch2/catch.hpp>

namespace cqsim::tb {
namespace {

TEST_CASE("a duration is an exact whole number of picoseconds") {
    struct Case {
        const char* text;
        std::uint64_t ps;
    };
    for (const Case& c : {Case{"4 ns", 4'000},
                          Case{"2.5 ns", 2'500},
                          Case{"0.001 ns", 1},
                          Case{"0 ps", 0},
                          Case{"7us", 7'000'000},
                          Case{"2 ms", 2'000'000'000},
                          Case{"1000 s", 1'000'000'000'000'000},
                          Case{"1.500000 us", 1'500'000},
                          Case{"18446744073709551615 ps", UINT64_MAX}}) {
        INFO(c.text);
        const Parsed<TimePs> parsed = parse_duration(c.text);
        CHECK(parsed.result == UnitResult::Ok);
        CHECK(parsed.value.ps == c.ps);
        CHECK_FALSE(parsed.negative);
    }
}

TEST_CASE("what is no duration says why") {
    struct Case {
        const char* text;
        UnitResult result;
    };
    for (const Case& c : {Case{"", UnitResult::NoNumber},
                          Case{"ns", UnitResult::NoNumber},
                          Case{".5 ns", UnitResult::NoNumber},
                          Case{"5. ns", UnitResult::NoNumber},
                          Case{" 5 ns", UnitResult::NoNumber},
                          Case{"4", UnitResult::NoUnit},
                          Case{"4 ", UnitResult::NoUnit},
                          Case{"4 sec", UnitResult::UnknownUnit},
                          Case{"4 NS", UnitResult::UnknownUnit},
                          Case{"1e3 ns", UnitResult::UnknownUnit},
                          Case{"4 ns ", UnitResult::UnknownUnit},
                          Case{"4 M/s", UnitResult::UnknownUnit},
                          Case{"0.5 ps", UnitResult::NotWhole},
                          Case{"2.0005 ns", UnitResult::NotWhole},
                          Case{"18446744073709551616 ps", UnitResult::TooLarge},
                          Case{"99999999 s", UnitResult::TooLarge}}) {
        INFO(c.text);
        CHECK(parse_duration(c.text).result == c.result);
    }
    CHECK(parse_duration("-4 ns").negative);
}

TEST_CASE("a rate is a period, rounded to the nearest picosecond") {
    CHECK(parse_rate("1 M/s").value.ps == 1'000'000);
    CHECK(parse_rate("500 k/s").value.ps == 2'000'000);
    CHECK(parse_rate("100 /s").value.ps == 10'000'000'000);
    CHECK(parse_rate("2.5 k/s").value.ps == 400'000'000);
    CHECK(parse_rate("1 G/s").value.ps == 1'000);
    CHECK(parse_rate("3 M/s").value.ps == 333'333);  // 333333.33
    CHECK(parse_rate("6 M/s").value.ps == 166'667);  // 166666.67
    CHECK(parse_rate("0 /s").result == UnitResult::TooLarge);
    CHECK(parse_rate("1000").result == UnitResult::NoUnit);
    CHECK(parse_rate("1 MHz").result == UnitResult::UnknownUnit);
}

TEST_CASE("a bandwidth counts thousands") {
    CHECK(parse_bandwidth("16 GB/s").value == 16'000'000'000);
    CHECK(parse_bandwidth("12.5 GB/s").value == 12'500'000'000);
    CHECK(parse_bandwidth("1 kB/s").value == 1'000);
    CHECK(parse_bandwidth("1 TB/s").value == 1'000'000'000'000);
    CHECK(parse_bandwidth("16 GiB/s").result == UnitResult::UnknownUnit);
    CHECK(parse_bandwidth("1.5 B/s").result == UnitResult::NotWhole);
}

TEST_CASE("values are written in the largest unit that stays whole") {
    CHECK(format_duration({0}) == "0 ps");
    CHECK(format_duration({600'000}) == "600 ns");
    CHECK(format_duration({2'500}) == "2500 ps");
    CHECK(format_duration({1'000'000'000'000}) == "1 s");
    CHECK(format_duration({1'000'000'000'000'000}) == "1000 s");
    CHECK(format_bandwidth(16'000'000'000) == "16 GB/s");
    CHECK(format_bandwidth(12'500'000'000) == "12500 MB/s");
    CHECK(format_rate({1'000'000}) == "1 M/s");
    CHECK(format_rate({2'000'000}) == "500 k/s");
    CHECK(format_rate({333'333}) == "3 M/s");
    CHECK(format_rate({400'000'000}) == "2.5 k/s");
    CHECK(format_number(25) == "25");
    CHECK(format_number(0.1) == "0.1");
    CHECK(in_quotes("a\"b\\c\n\x01") == R"("a\"b\\c\n\u0001")");
}

TEST_CASE("every rate that is written reads back as its period") {
    std::uint64_t period = 1'000;
    for (int i = 0; i < 20'000 && period <= 1'000'000'000'000; ++i) {
        const Parsed<TimePs> again = parse_rate(format_rate({period}));
        REQUIRE(again.result == UnitResult::Ok);
        REQUIRE(again.value.ps == period);
        period += period / 977 + 1;
    }
    CHECK(period > 1'000'000'000'000);
}

TEST_CASE("edit distance counts insertions, deletions, changes and swaps of neighbours") {
    CHECK(edit_distance("depth", "depth") == 0);
    CHECK(edit_distance("depth", "DEPTH") == 0);
    CHECK(edit_distance("depht", "depth") == 1);
    CHECK(edit_distance("dept", "depth") == 1);
    CHECK(edit_distance("deppth", "depth") == 1);
    CHECK(edit_distance("tepth", "depth") == 1);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("only a near name is suggested, otherwise the known ones are listed") {
    const std::vector<std::string> known{"fifo", "round_robin"};
    CHECK(nearest("roundrobin", known) == "round_robin");
    CHECK(nearest("FIFO", known) == "fifo");
    CHECK(nearest("strict", known).empty());
    CHECK(nearest("", known).empty());
    CHECK(nearest(std::string(100'000, 'x'), known).empty());
    CHECK(suggest("fif", known) == "did you mean \"fifo\"?");
    CHECK(suggest("strict", known) == "known: fifo, round_robin");
}

}  // namespace
}  // namespace cqsim::tb
