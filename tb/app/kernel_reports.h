// SPDX-License-Identifier: Apache-2.0
/// \file
/// The reports of the SystemC kernel and of the models, as the program shows them.
#pragma once

#include <string>

namespace cqsim::tb::app {

/// What goes to standard error; each level includes those before it.
enum class LogLevel { Error, Warning, Info, Debug };

/// Sends displayed reports to standard error, one line each: warnings and reports of information
/// from their level on. Errors are thrown, as SystemC does. Standard output stays for results.
void direct_kernel_reports(LogLevel level);

/// An error's text in one line. Of a SystemC report: message, process and time.
std::string one_line(const std::string& text);

}  // namespace cqsim::tb::app
