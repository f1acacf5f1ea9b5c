// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/program.h"

#include <systemc>

#include <cstdlib>
#include <iostream>

namespace cqsim::tb::bench {

int run_program(const char* name,
                int argc,
                char** argv,
                const boost::program_options::options_description& options,
                const std::function<int()>& work) {
    namespace po = boost::program_options;
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    po::variables_map given;
    try {
        po::store(po::parse_command_line(argc, argv, options), given);
        po::notify(given);
    } catch (const po::error& error) {
        std::cerr << name << ": " << error.what() << '\n' << options;
        return 2;
    }
    if (given.count("help") != 0) {
        std::cout << options;
        return 0;
    }
    try {
        return work();
    } catch (const std::exception& error) {
        std::cerr << name << ": " << error.what() << '\n';
        return 3;
    }
}

}  // namespace cqsim::tb::bench

int sc_main(int /*argc*/, char** /*argv*/) {
    return 0;
}
