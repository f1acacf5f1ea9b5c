// SPDX-License-Identifier: Apache-2.0
/// \file
/// Links to the event arbiter: what has become readable, what went wrong, what software asks for.
#pragma once

#include "models/protocol/command.h"
#include "models/protocol/event.h"
#include "models/protocol/link.h"

namespace cqsim {

/// Protocol traits: sockets of different links do not bind.
struct PublishProtocol {};
struct AsyncProtocol {};
struct NotifyProtocol {};
struct EventCommandProtocol {};

/// The overflow checker tells the event arbiter within the commit that published (D2, S6.14).
class PublishForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = PublishProtocol;

    virtual void published(const PublishedEntry& entry) = 0;
    /// The CQ is in error: it raises no further completion event (S6.16).
    virtual void cq_failed(Cqn cqn) = 0;
    /// This CQ's state will be needed soon: fetch it. No effect on results.
    virtual void hint(Cqn cqn) = 0;
};

using PublishInitiator = LinkInitiator<PublishForward, NoBackward<PublishProtocol>>;
using PublishTarget = LinkTarget<PublishForward, NoBackward<PublishProtocol>>;

/// The overflow checker and the QP table report asynchronous events. Whoever raises it writes the
/// `async` record; the event arbiter delivers it.
class AsyncForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = AsyncProtocol;

    virtual void raise(const AsyncReport& report) = 0;
};

using AsyncInitiator = LinkInitiator<AsyncForward, NoBackward<AsyncProtocol>>;
using AsyncTarget = SharedLinkTarget<AsyncForward, NoBackward<AsyncProtocol>>;

/// What software writes into the BAR, decoded.
class NotifyForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = NotifyProtocol;

    /// S6.1, S6.5: the CQ reports its next entry of this kind. `consumer` is the consumer index
    /// that software had (S6.11). NoEntry: no such CQ; Invalid: it has no event queue.
    virtual CommandResult arm(Cqn cqn, std::uint32_t consumer, ArmKind kind) = 0;
    /// S6.22: software has read an event queue up to here; `arms`: it wants the next interrupt.
    /// NoEntry: no such event queue; Invalid: an index that no correct software writes.
    virtual CommandResult eq_consumer(Eqn eqn, std::uint32_t consumer, bool arms) = 0;
};

using NotifyInitiator = LinkInitiator<NotifyForward, NoBackward<NotifyProtocol>>;
using NotifyTarget = LinkTarget<NotifyForward, NoBackward<NotifyProtocol>>;

/// Commands about event queues and about how CQs report. Zero time.
class EventCommandForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = EventCommandProtocol;

    /// Ok, or Invalid: number or vector out of range or in use, no depth, address not aligned, a
    /// second queue for asynchronous events.
    virtual CommandResult create_eq(const CreateEq& command) = 0;
    /// What `attach_cq` would answer; nothing changes. Asked before anything is made of a new CQ.
    virtual CommandResult may_attach_cq(const CreateCq& command) const = 0;
    /// A new CQ reports to `command.eqn`, and is not armed (S4.5, K25). Invalid: no such completion
    /// EQ, or no such moderation; Unsupported: the device has no moderation (S4.9). kNoEqn is Ok.
    virtual CommandResult attach_cq(const CreateCq& command) = 0;
    /// NoEntry: no such CQ, or it has no event queue. Invalid: no such moderation; Unsupported: the
    /// device has none (S4.9).
    virtual CommandResult modify_cq(const ModifyCq& command) = 0;
    /// S4.15: fills in the fields of the event arbiter, of a CQ that exists.
    virtual void query_events(Cqn cqn, CqContext& context) const = 0;
    /// The CQ is gone: what waits to be reported for it is dropped (S4.12).
    virtual void detach_cq(Cqn cqn) = 0;
};

using EventCommandInitiator = LinkInitiator<EventCommandForward, NoBackward<EventCommandProtocol>>;
using EventCommandTarget = LinkTarget<EventCommandForward, NoBackward<EventCommandProtocol>>;

}  // namespace cqsim
