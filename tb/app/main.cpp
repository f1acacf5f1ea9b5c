// SPDX-License-Identifier: Apache-2.0
// cqsim: runs scenarios of the completion-queue block, and judges them.
#include "tb/app/command_line.h"
#include "tb/app/commands.h"
#include "tb/app/kernel_reports.h"
#include "tb/record/event_log_error.h"
#include "tb/scenario/errors.h"
#include "tb/scenario/nearest.h"

#include <systemc>

#include <array>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>

namespace cqsim::tb::app {
namespace {

constexpr std::array<Command, 4> kCommands{{
    {"run", "simulate a scenario and judge it", run_command},
    {"list", "name the scenarios, policies, profiles and waves there are", list_command},
    {"show", "print a scenario's resolved configuration", show_command},
    {"check", "run the rule checkers over a recorded event log", check_command},
}};

void print_help(std::ostream& out) {
    out << "cqsim COMMAND [options]\n\n"
           "A model of the completion-queue and event block of an RDMA NIC.\n\n"
           "Commands:\n";
    for (const Command& command : kCommands) {
        const std::string name = command.name;
        out << "  " << name << std::string(8 - name.size(), ' ') << command.about << '\n';
    }
    out << "\ncqsim COMMAND --help tells more; cqsim --version which version this is.\n";
}

const Command& find_command(const std::string& name) {
    std::vector<std::string> known;
    for (const Command& command : kCommands) {
        if (name == command.name) {
            return command;
        }
        known.emplace_back(command.name);
    }
    if (name.rfind('-', 0) == 0) {
        known = {"--help", "--version"};
    }
    throw UsageError("unknown " + std::string(name.rfind('-', 0) == 0 ? "option " : "command ") +
                     shell_quoted(name) + "; " + suggest(name, known));
}

ExitCode dispatch(std::vector<std::string> words) {
    if (words.empty()) {
        print_help(std::cerr);
        return ExitCode::Usage;
    }
    std::string name = words.front();
    words.erase(words.begin());
    if (name == "--version") {
        std::cout << "cqsim " CQSIM_VERSION " (SystemC " << sc_core::sc_release() << ")\n";
        return ExitCode::Pass;
    }
    if (name == "--help" || name == "-h" || name == "help") {
        if (words.empty()) {
            print_help(std::cout);
            return ExitCode::Pass;
        }
        name = words.front();
        words = {"--help"};
    }
    return find_command(name).run(words);
}

/// Nothing in it commands a terminal: a message may quote what stands in a foreign file.
std::string printable(const std::string& text) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string shown;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n' || (byte >= ' ' && byte != 0x7F)) {
            shown += c;
        } else {
            shown += {'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 15U]};
        }
    }
    return shown;
}

/// Says what went wrong, as a person is to read it.
ExitCode complain(const std::string& who, const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const UsageError& mistake) {
        std::cerr << who << ": " << printable(mistake.what()) << "\n"
                  << who << " --help tells more\n";
        return ExitCode::Usage;
    } catch (const ScenarioErrors& mistakes) {
        std::cerr << printable(mistakes.what()) << '\n';  // file:line:column first, for editors
        return ExitCode::Usage;
    } catch (const EventLogError& mistake) {
        std::cerr << printable(mistake.what()) << '\n';
        return ExitCode::Usage;
    } catch (const std::bad_alloc&) {
        std::cerr << who << ": out of memory\n";
    } catch (const std::exception& failure) {
        std::cerr << who << ": " << printable(one_line(failure.what())) << '\n';
    } catch (...) {
        std::cerr << who << ": an error without a name\n";
    }
    return ExitCode::Simulation;
}

ExitCode run_program(const std::vector<std::string>& words) {
    std::string who = "cqsim";
    for (const Command& command : kCommands) {
        if (!words.empty() && words.front() == command.name) {
            who += ' ' + words.front();
        }
    }
    ExitCode code = ExitCode::Pass;
    try {
        code = dispatch(words);
    } catch (...) {
        code = complain(who, std::current_exception());
    }
    if (!std::cout.flush()) {
        std::cerr << who << ": the results could not be written to standard output\n";
        return ExitCode::Simulation;
    }
    return code;
}

}  // namespace
}  // namespace cqsim::tb::app

// The kernel's library wants one; runs are started by the commands.
int sc_main(int, char**) {
    return 0;
}

int main(int argc, char** argv) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);  // NOLINT(concurrency-mt-unsafe)
    try {
        const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
        return static_cast<int>(cqsim::tb::app::run_program(words));
    } catch (const std::exception&) {  // no memory even for a message
        return static_cast<int>(cqsim::tb::ExitCode::Simulation);
    }
}
