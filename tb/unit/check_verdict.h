// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the rule checkers say about a trace, for tests.
#pragma once

#include "tb/check/rule_checkers.h"
#include "tb/unit/check_stream.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace cqsim::tb {

struct Verdict {
    std::vector<std::string> failed;  ///< rules of the failures, in order
    std::vector<check::Failure> failures;
    std::vector<check::RuleCount> rules;

    std::uint64_t checked(std::string_view rule) const {
        for (const check::RuleCount& count : rules) {
            if (count.rule == rule) {
                return count.checked;
            }
        }
        return 0;
    }
    /// For a test's message.
    std::string text() const {
        std::string text;
        for (const check::Failure& failure : failures) {
            text += std::string(failure.rule) + " " + failure.object + ": " + failure.text + "\n";
        }
        return text;
    }
};

inline Verdict verdict_of(const Trace& trace,
                          std::uint32_t index_width = 32,
                          std::size_t batch = 256) {
    check::Settings settings;
    settings.index_width = index_width;
    check::RuleCheckers checkers(settings);
    const std::vector<Record>& records = trace.records();
    for (std::size_t at = 0; at < records.size(); at += batch) {
        checkers.observe({records.data() + at, std::min(batch, records.size() - at)});
    }
    checkers.finish();
    Verdict verdict;
    verdict.failures = checkers.failures();
    verdict.rules = checkers.rules();
    for (const check::Failure& failure : verdict.failures) {
        verdict.failed.emplace_back(failure.rule);
    }
    return verdict;
}

using Rules = std::vector<std::string>;

/// The rules that fail on a trace; what they say appears if the test fails.
inline Rules failed(const Trace& trace) {
    const Verdict verdict = verdict_of(trace);
    UNSCOPED_INFO(verdict.text());
    return verdict.failed;
}

}  // namespace cqsim::tb
