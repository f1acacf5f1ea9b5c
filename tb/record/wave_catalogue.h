// SPDX-License-Identifier: Apache-2.0
/// \file
/// Every wave that a run can write, for `cqsim list waves`.
#pragma once

#include <string_view>
#include <vector>

namespace cqsim::tb {

/// One kind of variable.
struct WaveInfo {
    std::string_view pattern;  ///< its path; <name> stands for the object's name
    std::string_view width;    ///< bits, "index" (the scenario's index width), or "text"
    std::string_view meaning;
};

/// In the order of the file.
std::vector<WaveInfo> wave_catalogue();

}  // namespace cqsim::tb
