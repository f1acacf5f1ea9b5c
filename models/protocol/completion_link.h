// SPDX-License-Identifier: Apache-2.0
/// \file
/// The link on which completions travel: pipeline to tap, tap to arbiter, arbiter to writer.
#pragma once

#include "models/protocol/completion.h"
#include "models/protocol/link.h"

namespace cqsim {

/// Protocol traits of the completion link: sockets of different links do not bind.
struct CompletionProtocol {};

/// How the target of a completion link treats an offer.
enum class OfferStatus : std::uint8_t {
    Taken,  ///< it is the target's now; exactly one `answered` follows for it
    Held,   ///< the target keeps a copy; exactly one `offer_done` follows, and nothing else may be
            ///< offered on this link before that
    NoCredit,  ///< not taken: this completion's requester has used up its credits; exactly one
               ///< `credit` follows for the work queue, others may be offered meanwhile
};

/// The reply to an offer.
struct OfferReply {
    OfferStatus status = OfferStatus::Taken;
    TimePs ready_at{};  ///< when taken: the next one is not looked at before this time
};

/// What the target of a completion link answers to.
class CompletionForward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = CompletionProtocol;

    /// Offers one completion; the caller's copy may be stamped (cqn).
    virtual OfferReply offer(Completion& completion) = 0;
    /// The `credit` that this work queue got finds nothing to offer, for the QP's life is over: it
    /// is for whoever waits next. Not from within `credit`.
    virtual void decline(Qpn qpn, QueueKind queue) = 0;
    /// The state of this QP, and of the CQ once the tap knows it, will be needed soon: fetch it. No
    /// effect on results.
    virtual void hint(Qpn qpn, Cqn cqn) = 0;
};

/// What the initiator of a completion link hears.
class CompletionBackward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = CompletionProtocol;

    /// The one completion that was held has been decided: Taken or NoCredit, with `ready_at` as for
    /// an offer. Called from within the target's activity: note it, offer nothing from inside.
    virtual void offer_done(const OfferReply& reply) = 0;
    /// The work queue that got NoCredit may be offered again.
    virtual void credit(Qpn qpn, QueueKind queue) = 0;
    /// What became of a completion that was taken (D4).
    virtual void answered(const CompletionAnswer& answer) = 0;
};

using CompletionInitiator = LinkInitiator<CompletionForward, CompletionBackward>;
using CompletionTarget = LinkTarget<CompletionForward, CompletionBackward>;

}  // namespace cqsim
