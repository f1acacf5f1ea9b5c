// SPDX-License-Identifier: Apache-2.0
/// \file
/// Links to and from the QP table: what a QP reports to, and what becomes of it.
#pragma once

#include "models/protocol/admission.h"
#include "models/protocol/completion.h"
#include "models/protocol/link.h"
#include "models/protocol/qp_change.h"

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
    /// The block counts a completion of the QP as its own from now on: it was taken or is held.
    virtual void entered(const Completion& completion) = 0;
    /// One that was held did not get in after all.
    virtual void turned_away(const Completion& completion) = 0;
};

using QpAdmitInitiator = LinkInitiator<QpAdmitForward, NoBackward<QpAdmitProtocol>>;
using QpAdmitTarget = SharedLinkTarget<QpAdmitForward, NoBackward<QpAdmitProtocol>>;

/// The writer and the overflow checker report to the QP table on this.
class QpReportForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = QpReportProtocol;

    /// Whether this life of the QP's number goes on. Work of an earlier one is dropped (D3).
    virtual bool live(Qpn qpn, std::uint16_t generation) const = 0;
    /// A completion of the QP left the block: its entry is written, or it was lost or cancelled,
    /// and its pipeline has its answer.
    virtual void left(Qpn qpn, QueueKind queue) = 0;
    /// The QP tried to use a CQ that is full or in error (S5.3d, S5.3e): it goes to ERR.
    virtual void cq_unusable(Qpn qpn, std::uint16_t generation) = 0;
};

using QpReportInitiator = LinkInitiator<QpReportForward, NoBackward<QpReportProtocol>>;
using QpReportTarget = SharedLinkTarget<QpReportForward, NoBackward<QpReportProtocol>>;

/// The QP table tells the pipelines on this.
class QpStateForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = QpStateProtocol;

    /// What each state means to a work queue: S2.18, S2.22 to S2.24. With RESET all requests of the
    /// last life end now: those that the block has not accepted are cancelled before the call
    /// returns (S7.3, D4), the others get their answers from it. Called from within other blocks'
    /// activity: note it, offer nothing from inside.
    virtual void qp_changed(const QpChange& change) = 0;
};

/// The pipelines tell the QP table on this, also from within `qp_changed`.
class QpStateBackward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = QpStateProtocol;

    /// A request of this work queue has just ended with an error of its own (no flush). What
    /// follows from it for the QP has happened when the call returns.
    virtual void request_failed(Qpn qpn,
                                std::uint16_t generation,
                                QueueKind queue,
                                WcStatus status) = 0;
    /// S2.16 class C, S1.14: a message asked for what it may not, and there is no receive request
    /// to blame: the QP goes to ERR, and `event` tells of it. What follows from it has happened
    /// when the call returns.
    virtual void violated(Qpn qpn, std::uint16_t generation, AsyncEvent event) = 0;
    /// S2.23: in SQD, the last send request that was in progress has ended and is accepted. While
    /// entries of sends are still to be written this changes nothing; when they are, `qp_changed`
    /// asks for the state that it is in, and this is to be called again.
    virtual void drained(Qpn qpn, std::uint16_t generation) = 0;
    /// S2.26: the QP is on an SRQ and in ERR, so that it takes no more requests, and those that it
    /// has taken have all ended and are accepted by the block.
    virtual void last_wqe_ended(Qpn qpn, std::uint16_t generation) = 0;
    /// S5.9: a message took a request, and what is left in the SRQ is below the limit that software
    /// had armed. It is not armed any more.
    virtual void srq_limit_reached(Srqn srqn) = 0;
    /// K18: of the queue that flushes first, all is accepted that it held when it was told so.
    virtual void flushed(Qpn qpn, std::uint16_t generation, QueueKind queue) = 0;
};

using QpStateInitiator = LinkInitiator<QpStateForward, QpStateBackward>;
using QpStateTarget = LinkTarget<QpStateForward, QpStateBackward>;

}  // namespace cqsim
