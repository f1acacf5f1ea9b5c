// SPDX-License-Identifier: Apache-2.0
/// \file
/// Request numbers on the wire have 24 bits and go round; what opcodes do to a peer. S2.7, S2.10.
#pragma once

#include "models/verbs/verbs.h"

#include <cstdint>

namespace cqsim::tb::check {

inline constexpr std::uint32_t kNumbers = 1U << 24;

/// How far `number` is ahead of `from`, on the circle.
constexpr std::uint32_t distance(std::uint32_t from, std::uint32_t number) {
    return (number + kNumbers - from) % kNumbers;
}
/// Whether `number` comes before `from`: less than half of the circle behind it.
constexpr bool is_before(std::uint32_t number, std::uint32_t from) {
    return distance(from, number) >= kNumbers / 2;
}

/// S2.10: takes a receive request of the peer.
constexpr bool consumes(WrOpcode opcode) {
    return opcode == WrOpcode::Send || opcode == WrOpcode::SendWithImm ||
           opcode == WrOpcode::SendWithInv || opcode == WrOpcode::RdmaWriteWithImm;
}
/// S2.7: ends when its response is there.
constexpr bool responds(WrOpcode opcode) {
    return opcode == WrOpcode::RdmaRead || opcode == WrOpcode::AtomicCmpAndSwp ||
           opcode == WrOpcode::AtomicFetchAndAdd || opcode == WrOpcode::Flush ||
           opcode == WrOpcode::AtomicWrite;
}

}  // namespace cqsim::tb::check
