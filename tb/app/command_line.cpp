// SPDX-License-Identifier: Apache-2.0
#include "tb/app/command_line.h"

#include "tb/scenario/nearest.h"

#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>

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

/// Whether it is an option with an optional value that took the word behind it as its value.
bool took_a_word(const po::option& option, const po::options_description& known) {
    if (option.string_key.empty() || option.original_tokens.size() != 2) {
        return false;
    }
    const po::option_description* described = known.find_nothrow(option.string_key, false);
    return described != nullptr && described->semantic()->min_tokens() == 0;
}

/// The words that are no options. If they are fewer than `least`, options with an optional value
/// give back what they took.
std::vector<std::string> take_words(po::parsed_options& parsed, std::size_t least) {
    std::size_t count = 0;
    for (const po::option& option : parsed.options) {
        count += option.string_key.empty() ? 1 : 0;
    }
    std::vector<std::string> words;
    for (po::option& option : parsed.options) {
        const bool gives = count < least && took_a_word(option, *parsed.description);
        if (gives || option.string_key.empty()) {
            words.insert(words.end(), option.value.begin(), option.value.end());
        }
        if (gives) {
            option.value.clear();
            ++count;
        }
    }
    return words;
}

void check_count(const std::vector<std::string>& words, const Usage& usage) {
    if (words.size() < usage.least) {
        throw UsageError("a word is missing; it is: cqsim " + usage.command + " " + usage.synopsis);
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
        line.words = take_words(parsed, usage.least);
        po::store(parsed, line.options);
        po::notify(line.options);
    } catch (const po::unknown_option& error) {
        const std::string hint = suggest(error.get_option_name(), long_names(options));
        throw UsageError("unknown option " + error.get_option_name() +
                         (hint.empty() ? "" : "; " + hint));
    } catch (const po::error& error) {
        throw UsageError(error.what());
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
