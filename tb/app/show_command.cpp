// SPDX-License-Identifier: Apache-2.0
#include "tb/app/command_line.h"
#include "tb/app/commands.h"
#include "tb/app/run_options.h"
#include "tb/app/scenario_place.h"
#include "tb/scenario/reader.h"

#include <iostream>

namespace cqsim::tb::app {

ExitCode show_command(const std::vector<std::string>& arguments) {
    const Usage usage{
        "show",
        "SCENARIO [options]",
        "Prints the resolved configuration of a scenario: every key explicit, with its "
        "unit.\nIt is a scenario itself, and gives the same run.",
        1,
        1};
    boost::program_options::options_description options("Options");
    add_scenario_options(options);
    const CommandLine line = parse(arguments, usage, options);
    if (line.has("help")) {
        std::cout << help_text(usage, options);
        return ExitCode::Pass;
    }
    std::cout << to_toml(read_scenario(find_scenario(line.words.front()), overrides_of(line)));
    return ExitCode::Pass;
}

}  // namespace cqsim::tb::app
