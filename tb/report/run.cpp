// SPDX-License-Identifier: Apache-2.0
#include "tb/report/run.h"

#include "tb/check/rule_checkers.h"
#include "tb/record/event_log_check.h"
#include "tb/record/event_log_writer.h"
#include "tb/record/vcd_gtkw.h"
#include "tb/record/waves.h"
#include "tb/report/expectations.h"
#include "tb/report/result.h"
#include "tb/report/statistics.h"
#include "tb/report/text.h"
#include "tb/scenario/reader.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

namespace cqsim::tb {
namespace {

namespace fs = std::filesystem;

/// Writes a whole file, or throws with its name and the reason; leaves no half of it.
void write_file(const fs::path& path, const std::string& text) {
    errno = 0;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) {
        const std::string reason = errno != 0 ? std::strerror(errno) : "cannot be written";
        std::error_code ignored;
        fs::remove(path, ignored);
        throw std::runtime_error(path.string() + ": " + reason);
    }
}

void make_folder(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error || !fs::is_directory(path)) {
        throw std::runtime_error(path + ": not a folder that results can be written to" +
                                 (error ? ": " + error.message() : ""));
    }
}

/// Waves that tell of the rules that fail as well. The checkers see each batch before.
class JudgedWaves final : public RecordSubscriber {
  public:
    JudgedWaves(const RunHeader& header,
                const std::string& path,
                const check::RuleCheckers& checkers)
        : m_checkers(checkers),
          m_waves(header, path) {}

    void observe(const RecordBatch& batch) override {
        tell();
        m_waves.observe(batch);
    }
    void close(std::uint64_t end_ps) {
        tell();
        m_waves.close(end_ps);
    }
    WaveView view(std::uint64_t end_ps, std::uint64_t failure_ps) const {
        return m_waves.view(end_ps, failure_ps);
    }

  private:
    void tell() {
        const std::vector<check::Failure>& failures = m_checkers.failures();
        for (; m_told < failures.size(); ++m_told) {
            const check::Failure& failure = failures[m_told];
            m_waves.fail(
                failure.time_ps, std::string(failure.rule), failure.object + ": " + failure.text);
        }
    }

    const check::RuleCheckers& m_checkers;
    WaveSubscriber m_waves;
    std::size_t m_told = 0;
};

/// The subscribers of one run, in the order in which they see it.
class Observers {
  public:
    Observers(const Scenario& scenario, const RunOptions& options, System& system)
        : m_checkers(checker_settings(header_of(scenario))),
          m_options(options),
          m_header(header_of(scenario)),
          m_statistics(scenario),
          m_events(scenario),
          m_expectations(scenario) {
        RecordStream& records = system.records();
        records.subscribe(m_statistics, Statistics::kKinds);
        if (!scenario.eq.empty()) {
            records.subscribe(m_events, EventStatistics::kKinds);
        }
        records.subscribe(m_checkers, check::RuleCheckers::kinds());
        records.subscribe(m_expectations, m_expectations.kinds());
        const KindMask kinds =
            options.events.value_or(scenario.size == ScenarioSize::Small ? kAllKinds : KindMask{0});
        if (!options.out_dir.empty() && kinds != 0) {
            m_log = std::make_unique<EventLogWriter>(
                (fs::path(options.out_dir) / "events.jsonl").string(),
                m_header,
                kinds,
                [&records](std::uint8_t source) { return records.source_name(source); });
            records.subscribe(*m_log, m_log->kinds());
        }
        if (!options.vcd.empty()) {
            m_waves = std::make_unique<JudgedWaves>(m_header, options.vcd, m_checkers);
            records.subscribe(*m_waves, WaveSubscriber::kKindsWanted);
        }
        if (options.observer != nullptr) {
            records.subscribe(*options.observer, kAllKinds);
        }
    }

    /// Closes the files. \throws when anything of them could not be written.
    void close(const RunEnd& run_end) {
        const TimePs end = run_end.time;
        if (!run_end.interrupted) {
            m_checkers.finish();
        }
        if (m_log) {
            m_log->close();
        }
        if (m_waves) {
            m_waves->close(end.ps);
        }
    }

    /// The save file beside the waves, if there are any. `failure_ps`: where a marker goes; 0:
    /// none.
    void write_save_file(TimePs end, std::uint64_t failure_ps) const {
        const std::string save_file = m_waves ? gtkw_path(m_options.vcd) : std::string();
        if (!save_file.empty()) {
            GtkwOptions gtkw;
            gtkw.vcd = fs::path(m_options.vcd).filename().string();
            gtkw.view = m_waves->view(end.ps, failure_ps);
            gtkw.failure_ps = failure_ps;
            write_gtkw(save_file, m_header, gtkw);
        }
    }

    const check::RuleCheckers& checkers() const { return m_checkers; }
    const Statistics& statistics() const { return m_statistics; }
    const EventStatistics& events() const { return m_events; }
    const Expectations& expectations() const { return m_expectations; }
    bool logs() const { return m_log != nullptr; }

