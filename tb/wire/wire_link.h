// SPDX-License-Identifier: Apache-2.0
/// \file
/// The links between the pipelines and the wire: requests go out and end, messages come and are
/// received.
#pragma once

#include "models/protocol/completion.h"
#include "models/protocol/link.h"
#include "models/protocol/qp_change.h"
#include "tb/wire/wire_types.h"

#include <optional>

namespace cqsim::tb {

struct WireSendProtocol {};
struct WireReceiveProtocol {};

/// The send side's pipeline tells the wire on this; nothing comes back from inside a call.
class WireSendForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = WireSendProtocol;

    /// A request of a connected QP starts; of each QP in post order.
    virtual void begin(Qpn qpn, const WireMessage& message) = 0;
    /// The state of a connected QP.
    virtual void qp_changed(const QpChange& change) = 0;
};

class WireSendBackward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = WireSendProtocol;

    /// A request ended (S2.7, S2.8): those of a QP one after the other.
    virtual void ended(Qpn qpn,
                       std::uint16_t generation,
                       std::uint32_t wqe_index,
                       WcStatus status) = 0;
};

/// The wire tells the receive side's pipeline on this.
class WireReceiveForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = WireReceiveProtocol;

    /// The receive request that the next message takes (S2.11).
    virtual std::optional<std::uint32_t> next_receive(Qpn qpn) const = 0;
    /// A message takes it, and it ends so. The answer to its completion comes back, maybe from
    /// inside the call.
    virtual void take(Qpn qpn, const WireMessage& message, WcStatus status) = 0;
    /// A message fails the QP, and no receive request tells of it (S1.14).
    virtual void violated(Qpn qpn, AsyncEvent event) = 0;
};

class WireReceiveBackward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = WireReceiveProtocol;

    /// D4: what became of the completion of a receive request of a connected QP.
    virtual void answered(const CompletionAnswer& answer) = 0;
};

/// Ends that may be left unbound: runs without connections have no wire.
using WireSendInitiator = tlm::tlm_base_initiator_socket<64,
                                                         WireSendForward,
                                                         WireSendBackward,
                                                         1,
                                                         sc_core::SC_ZERO_OR_MORE_BOUND>;
using WireReceiveTarget = tlm::tlm_base_target_socket<64,
                                                      WireReceiveForward,
                                                      WireReceiveBackward,
                                                      1,
                                                      sc_core::SC_ZERO_OR_MORE_BOUND>;
using WireSendTarget = LinkTarget<WireSendForward, WireSendBackward>;
using WireReceiveInitiator = LinkInitiator<WireReceiveForward, WireReceiveBackward>;

}  // namespace cqsim::tb
