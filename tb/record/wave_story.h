// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a run is about, as its records tell it: which notes are notable, and where in time a person
/// wants to look.
#pragma once

#include "models/observe/record.h"
#include "tb/record/wave_notes.h"
#include "tb/record/wave_plan.h"

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace cqsim::tb {

/// A place in time, for a marker in the viewer.
struct WaveMoment {
    std::uint64_t time_ps = 0;
    std::string label;
};

/// What the viewer is to show when it opens.
struct WaveView {
    std::uint64_t from_ps = 0;
    std::uint64_t to_ps = 0;  ///< 0: all of the run
    std::vector<WaveMoment> moments;
};

/// Reads along.
class WaveStory {
  public:
    /// Moments with a marker: as many letters as the viewer has.
    static constexpr std::size_t kMostMoments = 26;
    /// A run with no more times than this can be read as a whole.
    static constexpr std::uint64_t kShort = 200;

    explicit WaveStory(const WavePlan& plan);

    /// A record with its note. True: the note is notable.
    bool takes(const Record& record, const WaveNote& note);
    /// A rule failed.
    void fails(std::uint64_t time_ps, const std::string& rule);

    /// From the first notable moment to the last one, with half as much again on either side, when
    /// the run is too long to be read as a whole. A story of one moment lasts as long as what
    /// follows from it: flushes and losses.
    /// The failure of a run, if any, is always in sight.
    WaveView view(std::uint64_t end_ps, std::uint64_t failure_ps) const;

  private:
    /// A stretch of time with moments in it.
    struct Chapter {
        std::uint64_t first_ps = 0;
        std::uint64_t last_ps = 0;
        std::uint64_t follows_ps = 0;
        std::vector<WaveMoment> moments;
        bool is_open = false;
    };

    bool is_notable(const Record& record, NoteWeight weight);
    static void add(Chapter& chapter, std::uint64_t time_ps, std::string_view label);

    /// What was told of a kind last.
    struct Told {
        std::uint64_t time_ps = ~std::uint64_t{0};
        Cqn cqn = kNoCq;
        Qpn qpn = kNoQp;
    };

    WavePlaces m_cqs;
    WavePlaces m_qps;
    /// Kind, its state and queue, and the group.
    std::set<std::tuple<Kind, std::uint8_t, QueueKind, std::uint32_t>> m_first;
    std::array<Told, kKinds> m_last{};
    Chapter m_trouble;
    Chapter m_routine;  ///< how it goes when nothing is wrong
    std::uint64_t m_times = 0;
    std::uint64_t m_now = ~std::uint64_t{0};
};

}  // namespace cqsim::tb
