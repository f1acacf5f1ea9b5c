// SPDX-License-Identifier: Apache-2.0
/// \file
/// QP state, and what a QP reports to (P1). No time, no SystemC.
#pragma once

#include "models/protocol/admission.h"
#include "models/protocol/command.h"
#include "models/rows/rows.h"

namespace cqsim {

/// One QP. 16 bytes.
struct QpRow {
    Cqn send_cq = kNoCq;
    Cqn recv_cq = kNoCq;
    std::uint32_t in_flight = 0;  ///< completions inside the block: admitted and not yet left
    std::uint16_t generation = 0;
    QpState state = QpState::Reset;
    std::uint8_t flags = 0;

    static constexpr std::uint8_t kExists = 1;
    static constexpr std::uint8_t kSqSigAll = 2;
    static constexpr std::uint8_t kFatalRaised = 4;

    friend bool operator==(const QpRow& l, const QpRow& r) {
        return l.send_cq == r.send_cq && l.recv_cq == r.recv_cq && l.in_flight == r.in_flight &&
               l.generation == r.generation && l.state == r.state && l.flags == r.flags;
    }
};

/// Whether a completion with this status moves its QP to ERR. S1.11: a table per device; here every
/// error but the flush, which is a consequence.
constexpr bool moves_to_err(WcStatus status) {
    return status != WcStatus::Success && status != WcStatus::WrFlushErr;
}

/// The QP table's rules.
class QpRules {
  public:
    /// What an input did.
    struct Effect {
        bool to_err = false;    ///< the QP has just gone to ERR; `before` is the state it left
        bool qp_fatal = false;  ///< raise QP_FATAL (S5.3d, K06: once per QP)
        QpState before{};
    };

    /// CQ numbers are 0 .. cqs-1.
    QpRules(Rows<QpRow> rows, std::uint32_t cqs)
        : m_rows(std::move(rows)),
          m_cqs(cqs) {}

    /// Creates a QP in RTS, its CQs being given. Invalid: the QP's number is out of range or in
    /// use, or the number of one of its CQs is out of range.
    CommandAnswer create(const CreateQp& command);

    Admission lookup(Qpn qpn, QueueKind queue) const {
        const QpRow& row = m_rows[index_of(qpn)];
        return {queue == QueueKind::Send ? row.send_cq : row.recv_cq,
                row.generation,
                (row.flags & QpRow::kSqSigAll) != 0};
    }

    /// A completion entered the block; a failed one moves the QP to ERR.
    Effect entered(Qpn qpn, WcStatus status) {
        QpRow& row = m_rows[index_of(qpn)];
        ++row.in_flight;
        return moves_to_err(status) ? fail(row) : Effect{};
    }
    /// A completion left the block.
    void left(Qpn qpn) { --m_rows[index_of(qpn)].in_flight; }

    /// S5.3d, S5.3e: a work queue of this QP tried to use a CQ that is full or in error.
    Effect cq_unusable(Qpn qpn, std::uint16_t generation);

    std::uint32_t size() const { return m_rows.size(); }
    const QpRow& row(Qpn qpn) const { return m_rows[index_of(qpn)]; }
    [[gnu::always_inline]] void prefetch(Qpn qpn) const { m_rows.prefetch(index_of(qpn)); }

  private:
    auto state() const { return std::tie(m_rows, m_cqs); }
    static Effect fail(QpRow& row);

    Rows<QpRow> m_rows;
    std::uint32_t m_cqs;

  public:
    friend bool operator==(const QpRules& l, const QpRules& r) { return l.state() == r.state(); }
    std::uint64_t hash() const { return hash_of(state()); }
};

}  // namespace cqsim
