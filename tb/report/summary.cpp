// SPDX-License-Identifier: Apache-2.0
// The summary of a run, for a person.
#include "models/observe/record_names.h"
#include "tb/report/result.h"
#include "tb/report/text.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace cqsim::tb {
namespace {

constexpr std::size_t kMostLines = 8;  ///< groups and failures shown; the rest is counted

std::string capital(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(std::toupper(c));
    });
    return text;
}

void write_cqs(std::ostream& out, const RunFindings& findings) {
    out << "  CQ                  depth  state   written    polled  dropped   peak\n";
    std::size_t shown = 0;
    for (const CqGroup& group : findings.scenario.cq) {
        if (++shown > kMostLines) {
            out << "  ... " << findings.scenario.cq.size() - kMostLines << " more groups\n";
            break;
        }
        std::uint64_t written = 0;
        std::uint64_t polled = 0;
        std::uint64_t dropped = 0;
        std::uint32_t peak = 0;
        std::uint32_t capacity = 0;
        bool error = false;
        for (std::uint32_t i = 0; i < group.count; ++i) {
            const Statistics::Cq& cq = findings.statistics.cq(Cqn{group.first + i});
            written += cq.written;
            polled += cq.polled;
            dropped += cq.dropped;
            peak = std::max(peak, cq.peak);
            capacity = std::max(capacity, findings.statistics.capacity(Cqn{group.first + i}));
            error = error || (cq.flags & Statistics::Cq::kError) != 0;
        }
        const std::string label =
            group.count == 1 ? group.name : group.name + " x" + std::to_string(group.count);
        out << "  " << std::left << std::setw(18) << label << std::right << std::setw(7) << capacity
            << "  " << std::left << std::setw(6) << (error ? "ERROR" : "ok") << std::right
            << std::setw(9) << written << std::setw(10) << polled << std::setw(9) << dropped
            << std::setw(7) << peak << '\n';
    }
}

/// Picoseconds as microseconds with three digits behind the point.
std::string us_text(double ps) {
    constexpr double kPsPerUs = 1e6;
    std::ostringstream text;
    text << std::fixed << std::setprecision(3) << ps / kPsPerUs;
    return text.str();
}

/// The last two columns: completed to readable.
void write_qps(std::ostream& out, const RunFindings& findings) {
    constexpr double kHalf = 0.5;
    out << "  QP               posted completed retired flushed   lost   open in ERR   p50 us   "
           "max us\n";
    for (std::size_t g = 0; g < findings.scenario.qp.size(); ++g) {
        if (g == kMostLines) {
            out << "  ... " << findings.scenario.qp.size() - kMostLines << " more groups\n";
            break;
        }
        const QpGroup& group = findings.scenario.qp[g];
        const Statistics::QpGroupCounts& counts = findings.statistics.group(g);
        const std::string label =
            group.count == 1 ? group.name : group.name + " x" + std::to_string(group.count);
        out << "  " << std::left << std::setw(14) << label << std::right << std::setw(9)
            << counts.posted << std::setw(10) << counts.completed << std::setw(8)
            << counts.unsignaled_retired << std::setw(8) << counts.flushed << std::setw(7)
            << counts.lost << std::setw(7) << counts.outstanding() << std::setw(7)
            << counts.state[static_cast<std::size_t>(QpState::Err)] << std::setw(9)
            << us_text(counts.report.percentile(kHalf)) << std::setw(9)
            << us_text(static_cast<double>(counts.report.max())) << '\n';
    }
}

void write_srqs(std::ostream& out, const RunFindings& findings) {
    std::size_t shown = 0;
    for (const SrqGroup& group : findings.scenario.srq) {
        if (++shown > kMostLines) {
            out << "  ... " << findings.scenario.srq.size() - kMostLines << " more groups\n";
            break;
        }
        SrqEnd sum;
        for (std::uint32_t i = 0; i < group.count; ++i) {
            const SrqEnd& single = findings.end.srq.at(group.first + i - 1);
            sum.posted += single.posted;
            sum.taken += single.taken;
            sum.returned += single.returned;
            sum.lost += single.lost;
            sum.held += single.held;
        }
        out << "  SRQ " << group.name;
        if (group.count > 1) {
            out << " x" << group.count;
        }
        out << ": " << sum.posted << " posted, " << sum.taken << " taken, " << sum.returned
            << " came back, " << sum.held << " held at the end";
        if (sum.lost != 0) {
            out << ", " << sum.lost << " lost";
        }
        out << '\n';
    }
}

