// SPDX-License-Identifier: Apache-2.0
/// \file
/// CQs for the tests of the overflow checker's rules.
#pragma once

#include "models/overflow/overflow_rules.h"

#include <vector>

namespace cqsim::test {

inline constexpr std::uint64_t kRing = 0x1'0000;
inline constexpr std::uint64_t kRecordOfCq0 = 0x8000;

inline OverflowConfig overflow_of(std::uint32_t index_width, std::uint32_t first_index = 0) {
    OverflowConfig config;
    config.index_width = index_width;
    config.first_index = first_index;
    return config;
}

/// The rules with some CQs of one depth, and shorthands.
class OverflowBench {
  public:
    using Verdict = OverflowRules::Verdict;

    explicit OverflowBench(std::uint32_t depth,
                           const OverflowConfig& config = {},
                           std::uint32_t cqs = 2)
        : rules(config, Rows<CqRow>(cqs)) {
        for (std::uint32_t cq = 0; cq < cqs; ++cq) {
            created = rules.create(
                {Cqn{cq}, kRing * (cq + 1), kRecordOfCq0 + std::uint64_t{8} * cq, depth});
        }
    }

    /// Asks with a consumer index that was just read.
    Verdict request(std::uint32_t cq = 0) {
        SlotRequest wanted;
        wanted.cqn = Cqn{cq};
        wanted.qpn = Qpn{9};
        return rules.request(wanted, true, answer);
    }
    /// \returns the tags of so many granted slots.
    std::vector<SlotTag> grant(std::uint32_t count, std::uint32_t cq = 0) {
        std::vector<SlotTag> tags;
        for (std::uint32_t i = 0; i < count && request(cq) == Verdict::Granted; ++i) {
            tags.push_back(answer.tag);
        }
        return tags;
    }
    /// \returns the indices that become readable.
    std::vector<std::uint32_t> publish(std::uint32_t cq = 0) {
        std::vector<std::uint32_t> indices;
        PublishedEntry published;
        while (rules.publish_next(Cqn{cq}, published)) {
            indices.push_back(published.index);
        }
        return indices;
    }
    /// Grants, commits and publishes one. \returns whether it was granted.
    bool add(std::uint32_t cq = 0) {
        if (request(cq) != Verdict::Granted) {
            return false;
        }
        rules.commit(answer.tag, true);
        return publish(cq).size() == 1;
    }
    const CqRow& row(std::uint32_t cq = 0) const { return rules.row(Cqn{cq}); }

    OverflowRules rules;
    SlotAnswer answer;
    CommandResult created = CommandResult::Invalid;
};

using Indices = std::vector<std::uint32_t>;

}  // namespace cqsim::test
