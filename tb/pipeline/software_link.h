// SPDX-License-Identifier: Apache-2.0
/// \file
/// The link from the polling software to the work queues it posts to.
#pragma once

#include "models/protocol/link.h"
#include "models/verbs/verbs.h"

namespace cqsim::tb {

struct SoftwareProtocol {};

/// A request as an entry that holds them names it.
struct NamedRequest {
    std::uint32_t wqe_index = 0;
    std::uint64_t wr_id = 0;
};

/// What software does with a completion that it polled.
class SoftwareForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = SoftwareProtocol;

    /// The completion of this request was polled: its slot, and those of all earlier requests of
    /// the queue, are free again unless they were free at the end of the requests (S2.5, K26). A
    /// receive queue is refilled. An entry of an earlier life of the QP's number, which `wr_id`
    /// tells, frees nothing (S7.1, S7.9).
    virtual void polled(Qpn qpn, std::uint32_t wqe_index, std::uint64_t wr_id) = 0;
    /// The entry of this request went unread: it was swept out of its ring (S7.7), or stepped over
    /// as one of a dead life. A request of an SRQ comes back by it; of others nothing follows.
    virtual void unowned(Qpn qpn, std::uint32_t wqe_index) = 0;
    /// The request that a counter of 16 bits names: the newest one that was posted with it (S1.8).
    /// What software keeps of a QP to read entries without a wr_id.
    virtual NamedRequest request_at(Qpn qpn, std::uint32_t wqe_counter) const = 0;
    /// `polled` will be called for this QP soon: fetch its line. No effect on results.
    virtual void hint(Qpn qpn) = 0;
    /// It will be called next, and the line is there: fetch the request that it will post.
    virtual void hint_next(Qpn qpn) = 0;
};

using SoftwareInitiator = LinkInitiator<SoftwareForward, NoBackward<SoftwareProtocol>>;
using SoftwareTarget = LinkTarget<SoftwareForward, NoBackward<SoftwareProtocol>>;

}  // namespace cqsim::tb
