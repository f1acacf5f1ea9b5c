// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a failure and an overrun do to QPs, and the states of QPs. S2.18, S5.3d, S5.3e, D6.
#pragma once

#include "models/verbs/verbs.h"
#include "tb/check/rows.h"
#include "tb/check/rules.h"

#include <vector>

namespace cqsim::tb::check {

/// Follows each QP's state, its refused completions, and its QP_FATAL.
class ErrorChecker {
  public:
    explicit ErrorChecker(Findings& findings)
        : m_findings(findings) {}

    void on_create(const Record& record);
    void on_qp_state(const Record& record);
    void on_overrun(const Record& record);
    /// QP_FATAL was raised. `write_failed`: a ring write of a CQ that it reports to may have been
    /// this QP's (S5.3j).
    void on_fatal(const Record& record, bool write_failed);
    /// A completion was answered 'lost'.
    void on_lost(const Record& record);
    void on_flush(const Record& record);
    /// A request completed with another status than SUCCESS.
    void on_failed(const Record& record);
    /// A life of the QP is over.
    void on_life_end(const Record& record);
    /// `idle`: the run ended with nothing in flight.
    void finish(std::uint64_t time_ps, bool idle);

    /// Whether an earlier failure has stopped this queue: the QP is in error for it, or must go
    /// there (S2.19). Of some statuses only the records of the QP's state tell (S1.11).
    bool stopped(Qpn qpn, QueueKind queue) const {
        return flushes(qpn, queue) || (index_of(qpn) < m_rows.size() &&
                                       (m_rows[index_of(qpn)].flags & failed_flag(queue)) != 0);
    }
    /// Whether what is posted to this queue of the QP ends WR_FLUSH_ERR (S2.18, S2.22).
    bool flushes(Qpn qpn, QueueKind queue) const;
    /// Whether no request of the QP may succeed any more (S2.18). What becomes of those of a QP
    /// whose completion was refused or lost, nobody knows (S2.8, class F).
    bool is_over(Qpn qpn) const {
        return m_in_err != 0 && index_of(qpn) < m_rows.size() && is_over(m_rows[index_of(qpn)]);
    }

  private:
    using Flag = std::uint8_t;
    static constexpr Flag kStateKnown = 1;
    static constexpr Flag kErrSeen = 2;  ///< went to ERR, and has not left it before it was refused
    static constexpr Flag kRefused = 4;  ///< a completion found no room
    static constexpr Flag kLost = 8;     ///< a completion was answered 'lost', or its write failed
    static constexpr Flag kFatal = 16;   ///< QP_FATAL was raised
    static constexpr Flag kEager = 32;   ///< before any refusal, and this was said
    /// A request failed of a status that moves the QP to ERR, and it has not been there since.
    static constexpr Flag kFailedSend = 64;
    static constexpr Flag kFailedReceive = 128;
    static constexpr Flag kFailed = kFailedSend | kFailedReceive;
    struct Row {
        std::uint8_t state;
        std::uint8_t flags;
    };
    struct Unexplained {
        Qpn qpn;
        std::uint64_t time_ps;
    };

    static Flag failed_flag(QueueKind queue) {
        return queue == QueueKind::Send ? kFailedSend : kFailedReceive;
    }
    Row* row_of(Qpn qpn);
    static bool in_err(const Row& row) {
        return (row.flags & kStateKnown) != 0 && static_cast<QpState>(row.state) == QpState::Err;
    }
    static bool is_over(const Row& row) {
        return in_err(row) && (row.flags & (kRefused | kLost)) == 0;
    }
    /// A QP_FATAL without a reason so far has none.
    void check_fatal(const Unexplained& event);
    /// What is missing of what a refusal asks for.
    void check_refused(Qpn qpn, std::uint64_t time_ps);

    Findings& m_findings;
    Rows<Row> m_rows;
    std::uint32_t m_in_err = 0;  ///< QPs
    std::vector<Unexplained> m_unexplained;
};

}  // namespace cqsim::tb::check
