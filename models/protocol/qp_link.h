// SPDX-License-Identifier: Apache-2.0
/// \file
/// Links to and from the QP table: what a QP reports to, and what becomes of it.
#pragma once

#include "models/protocol/admission.h"
#include "models/protocol/completion.h"
#include "models/protocol/link.h"

namespace cqsim {

/// Protocol traits: sockets of different links do not bind.
struct QpAdmitProtocol {};
struct QpReportProtocol {};
struct QpStateProtocol {};

/// Taps ask this; a zero-time call without side effect on time (P1).
class QpAdmitForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = QpAdmitProtocol;

    /// Where a QP's work queue reports to, and how.
    virtual Admission lookup(Qpn qpn, QueueKind queue) const = 0;
    /// One reported completion of the QP entered the block. A failed one moves the QP to ERR
    /// (S1.11: every status but SUCCESS and WR_FLUSH_ERR does so far).
    virtual void entered(const Completion& completion) = 0;
};

using QpAdmitInitiator = LinkInitiator<QpAdmitForward, NoBackward<QpAdmitProtocol>>;
using QpAdmitTarget = SharedLinkTarget<QpAdmitForward, NoBackward<QpAdmitProtocol>>;

/// The writer and the overflow checker report to the QP table on this.
class QpReportForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = QpReportProtocol;

    /// A completion of the QP left the block: its entry is written, or it was lost.
    virtual void left(Qpn qpn) = 0;
    /// The QP tried to use a CQ that is full or in error (S5.3d, S5.3e): it goes to ERR.
    virtual void cq_unusable(Qpn qpn, std::uint16_t generation) = 0;
};

using QpReportInitiator = LinkInitiator<QpReportForward, NoBackward<QpReportProtocol>>;
using QpReportTarget = SharedLinkTarget<QpReportForward, NoBackward<QpReportProtocol>>;

/// The QP table tells the pipelines on this.
class QpStateForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = QpStateProtocol;

    /// The QP is in ERR: everything outstanding, and all that is posted later, flushes (S2.18).
    /// Called from within other blocks' activity: note it, offer nothing from inside.
    virtual void qp_failed(Qpn qpn) = 0;
};

using QpStateInitiator = LinkInitiator<QpStateForward, NoBackward<QpStateProtocol>>;
using QpStateTarget = LinkTarget<QpStateForward, NoBackward<QpStateProtocol>>;

}  // namespace cqsim
