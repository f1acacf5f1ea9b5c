// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace cqsim::tb {

/// What is wrong with an events.jsonl, and where: "FILE:LINE:COLUMN: TEXT".
class EventLogError : public std::runtime_error {
  public:
    /// A file that cannot be opened, read or written: no place in it.
    EventLogError(const std::string& path, const std::string& text)
        : std::runtime_error(path + ": " + text) {}
    EventLogError(const std::string& path,
                  std::size_t line,
                  std::size_t column,
                  const std::string& text)
        : std::runtime_error(path + ":" + std::to_string(line) + ":" + std::to_string(column) +
                             ": " + text),
          m_line(line),
          m_column(column) {}

    /// From 1; 0 for the file as a whole.
    std::size_t line() const { return m_line; }
    std::size_t column() const { return m_column; }

  private:
    std::size_t m_line = 0;
    std::size_t m_column = 0;
};

}  // namespace cqsim::tb
