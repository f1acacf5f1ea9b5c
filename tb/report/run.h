// SPDX-License-Identifier: Apache-2.0
/// \file
/// One run of a scenario: simulate, observe, judge, write the files.
#pragma once

#include "models/observe/record.h"
#include "tb/scenario/scenario.h"
#include "tb/system/system.h"

#include <optional>
#include <string>

namespace cqsim::tb {

/// Exit codes of the program.
enum class ExitCode : int {
    Pass = 0,
    Failed = 1,      ///< an expectation or a rule failed
    Usage = 2,       ///< usage or configuration
    Simulation = 3,  ///< simulation error, an interruption, or a file that could not be written
    Stalled = 4,     ///< deadlock or time-out
};

struct RunOptions {
    /// Gets result.json, config.resolved.toml and, if asked for, events.jsonl; empty: no files.
    std::string out_dir;
    /// Kinds in events.jsonl; absent: all for scenarios of size "small", none for others.
    std::optional<KindMask> events;
    /// Path of the VCD; empty: none.
    std::string vcd;
    /// False: the run is interrupted. What was seen till then is written, and not judged.
    ProgressWatch progress;
    /// Sees every record of the run, behind the checkers; null: nobody.
    RecordSubscriber* observer = nullptr;
    /// Builds the engine's blocks; absent: those of the library. For replacing one by another.
    std::optional<EngineFactories> factories;
};

struct RunReport {
    ExitCode exit = ExitCode::Pass;
    std::string summary;      ///< what a person reads: verdict first
    std::string result_json;  ///< the text of result.json
    std::string error;        ///< exit 3: what went wrong, one line
    std::string look_at;      ///< where in the waves the first failure is, in words; empty: nowhere
};

/// The save file for GTKWave that goes with a dump; empty if the dump is no regular file, for then
/// nothing is written beside it.
std::string gtkw_path(const std::string& vcd);

/// Runs the scenario. One per process. Errors of the simulation and of files end in exit 3 and
/// `error`; the files that could be written are whole.
RunReport run_scenario(const Scenario& scenario, const RunOptions& options);

}  // namespace cqsim::tb
