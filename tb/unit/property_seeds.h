// SPDX-License-Identifier: Apache-2.0
/// \file
/// How many seeds a property test tries.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace cqsim::test {

/// 200; with CQSIM_FULL=1 in the environment 10,000. Seeds are 1 .. this.
inline std::uint64_t property_seeds() {
    const char* full = std::getenv("CQSIM_FULL");
    return full != nullptr && *full == '1' ? 10'000 : 200;
}

}  // namespace cqsim::test
