// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reading a CQ entry by entry: ibv_start_poll, ibv_next_poll, ibv_end_poll (S1.6).
#pragma once

#include "tb/host/ring_reader.h"

namespace cqsim::tb {

/// One pass over a CQ. Software stands on an entry from a `start` or `next` that returned true to
/// the call after it. The consumer index is published once, by `end`, and counts the entries that
/// software stood on: a `next` that finds none does not move it.
///
/// While a pass is open the CQ is locked, and no second one begins. After a `start` that failed
/// there is no pass, and so no `end`; after a `next` that failed there is one to be ended.
class PollIterator {
  public:
    /// The reader must have room for polls of one entry.
    explicit PollIterator(RingReader& rings)
        : m_rings(rings) {}

    /// Stands on the first entry. \returns false when there is none (ENOENT): nothing has begun,
    /// and the CQ stays usable. \pre no pass is open
    bool start(Cqn cqn) {
        sc_assert(!is_open());
        if (m_rings.take_unpublished(cqn, 1) == 0) {
            return false;
        }
        m_cqn = cqn;
        return true;
    }
    /// Goes to the next entry. \returns false when there is none (ENOENT).
    /// \pre a pass is open
    bool next() {
        sc_assert(is_open());
        return m_rings.take_unpublished(m_cqn, 1) != 0;
    }
    /// Returns the places of the entries to the device.
    /// \pre a pass is open
    void end() {
        sc_assert(is_open());
        m_rings.publish(m_cqn);
        m_cqn = kNoCq;
    }

    bool is_open() const { return m_cqn != kNoCq; }

  private:
    RingReader& m_rings;
    Cqn m_cqn = kNoCq;  ///< of the open pass
};

}  // namespace cqsim::tb
