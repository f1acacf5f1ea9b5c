// SPDX-License-Identifier: Apache-2.0
/// \file
/// The one interface through which blocks ask for time (P7): no block owns an sc_event.
#pragma once

#include "models/time/time_ps.h"

#include <array>
#include <cstddef>

namespace cqsim {

/// A block that can be due.
class TimedBlock {
  public:
    /// Called once at the earliest of the times that were asked for since the last call.
    /// A block that has more to do asks again.
    virtual void due(TimePs now) = 0;

  protected:
    ~TimedBlock() = default;
};

/// The order of blocks within one time stamp (P6). Fixed here so that nothing hangs on the
/// kernel's order of processes: writes become visible, then stimulus and what travels between QPs,
/// then the arbiter, which therefore sees every arrival of the stamp, then the host.
enum class Rank : std::uint8_t {
    Memory,
    Script,
    TxPipeline,
    RxPipeline,
    Wire,
    Arbiter,
    Event,
    Host,
    Test
};

/// Due times of all blocks, and the order in which they run.
///
/// Within one time stamp the due block of the lowest rank runs first, and of equal ranks the one
/// attached first. A block that becomes due at the running stamp runs at that stamp, again by rank.
/// Backends say how simulated time advances: `KernelTimeline` by one SystemC event,
/// `ManualTimeline` by the caller.
class Timeline {
  public:
    using Slot = std::uint32_t;

    Timeline();
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;

    /// Registers a block before the first `at`. At most kMaxBlocks of them.
    /// \throws std::length_error when there is no room.
    Slot attach(TimedBlock& block, Rank rank);

    /// Asks for `due` at `t`, or at the present time when `t` has passed. Of several wishes the
    /// earliest counts.
    void at(Slot slot, TimePs t) {
        const std::uint32_t position = m_position[slot];
        if (t < m_due[position]) {
            m_due[position] = t;
            m_asked |= bit_of(position);
            if (m_running) {
                m_ready |= t <= m_now ? bit_of(position) : 0;
            } else if (t < m_promised) {
                m_promised = t;
                m_ready = bit_of(position);
                wake(t);
            } else if (t == m_promised) {
                m_ready |= bit_of(position);
            }
        }
    }

    TimePs now() const { return m_running ? m_now : outside_now(); }

    /// When the next block is due; kNever if none is.
    TimePs next_due() const { return earliest().at; }

    static constexpr std::size_t kMaxBlocks = 64;

  protected:
    ~Timeline() = default;

    /// Runs everything that is due at or before `now`.
    /// \returns when the next block is due; kNever if none is.
    TimePs run_due(TimePs now);

    /// Something was asked for while nothing runs: call `run_due` at `t`.
    virtual void wake(TimePs t) = 0;
    /// The time outside `run_due`.
    virtual TimePs outside_now() const = 0;

  private:
    struct Entry {
        TimedBlock* block = nullptr;
        Rank rank{};
        Slot slot = 0;
    };

    /// A set of positions, a bit each: most blocks ask for nothing at most times.
    using Positions = std::uint64_t;
    static_assert(kMaxBlocks == 64);
    static constexpr Positions bit_of(std::size_t position) { return Positions{1} << position; }
    static std::size_t first_of(Positions positions) {
        return static_cast<std::size_t>(__builtin_ctzll(positions));
    }

    struct Next {
        TimePs at = kNever;
        Positions who = 0;
    };
    /// The next due time, and who is due then.
    Next earliest() const;

    // By rank, and of equal ranks in the order of attaching.
    std::array<TimePs, kMaxBlocks> m_due;
    std::array<Entry, kMaxBlocks> m_entry{};
    std::array<std::uint32_t, kMaxBlocks> m_position{};
    std::size_t m_count = 0;
    Positions m_asked = 0;  ///< those that have a due time
    /// Those of them that are still to run at the running stamp; between stamps, at `m_promised`.
    Positions m_ready = 0;
    TimePs m_now{};
    TimePs m_promised = kNever;
    bool m_running = false;
};

/// A timeline that the caller moves by hand: for tests of rules and the untimed composition.
class ManualTimeline final : public Timeline {
  public:
    /// Runs everything due up to and including `t`, then stands at `t`.
    void advance_to(TimePs t);
    /// Runs until nothing is due any more.
    void run();

  private:
    void wake(TimePs) override {}
    TimePs outside_now() const override { return m_time; }

    TimePs m_time{};
};

}  // namespace cqsim
