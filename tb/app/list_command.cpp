// SPDX-License-Identifier: Apache-2.0
#include "tb/app/command_line.h"
#include "tb/app/commands.h"
#include "tb/app/scenario_place.h"
#include "tb/record/wave_catalogue.h"
#include "tb/report/text.h"
#include "tb/scenario/keys.h"
#include "tb/scenario/nearest.h"
#include "tb/scenario/reader.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <string_view>

namespace cqsim::tb::app {
namespace {

/// Rows with columns as wide as they need; the last one is not padded.
template <std::size_t kColumns>
void print_table(const std::vector<std::array<std::string, kColumns>>& rows) {
    std::array<std::size_t, kColumns> width{};
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < kColumns; ++i) {
            width[i] = std::max(width[i], row[i].size());
        }
    }
    for (const auto& row : rows) {
        std::cout << "  ";
        for (std::size_t i = 0; i + 1 < kColumns; ++i) {
            std::cout << row[i] << std::string(width[i] - row[i].size() + 2, ' ');
        }
        std::cout << row[kColumns - 1] << '\n';
    }
}

void list_scenarios() {
    const std::string folder = scenario_folder();
    const std::vector<std::string> names = scenario_names();
    std::cout << "scenarios in " << folder << '\n';
    if (names.empty()) {
        std::cout << "  none; CQSIM_SCENARIOS names another folder\n";
    }
    std::vector<std::array<std::string, 2>> rows;
    for (const std::string& name : names) {
        const std::string path = (std::filesystem::path(folder) / (name + ".toml")).string();
        try {
            rows.push_back({name, read_scenario(path).about});
        } catch (const ScenarioErrors& error) {
            rows.push_back({name, "refused: " + error.errors().front().text()});
        }
    }
    print_table(rows);
}

void list_policies() {
    std::cout << "policies: keys of the device with a choice; the first word is the default\n";
    std::vector<std::array<std::string, 3>> rows;
    for (const KeyInfo& key : scenario_keys()) {
        if (key.section.rfind("[device", 0) != 0 || key.choices.empty()) {
            continue;
        }
        std::vector<std::string> choices = key.choices;
        std::stable_partition(choices.begin(), choices.end(), [&](const std::string& choice) {
            return key.standard == choice || key.standard == '"' + choice + '"';
        });
        rows.push_back({key.path, join(choices, ", "), key.doc});
    }
    print_table(rows);
}

void list_profiles() {
    std::cout << "device profiles\n";
    const std::vector<std::string> names = profile_names();
    if (names.empty()) {
        std::cout << "  none yet: each policy is chosen by its key (cqsim list policies)\n";
    }
    for (const std::string& name : names) {
        std::cout << "  " << name << '\n';
    }
}

void list_waves() {
    std::cout << "waves of --vcd: path, bits, meaning; \"index\" is the scenario's index width\n";
    std::vector<std::array<std::string, 3>> rows;
    for (const WaveInfo& wave : wave_catalogue()) {
        rows.push_back(
            {std::string(wave.pattern), std::string(wave.width), std::string(wave.meaning)});
    }
    print_table(rows);
}

struct Topic {
    const char* name;
    void (*list)();
};
constexpr std::array<Topic, 4> kTopics{{{"scenarios", list_scenarios},
                                        {"policies", list_policies},
                                        {"profiles", list_profiles},
                                        {"waves", list_waves}}};

void list_topic(const std::string& name) {
    std::vector<std::string> known;
    for (const Topic& topic : kTopics) {
        if (name == topic.name) {
            topic.list();
            return;
        }
        known.emplace_back(topic.name);
    }
    throw UsageError("nothing to list under " + shell_quoted(name) + "; " + suggest(name, known));
}

}  // namespace

ExitCode list_command(const std::vector<std::string>& arguments) {
    const Usage usage{"list",
                      "[scenarios|policies|profiles|waves]",
                      "Names what there is; all of it without a word.",
                      0,
                      1};
    boost::program_options::options_description options("Options");
    const CommandLine line = parse(arguments, usage, options);
    if (line.has("help")) {
        std::cout << help_text(usage, options);
    } else if (line.words.empty()) {
        for (const Topic& topic : kTopics) {
            std::cout << (&topic == kTopics.data() ? "" : "\n");
            topic.list();
        }
    } else {
        list_topic(line.words.front());
    }
    return ExitCode::Pass;
}

}  // namespace cqsim::tb::app
