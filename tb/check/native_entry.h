// SPDX-License-Identifier: Apache-2.0
/// \file
/// The checkers' own view of a native completion queue entry, written from the byte table in the
/// documentation of the format and sharing no code with what writes entries (design P3).
#pragma once

#include "models/verbs/verbs.h"
#include "tb/check/entry_digest.h"

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
/// | 7 | reserved | reserved; own 56-63: owner value 56-58, solicited 59, kind 60-63 |
struct NativeEntry {
    static constexpr std::size_t kBytes = 64;
    static constexpr std::uint64_t kOwner = std::uint64_t{1} << 56;
    static constexpr std::uint64_t kSolicited = std::uint64_t{1} << 59;
    static constexpr unsigned kKindShift = 60;
    /// Of the entry that ends a ring which is replaced, and of a slot without an entry.
    static constexpr std::uint8_t kResize = 5;
    static constexpr std::uint8_t kInvalid = 15;

    EntryWords word;

    static NativeEntry at(const std::byte* bytes) {
        NativeEntry entry{};
        std::memcpy(entry.word.data(), bytes, kBytes);
        return entry;
    }

    std::uint64_t wr_id() const { return word[0]; }
    Qpn qp_num() const { return Qpn{static_cast<std::uint32_t>(word[1])}; }
    std::uint32_t wqe_index() const { return static_cast<std::uint32_t>(word[3] >> 32); }
    std::uint8_t status() const { return static_cast<std::uint8_t>(word[6] >> 40); }
    /// Defined on success only (S1.2).
    std::uint8_t opcode() const { return static_cast<std::uint8_t>(word[6] >> 32); }
    std::uint32_t byte_len() const { return static_cast<std::uint32_t>(word[1] >> 32); }
    std::uint16_t wc_flags() const { return static_cast<std::uint16_t>(word[5] >> 32); }
    /// 0 send queue, 1 receive queue, kResize, kInvalid.
    std::uint8_t kind() const { return static_cast<std::uint8_t>(word[7] >> kKindShift); }
    bool solicited() const { return (word[7] & kSolicited) != 0; }
    /// A digest of all 64 bytes. Its low 24 bits are those of qp_num.
    std::uint64_t digest() const { return digest::of(word, qp_num()); }
};

}  // namespace cqsim::tb::check
