// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs with a pipeline or software that is wrong and says so. Both are the test bench, and are not
/// built from factories: what they hand on is spoiled in a link, and what they say about it in the
/// records that a second set of checkers sees.
#pragma once

#include "tb/check/rule_checkers.h"
#include "tb/integration/mutant_run.h"
#include "tb/integration/tap_shim.h"

#include <array>
#include <functional>

namespace cqsim::tb::test {

/// Checkers that see a run's records as `retell` changes them.
class Retelling final : public RecordSubscriber {
  public:
    /// Sees a record and its bytes, of which it may change any. False: it is left out.
    using Retell = std::function<bool(Record&, std::byte*)>;

    Retelling(const check::Settings& settings, Retell retell)
        : m_checkers(settings),
          m_retell(std::move(retell)) {}

    void observe(const RecordBatch& batch) override;
    /// Ends the run. \returns the rules that failed.
    std::set<std::string> finish();
    std::string text() const;

  private:
    check::RuleCheckers m_checkers;
    Retell m_retell;
};

/// What a wrong pipeline makes of the completion of a request: status and details. It may be asked
/// several times about one request, and must say the same.
using PipelineFault = std::function<void(Completion&)>;

struct RetoldRun {
    MutantRun run;               ///< as the pipeline's own records have it: right
    std::set<std::string> told;  ///< rules that fail where they say what it does
    std::string text;            ///< how they fail
};

/// A shipped scenario whose pipeline of this queue has a fault.
RetoldRun run_with_pipeline(const std::string& shipped_scenario,
                            QueueKind queue,
                            const PipelineFault& fault);

/// For the tests: these rules fail in the records, and no other.
bool tells(const RetoldRun& run, const std::set<std::string>& rules);

}  // namespace cqsim::tb::test