  private:
    check::RuleCheckers m_checkers;  // first: its lines of the cache are its own
    const RunOptions& m_options;
    RunHeader m_header;
    Statistics m_statistics;
    EventStatistics m_events;
    Expectations m_expectations;
    std::unique_ptr<EventLogWriter> m_log;
    std::unique_ptr<JudgedWaves> m_waves;
};

ExitCode exit_of(const RunFindings& findings, const Expectations& expectations) {
    if (findings.end.interrupted) {
        return ExitCode::Simulation;
    }
    bool stalled_expected = false;
    for (const Expectation& expectation : findings.scenario.expect) {
        stalled_expected = stalled_expected || (expectation.kind == ExpectKind::End &&
                                                expectation.end == EndReason::Stalled);
    }
    if (findings.end.reason == EndReason::Stalled && !stalled_expected) {
        return ExitCode::Stalled;
    }
    for (const check::RuleCount& rule : findings.rules) {
        if (rule.failed != 0 && !expectations.expects_violation(rule.rule)) {
            return ExitCode::Failed;
        }
    }
    const bool passed = findings.disappointments.empty() && findings.end.script.empty();
    return passed ? ExitCode::Pass : ExitCode::Failed;
}

std::string verdict_of(ExitCode code) {
    switch (code) {
        case ExitCode::Pass:
            return "pass";
        case ExitCode::Stalled:
            return "stalled";
        case ExitCode::Simulation:
            return "interrupted";
        default:
            return "fail";
    }
}

/// Where the first thing went wrong.
struct Place {
    std::uint64_t time_ps = 0;
    std::string words;  ///< empty: nothing went wrong
};

Place place_of_failure(const RunFindings& findings, ExitCode exit) {
    if (exit != ExitCode::Failed && exit != ExitCode::Stalled) {
        return {};
    }
    if (!findings.failures.empty()) {
        const check::Failure& first = findings.failures.front();
        return {first.time_ps,
                time_text(first.time_ps) + ", " + first.object + " (rule " +
                    std::string(first.rule) + ")"};
    }
    for (const Disappointment& failed : findings.disappointments) {
        if (failed.time_ps != 0) {
            return {failed.time_ps, time_text(failed.time_ps) + " (" + failed.where + ")"};
        }
    }
    return {findings.end.time.ps, time_text(findings.end.time.ps) + ", where the run ends"};
}

RunReport simulate(const Scenario& scenario, const RunOptions& options) {
    if (!options.out_dir.empty()) {
        make_folder(options.out_dir);
        write_file(fs::path(options.out_dir) / "config.resolved.toml", to_toml(scenario));
    }
    System system("cqsim", scenario, true, options.factories.value_or(EngineFactories::standard()));
    if (!options.factories) {
        system.run_ahead();  // every block is ours: the results are the same, sooner
    }
    Observers observers(scenario, options, system);
    const RunEnd end = system.run(options.progress);
    observers.close(end);

    const std::vector<check::RuleCount> rules = observers.checkers().rules();
    RunFindings findings{scenario,
                         end,
                         observers.statistics(),
                         observers.events(),
                         rules,
                         observers.checkers().failures(),
                         {},
                         {}};
    if (!observers.logs() && !options.out_dir.empty()) {
        findings.omitted.emplace_back("events.jsonl: ask for it with --events all");
    }
    RunReport report;
    if (end.interrupted) {
        report.error = "interrupted at " + time_text(end.time.ps) + " of simulated time";
    } else {
        findings.disappointments =
            observers.expectations().judge(statistics_json(findings), end.reason, rules);
    }
    report.exit = exit_of(findings, observers.expectations());
    const Place failure = place_of_failure(findings, report.exit);
    report.look_at = failure.words;
    observers.write_save_file(end.time, failure.time_ps);
    const std::string verdict = verdict_of(report.exit);
    report.result_json = result_json(findings, verdict).dump(2) + "\n";
    report.summary = summary_text(findings, verdict);
    if (!options.out_dir.empty()) {
        write_file(fs::path(options.out_dir) / "result.json", report.result_json);
    }
    return report;
}

}  // namespace

std::string gtkw_path(const std::string& vcd) {
    std::error_code ignored;
    return fs::is_regular_file(vcd, ignored) ? fs::path(vcd).replace_extension(".gtkw").string()
                                             : std::string();
}

RunReport run_scenario(const Scenario& scenario, const RunOptions& options) {
    try {
        return simulate(scenario, options);
    } catch (const std::bad_alloc&) {
        return {ExitCode::Simulation, {}, {}, "out of memory: fewer objects or smaller depths", {}};
    } catch (const std::exception& error) {  // sc_report and the writers' errors included
        return {ExitCode::Simulation, {}, {}, error.what(), {}};
    }
}

}  // namespace cqsim::tb
