// SPDX-License-Identifier: Apache-2.0
#include "tb/app/run_options.h"

#include "models/observe/record_names.h"
#include "tb/report/text.h"
#include "tb/scenario/nearest.h"

#include <boost/program_options/value_semantic.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

namespace cqsim::tb::app {
namespace {

namespace po = boost::program_options;

std::string with_hint(const std::string& text, const std::string& hint) {
    return text + (hint.empty() ? "" : "; " + hint);
}

}  // namespace

void add_scenario_options(po::options_description& options) {
    options.add_options()(
        "set",
        po::value<std::vector<std::string>>()->value_name("KEY=VALUE"),
        "change a key of the scenario, e.g. cq.shared.depth=16 or \"device.cqe_writer.service=8 "
        "ns\"; may be given many times")(
        "seed", po::value<std::string>()->value_name("N"), "seed of all random streams");
}

std::vector<std::string> overrides_of(const CommandLine& line) {
    std::vector<std::string> overrides;
    if (line.has("set")) {
        overrides = line.options["set"].as<std::vector<std::string>>();
    }
    if (line.has("seed")) {
        const auto& text = line.options["seed"].as<std::string>();
        std::int64_t seed = -1;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, seed);
        if (error != std::errc{} || stop != end || seed < 0) {
            throw UsageError("--seed takes a whole number, 0 .. " + std::to_string(INT64_MAX) +
                             ", not " + shell_quoted(text));
        }
        overrides.push_back("seed=" + std::to_string(seed));
    }
    return overrides;
}

KindMask parse_kinds(const std::string& text) {
    if (text == "all") {
        return kAllKinds;
    }
    if (text == "none") {
        return 0;
    }
    KindMask kinds = 0;
    for (const std::string& word : split(text, ',')) {
        const std::optional<Kind> kind = parse_kind(word);
        if (!kind) {
            std::vector<std::string> known{"all", "none"};
            for (const std::string_view name : kind_names()) {
                known.emplace_back(name);
            }
            throw UsageError(
                with_hint("--events: unknown kind " + shell_quoted(word), suggest(word, known)));
        }
        kinds |= mask_of(*kind);
    }
    return kinds;
}

LogLevel parse_log_level(const std::string& text) {
    static const std::array<std::pair<const char*, LogLevel>, 4> levels{{
        {"error", LogLevel::Error},
        {"warning", LogLevel::Warning},
        {"info", LogLevel::Info},
        {"debug", LogLevel::Debug},
    }};
    std::vector<std::string> known;
    for (const auto& [name, level] : levels) {
        if (text == name) {
            return level;
        }
        known.emplace_back(name);
    }
    throw UsageError(
        with_hint("--log-level: unknown level " + shell_quoted(text), suggest(text, known)));
}

std::string vcd_path(const std::string& given, const std::string& standard) {
    namespace fs = std::filesystem;
    if (given.empty()) {
        return standard;
    }
    std::error_code error;
    const fs::file_status status = fs::status(given, error);
    const bool device =
        fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
    if (fs::path(given).extension() != ".vcd" && !device) {
        throw UsageError("--vcd: " + shell_quoted(given) + " should end in .vcd");
    }
    return given;
}

}  // namespace cqsim::tb::app
