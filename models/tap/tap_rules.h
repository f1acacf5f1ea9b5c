// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the two taps report (S2.1 to S2.4, S2.9): the asymmetric rule of the block.
#pragma once

#include "models/protocol/completion.h"

namespace cqsim {

/// The send side: only if it was asked for, or failed.
struct TxTapRule {
    static constexpr QueueKind kQueue = QueueKind::Send;

    static constexpr bool reports(const Completion& completion, bool sq_sig_all) {
        return sq_sig_all                                  // S2.1: every request of this queue
               || completion.signaled                      // S2.1: this request asked for it
               || completion.status != WcStatus::Success;  // S2.2: an error always reports
    }
};

/// The receive side: always (S2.9).
struct RxTapRule {
    static constexpr QueueKind kQueue = QueueKind::Receive;

    static constexpr bool reports(const Completion& /*completion*/, bool /*sq_sig_all*/) {
        return true;
    }
};

}  // namespace cqsim
