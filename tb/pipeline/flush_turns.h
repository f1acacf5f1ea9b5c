// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a pipeline was told about the order in which a QP's two queues flush (K18). No SystemC.
#pragma once

#include "models/protocol/qp_change.h"

#include <cstdint>
#include <vector>

namespace cqsim::tb {

/// By QP; without memory until the first queue is told anything.
class FlushTurns {
  public:
    /// QP numbers are 0 .. qps-1.
    explicit FlushTurns(std::uint32_t qps)
        : m_qps(qps) {}

    /// The queue, whose next wqe_index is `posted`, was told this. Free changes nothing.
    /// `in_flush`: it is amid a flush that SQE began.
    void tell(Qpn qpn, FlushTurn turn, std::uint32_t posted, bool in_flush) {
        if (turn != FlushTurn::Free) {
            m_rows.resize(m_qps);
            m_rows[index_of(qpn)] = {posted, turn, in_flush};
        }
    }
    void forget(Qpn qpn) {
        if (!m_rows.empty()) {
            m_rows[index_of(qpn)] = {};
        }
    }
    /// Whether the queue is to flush nothing yet.
    bool waits(Qpn qpn) const {
        return !m_rows.empty() && m_rows[index_of(qpn)].turn == FlushTurn::Waits;
    }
    /// Whether what the queue waited with is the rest of a flush that had begun.
    bool resumes(Qpn qpn) const { return waits(qpn) && m_rows[index_of(qpn)].in_flush; }
    /// Whether the queue is First and all that it held is through; true once. `next`: wqe_index of
    /// the oldest request that is not accepted.
    bool through(Qpn qpn, std::uint32_t next) {
        if (m_rows.empty()) {
            return false;
        }
        Row& row = m_rows[index_of(qpn)];
        const bool all = row.turn == FlushTurn::First && row.posted == next;
        if (all) {
            row = {};
        }
        return all;
    }

  private:
    struct Row {
        std::uint32_t posted = 0;
        FlushTurn turn = FlushTurn::Free;
        bool in_flush = false;
    };

    std::uint32_t m_qps;
    std::vector<Row> m_rows;
};

}  // namespace cqsim::tb
