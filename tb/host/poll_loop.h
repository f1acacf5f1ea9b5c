// SPDX-License-Identifier: Apache-2.0
/// \file
/// Software that polls CQs in turn.
#pragma once

#include "models/time/timeline.h"
#include "tb/host/reused.h"
#include "tb/host/ring_reader.h"

#include <vector>

namespace cqsim::tb {

/// How one CQ is polled.
struct PollSettings {
    std::uint32_t batch = 16;  ///< entries per poll, at least 1
    TimePs interval{};         ///< between two polls, at least 1 ps
    TimePs first{};            ///< the first tick; later ones are `interval` apart
};

/// At each tick of a CQ it reads entries until one is not valid (S3.3) or the batch is full.
///
/// A CQ found empty parks: the next entry that becomes visible wakes it for its next tick, so that
/// empty polls cost nothing.
class PollLoop final : private TimedBlock {
  public:
    PollLoop(Timeline& timeline, RingReader& rings);

    /// Polls the CQ from `settings.first` on.
    void serve(Cqn cqn, const PollSettings& settings);
    /// Polls the CQ no more.
    void leave(Cqn cqn);
    /// An entry of this CQ has become visible.
    void entry_visible(Cqn cqn) {
        if ((m_rings.row(cqn).flags & (CqRow::kPolled | CqRow::kAwake)) == CqRow::kPolled) {
            wake(cqn, m_timeline.now());
        }
    }

    std::uint64_t polls() const { return m_polls; }

  private:
    struct Tick {
        TimePs at{};
        Cqn cqn = kNoCq;

        friend bool operator<(const Tick& l, const Tick& r) {  // a heap whose front is earliest
            return r.at < l.at || (l.at == r.at && index_of(r.cqn) < index_of(l.cqn));
        }
    };

    void due(TimePs now) override;
    void poll_once(Cqn cqn, TimePs now);
    /// The lines that the next polls need: rows of those after next, entries of the next.
    [[gnu::always_inline]] inline void fetch_ahead() const;
    void wake(Cqn cqn, TimePs not_before);

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    RingReader& m_rings;
    Reused<PollSettings> m_loops;
    std::vector<Tick> m_ticks;  ///< a heap
    std::uint64_t m_polls = 0;
};

}  // namespace cqsim::tb
