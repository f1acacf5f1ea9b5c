// SPDX-License-Identifier: Apache-2.0
#include "tb/scenario/nearest.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

constexpr std::size_t kMaxListed = 32;    // longer lists help nobody
constexpr std::size_t kMaxCompared = 64;  // a longer word is no misspelling: bounds the table

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::size_t edit_distance(std::string_view left, std::string_view right) {
    const std::size_t columns = right.size() + 1;
    std::vector<std::size_t> cost((left.size() + 1) * columns);
    const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
        return cost[i * columns + j];
    };
    for (std::size_t i = 0; i <= left.size(); ++i) {
        at(i, 0) = i;
    }
    for (std::size_t j = 0; j <= right.size(); ++j) {
        at(0, j) = j;
    }
    for (std::size_t i = 1; i <= left.size(); ++i) {
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const bool same = lower(left[i - 1]) == lower(right[j - 1]);
            at(i, j) =
                std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (same ? 0U : 1U)});
            if (i > 1 && j > 1 && lower(left[i - 1]) == lower(right[j - 2]) &&
                lower(left[i - 2]) == lower(right[j - 1])) {
                at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
            }
        }
    }
    return at(left.size(), right.size());
}

std::string nearest(std::string_view text, const std::vector<std::string>& known) {
    std::string best;
    std::size_t best_distance = kMaxCompared;
    if (text.size() > kMaxCompared) {
        return best;
    }
    for (const std::string& candidate : known) {
        const std::size_t longer = std::max(text.size(), candidate.size());
        const std::size_t distance = edit_distance(text, candidate);
        if (distance <= std::max<std::size_t>(1, longer / 3) && distance < longer &&
            distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string suggest(std::string_view text, const std::vector<std::string>& known) {
    const std::string near = nearest(text, known);
    if (!near.empty()) {
        return "did you mean \"" + near + "\"?";
    }
    if (known.empty() || known.size() > kMaxListed) {
        return {};
    }
    std::string list;
    for (const std::string& candidate : known) {
        list += (list.empty() ? "known: " : ", ") + candidate;
    }
    return list;
}

}  // namespace cqsim::tb
