// SPDX-License-Identifier: Apache-2.0
#include "tb/app/scenario_place.h"

#include "tb/app/command_line.h"
#include "tb/scenario/nearest.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace cqsim::tb::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProfiles = "profiles";
constexpr const char* kSuffix = ".toml";

/// Names relative to `folder`; what cannot be read is not there.
std::vector<std::string> names_in(const fs::path& folder, bool with_profiles) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code ignored;
        if (!with_profiles && entry->path().filename() == kProfiles &&
            entry->is_directory(ignored)) {
            entry.disable_recursion_pending();
        } else if (entry->path().extension() == kSuffix && entry->is_regular_file(ignored)) {
            names.push_back(
                entry->path().lexically_relative(folder).replace_extension().generic_string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

std::string scenario_folder() {
    const char* named = std::getenv("CQSIM_SCENARIOS");  // NOLINT(concurrency-mt-unsafe)
    return named != nullptr && *named != '\0' ? named : "scenarios";
}

std::vector<std::string> scenario_names() {
    return names_in(scenario_folder(), false);
}

std::vector<std::string> profile_names() {
    return names_in(fs::path(scenario_folder()) / kProfiles, true);
}

std::string find_scenario(const std::string& given) {
    std::error_code error;
    const fs::file_status status = fs::status(given, error);
    if (fs::exists(status) && !fs::is_directory(status)) {
        return given;
    }
    const fs::path folder = scenario_folder();
    const fs::path path(given);
    if (!given.empty() && path.is_relative()) {
        for (const fs::path& candidate : {folder / (given + kSuffix), folder / path}) {
            if (fs::is_regular_file(candidate, error)) {
                return candidate.string();
            }
        }
    }
    if (status.type() != fs::file_type::not_found) {
        return given;  // a directory, or out of reach: the reader says so
    }
    std::string hint = suggest(path.stem().string(), scenario_names());
    throw UsageError(shell_quoted(given) + ": no such file, and no scenario of that name in " +
                     shell_quoted(folder.string()) + (hint.empty() ? "" : "; " + hint));
}

}  // namespace cqsim::tb::app