void write_events(std::ostream& out, const EventStatistics& events) {
    if (events.queues().empty()) {
        return;
    }
    std::uint64_t entries = 0;
    std::uint64_t interrupts = 0;
    std::uint64_t dropped = 0;
    std::uint32_t errors = 0;
    for (const EventStatistics::Queue& queue : events.queues()) {
        entries += queue.entries;
        dropped += queue.dropped();
        errors += queue.error ? 1 : 0;
    }
    for (const std::uint64_t count : events.interrupts()) {
        interrupts += count;
    }
    out << "  events: " << entries << " entries in " << events.queues().size() << " event queues, "
        << interrupts << " interrupts\n";
    if (errors != 0 || dropped != 0) {
        out << "  " << errors << (errors == 1 ? " event queue" : " event queues") << " in error, "
            << dropped << (dropped == 1 ? " event" : " events") << " dropped\n";
    }
}

/// Those that arose.
void write_async(std::ostream& out, const Statistics& statistics) {
    const char* before = "  async events: ";
    for (std::uint32_t i = 0; i < kAsyncEvents; ++i) {
        const auto event = static_cast<AsyncEvent>(i);
        if (statistics.async(event) != 0) {
            out << before << statistics.async(event) << ' ' << name(event);
            before = ", ";
        }
    }
    if (*before == ',') {
        out << '\n';
    }
}

void write_failures(std::ostream& out, const RunFindings& findings) {
    std::size_t shown = 0;
    for (const check::Failure& failure : findings.failures) {
        if (shown++ < kMostLines) {
            out << "  rule " << failure.rule << " at " << time_text(failure.time_ps) << ", "
                << failure.object << ": " << failure.text << '\n';
        }
    }
    for (const Disappointment& failed : findings.disappointments) {
        if (shown++ < kMostLines) {
            out << "  " << failed.where << ": " << failed.text;
            if (failed.time_ps != 0) {
                out << " (at " << time_text(failed.time_ps) << ")";
            }
            out << '\n';
        }
    }
    for (const std::string& complaint : findings.end.script) {
        if (shown++ < kMostLines) {
            out << "  " << complaint << '\n';
        }
    }
    for (const std::string& line : findings.end.waiting) {
        out << "  waits: " << line << '\n';
    }
    if (shown > kMostLines) {
        out << "  ... " << shown - kMostLines << " more in result.json\n";
    }
}

}  // namespace

std::string summary_text(const RunFindings& findings, const std::string& verdict) {
    std::ostringstream out;
    std::size_t arose = 0;
    std::uint64_t checks = 0;
    for (const check::RuleCount& rule : findings.rules) {
        arose += rule.checked != 0 ? 1 : 0;
        checks += rule.checked;
    }
    out << capital(verdict) << "  " << findings.scenario.name << "  (seed "
        << findings.scenario.seed << ")\n";
    out << "  ended '" << end_word(findings.end) << "' at " << time_text(findings.end.time.ps)
        << "; " << arose << " of " << findings.rules.size() << " rules arose, " << checks
        << " checks; " << findings.scenario.expect.size() << " expectations\n";
    if (findings.end.interrupted) {
        out << "  the run was interrupted: nothing is judged, and the files end there\n";
    }
    write_failures(out, findings);
    for (const std::string& warning : warnings_of(findings)) {
        out << "  warning: " << warning << '\n';
    }
    write_cqs(out, findings);
    write_qps(out, findings);
    write_srqs(out, findings);
    const Statistics& statistics = findings.statistics;
    write_async(out, statistics);
    if (statistics.undefined_reads() != 0) {
        out << "  host: " << statistics.undefined_reads()
            << (statistics.undefined_reads() == 1 ? " use of an undefined field"
                                                  : " uses of undefined fields")
            << " of completions (S1.2, S1.3)\n";
    }
    const Statistics::Storm& storm = statistics.storm();
    if (storm.seen) {
        out << "  first error at " << time_text(storm.first_error_ps) << ", " << storm.flush_cqes
            << " flush entries";
        if (storm.flush_cqes != 0) {
            out << ", the last " << time_text(storm.last_flush_ps - storm.first_error_ps)
                << " later";
        }
        out << '\n';
    }
    write_events(out, findings.events);
    return out.str();
}

}  // namespace cqsim::tb
