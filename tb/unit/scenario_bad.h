// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scenarios with one mistake each.
#pragma once

#include "tb/unit/scenario_text.h"

#include <catch2/catch.hpp>

namespace cqsim::tb {

/// One mistake. Lines 1 to 9 are those of base_lines(); `added` begins on line 10.
struct Bad {
    std::string added;
    std::size_t replaced;  // 0: none
    const char* replacement;
    std::uint32_t line;
    std::uint32_t column;
    const char* fragment;
};

inline void check_each(const std::vector<Bad>& cases) {
    for (const Bad& bad : cases) {
        const std::string text = scenario_text(bad.added, bad.replaced, bad.replacement);
        const std::vector<ScenarioError> errors = mistakes(text);
        INFO(text);
        REQUIRE(errors.size() == 1);
        INFO(errors.front().text());
        CHECK(errors.front().where.file == "x.toml");
        CHECK(errors.front().where.line == bad.line);
        CHECK(errors.front().where.column == bad.column);
        CHECK_THAT(errors.front().text(), Catch::Contains(bad.fragment));
    }
}

}  // namespace cqsim::tb
