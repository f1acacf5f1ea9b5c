// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether a run was what its scenario expects.
#pragma once

#include "models/observe/record.h"
#include "tb/check/rules.h"
#include "tb/scenario/scenario.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace cqsim::tb {

/// One expectation that did not hold.
struct Disappointment {
    std::string where;  ///< file:line:column
    std::uint64_t time_ps = 0;
    std::string text;
};

/// Follows the records for `sequence` and `never`; judges the rest at the end.
class Expectations final : public RecordSubscriber {
  public:
    explicit Expectations(const Scenario& scenario);

    /// The kinds that the scenario's patterns name.
    KindMask kinds() const { return m_kinds; }
    void observe(const RecordBatch& batch) override;

    /// Every expectation that does not hold. `result` is what result.json will hold.
    std::vector<Disappointment> judge(const nlohmann::ordered_json& result,
                                      EndReason end,
                                      const std::vector<check::RuleCount>& rules) const;
    /// Whether a violation of the rule is expected, and therefore no failure of the run.
    bool expects_violation(std::string_view rule) const;

  private:
    struct Follower {
        const Expectation* expectation = nullptr;
        std::size_t next = 0;          ///< patterns seen, in order
        std::uint64_t seen_at_ps = 0;  ///< of the last one, or of what should never have come
    };

    static std::string judge_stat(const Expectation& expectation,
                                  const nlohmann::ordered_json& result);

    const Scenario& m_scenario;
    std::vector<Follower> m_followers;
    KindMask m_kinds = 0;
};

}  // namespace cqsim::tb
