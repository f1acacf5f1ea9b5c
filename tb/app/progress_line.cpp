// SPDX-License-Identifier: Apache-2.0
#include "tb/app/progress_line.h"

#include "tb/report/text.h"

#include <cmath>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <utility>

namespace cqsim::tb::app {
namespace {

using Seconds = std::chrono::duration<double>;

std::string rate_text(double per_second) {
    constexpr double kThousand = 1e3;
    const char* const units[] = {" /s", " k/s", " M/s", " G/s"};
    std::size_t unit = 0;
    while (per_second >= kThousand && unit < 3) {
        per_second /= kThousand;
        ++unit;
    }
    std::ostringstream text;
    text << std::fixed << std::setprecision(unit == 0 ? 0 : 2) << per_second << units[unit];
    return text.str();
}

std::string remaining_text(double seconds) {
    constexpr double kMinute = 60;
    constexpr double kHour = 3600;
    std::ostringstream text;
    text << std::fixed << std::setprecision(0);
    if (seconds < 2 * kMinute) {
        text << std::ceil(seconds) << " s";
    } else if (seconds < 2 * kHour) {
        text << std::ceil(seconds / kMinute) << " min";
    } else {
        text << std::ceil(seconds / kHour) << " h";
    }
    return text.str();
}

}  // namespace

ProgressLine::ProgressLine(std::ostream& out, std::string name, std::size_t columns, Time begin)
    : m_out(out),
      m_name(std::move(name)),
      m_columns(columns),
      m_begin(begin),
      m_shown_at(begin) {
}

void ProgressLine::show(const RunProgress& progress, Time now) {
    if (now - m_begin < kSilence || (m_visible && now - m_shown_at < kBetween)) {
        return;
    }
    std::string line = text(progress, now);
    if (m_columns > 1 && line.size() >= m_columns) {
        line.resize(m_columns - 1);  // one that wraps could not be erased
    }
    m_out << '\r' << line << "\033[K" << std::flush;
    m_visible = true;
    m_shown_at = now;
    m_shown_polled = progress.polled;
}

std::string ProgressLine::text(const RunProgress& progress, Time now) const {
    std::string line = m_name + ": " + time_text(progress.time.ps) + " of " +
                       time_text(progress.end.ps) + ", " + std::to_string(progress.polled) +
                       " polled";
    const double window = Seconds(now - m_shown_at).count();
    if (window > 0) {
        line += ", " + rate_text(static_cast<double>(progress.polled - m_shown_polled) / window);
    }
    if (progress.time.ps != 0 && progress.time < progress.end) {
        // A run that becomes idle ends before its time.
        const double share = static_cast<double>((progress.end - progress.time).ps) /
                             static_cast<double>(progress.time.ps);
        line += ", at most " + remaining_text(Seconds(now - m_begin).count() * share) + " left";
    }
    return line;
}

void ProgressLine::erase() {
    if (m_visible) {
        m_out << "\r\033[K" << std::flush;
        m_visible = false;
    }
}

}  // namespace cqsim::tb::app
