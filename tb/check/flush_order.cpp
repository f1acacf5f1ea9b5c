// SPDX-License-Identifier: Apache-2.0
#include "tb/check/flush_order.h"

namespace cqsim::tb::check {

FlushOrderChecker::FlushOrderChecker(const Settings& settings,
                                     const QueueChecker& queues,
                                     Findings& findings)
    : m_queues(queues),
      m_findings(findings) {
    if (settings.flush_order == "sq_then_rq") {
        m_first = QueueKind::Send;
    } else if (settings.flush_order == "rq_then_sq") {
        m_first = QueueKind::Receive;
    }
}

void FlushOrderChecker::on_qp_state(const Record& record) {
    const std::size_t qp = index_of(record.qpn);
    const bool fails = static_cast<QpState>(record.state) == QpState::Err;
    if (!m_first || qp >= kMaxIds || (!fails && qp >= m_rows.size())) {
        return;
    }
    m_findings.checked(Rule::FlushOrder);
    m_rows.grow(qp + 1);
    m_rows[qp].held = fails ? m_queues.open(record.qpn, *m_first) : 0;
}

void FlushOrderChecker::on_failed(const Record& record) {
    if (!m_first || index_of(record.qpn) >= m_rows.size() ||
        m_rows[index_of(record.qpn)].held == 0) {
        return;
    }
    Row& row = m_rows[index_of(record.qpn)];
    if (record.queue == *m_first) {
        --row.held;
    } else if (static_cast<WcStatus>(record.state) == WcStatus::WrFlushErr) {
        m_findings.fail(Rule::FlushOrder,
                        record.time_ps,
                        record.qpn,
                        words(record.queue),
                        ": index ",
                        record.index,
                        " is flushed, but the ",
                        words(*m_first),
                        " comes first and still holds ",
                        row.held);
        row.held = 0;  // said once
    }
}

}  // namespace cqsim::tb::check
