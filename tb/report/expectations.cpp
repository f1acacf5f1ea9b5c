// SPDX-License-Identifier: Apache-2.0
#include "tb/report/expectations.h"

#include "models/observe/record_names.h"
#include "tb/report/text.h"
#include "tb/scenario/nearest.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace cqsim::tb {
namespace {

std::string place(const SourcePosition& where) {
    return where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
}

/// The key of `node` that a path goes on with; empty if there is none. A rule's has a dot in it.
std::string key_of(const nlohmann::ordered_json& node, const std::string& path) {
    std::size_t end = 0;
    while (node.is_object() && end != std::string::npos) {
        end = path.find('.', end + 1);
        if (node.contains(path.substr(0, end))) {
            return path.substr(0, end);
        }
    }
    return {};
}

}  // namespace

Expectations::Expectations(const Scenario& scenario)
    : m_scenario(scenario) {
    for (const Expectation& expectation : scenario.expect) {
        if (expectation.kind == ExpectKind::Sequence || expectation.kind == ExpectKind::Never) {
            m_followers.push_back({&expectation, 0, 0});
            for (const RecordPattern& pattern : expectation.patterns) {
                m_kinds |= mask_of(pattern.kind);
            }
        }
    }
}

void Expectations::observe(const RecordBatch& batch) {
    for (const Record& record : batch) {
        if ((m_kinds & mask_of(record.kind)) == 0) {
            continue;
        }
        for (Follower& follower : m_followers) {
            const std::vector<RecordPattern>& patterns = follower.expectation->patterns;
            if (follower.next < patterns.size() &&
                m_scenario.matches(patterns[follower.next], record)) {
                ++follower.next;
                follower.seen_at_ps = record.time_ps;
            }
        }
    }
}

bool Expectations::expects_violation(std::string_view rule) const {
    const std::vector<Expectation>& expect = m_scenario.expect;
    return std::any_of(expect.begin(), expect.end(), [rule](const Expectation& expectation) {
        return expectation.kind == ExpectKind::Violation && expectation.rule == rule;
    });
}

std::string Expectations::judge_stat(const Expectation& expectation,
                                     const nlohmann::ordered_json& result) {
    const nlohmann::ordered_json* node = &result;
    std::string rest = expectation.stat;
    while (!rest.empty()) {
        const std::string key = key_of(*node, rest);
        if (key.empty()) {
            std::vector<std::string> known;
            if (node->is_object()) {
                for (const auto& item : node->items()) {
                    known.push_back(item.key());
                }
            }
            return "there is no statistic " + expectation.stat + ": '" +
                   rest.substr(0, rest.find('.')) + "' is not among " + join(known, ", ");
        }
        node = &(*node)[key];
        rest.erase(0, key.size() + 1);
    }
    if (!node->is_number()) {
        return expectation.stat + " is not a number";
    }
    const double value = node->get<double>();
    const bool low = expectation.at_least && value < *expectation.at_least;
    const bool high = expectation.at_most && value > *expectation.at_most;
    if (!low && !high) {
        return {};
    }
    if (expectation.at_least && expectation.at_most) {
        const std::string wanted =
            *expectation.at_least == *expectation.at_most
                ? number_text(*expectation.at_least)
                : number_text(*expectation.at_least) + " to " + number_text(*expectation.at_most);
        return expectation.stat + " is " + number_text(value) + ", expected " + wanted;
    }
    return expectation.stat + " is " + number_text(value) + ", expected " +
           (low ? "at least " + number_text(*expectation.at_least)
                : "at most " + number_text(*expectation.at_most));
}

std::vector<Disappointment> Expectations::judge(const nlohmann::ordered_json& result,
                                                EndReason end,
                                                const std::vector<check::RuleCount>& rules) const {
    std::vector<Disappointment> found;
    for (const Follower& follower : m_followers) {
        const Expectation& expectation = *follower.expectation;
        const std::vector<RecordPattern>& patterns = expectation.patterns;
        if (expectation.kind == ExpectKind::Sequence && follower.next < patterns.size()) {
            found.push_back({place(expectation.where),
                             follower.seen_at_ps,
                             "the sequence stopped before its step " +
                                 std::to_string(follower.next + 1) + " of " +
                                 std::to_string(patterns.size()) + ": " +
                                 patterns[follower.next].text});
        } else if (expectation.kind == ExpectKind::Never && follower.next != 0) {
            found.push_back({place(expectation.where),
                             follower.seen_at_ps,
                             "this should never happen: " + patterns.front().text});
        }
    }
    for (const Expectation& expectation : m_scenario.expect) {
        std::string text;
        if (expectation.kind == ExpectKind::Stat) {
            text = judge_stat(expectation, result);
        } else if (expectation.kind == ExpectKind::End && expectation.end != end) {
            text = "the run ended '" + std::string(name(end)) + "', expected '" +
                   std::string(name(expectation.end)) + "'";
        } else if (expectation.kind == ExpectKind::Violation) {
            std::uint64_t failed = 0;
            for (const check::RuleCount& rule : rules) {
                failed += rule.rule == expectation.rule ? rule.failed : 0;
            }
            const double least = expectation.at_least.value_or(1);
            if (static_cast<double>(failed) < least) {
                text = "rule " + expectation.rule + " failed " + std::to_string(failed) +
                       " times, expected at least " + number_text(least);
            }
        }
        if (!text.empty()) {
            found.push_back({place(expectation.where), 0, text});
        }
    }
    return found;
}

}  // namespace cqsim::tb
