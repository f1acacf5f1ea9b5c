// SPDX-License-Identifier: Apache-2.0
/// \file
/// Software's account of the entries of send CQs that its posts may need (S2.3, S5.13). No SystemC.
#pragma once

#include "models/verbs/ids.h"
#include "tb/pipeline/send_policies.h"

#include <cstdint>
#include <vector>

namespace cqsim::tb {

/// Each CQ has as many credits as entries, each posted send holds one of its QP's send CQ. Which
/// of them will be told of is known only when they have ended, so signaled or not makes no
/// difference (S2.3).
class CqCredits {
  public:
    /// No account: nothing may be asked of it but `on`.
    CqCredits() = default;
    /// `entries`: that each CQ holds, by number; a resize does not change the account.
    CqCredits(CqCreditPolicy policy, const std::vector<std::uint32_t>& entries, std::uint32_t qps);

    bool on() const { return m_policy != CqCreditPolicy::None; }

    /// A new QP reports its sends there.
    void attach(Qpn qpn, Cqn cqn) { m_qps[index_of(qpn)].cqn = cqn; }
    /// Whether one more send of this QP may be posted.
    bool available(Qpn qpn) const { return m_free[index_of(m_qps[index_of(qpn)].cqn)] != 0; }
    /// It is posted; one must be available.
    void take(Qpn qpn);
    /// The completion of this request was polled: it gives back the credits of all that it retires
    /// (S2.4). \returns how many.
    std::uint32_t polled(Qpn qpn, std::uint32_t wqe_index, bool failed);
    /// The QP is reset or destroyed: software takes what it left out of the ring, or must have room
    /// for it (K14). Its next request is number 0. \returns how many credits that gives back.
    std::uint32_t end_life(Qpn qpn);

    std::uint32_t free(Cqn cqn) const { return m_free[index_of(cqn)]; }

  private:
    struct Account {
        Cqn cqn = kNoCq;
        std::uint32_t posted = 0;
        std::uint32_t holds = 0;  ///< of the newest so many
    };

    std::uint32_t give_back(Account& account, std::uint32_t count);

    CqCreditPolicy m_policy = CqCreditPolicy::None;
    std::vector<std::uint32_t> m_free;  ///< by CQ
    std::vector<Account> m_qps;
};

}  // namespace cqsim::tb
