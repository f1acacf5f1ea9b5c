// SPDX-License-Identifier: Apache-2.0
/// \file
/// What steps could not do.
#pragma once

#include "tb/scenario/scenario.h"

#include <string>
#include <vector>

namespace cqsim::tb {

/// Lines of the form `file:line:column: step at TIME ps: ...`.
class Complaints {
  public:
    void add(const Step& step, TimePs now, const std::string& text) {
        const SourcePosition& where = step.where;
        m_lines.push_back(where.file + ":" + std::to_string(where.line) + ":" +
                          std::to_string(where.column) + ": step at " + std::to_string(now.ps) +
                          " ps: " + text);
    }
    const std::vector<std::string>& lines() const { return m_lines; }

  private:
    std::vector<std::string> m_lines;
};

}  // namespace cqsim::tb
