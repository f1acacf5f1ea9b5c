// SPDX-License-Identifier: Apache-2.0
/// \file
/// A command's words, parsed and judged.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace cqsim::tb::app {

/// A mistake in the command line: exit 2.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// What a command takes, and how its help reads.
struct Usage {
    std::string command;    ///< "run"
    std::string synopsis;   ///< "SCENARIO [options]"
    std::string about;      ///< what it does: lines of text, without a newline at the end
    std::size_t least = 0;  ///< words that are no options
    std::size_t most = 0;
};

struct CommandLine {
    boost::program_options::variables_map options;
    std::vector<std::string> words;  ///< those that are no options, in order

    bool has(const char* option) const { return options.count(option) != 0; }
};

/// Parses the words of a command; adds `--help`. An option with an optional value takes the word
/// that follows it, unless the command would then lack one. With `--help` nothing else
/// is asked for.
/// \throws UsageError for an unknown option (with the nearest known one), a bad value, a missing or
/// a surplus word.
CommandLine parse(const std::vector<std::string>& arguments,
                  const Usage& usage,
                  boost::program_options::options_description& options);

/// The text that `--help` prints.
std::string help_text(const Usage& usage,
                      const boost::program_options::options_description& options);

/// A word as it would be typed in a shell.
std::string shell_quoted(const std::string& word);

}  // namespace cqsim::tb::app
