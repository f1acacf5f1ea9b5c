// SPDX-License-Identifier: Apache-2.0
/// \file
/// The checkers' own view of an entry of an event queue, written from the byte table in its
/// documentation and sharing no code with what writes entries (design P3).
#pragma once

#include "models/observe/record.h"

#include <cstddef>
#include <cstdint>

namespace cqsim::tb::check {

/// Of 64 bytes: the type in byte 0, cqn in 4 to 7, qpn in 8 to 11, srqn in 12 to 15
/// (little-endian), the owner in bit 0 of byte 63, all others zero.
struct EventEntry {
    static constexpr std::size_t kBytes = 64;

    EqeType type = kCompletionEqe;
    Cqn cqn = kNoCq;
    Qpn qpn = kNoQp;
    std::uint32_t srqn = 0;  ///< 0: none
    std::uint8_t owner = 0;
    bool rest_is_zero = false;

    static EventEntry at(const std::byte* bytes) {
        EventEntry entry;
        entry.type = std::to_integer<std::uint8_t>(bytes[0]);
        entry.cqn = Cqn{word(bytes + 4)};
        entry.qpn = Qpn{word(bytes + 8)};
        entry.srqn = word(bytes + 12);
        entry.owner = std::to_integer<std::uint8_t>(bytes[kBytes - 1] & std::byte{1});
        std::byte rest = bytes[1] | bytes[2] | bytes[3] | (bytes[kBytes - 1] & std::byte{0xFE});
        for (std::size_t i = 16; i + 1 < kBytes; ++i) {
            rest |= bytes[i];
        }
        entry.rest_is_zero = rest == std::byte{0};
        return entry;
    }

  private:
    static std::uint32_t word(const std::byte* bytes) {
        std::uint32_t value = 0;
        for (unsigned i = 0; i < sizeof(value); ++i) {
            value |= std::to_integer<std::uint32_t>(bytes[i]) << 8U * i;
        }
        return value;
    }
};

}  // namespace cqsim::tb::check
