// SPDX-License-Identifier: Apache-2.0
// Random runs of the whole block: no rule fails, every request is accounted for, and the result
// says the same (D4, S2).
#include "tb/integration/property_run.h"
#include "tb/unit/property_seeds.h"
#include "tb/unit/seed_processes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <iostream>

namespace cqsim::tb::test {
namespace {

constexpr std::uint64_t kQuarters = 4;
constexpr std::size_t kShownFailures = 5;

/// In a quarter of 200 seeds each thing arises so often, or the draw has lost it.
constexpr std::uint64_t kAtLeast = 2;

}  // namespace

TEMPLATE_TEST_CASE_SIG("D4 every request is accounted for in a quarter of the drawn runs",
                       "",
                       ((unsigned Quarter), Quarter),
                       0,
                       1,
                       2,
                       3) {
    cqsim::test::SeedProcesses<Coverage> processes;
    Coverage sum;
    std::uint64_t runs = 0;
    std::size_t failures = 0;
    const std::uint64_t seeds = cqsim::test::property_seeds();
    for (std::uint64_t seed = 1 + Quarter; seed <= seeds && failures < kShownFailures;
         seed += kQuarters) {
        Coverage coverage;
        const std::string wrong = processes.run(
            [seed](Coverage& of_seed) { return audit_seed(seed, of_seed); }, coverage);
        INFO(wrong);
        CHECK(wrong.empty());
        failures += wrong.empty() ? 0 : 1;
        sum.add(coverage);
        ++runs;
    }
    std::cout << runs << " drawn runs of seeds 1.." << seeds << '\n';
    for (std::size_t i = 0; i < Coverage::kAll; ++i) {
        if (!Coverage::may_arise(i)) {
            continue;
        }
        INFO(Coverage::name_of(i));
        CHECK(sum[i] >= kAtLeast);
        std::cout << "  " << Coverage::name_of(i) << ": " << sum[i] << '\n';
    }
}

}  // namespace cqsim::tb::test
