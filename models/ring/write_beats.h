// SPDX-License-Identifier: Apache-2.0
/// \file
/// When each part of a write becomes visible (S3.6). No time, no SystemC, no bytes.
#pragma once

#include "models/random/random.h"
#include "models/ring/memory_config.h"
#include "models/rows/hash.h"

#include <cstring>
#include <tuple>
#include <vector>

namespace cqsim {

/// The beats of writes that are not visible as a whole yet.
///
/// A write that is due at t becomes visible beat by beat, `beat_gap` apart, from t on:
///
/// - ordered: in address order, so that its last byte, the owner's, is last; and not before the
///   write that was issued before it is visible as a whole;
/// - relaxed: in a random order, each beat late by a random time of 0 .. `reorder`. A write waits
///   for earlier ones only if they overlap it.
class WriteBeats {
  public:
    /// One part of a write.
    struct Beat {
        TimePs at{};
        std::uint64_t serial = 0;  ///< of beats, as they were planned: decides between equal times
        std::uint32_t write = 0;   ///< as `add` numbered it
        std::uint32_t first = 0;   ///< byte of the write
        std::uint32_t bytes = 0;
        std::uint32_t left = 0;  ///< of its write, behind it; 0: the number is free again

        friend bool operator==(const Beat& l, const Beat& r) {
            return std::memcmp(&l, &r, sizeof l) == 0;
        }
    };

    /// Every draw comes from {seed, "memory"}.
    WriteBeats(const MemoryConfig& config, std::uint64_t seed);

    /// Whether each write becomes visible all at once and in order: then there is nothing to plan.
    static bool at_once(const MemoryConfig& config) {
        return config.ordering == MemoryOrdering::Ordered && config.beat_gap == TimePs{};
    }

    /// A write of `bytes` bytes to `address` that may be visible from `due` on; `due` never goes
    /// back. \returns its number, small and free.
    std::uint32_t add(std::uint64_t address, std::uint32_t bytes, TimePs due);
    /// When the next beat becomes visible; kNever if there is none.
    TimePs next_at() const { return m_beats.empty() ? kNever : m_beats.front().at; }
    /// Takes the next beat, which must exist.
    Beat take();
    /// Writes that are not visible as a whole.
    std::size_t pending() const { return m_pending; }

  private:
    struct Write {
        std::uint64_t address = 0;
        TimePs done{};  ///< when its last beat becomes visible
        std::uint32_t bytes = 0;
        std::uint32_t left = 0;  ///< beats; 0: the number is free

        friend bool operator==(const Write& l, const Write& r) {
            return std::memcmp(&l, &r, sizeof l) == 0;
        }
    };

    auto state() const {
        return std::tie(m_ordering,
                        m_beat,
                        m_gap,
                        m_reorder,
                        m_random,
                        m_writes,
                        m_beats,
                        m_done,
                        m_serial,
                        m_pending);
    }

    std::uint32_t free_number();
    TimePs start_of(std::uint64_t address, std::uint32_t bytes, TimePs due) const;
    void shuffle(std::uint32_t beats);

    MemoryOrdering m_ordering;
    std::uint32_t m_beat;
    TimePs m_gap;
    TimePs m_reorder;
    RandomStream m_random;
    std::vector<Write> m_writes;
    std::vector<Beat> m_beats;            ///< a heap, the next one first
    std::vector<std::uint32_t> m_places;  ///< scratch: when in its write's order each beat comes
    TimePs m_done{};                      ///< when all that was added is visible
    std::uint64_t m_serial = 0;
    std::size_t m_pending = 0;

  public:
    friend bool operator==(const WriteBeats& l, const WriteBeats& r) {
        return l.state() == r.state();
    }
    std::uint64_t hash() const { return hash_of(state()); }
};

}  // namespace cqsim
