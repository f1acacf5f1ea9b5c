// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether a QP that software calls drained is. S7.6.
#pragma once

#include "tb/check/entry.h"
#include "tb/check/queue_checker.h"
#include "tb/check/rows.h"
#include "tb/check/rules.h"

#include <array>

namespace cqsim::tb::check {

/// A QP is drained when all that was posted has ended and software has polled the entry of the
/// newest request of each queue: its marker. The answer to the pipeline may still be on its way.
class DrainChecker {
  public:
    DrainChecker(const QueueChecker& queues, Findings& findings)
        : m_queues(queues),
          m_findings(findings) {}

    void on_poll(const Record& record, const Entry& entry) {
        if (static_cast<WcStatus>(record.state) == WcStatus::WrFlushErr) {
            flush_polled(record, entry.wqe_number());
        }
    }
    void on_drained(const Record& record);
    void on_life_end(const Record& record) {
        if (index_of(record.qpn) < m_rows.size()) {
            m_rows[index_of(record.qpn)] = {};
        }
    }

  private:
    /// By queue: one more than the wqe_index, as far as the entry tells it, of the flush polled
    /// last; 0: of none.
    struct Row {
        std::array<std::uint32_t, 2> after_polled;
    };

    void flush_polled(const Record& record, std::uint32_t wqe_number);
    bool newest_polled(Qpn qpn, QueueKind queue) const;

    const QueueChecker& m_queues;
    Findings& m_findings;
    Rows<Row> m_rows;
};

}  // namespace cqsim::tb::check
