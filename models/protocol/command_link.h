// SPDX-License-Identifier: Apache-2.0
/// \file
/// Commands of software to the device that create objects. Zero time so far.
#pragma once

#include "models/protocol/command.h"
#include "models/protocol/link.h"

namespace cqsim {

/// Protocol traits: sockets of different links do not bind.
struct CqCommandProtocol {};
struct QpCommandProtocol {};

class CqCommandForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = CqCommandProtocol;

    /// Ok, or Invalid for a number out of range, a depth that is none, or a CQ that exists.
    virtual CommandResult create_cq(const CreateCq& command) = 0;
};

class QpCommandForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = QpCommandProtocol;

    /// Creates the QP in RTS. Ok, or Invalid for a QP or CQ number out of range or a QP that
    /// exists.
    virtual QpCreated create_qp(const CreateQp& command) = 0;
};

using CqCommandInitiator = LinkInitiator<CqCommandForward, NoBackward<CqCommandProtocol>>;
using CqCommandTarget = LinkTarget<CqCommandForward, NoBackward<CqCommandProtocol>>;
using QpCommandInitiator = LinkInitiator<QpCommandForward, NoBackward<QpCommandProtocol>>;
using QpCommandTarget = LinkTarget<QpCommandForward, NoBackward<QpCommandProtocol>>;

}  // namespace cqsim
