// SPDX-License-Identifier: Apache-2.0
#include "tb/check/fault_order.h"

#include <algorithm>

namespace cqsim::tb::check {

void FaultOrder::on_create(const Record& record) {
    if (index_of(record.cqn) < m_failed.size()) {
        m_failed[index_of(record.cqn)] = 0;
    }
}

void FaultOrder::on_overrun(const Record& record) {
    if (index_of(record.qpn) < kMaxIds && index_of(record.cqn) < kMaxIds) {
        m_refused_by.grow(std::size_t{index_of(record.qpn)} + 1);
        m_refused_by[index_of(record.qpn)] = index_of(record.cqn) + 1;
    }
}

void FaultOrder::on_cq_error(const Record& record) {
    if (index_of(record.cqn) >= kMaxIds) {
        return;
    }
    m_failed.grow(std::size_t{index_of(record.cqn)} + 1);
    m_failed[index_of(record.cqn)] = 1;
    const auto first =
        std::stable_partition(m_early.begin(), m_early.end(), [&](const Early& early) {
            return early.cqn != record.cqn;
        });
    for (auto early = first; early != m_early.end(); ++early) {
        m_findings.fail(Rule::CqErrFirst,
                        record.time_ps,
                        record.cqn,
                        "raises CQ_ERR after QP ",
                        index_of(early->qpn),
                        " got QP_FATAL for it");
    }
    m_early.erase(first, m_early.end());
}

void FaultOrder::on_fatal(const Record& record) {
    if (index_of(record.qpn) >= m_refused_by.size() || m_refused_by[index_of(record.qpn)] == 0) {
        return;
    }
    m_findings.checked(Rule::CqErrFirst);
    const std::uint32_t cqn = m_refused_by[index_of(record.qpn)] - 1;
    if (cqn >= m_failed.size() || m_failed[cqn] == 0) {
        m_early.push_back({Cqn{cqn}, record.qpn});
    }
}

}  // namespace cqsim::tb::check
