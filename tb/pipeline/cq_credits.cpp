// SPDX-License-Identifier: Apache-2.0
#include "tb/pipeline/cq_credits.h"

namespace cqsim::tb {

CqCredits::CqCredits(CqCreditPolicy policy,
                     const std::vector<std::uint32_t>& entries,
                     std::uint32_t qps)
    : m_policy(policy),
      m_free(entries),
      m_qps(qps) {
}

void CqCredits::take(Qpn qpn) {
    Account& account = m_qps[index_of(qpn)];
    --m_free[index_of(account.cqn)];
    ++account.posted;
    ++account.holds;
}

std::uint32_t CqCredits::polled(Qpn qpn, std::uint32_t wqe_index, bool failed) {
    Account& account = m_qps[index_of(qpn)];
    if (failed && m_policy == CqCreditPolicy::UntilError) {
        return give_back(account, account.holds);
    }
    const std::uint32_t retired = wqe_index + 1 - (account.posted - account.holds);
    return retired > account.holds ? 0 : give_back(account, retired);
}

std::uint32_t CqCredits::end_life(Qpn qpn) {
    Account& account = m_qps[index_of(qpn)];
    account.posted = 0;
    return give_back(account, account.holds);
}

std::uint32_t CqCredits::give_back(Account& account, std::uint32_t count) {
    if (count != 0) {
        account.holds -= count;
        m_free[index_of(account.cqn)] += count;
    }
    return count;
}

}  // namespace cqsim::tb
