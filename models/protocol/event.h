// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the event arbiter is told (design D2): values, no SystemC.
#pragma once

#include "models/verbs/ids.h"
#include "models/verbs/verbs.h"

namespace cqsim {

/// An entry that software can read from now on, in index order within its CQ.
struct PublishedEntry {
    Cqn cqn = kNoCq;
    std::uint32_t index = 0;  ///< the CQ's producer index for it, device-visible width
    bool solicited = false;   ///< a receive whose message carried the solicited bit (S6.2)
    bool failed = false;      ///< status is not SUCCESS: counts as solicited (S6.2, K11)
    bool ends_ring = false;   ///< no completion: the ring was replaced here (S4.7, S4.8)
    QueueKind queue = QueueKind::Receive;  ///< whose completion it is (K11)
};

/// An affiliated asynchronous event (S5.9): of a CQ, of a QP or of an SRQ.
struct AsyncReport {
    AsyncEvent event{};
    Cqn cqn = kNoCq;
    Qpn qpn = kNoQp;
    Srqn srqn = kNoSrq;
};

}  // namespace cqsim
