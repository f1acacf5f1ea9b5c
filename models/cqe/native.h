// SPDX-License-Identifier: Apache-2.0
// clang-format off
/// \file
/// The native completion queue entry: 64 bytes, little-endian.
///
/// | byte  | field | meaning |
/// |-------|-------|---------|
/// | 0-7   | wr_id | as posted (S1.1) |
/// | 8-11  | qp_num | the local QP, 24 bits |
/// | 12-15 | byte_len | defined on success only (S1.2, S1.3) |
/// | 16-19 | imm_data or invalidated_rkey | as on the wire, i.e. network byte order (S1.5); success only |
/// | 20-23 | src_qp | UD receives; success only |
/// | 24-27 | vendor_err | the vendor's syndrome; defined on failure (S1.12) |
/// | 28-31 | wqe_index | the request's free-running index in its work queue |
/// | 32-39 | timestamp | when the pipeline ended the request, ps |
/// | 40-43 | srqn | shared receive queue; success only |
/// | 44-45 | wc_flags | S1.16; success only |
/// | 46-47 | pkey_index | success only |
/// | 48-49 | slid | success only |
/// | 50    | sl | success only |
/// | 51    | dlid_path_bits | success only |
/// | 52    | opcode | WcOpcode (S1.15); success only |
/// | 53    | status | WcStatus (S1.10) |
/// | 54-62 | reserved | zero |
/// | 63    | own | bits 2:0 owner value (bit 0 alone but for scheme generation); bit 3 solicited; bits 7:4 kind (0 send, 1 receive, 5 end of a ring that is replaced, 15 INVALID) |
///
/// `own` is the last byte, so one write in address order makes the entry whole before it makes it
/// valid (S3.6). Owner values: owner.h. Fields marked 'success only' are whatever the writer leaves
/// there in a failed entry; vendor_err is zero in a successful one.
// clang-format on
#pragma once

#include "models/cqe/cqe_codec.h"

namespace cqsim::native {

inline constexpr std::uint32_t kStride = stride_of(CqeFormat::Native);

/// The entry of 64 bytes; Codec::encode.
void encode(const Completion& completion,
            std::uint8_t owner,
            const CompletionDetails& filler,
            std::byte* entry);
cqe::Decoded decode(const std::byte* entry);

}  // namespace cqsim::native
