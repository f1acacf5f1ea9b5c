// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which QP state follows which: by software's wish, and by failure. Pure functions.
#pragma once

#include "models/qp/qp_capability.h"
#include "models/qp/qp_config.h"

namespace cqsim {

/// S2.22 to S2.24, S7.4: whether software may move a QP from one state to another.
constexpr bool may_modify(QpState from, QpState to, ResetFrom reset_from) {
    switch (to) {
        case QpState::Reset:
            return reset_from == ResetFrom::Any || from == QpState::Err || from == QpState::Reset;
        case QpState::Err:
            return true;
        case QpState::Init:
            return from == QpState::Reset || from == QpState::Init;
        case QpState::Rtr:
            return from == QpState::Init;
        case QpState::Rts:
            return from == QpState::Rtr || from == QpState::Rts || from == QpState::Sqd ||
                   from == QpState::Sqe;
        case QpState::Sqd:
            return from == QpState::Rts || from == QpState::Sqd;
        case QpState::Sqe:
            return false;  // entered by a failure alone
    }
    return false;
}

/// The state of a QP after one of its requests ended with this status.
///
/// S1.11: not every failure moves the QP: a UD message that ends with GENERAL_ERR does not, nor
/// does the flush, which is a consequence; S2.16, class E: nor does a message of UC or UD that was
/// cut short. S2.22: a failed send of a service without acknowledgements stops the send queue
/// alone.
constexpr QpState state_after(QpState state, QpType type, QueueKind queue, WcStatus status) {
    if (status == WcStatus::Success || status == WcStatus::WrFlushErr ||
        (type == QpType::Ud && status == WcStatus::GeneralErr)) {
        return state;
    }
    if (queue == QueueKind::Receive && (type == QpType::Uc || type == QpType::Ud) &&
        capability::has(capability::kCutShort, status)) {
        return state;
    }
    if (state == QpState::Reset || state == QpState::Err) {
        return state;
    }
    return queue == QueueKind::Send && !is_reliable(type) ? QpState::Sqe : QpState::Err;
}

}  // namespace cqsim
