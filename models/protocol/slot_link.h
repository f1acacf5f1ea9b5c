// SPDX-License-Identifier: Apache-2.0
/// \file
/// The link from the CQE writer to the overflow checker: slots and commits (design D2).
#pragma once

#include "models/protocol/link.h"
#include "models/protocol/slot.h"

namespace cqsim {

/// Protocol traits of the slot link: sockets of different links do not bind.
struct SlotProtocol {};

enum class SlotStatus : std::uint8_t {
    Answered,  ///< the answer is filled in
    Accepted,  ///< exactly one `slot_answered` follows; ask for nothing else before that
};

class SlotForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = SlotProtocol;

    virtual SlotStatus request_slot(const SlotRequest& request, SlotAnswer& answer) = 0;
    /// The write of a granted slot is over; `ok` is false when the ring was inaccessible. In any
    /// order. The tag is free afterwards.
    virtual void commit(SlotTag tag, bool ok) = 0;
    /// This CQ's state will be needed soon: fetch it. No effect on results.
    virtual void hint(Cqn cqn) = 0;
};

class SlotBackward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = SlotProtocol;

    /// The answer to the request that was accepted. Or, at any time and with `ends_ring`, the slot
    /// of an entry that ends a ring: write and commit it as any other. Slots come in index order
    /// either way, and are written in that order.
    virtual void slot_answered(const SlotAnswer& answer) = 0;
};

using SlotInitiator = LinkInitiator<SlotForward, SlotBackward>;
using SlotTarget = LinkTarget<SlotForward, SlotBackward>;

}  // namespace cqsim
