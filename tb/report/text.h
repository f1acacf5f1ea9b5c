// SPDX-License-Identifier: Apache-2.0
/// \file
/// Small text helpers of the reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cqsim::tb {

std::vector<std::string> split(std::string_view text, char at);
std::string join(const std::vector<std::string>& parts, std::string_view between);
/// "25", "0.5": without needless digits.
std::string number_text(double value);
/// "15.604 us": in the unit that reads best.
std::string time_text(std::uint64_t ps);

}  // namespace cqsim::tb
