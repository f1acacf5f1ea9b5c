// SPDX-License-Identifier: Apache-2.0
#include "tb/wire/wire_types.h"

#include "models/qp/qp_capability.h"

#include <array>

namespace cqsim::tb {
namespace {

// Indexed by the enumerators.
constexpr std::array<std::string_view, kFaults> kNames{"",
                                                       "drop",
                                                       "drop_ack",
                                                       "rkey",
                                                       "invalid_request",
                                                       "length",
                                                       "responder_wqe",
                                                       "inv_key",
                                                       "bad_response",
                                                       "local_prot"};

}  // namespace

std::string_view name(Fault fault) {
    return kNames.at(static_cast<std::size_t>(fault));
}

bool can_hit(Fault fault, WrOpcode opcode) {
    switch (fault) {
        case Fault::None:
            return false;
        case Fault::LocalProt:
            return true;
        case Fault::Drop:
        case Fault::DropAck:
        case Fault::InvalidRequest:
        case Fault::Length:
        case Fault::BadResponse:
            return !is_local(opcode);
        case Fault::Rkey:
            return has_response(opcode) || opcode == WrOpcode::RdmaWrite ||
                   opcode == WrOpcode::RdmaWriteWithImm;
        case Fault::ResponderWqe:
            return takes_receive(opcode);
        case Fault::InvKey:
            return opcode == WrOpcode::SendWithInv;
    }
    return false;
}

bool can_hit(Fault fault, QpType type) {
    if (!is_reliable(type) && (fault == Fault::DropAck || fault == Fault::BadResponse)) {
        return false;  // nothing is answered
    }
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(WrOpcode::AtomicWrite); ++i) {
        const auto opcode = static_cast<WrOpcode>(i);
        if (may_post(type, opcode) && can_hit(fault, opcode)) {
            return true;
        }
    }
    return false;
}

}  // namespace cqsim::tb
