// SPDX-License-Identifier: Apache-2.0
/// \file
/// A digest of an entry's 64 bytes that tells the QP as well.
#pragma once

#include "models/verbs/ids.h"

#include <array>
#include <cstdint>

namespace cqsim::tb::check {

/// An entry as eight little-endian words.
using EntryWords = std::array<std::uint64_t, 8>;

namespace digest {

inline constexpr std::uint64_t kQpBits = kMaxIds - 1;
inline constexpr EntryWords kSeed{0xa0761d6478bd642fU,
                                  0xe7037ed1a0b428dbU,
                                  0x8ebc6af09c88c6e3U,
                                  0x589965cc75374cc3U,
                                  0x1d8e4e27c47d124fU,
                                  0xeb44accab455d165U,
                                  0x9e3779b97f4a7c15U,
                                  0xc2b2ae3d27d4eb4fU};

inline std::uint64_t fold(std::uint64_t left, std::uint64_t right) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{left} * right;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Its low 24 bits are those of the QP.
inline std::uint64_t of(const EntryWords& word, Qpn qpn) {
    const std::uint64_t all = fold(word[0] ^ kSeed[0], word[1] ^ kSeed[1]) ^
                              fold(word[2] ^ kSeed[2], word[3] ^ kSeed[3]) ^
                              fold(word[4] ^ kSeed[4], word[5] ^ kSeed[5]) ^
                              fold(word[6] ^ kSeed[6], word[7] ^ kSeed[7]);
    return (all & ~kQpBits) | (index_of(qpn) & kQpBits);
}

/// The QP of an entry, from its digest.
inline Qpn qp_in(std::uint64_t digest) {
    return Qpn{static_cast<std::uint32_t>(digest & kQpBits)};
}

}  // namespace digest
}  // namespace cqsim::tb::check
