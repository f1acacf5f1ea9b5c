// SPDX-License-Identifier: Apache-2.0
#include "tb/app/kernel_reports.h"

#include <systemc>

#include <iostream>
#include <sstream>

namespace cqsim::tb::app {
namespace {

void show(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
    if ((actions & sc_core::SC_DISPLAY) != 0) {
        std::cerr << "cqsim: " << one_line(sc_core::sc_report_compose_message(report)) << '\n';
    }
    sc_core::sc_report_handler::default_handler(
        report, actions & ~static_cast<sc_core::sc_actions>(sc_core::SC_DISPLAY));
}

bool starts_with(const std::string& text, const char* start) {
    return text.rfind(start, 0) == 0;
}

}  // namespace

void direct_kernel_reports(LogLevel level) {
    using sc_core::sc_report_handler;
    const auto shown_from = [level](LogLevel least) {
        return level >= least ? sc_core::SC_DISPLAY : sc_core::SC_DO_NOTHING;
    };
    sc_report_handler::set_handler(show);
    sc_report_handler::set_actions(sc_core::SC_INFO, shown_from(LogLevel::Info));
    sc_report_handler::set_actions(sc_core::SC_WARNING, shown_from(LogLevel::Warning));
    sc_report_handler::set_verbosity_level(level == LogLevel::Debug ? sc_core::SC_DEBUG
                                                                    : sc_core::SC_MEDIUM);
}

std::string one_line(const std::string& text) {
    std::istringstream lines(text);
    std::string all;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || starts_with(line, "In file: ")) {
            continue;
        }
        if (starts_with(line, "In process: ")) {
            all += " (in process " + line.substr(std::string("In process: ").size()) + ")";
        } else {
            all += (all.empty() ? "" : " ") + line;
        }
    }
    const std::string error = "Error: ";
    return starts_with(all, error.c_str()) ? all.substr(error.size()) : all;
}

}  // namespace cqsim::tb::app
