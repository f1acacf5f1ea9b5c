// SPDX-License-Identifier: Apache-2.0
/// \file
/// result.json and the summary: one run as numbers, and as a person reads it.
#pragma once

#include "tb/check/rules.h"
#include "tb/report/event_statistics.h"
#include "tb/report/expectations.h"
#include "tb/report/statistics.h"
#include "tb/system/system.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cqsim::tb {

/// Everything that a result is made of.
struct RunFindings {
    const Scenario& scenario;
    const RunEnd& end;
    const Statistics& statistics;
    const EventStatistics& events;
    const std::vector<check::RuleCount>& rules;
    const std::vector<check::Failure>& failures;
    std::vector<Disappointment> disappointments;
    std::vector<std::string> omitted;  ///< what was left out of the files, a line each
};

/// The statistics part: what expectations may name.
nlohmann::ordered_json statistics_json(const RunFindings& findings);
/// What hardly was meant: of the scenario, then of the run.
std::vector<std::string> warnings_of(const RunFindings& findings);
/// How the run ended, as a word: the reason, or "interrupted".
std::string_view end_word(const RunEnd& end);
/// The whole of result.json. `verdict` is "pass", "fail", "stalled" or "interrupted".
nlohmann::ordered_json result_json(const RunFindings& findings, const std::string& verdict);
/// What a person reads in ten seconds: the verdict first.
std::string summary_text(const RunFindings& findings, const std::string& verdict);

}  // namespace cqsim::tb
