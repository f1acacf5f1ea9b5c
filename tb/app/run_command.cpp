// SPDX-License-Identifier: Apache-2.0
#include "tb/app/command_line.h"
#include "tb/app/commands.h"
#include "tb/app/interrupt.h"
#include "tb/app/kernel_reports.h"
#include "tb/app/progress_line.h"
#include "tb/app/run_options.h"
#include "tb/app/scenario_place.h"
#include "tb/report/text.h"
#include "tb/scenario/reader.h"

#include <boost/program_options/value_semantic.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

namespace cqsim::tb::app {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

/// The files of a run that an earlier run may have left in the folder.
constexpr const char* kResult = "result.json";
constexpr const char* kConfig = "config.resolved.toml";
constexpr const char* kEvents = "events.jsonl";

Usage usage() {
    return {
        "run",
        "SCENARIO [options]",
        "Simulates a scenario (a file, or the name of one in scenarios/), checks every rule and "
        "every\nexpectation, and prints a summary.\n\n"
        "Exit codes: 0 pass; 1 an expectation or a rule failed; 2 usage or configuration;\n"
        "3 simulation error, an interruption, or a file that could not be written; 4 deadlock or "
        "time-out.",
        1,
        1};
}

void add_options(po::options_description& options) {
    add_scenario_options(options);
    options.add_options()(
        "out-dir",
        po::value<std::string>()->value_name("DIR"),
        "folder for result.json, config.resolved.toml and events.jsonl; made if needed")(
        "events",
        po::value<std::string>()->value_name("KINDS"),
        "records in events.jsonl: all, none, or kinds with commas between; by default all for "
        "scenarios of size \"small\", none for others")(
        "vcd",
        po::value<std::string>()->value_name("[FILE]")->implicit_value("", ""),
        "write waves, and a save file for GTKWave beside them; by default SCENARIO.vcd in "
        "--out-dir "
        "or here")("quiet", "print the verdict only")(
        "log-level",
        po::value<std::string>()->value_name("LEVEL")->default_value("warning"),
        "what goes to standard error: error, warning, info, debug");
}

struct Request {
    Scenario scenario;
    RunOptions options;
    std::string path;
    LogLevel level = LogLevel::Warning;
    bool quiet = false;
};

/// Judges all of the command line before anything is done.
Request request_of(const CommandLine& line) {
    Request request;
    request.quiet = line.has("quiet");
    request.level = parse_log_level(line.options["log-level"].as<std::string>());
    RunOptions& options = request.options;
    if (line.has("out-dir")) {
        options.out_dir = line.options["out-dir"].as<std::string>();
        if (options.out_dir.empty()) {
            throw UsageError("--out-dir: a folder has a name");
        }
    }
    if (line.has("events")) {
        options.events = parse_kinds(line.options["events"].as<std::string>());
        if (*options.events != 0 && options.out_dir.empty()) {
            throw UsageError("--events needs --out-dir: that is where events.jsonl goes");
        }
    }
    request.path = find_scenario(line.words.front());
    request.scenario = read_scenario(request.path, overrides_of(line));
    if (line.has("vcd")) {
        const fs::path standard = fs::path(options.out_dir) / (request.scenario.name + ".vcd");
        options.vcd = vcd_path(line.options["vcd"].as<std::string>(), standard.string());
    }
    return request;
}

/// What an earlier run wrote there must not pass for results of this one.
void remove_old_results(const std::string& folder) {
    for (const char* name : {kResult, kEvents}) {
        std::error_code ignored;  // what is in the way is reported when it is written
        const fs::path path = fs::path(folder) / name;
        if (fs::is_regular_file(fs::symlink_status(path, ignored))) {
            fs::remove(path, ignored);
        }
    }
}

std::size_t terminal_columns() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void log(const Request& request, const std::string& text) {
    if (request.level >= LogLevel::Info) {
        std::cerr << "cqsim: " << text << '\n';
    }
}

RunReport simulate(Request& request) {
    const auto begin = Clock::now();
    std::optional<ProgressLine> line;
    if (isatty(STDERR_FILENO) != 0 && !request.quiet) {
        line.emplace(std::cerr, request.scenario.name, terminal_columns(), begin);
    }
    request.options.progress = [&line](const RunProgress& progress) {
        if (line) {
            line->show(progress, Clock::now());
        }
        return !interrupted();
    };
    if (!request.options.out_dir.empty()) {
        remove_old_results(request.options.out_dir);
    }
    if (request.level >= LogLevel::Warning) {
        for (const std::string& warning : request.scenario.warnings) {
            std::cerr << "cqsim: warning: " << warning << '\n';
        }
    }
    log(request, "running " + request.path + " until " + time_text(request.scenario.end.ps));
    catch_interrupts();
    RunReport report = run_scenario(request.scenario, request.options);
    line.reset();
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    log(request, "done in " + std::to_string(took.count()) + " ms");
    return report;
}

/// What a person types for this program: scripts/run, unless it says that it was called otherwise.
std::string run_program() {
    const char* named = std::getenv("CQSIM_RUN");  // NOLINT(concurrency-mt-unsafe)
    return shell_quoted(named != nullptr && *named != '\0' ? named : "scripts/run");
}

/// How to see the run as waves, and where to look when it failed.
void print_waves(const Request& request,
                 const std::vector<std::string>& arguments,
                 const std::string& look_at) {
    const std::string& vcd = request.options.vcd;
    std::cout << "  waves: ";
    if (vcd.empty()) {
        std::cout << run_program();
        for (const std::string& argument : arguments) {
            std::cout << ' ' << shell_quoted(argument);
        }
        std::cout << " --vcd\n";
    } else if (const std::string save_file = gtkw_path(vcd); !save_file.empty()) {
        std::cout << "gtkwave " << shell_quoted(vcd) << ' ' << shell_quoted(save_file) << '\n';
    } else {
        std::cout << shell_quoted(vcd)
                  << "; it is no regular file, so no save file for GTKWave lies beside it\n";
    }
    if (!look_at.empty()) {
        std::cout << "  look at: " << look_at << '\n';
    }
}

/// Where the results are.
void print_files(const Request& request) {
    const std::string& folder = request.options.out_dir;
    if (!folder.empty()) {
        std::vector<std::string> files;
        for (const char* name : {kResult, kConfig, kEvents}) {
            const fs::path path = fs::path(folder) / name;
            std::error_code ignored;
            if (fs::exists(path, ignored)) {
                files.push_back(path.string());
            }
        }
        std::cout << "  files: " << join(files, ", ") << '\n';
    }
}

}  // namespace

ExitCode run_command(const std::vector<std::string>& arguments) {
    po::options_description options("Options");
    add_options(options);
    const CommandLine line = parse(arguments, usage(), options);
    if (line.has("help")) {
        std::cout << help_text(usage(), options);
        return ExitCode::Pass;
    }
    Request request = request_of(line);
    direct_kernel_reports(request.level);
    const RunReport report = simulate(request);
    if (!report.error.empty()) {
        std::cerr << "cqsim run: " << one_line(report.error) << '\n';
    }
    if (report.summary.empty()) {
        return report.exit;
    }
    if (request.quiet) {
        std::cout << report.summary.substr(0, report.summary.find('\n')) << '\n';
        return report.exit;
    }
    std::cout << report.summary;
    print_files(request);
    print_waves(request, arguments, report.look_at);
    return report.exit;
}

}  // namespace cqsim::tb::app
