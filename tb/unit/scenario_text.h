// SPDX-License-Identifier: Apache-2.0
/// \file
/// Scenario texts for the tests of the reader.
#pragma once

#include "tb/scenario/reader.h"

#include <string>
#include <vector>

namespace cqsim::tb {

/// Nine lines that are a whole scenario; what a test adds begins on line 10.
inline const std::vector<std::string>& base_lines() {
    static const std::vector<std::string> lines{R"(end = "2 ms")",         // 1
                                                "[[cq]]",                  // 2
                                                R"(name = "shared")",      // 3
                                                "depth = 8",               // 4
                                                "[[qp]]",                  // 5
                                                R"(name = "victim")",      // 6
                                                "count = 4",               // 7
                                                R"(send_cq = "shared")",   // 8
                                                R"(recv_cq = "shared")"};  // 9
    return lines;
}

/// The base with one line (from 1; 0: none) replaced, and more lines after it.
inline std::string scenario_text(const std::string& added = {},
                                 std::size_t line = 0,
                                 const std::string& replacement = {}) {
    std::string text;
    for (std::size_t i = 0; i < base_lines().size(); ++i) {
        text += (i + 1 == line ? replacement : base_lines()[i]) + "\n";
    }
    return text + added;
}

/// What the reader finds wrong; nothing for a good scenario.
inline std::vector<ScenarioError> mistakes(const std::string& text,
                                           const std::vector<std::string>& overrides = {}) {
    try {
        read_scenario_text(text, "x.toml", overrides);
    } catch (const ScenarioErrors& errors) {
        return errors.errors();
    }
    return {};
}

}  // namespace cqsim::tb
