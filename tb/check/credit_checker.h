// SPDX-License-Identifier: Apache-2.0
/// \file
/// The slots of send queues: how many are taken, and what gives them back. S2.5, K26.
#pragma once

#include "tb/check/entry.h"
#include "tb/check/rows.h"
#include "tb/check/rules.h"

namespace cqsim::tb::check {

/// Counts what software has given back of each send queue. A slot comes back when an entry of that
/// queue is polled which says that this request or a later one of it has ended; nothing else gives
/// one back, and no entry of another queue. An entry of an earlier life of the QP's number may be
/// taken for one of the present life: then more counts as given back than is.
class CreditChecker {
  public:
    explicit CreditChecker(Findings& findings)
        : m_findings(findings) {}

    void on_create(const Record& record);
    void on_post(const Record& record) {
        if (record.queue != QueueKind::Send || index_of(record.qpn) >= m_rows.size()) {
            return;
        }
        Row& row = m_rows[index_of(record.qpn)];
        if (row.depth == 0) {
            return;
        }
        if (row.is_fresh != 0) {
            row.free_through = record.index;
            row.is_fresh = 0;
        }
        m_findings.checked(Rule::SendCredit);
        if (record.index - row.free_through >= row.depth) {
            no_slot(row, record);
        }
    }
    void on_poll(const Record& record, const Entry& entry) {
        if (record.queue != QueueKind::Send || index_of(record.qpn) >= m_rows.size()) {
            return;
        }
        Row& row = m_rows[index_of(record.qpn)];
        // S1.8: a counter of 16 bits tells it among the requests that a queue can hold.
        const std::uint32_t ahead =
            entry.is_native()
                ? entry.native().wqe_index() - row.free_through
                : (entry.mlx5().wqe_counter() - row.free_through) & std::uint32_t{UINT16_MAX};
        if (row.is_fresh == 0 && ahead < row.depth) {
            row.free_through += ahead + 1;
        }
    }
    /// A life of the QP is over: its send queue is empty.
    void on_life_end(const Record& record) {
        if (index_of(record.qpn) < m_rows.size()) {
            m_rows[index_of(record.qpn)].is_fresh = 1;
        }
    }

    [[gnu::always_inline]] void prefetch_row(const Record& record) {
        if (index_of(record.qpn) < m_rows.size()) {
            prefetch(&m_rows[index_of(record.qpn)]);
        }
    }

  private:
    struct Row {
        std::uint32_t free_through;  ///< wqe_index of the oldest request that holds a slot
        std::uint16_t depth;         ///< 0: not known
        std::uint16_t is_fresh;      ///< nothing was posted in this life
    };
    static_assert(sizeof(Row) == 8);

    void no_slot(Row& row, const Record& record);

    Findings& m_findings;
    Rows<Row> m_rows;
};

}  // namespace cqsim::tb::check
