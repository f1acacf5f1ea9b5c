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
    /// QP_FATAL was raised.
    void on_fatal(const Record& record);
    /// A completion was answered 'lost'.
    void on_lost(const Record& record);
    void on_flush(const Record& record);
    /// A request completed with another status than SUCCESS.
    void on_failed(const Record& record);
    /// A life of the QP is over.
    void on_life_end(const Record& record);
    /// `idle`: the run ended with nothing in flight.
    void finish(std::uint64_t time_ps, bool idle);

    /// Whether what is posted to this queue of the QP ends WR_FLUSH_ERR (S2.18, S2.22).
    bool flushes(Qpn qpn, QueueKind queue) const;

  private:
    using Flag = std::uint8_t;
    static constexpr Flag kStateKnown = 1;
    static constexpr Flag kErrSeen = 2;  ///< went to ERR, and has not left it before it was refused
    static constexpr Flag kRefused = 4;  ///< a completion found no room
    static constexpr Flag kLost = 8;     ///< a completion was answered 'lost'
    static constexpr Flag kFatal = 16;   ///< QP_FATAL was raised
    static constexpr Flag kEager = 32;   ///< before any refusal, and this was said
    static constexpr Flag kFailed =
        64;  ///< a request failed, and the QP has not been in error since
    struct Row {
        std::uint8_t state;
        std::uint8_t flags;
    };
    struct Unexplained {
        Qpn qpn;
        std::uint64_t time_ps;
    };

    Row* row_of(Qpn qpn);
    /// What is missing of what a refusal asks for.
    void check_refused(Qpn qpn, std::uint64_t time_ps);

    Findings& m_findings;
    Rows<Row> m_rows;
    std::vector<Unexplained> m_unexplained;
};

}  // namespace cqsim::tb::check
