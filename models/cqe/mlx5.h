// SPDX-License-Identifier: Apache-2.0
// clang-format off
/// \file
/// The completion queue entry of mlx5 devices: 64 bytes, big-endian (S1.13, S1.19, S1.20). What our
/// devices do not have (checksums, VLAN, tag matching, inline data, signature) is zero.
///
/// | byte  | field | a success | a failure |
/// |-------|-------|-----------|-----------|
/// | 0-16  | | zero | zero |
/// | 17    | ml_path | dlid_path_bits | undefined |
/// | 18-21 | | zero | zero |
/// | 22-23 | slid | slid | undefined |
/// | 24-27 | flags_rqpn | GRH 29:28, SL 27:24, src_qp 23:0 | undefined |
/// | 28-31 | | zero | zero |
/// | 32-35 | srqn_uidx | srqn | srqn |
/// | 36-39 | imm_inval_pkey | imm_data or invalidated_rkey as on the wire; without either, pkey_index in 15:0 | undefined |
/// | 40-43 | | zero | zero |
/// | 44-47 | byte_cnt | byte_len | undefined |
/// | 48-55 | timestamp | when the request ended, ns | 54 vendor_err_synd: vendor_err 7:0; 55 syndrome (S1.13); else zero |
/// | 56-59 | sop_drop_qpn | send opcode 31:24 (zero for a receive), local QP 23:0 | opcode undefined, local QP 23:0 |
/// | 60-61 | wqe_counter | lower 16 bits of the request's index in its work queue | the same |
/// | 62    | signature | zero | zero |
/// | 63    | op_own | opcode 7:4 (S1.19), 3:2 zero, SE 1, owner 0 | 13 or 14 |
///
/// There is no wr_id: software maps {QP, wqe_counter} back (S1.8). With the stride of 128 bytes the
/// entry is the second half of the slot, and the first half is zero (S3.6). A status that has no
/// syndrome of its own is written as kOtherSyndrome and reads as GENERAL_ERR (S1.13).
// clang-format on
#pragma once

#include "models/cqe/cqe_codec.h"

namespace cqsim::mlx5 {

/// Of no status that has a syndrome of its own.
inline constexpr std::uint8_t kOtherSyndrome = 0x23;

/// The entry of 64 bytes.
void encode(const Completion& completion,
            std::uint8_t owner,
            const CompletionDetails& filler,
            std::byte* entry);
cqe::Decoded decode(const std::byte* entry);

/// The slot of 128 bytes.
void encode_wide(const Completion& completion,
                 std::uint8_t owner,
                 const CompletionDetails& filler,
                 std::byte* entry);
cqe::Decoded decode_wide(const std::byte* entry);

}  // namespace cqsim::mlx5
