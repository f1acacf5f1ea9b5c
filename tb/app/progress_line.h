// SPDX-License-Identifier: Apache-2.0
/// \file
/// The line that shows on a terminal how far a long run is.
#pragma once

#include "tb/system/system.h"

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>

namespace cqsim::tb::app {

/// Shows one line over and over; nothing during the first two seconds. Erases it at the end.
class ProgressLine {
  public:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr std::chrono::seconds kSilence{2};
    static constexpr std::chrono::milliseconds kBetween{200};  ///< two lines, at least

    /// `columns`: the width of the terminal; 0 for unknown.
    ProgressLine(std::ostream& out, std::string name, std::size_t columns, Time begin);
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine() { erase(); }

    /// Shows the line if it is time to. `now` is real time and does not go back.
    void show(const RunProgress& progress, Time now);
    /// Leaves the terminal as it was.
    void erase();

  private:
    std::string text(const RunProgress& progress, Time now) const;

    std::ostream& m_out;
    std::string m_name;
    std::size_t m_columns;
    Time m_begin;
    Time m_shown_at;  ///< when the line was last shown, and what had been polled then
    std::uint64_t m_shown_polled = 0;
    bool m_visible = false;
};

}  // namespace cqsim::tb::app
