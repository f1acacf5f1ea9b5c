// SPDX-License-Identifier: Apache-2.0
#include "models/event/eqe.h"

namespace cqsim::eqe {
namespace {

void store(std::byte* bytes, std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) {
        bytes[i] = static_cast<std::byte>(value >> (8 * i));
    }
}

std::uint32_t load(const std::byte* bytes) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) {
        value |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
    }
    return value;
}

}  // namespace

void encode(const Decoded& event, std::uint8_t owner, std::byte* bytes) {
    std::memset(bytes, 0, kBytes);
    bytes[kTypeByte] = static_cast<std::byte>(event.type);
    store(bytes + kCqnByte, index_of(event.cqn));
    store(bytes + kQpnByte, index_of(event.qpn));
    store(bytes + kSrqnByte, index_of(event.srqn));
    bytes[kOwnByte] = static_cast<std::byte>(owner);
}

Decoded decode(const std::byte* bytes) {
    return {std::to_integer<EqeType>(bytes[kTypeByte]),
            Cqn{load(bytes + kCqnByte)},
            Qpn{load(bytes + kQpnByte)},
            Srqn{static_cast<std::uint16_t>(load(bytes + kSrqnByte))}};
}

}  // namespace cqsim::eqe
