// SPDX-License-Identifier: Apache-2.0
// Percentiles within 1 %; exact count, minimum, maximum and mean.
#include "tb/report/histogram.h"

#include "models/random/random.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace cqsim;
using cqsim::tb::Histogram;

/// The value that a share does not exceed: exactly, from the sorted values.
std::uint64_t exact(const std::vector<std::uint64_t>& sorted, double share) {
    const double rank = std::ceil(share * static_cast<double>(sorted.size()));
    return sorted[static_cast<std::size_t>(rank) - 1];
}

bool within_1_percent(double value, std::uint64_t expected) {
    const auto real = static_cast<double>(expected);
    return std::abs(value - real) <= real / 100;
}

}  // namespace

TEST_CASE("A histogram without values is all zero") {
    const Histogram histogram;
    CHECK(histogram.count() == 0);
    CHECK(histogram.min() == 0);
    CHECK(histogram.max() == 0);
    CHECK(histogram.mean() == 0);
    CHECK(histogram.stdev() == 0);
    CHECK(histogram.percentile(0.5) == 0);
}

TEST_CASE("A histogram of one value tells that value exactly") {
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{128}, std::uint64_t{1'234'567}}) {
        Histogram histogram;
        histogram.add(value);
        const auto real = static_cast<double>(value);
        CHECK(histogram.min() == value);
        CHECK(histogram.max() == value);
        CHECK(histogram.mean() == real);
        CHECK(histogram.stdev() == 0);
        CHECK(histogram.percentile(0.001) == real);
        CHECK(histogram.percentile(1) == real);
    }
}

TEST_CASE("A histogram takes the largest value") {
    Histogram histogram;
    histogram.add(0);
    histogram.add(UINT64_MAX);
    CHECK(histogram.count() == 2);
    CHECK(histogram.max() == UINT64_MAX);
    CHECK(histogram.percentile(0.5) == 0);
    CHECK(within_1_percent(histogram.percentile(1), UINT64_MAX));
}

TEST_CASE("A histogram's mean and deviation are those of the values") {
    Histogram histogram;
    for (const std::uint64_t value : {2U, 4U, 4U, 4U, 5U, 5U, 7U, 9U}) {
        histogram.add(value);
    }
    CHECK(histogram.mean() == 5);           // 40 / 8
    CHECK(histogram.stdev() == Approx(2));  // the squares of the deviations sum up to 32
    CHECK(histogram.min() == 2);
    CHECK(histogram.max() == 9);
}

TEST_CASE("Values below 128 are told exactly") {
    Histogram histogram;
    for (std::uint64_t value = 0; value < 128; ++value) {
        histogram.add(value);
    }
    for (std::uint64_t rank = 1; rank <= 128; ++rank) {  // shares that a double holds exactly
        CHECK(histogram.percentile(static_cast<double>(rank) / 128) ==
              static_cast<double>(rank - 1));
    }
}

TEST_CASE("Every percentile of one value among its neighbours is within 1 percent") {
    for (unsigned power = 7; power < 63; ++power) {
        for (const double factor : {1.0, 1.0039, 1.25, 1.5, 1.999}) {
            const auto value =
                static_cast<std::uint64_t>(std::ldexp(factor, static_cast<int>(power)));
            Histogram histogram;
            histogram.add(1);
            histogram.add(value);
            histogram.add(UINT64_MAX);  // so that minimum and maximum do not tell
            REQUIRE(within_1_percent(histogram.percentile(0.5), value));
        }
    }
}

TEST_CASE("Percentiles of random values are within 1 percent of the exact ones") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        RandomStream random(seed, "histogram_test");
        Histogram histogram;
        std::vector<std::uint64_t> values;
        for (int i = 0; i < 2'000; ++i) {
            const std::uint64_t value = random.below(std::uint64_t{1} << random.below(50));
            values.push_back(value);
            histogram.add(value);
        }
        std::sort(values.begin(), values.end());
        for (const double share : {0.001, 0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1.0}) {
            INFO("seed " << seed << ", share " << share);
            REQUIRE(within_1_percent(histogram.percentile(share), exact(values, share)));
        }
        REQUIRE(histogram.count() == 2'000);
        REQUIRE(histogram.min() == values.front());
        REQUIRE(histogram.max() == values.back());
    }
}
