// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options.hpp>

#include <functional>

namespace cqsim::tb::bench {

/// What the `main` of each program here does: reads the command line into what `options` names, and
/// does `work`. \returns the exit code: that of `work`; 0 when help was asked for; 2 for a mistake
/// in the command line; 3 if `work` throws, which is said.
int run_program(const char* name,
                int argc,
                char** argv,
                const boost::program_options::options_description& options,
                const std::function<int()>& work);

}  // namespace cqsim::tb::bench
