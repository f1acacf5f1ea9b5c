// SPDX-License-Identifier: Apache-2.0
// The books of shared receive queues (S2.11, S2.26).
#include "tb/integration/ledger.h"

#include <algorithm>

namespace cqsim::tb::test {

std::size_t Ledger::srq_group_of(Srqn srqn) const {
    std::size_t group = 0;
    while (index_of(srqn) - m_scenario.srq.at(group).first >= m_scenario.srq.at(group).count) {
        ++group;
    }
    return group;
}

/// Software posts to an SRQ.
void Ledger::post_shared(const Record& record) {
    ++m_srq_counts.at(srq_group_of(Srqn{record.unit})).posted;
    m_waiting[record.unit].push_back(record.serial);
}

/// S2.11: a QP takes the oldest request that waits in its SRQ, or one of its own queue.
void Ledger::take_shared(const Record& record, Request& request) {
    const Srqn srqn = m_scenario.srqn_of(record.qpn);
    if (((record.flags & kShared) != 0 ? Srqn{record.unit} : kNoSrq) != srqn) {
        fault(request, "is not one of its QP's SRQ");
        return;
    }
    if (srqn == kNoSrq) {
        return;
    }
    request.srqn = srqn;
    m_coverage.add(Coverage::SharedTaken);
    std::deque<std::uint64_t>& waiting = m_waiting[record.unit];
    if (waiting.empty() || waiting.front() != record.serial) {
        fault(request, "is taken, and is not the oldest that waits in its SRQ");
    } else {
        waiting.pop_front();
    }
    if (m_qps.at(index_of(record.qpn)).state == QpState::Err) {
        fault(request, "is taken by a QP in ERR");
    }
}

/// S2.26: of a QP in ERR on an SRQ, once in a life.
void Ledger::last_wqe(const Record& record) {
    m_coverage.add(Coverage::LastWqe);
    const std::string qp = "QP_LAST_WQE_REACHED of qp " + m_scenario.qp_name(record.qpn);
    if (m_scenario.srqn_of(record.qpn) == kNoSrq ||
        m_qps.at(index_of(record.qpn)).state != QpState::Err) {
        fault(qp + ", which is on no SRQ, or not in ERR");
    }
    if (!m_last_wqe.insert({record.qpn, record.generation}).second) {
        fault(qp + " comes twice in life " + std::to_string(record.generation));
    }
}

/// Each request that was taken is back, lost, or held by its QP or by an entry.
void Ledger::close_shared() {
    std::map<std::uint32_t, std::uint16_t> lives;  // the last of each QP
    for (const auto& [serial, request] : m_requests) {
        std::uint16_t& life = lives[index_of(request.qpn)];
        life = std::max(life, request.generation);
        if (request.srqn == kNoSrq) {
            continue;
        }
        SrqCounts& counts = m_srq_counts.at(srq_group_of(request.srqn));
        ++counts.taken;
        if (request.polls != 0 || request.swept ||
            (request.answers != 0 && request.outcome == Outcome::Cancelled)) {
            ++counts.returned;
        } else if (request.answers != 0 && request.outcome == Outcome::Lost) {
            ++counts.lost;
        } else {
            ++counts.held;
        }
    }
    for (std::uint32_t qpn = 0; m_quiet && qpn < m_qps.size(); ++qpn) {
        if (m_qps[qpn].state == QpState::Err && m_scenario.srqn_of(Qpn{qpn}) != kNoSrq &&
            std::none_of(m_last_wqe.begin(), m_last_wqe.end(), [&](const Life& life) {
                return life.first == Qpn{qpn} && life.second >= lives[qpn];
            })) {
            fault("qp " + m_scenario.qp_name(Qpn{qpn}) +
                  " is in ERR on an SRQ, and never raised QP_LAST_WQE_REACHED");
        }
    }
}

}  // namespace cqsim::tb::test
