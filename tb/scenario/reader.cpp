// SPDX-License-Identifier: Apache-2.0
#include "tb/scenario/reader.h"

#include "tb/scenario/checks.h"
#include "tb/scenario/node.h"
#include "tb/scenario/specs.h"
#include "tb/scenario/warnings.h"

#include <filesystem>

namespace cqsim::tb {

Scenario read_scenario(const std::string& path, const std::vector<std::string>& overrides) {
    return read_scenario_text(read_text(path), path, overrides);
}

Scenario read_scenario_text(std::string_view text,
                            const std::string& file,
                            const std::vector<std::string>& overrides) {
    Node document = parse_document(text, file);
    ErrorList errors;
    if (document.children.empty()) {
        errors.add({file, 1, 1},
                   "the scenario is empty",
                   "scenarios/README.md shows a first one in 15 lines");
        errors.throw_if_any();
    }
    for (const std::string& assignment : overrides) {
        apply_override(document, assignment, errors);
    }
    Scenario scenario = scenario_spec().fresh;
    scenario.name = std::filesystem::path(file).stem().string();
    ReadContext context{errors, scenario};
    read_table(scenario_spec(), document, scenario, context);
    finish_scenario(scenario, document, errors);
    errors.throw_if_any();
    scenario.warnings = warnings_of(scenario, document);
    return scenario;
}

std::string to_toml(const Scenario& scenario) {
    std::string out = "# Every key of the scenario as it was run.\n";
    write_table(scenario_spec(), scenario, scenario, "", out);
    return out;
}

}  // namespace cqsim::tb
