// SPDX-License-Identifier: Apache-2.0
/// \file
/// The link on which consumer indices that software writes into the BAR reach the owner of the CQ
/// contexts.
#pragma once

#include "models/protocol/command.h"
#include "models/protocol/link.h"

namespace cqsim {

/// Protocol traits: sockets of different links do not bind.
struct ConsumerProtocol {};

/// S3.1, S3.2: slots come back. Zero time: the device knows it with the call.
class ConsumerForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = ConsumerProtocol;

    /// Software has read up to this index, device-visible width. NoEntry: no such CQ. Invalid: it
    /// gives back slots that were never granted; it has no effect.
    virtual CommandResult consumer_written(Cqn cqn, std::uint32_t consumer) = 0;
    /// Software has read so many entries more. The answers are the same.
    virtual CommandResult credit_written(Cqn cqn, std::uint32_t increment) = 0;
};

using ConsumerInitiator = LinkInitiator<ConsumerForward, NoBackward<ConsumerProtocol>>;
/// May stay unbound: software that writes doorbell records in memory needs no such link.
using ConsumerTarget = tlm::tlm_base_target_socket<64,
                                                   ConsumerForward,
                                                   NoBackward<ConsumerProtocol>,
                                                   1,
                                                   sc_core::SC_ZERO_OR_MORE_BOUND>;

}  // namespace cqsim
