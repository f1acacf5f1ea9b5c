// SPDX-License-Identifier: Apache-2.0
#include "tb/wire/wire_types.h"

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

}  // namespace cqsim::tb
