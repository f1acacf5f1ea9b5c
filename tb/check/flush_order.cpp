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
    m_rows.grow(qp + 1);
    m_rows[qp].waits = fails && m_queues.next_to_complete(record.qpn, *m_first) ? 1 : 0;
    m_rows[qp].until = m_queues.next_to_post(record.qpn, *m_first);
}

void FlushOrderChecker::on_failed(const Record& record) {
    if (!m_first || static_cast<WcStatus>(record.state) != WcStatus::WrFlushErr ||
        record.queue == *m_first || index_of(record.qpn) >= m_rows.size() ||
        m_rows[index_of(record.qpn)].waits == 0) {
        return;
    }
    m_findings.checked(Rule::FlushOrder);
    Row& row = m_rows[index_of(record.qpn)];
    const std::optional<std::uint32_t> oldest = m_queues.next_to_complete(record.qpn, *m_first);
    if (oldest && static_cast<std::int32_t>(row.until - *oldest) > 0) {
        m_findings.fail(Rule::FlushOrder,
                        record.time_ps,
                        record.qpn,
                        words(record.queue),
                        ": index ",
                        record.index,
                        " is flushed, but the ",
                        words(*m_first),
                        " comes first and holds index ",
                        *oldest);
        row.waits = 0;  // said once
    }
}

}  // namespace cqsim::tb::check
