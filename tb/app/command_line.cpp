// SPDX-License-Identifier: Apache-2.0
#include "tb/app/command_line.h"

#include "tb/scenario/nearest.h"

#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>

#include <algorithm>
#include <sstream>

namespace cqsim::tb::app {
namespace {

namespace po = boost::program_options;

std::vector<std::string> long_names(const po::options_description& options) {
    std::vector<std::string> names;
    for (const auto& option : options.options()) {
        names.push_back("--" + option->long_name());
    }
    return names;
}

/// The words that are no options. Gives those that belong to an option with an optional value to
/// that option, as long as the command has more words than it takes.
std::vector<std::string> take_words(po::parsed_options& parsed, std::size_t most) {
    auto is_word = [](const po::option& option) { return option.string_key.empty(); };
    auto spare = static_cast<std::size_t>(
        std::count_if(parsed.options.begin(), parsed.options.end(), is_word));
    std::vector<std::string> words;
    po::option* open = nullptr;
    for (po::option& option : parsed.options) {
        if (!is_word(option)) {
            const auto* known = parsed.description->find_nothrow(option.string_key, false);
            const bool optional = known != nullptr && known->semantic()->min_tokens() == 0 &&
                                  known->semantic()->max_tokens() == 1;
            open = optional && option.value.empty() ? &option : nullptr;
            continue;
        }
        if (open != nullptr && spare > most) {
            open->value = option.value;
            --spare;
        } else {
            words.insert(words.end(), option.value.begin(), option.value.end());
        }
        open = nullptr;
    }
    return words;
}

/// Boost's messages speak of "option '--x'"; the rest reads well.
[[noreturn]] void refuse(const po::error& error) {
    throw UsageError(error.what());
}

void check_count(const std::vector<std::string>& words, const Usage& usage) {
    if (words.size() < usage.least) {
        throw UsageError("something is missing: cqsim " + usage.command + " " + usage.synopsis);
    }
    if (words.size() > usage.most) {
        throw UsageError("one word too many: " + shell_quoted(words[usage.most]) +
                         "; it is: cqsim " + usage.command + " " + usage.synopsis);
    }
}

}  // namespace

CommandLine parse(const std::vector<std::string>& arguments,
                  const Usage& usage,
                  po::options_description& options) {
    options.add_options()("help,h", "this text");
    CommandLine line;
    try {
        const int style =
            po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
        po::parsed_options parsed =
            po::command_line_parser(arguments).options(options).style(style).run();
        line.words = take_words(parsed, usage.most);
        po::store(parsed, line.options);
        po::notify(line.options);
    } catch (const po::unknown_option& error) {
        const std::string hint = suggest(error.get_option_name(), long_names(options));
        throw UsageError("unknown option " + error.get_option_name() +
                         (hint.empty() ? "" : "; " + hint));
    } catch (const po::error& error) {
        refuse(error);
    }
    if (!line.has("help")) {
        check_count(line.words, usage);
    }
    return line;
}

std::string help_text(const Usage& usage, const po::options_description& options) {
    std::ostringstream text;
    text << "cqsim " << usage.command << ' ' << usage.synopsis << "\n\n"
         << usage.about << "\n\n"
         << options;
    return text.str();
}

std::string shell_quoted(const std::string& word) {
    const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
        return word;
    }
    std::string quoted = "'";
    for (const char c : word) {
        quoted += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return quoted + "'";
}

}  // namespace cqsim::tb::app
