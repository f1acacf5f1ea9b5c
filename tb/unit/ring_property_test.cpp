// SPDX-License-Identifier: Apache-2.0
// Random commands, completions and software on the overflow checker's rules, compared with endless
// sequences of entries, and read back from the bytes of the rings.
#include "tb/unit/property_seeds.h"
#include "tb/unit/ring_pair.h"

#include <catch2/catch.hpp>

namespace {

using namespace cqsim;
using namespace cqsim::test;

/// \returns what is not as it must be, and at which step; empty: all is.
std::string first_fault(std::uint64_t seed, RingCoverage& coverage) {
    RandomStream random(seed, "ring_property_test");
    RingPair pair(random, coverage);
    constexpr std::uint64_t kSteps = 800;
    std::uint64_t step = 1;
    try {
        for (; step <= kSteps; ++step) {
            pair.play();
        }
        pair.finish();
    } catch (const std::exception& fault) {
        return "step " + std::to_string(step) + ": " + fault.what();
    }
    return {};
}

}  // namespace

TEST_CASE("S3.3 S3.4 S4.2 S4.6 S5.3 K01 K02 software reads each entry once from any ring") {
    RingCoverage coverage;
    for (std::uint64_t seed = 1; seed <= property_seeds(); ++seed) {
        INFO("seed " << seed);
        const std::string fault = first_fault(seed, coverage);
        INFO(fault);
        REQUIRE(fault.empty());
    }
    for (std::size_t i = 0; i < RingCoverage::kWhats; ++i) {
        INFO(RingCoverage::kNames[i]);
        CHECK(coverage.arisen[i] >= 3);
    }
    for (std::size_t i = 0; i < coverage.read_in_scheme.size(); ++i) {
        INFO("entries read, owner scheme " << kOwnerSchemeNames[i]);
        CHECK(coverage.read_in_scheme[i] >= 1000);
    }
    for (std::size_t i = 0; i < coverage.refusals.size(); ++i) {
        INFO("resizes answered, ResizeRefusal " << i);
        CHECK(coverage.refusals[i] >= 3);
    }
}
