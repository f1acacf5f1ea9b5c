// SPDX-License-Identifier: Apache-2.0
/// \file
/// A stream of requests or messages over the QPs of a group. No SystemC.
#pragma once

#include "models/random/random.h"
#include "models/rows/due_ring.h"
#include "models/time/time_ps.h"
#include "models/verbs/verbs.h"

#include <cstdint>
#include <vector>

namespace cqsim::tb {

/// What a stream does; validated.
struct StreamConfig {
    Qpn first{};
    std::uint32_t qps = 1;
    TimePs period{};   ///< between two turns of one QP, at least 1 ps
    TimePs latency{};  ///< from a turn to the end of what it began
    TimePs start{};
    std::uint64_t count = 0;  ///< per QP; 0: for ever
    WrOpcode opcode{};
    std::uint32_t bytes = 0;
    std::uint32_t signal_every = 1;
    bool signal_last = false;  ///< of a counted stream, whatever its number
    std::uint32_t solicited_every = 0;
    bool shuffled = false;
};

/// Turns at evenly spaced times, each a QP's; and what the turns began, in order of its end.
class Stream {
  public:
    struct Pending {
        TimePs at{};
        Qpn qpn = kNoQp;
        std::uint32_t wqe_index = 0;
        std::uint16_t generation = 0;
    };

    Stream(const StreamConfig& config, RandomStream random);

    const StreamConfig& config() const { return m_config; }

    /// When the next turn is; kNever when the stream is done or parked.
    TimePs next_turn() const { return m_done || m_parked ? kNever : m_turn_at; }
    bool covers(Qpn qpn) const { return index_of(qpn) - index_of(m_config.first) < m_config.qps; }
    Qpn qp_of_turn() const { return qp_at(m_turn); }
    /// Number of the turn within its round.
    std::uint32_t turn() const { return m_turn; }
    /// The QP whose turn comes `ahead` turns later.
    Qpn qp_ahead(std::uint32_t ahead) const { return qp_at((m_turn + ahead) % m_config.qps); }
    /// Whether the QP whose turn comes `ahead` turns later has any left to do.
    bool wanted(std::uint32_t ahead = 0) const {
        return m_left.empty() || m_left[(m_turn + ahead) % m_config.qps] != 0;
    }

    /// Whether the QP whose turn it is has this one left and no more.
    bool last_of_qp() const { return !m_left.empty() && m_left[m_turn] == 1; }

    /// The turn was used.
    void used();
    /// The turn could not be used; after a whole round without use the stream parks.
    void refused();
    /// The QP does not run, or has no turns left: likewise, but nothing was refused.
    void skip();
    /// Something was freed: a parked stream goes on at its next turn after `now`.
    void unpark(TimePs now);

    bool parked() const { return m_parked; }
    bool done() const { return m_done; }
    std::uint64_t refusals() const { return m_refusals; }

    DueRing<Pending> pending;
    std::uint32_t fetched = 0;  ///< of the pending, from the front on: asked for ahead of time

  private:
    Qpn qp_at(std::uint32_t turn) const {
        const std::uint32_t member = m_order.empty() ? turn : m_order[turn];
        return Qpn{index_of(m_config.first) + member};
    }
    void advance();

    StreamConfig m_config;
    std::vector<std::uint32_t> m_order;  ///< of the members, when shuffled
    std::vector<std::uint64_t> m_left;   ///< by turn, when counted
    std::uint64_t m_total_left = 0;
    std::uint32_t m_turn = 0;  ///< within the round
    TimePs m_turn_at;
    std::uint64_t m_spacing;    ///< whole picoseconds between turns ...
    std::uint64_t m_remainder;  ///< ... and the rest, in 1/qps ps
    std::uint64_t m_fraction = 0;
    std::uint32_t m_idle_turns = 0;
    std::uint64_t m_refusals = 0;
    bool m_done = false;
    bool m_parked = false;
};

}  // namespace cqsim::tb
