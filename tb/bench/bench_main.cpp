// SPDX-License-Identifier: Apache-2.0
// cqsim-bench: the block's rate as a ratio to a floor that is measured in the same process.
#include "tb/bench/bench_report.h"
#include "tb/bench/program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

namespace cqsim::tb::bench {
namespace {

struct Options {
    int repeats = 5;
    std::string only;
    std::uint64_t completions = 0;  ///< 0: each configuration's own
};

boost::program_options::options_description describe(Options& options) {
    namespace po = boost::program_options;
    po::options_description all("cqsim-bench: the block's rate as a ratio to a floor, as JSON");
    auto add = all.add_options();
    add("help", "this text");
    add("only",
        po::value(&options.only),
        "the configuration of this name; if there is none, those whose names begin with it; "
        "'growth' and 'memory' are the other two measurements");
    add("repeats",
        po::value(&options.repeats)->default_value(options.repeats),
        "pairs of floor and block, each in a process of its own");
    add("completions",
        po::value(&options.completions),
        "measured in each block run, instead of the configuration's own number");
    return all;
}

bool begins_with(const std::string& name, const std::string& prefix) {
    return name.compare(0, prefix.size(), prefix) == 0;
}

/// Those that `only` means.
std::vector<Configuration> chosen(const std::string& only) {
    std::vector<Configuration> all = all_configurations();
    const bool exact = std::any_of(all.begin(), all.end(), [&](const Configuration& candidate) {
        return candidate.name == only;
    });
    all.erase(std::remove_if(all.begin(),
                             all.end(),
                             [&](const Configuration& candidate) {
                                 return exact ? candidate.name != only
                                              : !begins_with(candidate.name, only);
                             }),
              all.end());
    return all;
}

int print(const Options& options) {
    const int repeats = std::max(options.repeats, 1);
    nlohmann::ordered_json all;
    all["conditions"] = conditions();
    std::vector<Configuration> configurations = chosen(options.only);
    const bool growth_wanted = options.only.empty() || options.only == "growth";
    const bool memory_wanted = options.only.empty() || options.only == "memory";
    if (configurations.empty() && !growth_wanted && !memory_wanted) {
        std::cerr << "cqsim-bench: no configuration is called '" << options.only
                  << "' or begins so; there are:";
        for (const Configuration& configuration : all_configurations()) {
            std::cerr << ' ' << configuration.name;
        }
        std::cerr << " growth memory\n";
        return 2;
    }
    for (Configuration& configuration : configurations) {
        if (options.completions != 0) {
            configuration.completions = options.completions;
        }
        all["configurations"].push_back(rate(configuration, repeats));
    }
    if (growth_wanted) {
        all["growth"] = growth(repeats, options.completions);
    }
    if (memory_wanted) {
        all["memory"] = memory();
    }
    std::cout << all.dump(2) << '\n';
    return 0;
}

int run(int argc, char** argv) {
    Options options;
    return run_program(
        "cqsim-bench", argc, argv, describe(options), [&] { return print(options); });
}

}  // namespace
}  // namespace cqsim::tb::bench

int main(int argc, char** argv) {
    return cqsim::tb::bench::run(argc, argv);
}
