// SPDX-License-Identifier: Apache-2.0
/// \file
/// The slots of send queues: how many are taken, and what gives them back. S2.5, K26.
#pragma once

#include "tb/check/entry.h"
#include "tb/check/rows.h"
#include "tb/check/rules.h"
#include "tb/check/settings.h"

namespace cqsim::tb::check {

/// Counts what has come back of each send queue. K26, poll: a slot comes back when an entry of that
/// queue is polled which says that this request or a later one of it has ended; nothing else gives
/// one back, and no entry of another queue. K26, completion: when the request has ended. An entry
/// of an earlier life of the QP's number may be taken for one of the present life: then more counts
/// as given back than is.
class CreditChecker {
  public:
    CreditChecker(const Settings& settings, Findings& findings)
        : m_findings(findings),
          m_by_polls(settings.slot_release == "poll") {}

    void on_create(const Record& record);
    void on_post(const Record& record) {
        if (record.queue != QueueKind::Send || index_of(record.qpn) >= m_rows.size()) {
            return;
        }
        Row& row = m_rows[index_of(record.qpn)];
        if (row.depth == 0) {
            return;
        }
        if (row.held == 0) {
            row.free_through = record.index;
        }
        m_findings.checked(Rule::SendCredit);
        if (record.index - row.free_through >= row.depth) {
            no_slot(row, record);
        }
        row.held = static_cast<std::uint16_t>(record.index - row.free_through + 1);
    }
    void on_complete(const Record& record) {
        if (!m_by_polls && record.queue == QueueKind::Send &&
            index_of(record.qpn) < m_rows.size()) {
            Row& row = m_rows[index_of(record.qpn)];
            free_through(row, record.index - row.free_through);
        }
    }
    void on_poll(const Record& record, const Entry& entry) {
        if (!m_by_polls || record.queue != QueueKind::Send ||
            index_of(record.qpn) >= m_rows.size()) {
            return;
        }
        Row& row = m_rows[index_of(record.qpn)];
        // S1.8: a counter of 16 bits tells it among the requests that a queue can hold.
        const std::uint32_t ahead =
            entry.is_native()
                ? entry.native().wqe_index() - row.free_through
                : (entry.mlx5().wqe_counter() - row.free_through) & std::uint32_t{UINT16_MAX};
        free_through(row, ahead);
    }
    /// A life of the QP is over: its send queue is empty.
    void on_life_end(const Record& record) {
        if (index_of(record.qpn) < m_rows.size()) {
            m_rows[index_of(record.qpn)].held = 0;
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
        std::uint16_t held;          ///< slots
        std::uint16_t depth;         ///< 0: not known
    };
    static_assert(sizeof(Row) == 8);

    static void free_through(Row& row, std::uint32_t ahead) {
        if (ahead < row.held) {
            row.free_through += ahead + 1;
            row.held = static_cast<std::uint16_t>(row.held - ahead - 1);
        }
    }
    void no_slot(Row& row, const Record& record);

    Findings& m_findings;
    bool m_by_polls;
    Rows<Row> m_rows;
};

}  // namespace cqsim::tb::check
