// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is wrong with a scenario, where, and what would be right (P8).
#pragma once

#include "tb/scenario/scenario.h"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace cqsim::tb {

/// "first_look.toml:3:9"; only the file when line is 0.
std::string to_string(const SourcePosition& where);

/// One mistake.
struct ScenarioError {
    SourcePosition where;
    std::string message;  ///< what is wrong
    std::string hint;     ///< what would be right; may be empty

    /// "file:line:column: what is wrong; what would be right", without a newline.
    std::string text() const;
};

/// Thrown by the reader: every mistake that was found, in file order.
class ScenarioErrors : public std::runtime_error {
  public:
    /// `errors` is not empty. `what()` is one mistake a line.
    explicit ScenarioErrors(std::vector<ScenarioError> errors);

    const std::vector<ScenarioError>& errors() const { return m_errors; }

  private:
    std::vector<ScenarioError> m_errors;
};

/// Collects mistakes while a scenario is read.
class ErrorList {
  public:
    /// Mistakes that are kept; the rest is only counted.
    static constexpr std::size_t kMax = 20;

    void add(SourcePosition where, std::string message, std::string hint = {});

    bool empty() const { return m_errors.empty(); }
    std::size_t count() const { return m_count; }
    /// Something was already found exactly there: what hangs on that value is not to be judged.
    bool has_at(const SourcePosition& where) const;

    /// \throws ScenarioErrors, sorted by position (`--set` last), if there is any.
    void throw_if_any() const;

  private:
    std::vector<ScenarioError> m_errors;
    std::size_t m_count = 0;
};

}  // namespace cqsim::tb
