// SPDX-License-Identifier: Apache-2.0
/// \file
/// The nearest known name, for messages about unknown ones.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cqsim::tb {

/// Damerau-Levenshtein distance (adjacent transpositions count 1), ignoring the case of ASCII
/// letters.
std::size_t edit_distance(std::string_view left, std::string_view right);

/// The known name with the least distance, if it is near enough to be meant (a third of the
/// longer name's letters, at least 1); empty otherwise. The first of equals.
std::string nearest(std::string_view text, const std::vector<std::string>& known);

/// "did you mean \"depth\"?" when something is near, else "known: a, b, c", else empty.
std::string suggest(std::string_view text, const std::vector<std::string>& known);

}  // namespace cqsim::tb
