// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sockets of the internal links (design D1): TLM-2.0 sockets with interfaces of our own, so that a
/// link carries a plain typed value. The interfaces of each link are in its own header.
///
/// Rule of every link: a forward call is done at once when it can be; otherwise it is accepted and
/// exactly one backward call completes it. An initiator handles both. There is no PEQ on a link.
#pragma once

#include <tlm>

namespace cqsim {

/// The initiating end of an internal link. Bind it to a `LinkTarget` of the same interfaces.
template <class Fw, class Bw>
using LinkInitiator = tlm::tlm_base_initiator_socket<64, Fw, Bw, 1, sc_core::SC_ONE_OR_MORE_BOUND>;

/// The answering end. Its owner implements `Fw`.
template <class Fw, class Bw>
using LinkTarget = tlm::tlm_base_target_socket<64, Fw, Bw, 1, sc_core::SC_ONE_OR_MORE_BOUND>;

/// The answering end when several initiators share it and nothing comes back.
template <class Fw, class Bw>
using SharedLinkTarget = tlm::tlm_base_target_socket<64, Fw, Bw, 0, sc_core::SC_ONE_OR_MORE_BOUND>;

/// For links on which nothing comes back.
template <class Protocol>
class NoBackward : public virtual sc_core::sc_interface {
  public:
    using protocol_types = Protocol;
};

}  // namespace cqsim
