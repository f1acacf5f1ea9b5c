// SPDX-License-Identifier: Apache-2.0
/// \file
/// The rule checkers on a recorded trace, ours or an RTL's: the same verdict as live.
#pragma once

#include "tb/check/rules.h"
#include "tb/check/settings.h"
#include "tb/record/event_log_error.h"
#include "tb/record/run_header.h"

#include <string>
#include <vector>

namespace cqsim::tb {

struct EventLogVerdict {
    RunHeader header;
    std::vector<check::RuleCount> rules;
    std::vector<check::Failure> failures;  ///< the first ones
    std::uint64_t failed = 0;              ///< all
    std::uint64_t records = 0;
    std::uint64_t end_ps = 0;

    bool passed() const { return failed == 0; }
};

/// What the checkers must know of a run, live and offline.
check::Settings checker_settings(const RunHeader& header);

/// Runs all rule checkers over an events.jsonl.
/// \throws EventLogError if the file is not one, is malformed, or was written without kinds of
/// records that the checkers need.
EventLogVerdict check_event_log(const std::string& path);

}  // namespace cqsim::tb
