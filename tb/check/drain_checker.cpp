// SPDX-License-Identifier: Apache-2.0
#include "tb/check/drain_checker.h"

namespace cqsim::tb::check {

void DrainChecker::flush_polled(const Record& record, std::uint32_t wqe_number) {
    if (index_of(record.qpn) < kMaxIds) {
        m_rows.grow(std::size_t{index_of(record.qpn)} + 1);
        m_rows[index_of(record.qpn)].after_polled.at(index_of(record.queue)) = wqe_number + 1;
    }
}

/// S1.8: of a wqe_index an entry tells at least the low 16 bits. True of a queue that nothing was
/// posted to, and of one whose requests are those of an SRQ, which has no marker of the QP (S2.27).
bool DrainChecker::newest_polled(Qpn qpn, QueueKind queue) const {
    const std::uint32_t posted = m_queues.next_to_post(qpn, queue);
    const std::uint32_t after =
        index_of(qpn) < m_rows.size() ? m_rows[index_of(qpn)].after_polled[index_of(queue)] : 0;
    return posted == 0 || (after != 0 && ((after ^ posted) & std::uint32_t{UINT16_MAX}) == 0);
}

void DrainChecker::on_drained(const Record& record) {
    if (static_cast<CommandResult>(record.state) != CommandResult::Ok) {
        return;
    }
    m_findings.checked(Rule::DrainedEmpty);
    for (const QueueKind queue : {QueueKind::Send, QueueKind::Receive}) {
        const bool holds = m_queues.next_to_complete(record.qpn, queue).has_value();
        if (holds || !newest_polled(record.qpn, queue)) {
            m_findings.fail(Rule::DrainedEmpty,
                            record.time_ps,
                            record.qpn,
                            words(queue),
                            holds ? ": holds a request that has not ended"
                                  : ": the flush of its newest request has not been polled",
                            ", but software says that it is drained");
        }
    }
}

}  // namespace cqsim::tb::check
