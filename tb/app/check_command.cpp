// SPDX-License-Identifier: Apache-2.0
#include "tb/app/command_line.h"
#include "tb/app/commands.h"
#include "tb/record/event_log_check.h"
#include "tb/report/text.h"

#include <boost/program_options/value_semantic.hpp>

#include <algorithm>
#include <iostream>

namespace cqsim::tb::app {
namespace {

constexpr std::size_t kMostFailures = 20;  ///< shown; the rest is counted

void print_details(const std::string& path, const EventLogVerdict& verdict) {
    std::uint64_t checks = 0;
    for (const check::RuleCount& rule : verdict.rules) {
        checks += rule.checked;
    }
    const auto arose =
        std::count_if(verdict.rules.begin(), verdict.rules.end(), [](const check::RuleCount& rule) {
            return rule.checked != 0;
        });
    std::cout << "  " << path << ": " << verdict.records << " records to "
              << time_text(verdict.end_ps) << "; " << arose << " of " << verdict.rules.size()
              << " rules arose, " << checks << " checks\n";
    const std::size_t shown = std::min(kMostFailures, verdict.failures.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const check::Failure& failure = verdict.failures[i];
        std::cout << "  rule " << failure.rule << " at " << time_text(failure.time_ps) << ", "
                  << failure.object << ": " << failure.text << '\n';
    }
    if (verdict.failed > shown) {
        std::cout << "  ... " << verdict.failed - shown << " more\n";
    }
}

}  // namespace

ExitCode check_command(const std::vector<std::string>& arguments) {
    const Usage usage{
        "check",
        "EVENTS.jsonl [options]",
        "Runs the rule checkers over a recorded event log, of cqsim or of an RTL test "
        "bench\n(tb/record/events.schema.json describes it): the same verdict as live. "
        "Exit code 1\nif a rule failed.",
        1,
        1};
    boost::program_options::options_description options("Options");
    options.add_options()("quiet", "print the verdict only");
    const CommandLine line = parse(arguments, usage, options);
    if (line.has("help")) {
        std::cout << help_text(usage, options);
        return ExitCode::Pass;
    }
    const EventLogVerdict verdict = check_event_log(line.words.front());
    std::cout << (verdict.passed() ? "PASS" : "FAIL") << "  " << verdict.header.scenario
              << "  (seed " << verdict.header.seed << ")\n";
    if (!line.has("quiet")) {
        print_details(line.words.front(), verdict);
    }
    return verdict.passed() ? ExitCode::Pass : ExitCode::Failed;
}

}  // namespace cqsim::tb::app
