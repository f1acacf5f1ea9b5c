// SPDX-License-Identifier: Apache-2.0
#include "tb/record/wave_story.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

/// What follows from a failure, again and again.
bool is_consequence(const Record& record) {
    switch (record.kind) {
        case Kind::Complete:
            return (record.flags & kFlushed) != 0;
        case Kind::Outcome: {
            const auto outcome = static_cast<Outcome>(record.state);
            return outcome == Outcome::Lost || outcome == Outcome::Cancelled;
        }
        default:
            return false;
    }
}

}  // namespace

WaveStory::WaveStory(const WavePlan& plan)
    : m_cqs(plan.cq),
      m_qps(plan.qp) {
}

bool WaveStory::takes(const Record& record, const WaveNote& note) {
    m_times += record.time_ps != m_now ? 1 : 0;
    m_now = record.time_ps;
    if (is_consequence(record)) {
        m_trouble.follows_ps = record.time_ps;
    }
    if (note.text.empty() || !is_notable(record, note.weight)) {
        return false;
    }
    if (note.weight == NoteWeight::FirstOfRun) {
        add(m_routine, record.time_ps, note.label);
    } else if (record.kind != Kind::End) {
        add(m_trouble, record.time_ps, note.label);
    }
    return true;
}

void WaveStory::fails(std::uint64_t time_ps, const std::string& rule) {
    const std::string label = "FAIL_" + rule;
    add(m_trouble, time_ps, label);
    if (m_trouble.moments.back().time_ps == time_ps) {
        m_trouble.moments.back().label = label;  // it matters more than what it is about
    }
}

bool WaveStory::is_notable(const Record& record, NoteWeight weight) {
    switch (weight) {
        case NoteWeight::Routine:
            return false;
        case NoteWeight::FirstOfRun:
            return m_first.insert({record.kind, 0, QueueKind::Send, 0}).second;
        case NoteWeight::FirstOfGroup: {
            const WavePlaces::Place place = record.kind == Kind::Overrun
                                                ? m_cqs[index_of(record.cqn)]
                                                : m_qps[index_of(record.qpn)];
            return m_first.insert({record.kind, record.state, record.queue, place.group}).second;
        }
        case NoteWeight::FirstOfMoment: {
            Told& last = m_last.at(static_cast<std::size_t>(record.kind));
            const Qpn qpn = record.cqn != kNoCq ? kNoQp : record.qpn;
            const bool is_new =
                last.time_ps != record.time_ps || last.cqn != record.cqn || last.qpn != qpn;
            last = {record.time_ps, record.cqn, qpn};
            return is_new;
        }
        case NoteWeight::Always:
            return true;
    }
    return false;
}

void WaveStory::add(Chapter& chapter, std::uint64_t time_ps, std::string_view label) {
    if (!chapter.is_open) {
        chapter.is_open = true;
        chapter.first_ps = time_ps;
    }
    chapter.last_ps = std::max(chapter.last_ps, time_ps);
    const bool is_marked = !chapter.moments.empty() && chapter.moments.back().time_ps == time_ps;
    if (!label.empty() && !is_marked && chapter.moments.size() < kMostMoments) {
        chapter.moments.push_back({time_ps, std::string(label)});
    }
}

WaveView WaveStory::view(std::uint64_t end_ps, std::uint64_t failure_ps) const {
    const Chapter& chapter = m_trouble.is_open ? m_trouble : m_routine;
    WaveView view{0, end_ps, chapter.moments};
    std::uint64_t first = chapter.first_ps;
    std::uint64_t last =
        chapter.last_ps == first ? std::max(first, chapter.follows_ps) : chapter.last_ps;
    if (failure_ps != 0) {
        first = std::min(first, failure_ps);
        last = std::max(last, failure_ps);
    }
    const std::uint64_t margin = (last - first) / 2;
    if (chapter.is_open && m_times > kShort && margin != 0) {
        view.from_ps = first - std::min(first, margin);
        view.to_ps = std::min(end_ps, last + margin);
    }
    return view;
}

}  // namespace cqsim::tb
