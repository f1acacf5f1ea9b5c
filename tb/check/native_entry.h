// SPDX-License-Identifier: Apache-2.0
/// \file
/// The checkers' own view of a native completion queue entry, written from the byte table in the
/// documentation of the format and sharing no code with what writes entries (design P3).
#pragma once

#include "models/verbs/verbs.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cqsim::tb::check {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "entries are little-endian words");

/// The 64 bytes as eight little-endian words:
///
/// | word | bits 0-31 | bits 32-63 |
/// |------|-----------|------------|
/// | 0 | wr_id | |
/// | 1 | qp_num | byte_len |
/// | 2 | imm_data or invalidated_rkey | src_qp |
/// | 3 | vendor_err | wqe_index |
/// | 4 | timestamp | |
/// | 5 | srqn | wc_flags 32-47, pkey_index 48-63 |
/// | 6 | slid 0-15, sl 16-23, dlid_path_bits 24-31 | opcode 32-39, status 40-47, reserved |
/// | 7 | reserved | reserved; own 56-63 |
struct NativeEntry {
    static constexpr std::size_t kBytes = 64;
    static constexpr std::uint64_t kOwner = std::uint64_t{1} << 56;
    static constexpr std::uint64_t kSolicited = std::uint64_t{1} << 59;
    static constexpr unsigned kKindShift = 60;
    static constexpr std::uint64_t kQpBits = kMaxIds - 1;

    std::array<std::uint64_t, 8> word;

    static NativeEntry at(const std::byte* bytes) {
        NativeEntry entry{};
        std::memcpy(entry.word.data(), bytes, kBytes);
        return entry;
    }

    std::uint64_t wr_id() const { return word[0]; }
    Qpn qp_num() const { return Qpn{static_cast<std::uint32_t>(word[1])}; }
    std::uint8_t status() const { return static_cast<std::uint8_t>(word[6] >> 40); }
    /// Defined on success only (S1.2).
    std::uint8_t opcode() const { return static_cast<std::uint8_t>(word[6] >> 32); }
    std::uint32_t byte_len() const { return static_cast<std::uint32_t>(word[1] >> 32); }
    std::uint16_t wc_flags() const { return static_cast<std::uint16_t>(word[5] >> 32); }
    std::uint8_t owner() const { return static_cast<std::uint8_t>(word[7] >> 56 & 1U); }
    /// 0 send queue, 1 receive queue, 15 INVALID.
    std::uint8_t kind() const { return static_cast<std::uint8_t>(word[7] >> kKindShift); }

    /// A digest of all 64 bytes. Its low 24 bits are those of qp_num.
    std::uint64_t digest() const {
        const std::uint64_t all = fold(word[0] ^ kSeed[0], word[1] ^ kSeed[1]) ^
                                  fold(word[2] ^ kSeed[2], word[3] ^ kSeed[3]) ^
                                  fold(word[4] ^ kSeed[4], word[5] ^ kSeed[5]) ^
                                  fold(word[6] ^ kSeed[6], word[7] ^ kSeed[7]);
        return (all & ~kQpBits) | (word[1] & kQpBits);
    }
    /// The QP of an entry, from its digest.
    static Qpn qp_in(std::uint64_t digest) {
        return Qpn{static_cast<std::uint32_t>(digest & kQpBits)};
    }

  private:
    __extension__ using Wide = unsigned __int128;
    static constexpr std::array<std::uint64_t, 8> kSeed{0xa0761d6478bd642fU,
                                                        0xe7037ed1a0b428dbU,
                                                        0x8ebc6af09c88c6e3U,
                                                        0x589965cc75374cc3U,
                                                        0x1d8e4e27c47d124fU,
                                                        0xeb44accab455d165U,
                                                        0x9e3779b97f4a7c15U,
                                                        0xc2b2ae3d27d4eb4fU};

    static std::uint64_t fold(std::uint64_t left, std::uint64_t right) {
        const Wide product = Wide{left} * right;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }
};

}  // namespace cqsim::tb::check
