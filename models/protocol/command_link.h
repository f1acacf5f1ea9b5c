// SPDX-License-Identifier: Apache-2.0
/// \file
/// Commands of software to the device, and how the command unit hands them on.
#pragma once

#include "models/protocol/command.h"
#include "models/protocol/link.h"

namespace cqsim {

/// Protocol traits: sockets of different links do not bind.
struct CommandProtocol {};
struct CqCommandProtocol {};
struct QpCommandProtocol {};

/// From software to the command unit. Several commands may be open, told apart by their tickets.
class CommandForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = CommandProtocol;

    virtual CommandStatus submit(std::uint32_t ticket,
                                 const Command& command,
                                 CommandAnswer& answer) = 0;
    /// As `submit`, without the time that commands take: for what is there when a run begins.
    virtual CommandStatus set_up(std::uint32_t ticket,
                                 const Command& command,
                                 CommandAnswer& answer) = 0;
};

class CommandBackward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = CommandProtocol;

    /// Called from within the device's activity: note it, submit nothing from inside.
    virtual void command_done(std::uint32_t ticket, const CommandAnswer& answer) = 0;
};

using CommandInitiator = LinkInitiator<CommandForward, CommandBackward>;
using CommandTarget = LinkTarget<CommandForward, CommandBackward>;

/// From the command unit to the overflow checker, the owner of CQ contexts. Zero time.
class CqCommandForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = CqCommandProtocol;

    /// Ok; Invalid: a number out of range, a depth that is none, or a CQ that exists; NoMemory: no
    /// room for one more (S4.2).
    virtual CommandResult create_cq(const CreateCq& command) = 0;
    /// S4.6 to S4.8. Accepted: done when the end of the old ring is published; then the answer is
    /// Ok, or Invalid if it never can be, for a write has failed.
    virtual CommandStatus resize_cq(const ResizeCq& command, CommandAnswer& answer) = 0;
    /// Ok; NoEntry: no such CQ; Busy: a slot of it is granted and its write is not over (D2).
    /// Whether QPs still report to it is not asked here.
    virtual CommandResult destroy_cq(Cqn cqn) = 0;
    /// S4.15: fills in the fields of the overflow checker. NoEntry: no such CQ.
    virtual CommandResult query_cq(Cqn cqn, CqContext& context) const = 0;
    /// Whether the CQ exists, in error or not.
    virtual bool has_cq(Cqn cqn) const = 0;
};

class CqCommandBackward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = CqCommandProtocol;

    /// The resize of this CQ that was accepted is done; at most one is open for a CQ.
    virtual void cq_command_done(Cqn cqn, const CommandAnswer& answer) = 0;
};

using CqCommandInitiator = LinkInitiator<CqCommandForward, CqCommandBackward>;
using CqCommandTarget = LinkTarget<CqCommandForward, CqCommandBackward>;

/// From the command unit to the QP table.
class QpCommandForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = QpCommandProtocol;

    /// Creates the QP in RESET. Ok, or Invalid for a number out of range or a QP that exists.
    /// Whether its CQs exist is not asked here.
    virtual CommandAnswer create_qp(const CreateQp& command) = 0;
    /// NoEntry: no such QP; Invalid: no such transition (S2.24, K21); Busy: it is being reset or
    /// destroyed. A transition to RESET is accepted, and done when nothing of the QP is in flight.
    virtual CommandStatus modify_qp(const ModifyQp& command, CommandAnswer& answer) = 0;
    /// NoEntry: no such QP; Busy: it is being reset or destroyed. Done when nothing of the QP is in
    /// flight (D3).
    virtual CommandStatus destroy_qp(const DestroyQp& command, CommandAnswer& answer) = 0;
    /// Work queues that report to this CQ (S4.11).
    virtual std::uint32_t work_queues_on(Cqn cqn) const = 0;
};

class QpCommandBackward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = QpCommandProtocol;

    /// The reset or destroy of this QP that was accepted is done; at most one is open for a QP.
    virtual void qp_command_done(Qpn qpn, const CommandAnswer& answer) = 0;
};

using QpCommandInitiator = LinkInitiator<QpCommandForward, QpCommandBackward>;
using QpCommandTarget = LinkTarget<QpCommandForward, QpCommandBackward>;

}  // namespace cqsim
