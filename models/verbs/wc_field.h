// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of a work completion, by number and by name (S1.1).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cqsim {

/// A field of a work completion, a bit each.
enum class WcField : std::uint32_t {
    WrId = 1U << 0,
    Status = 1U << 1,
    QpNum = 1U << 2,
    VendorErr = 1U << 3,
    Opcode = 1U << 4,
    ByteLen = 1U << 5,
    ImmData = 1U << 6,
    InvalidatedRkey = 1U << 7,
    WcFlags = 1U << 8,
    Grh = 1U << 9,  ///< bit GRH of wc_flags
    SrcQp = 1U << 10,
    Slid = 1U << 11,
    Sl = 1U << 12,
    DlidPathBits = 1U << 13,
    PkeyIndex = 1U << 14,
    Srqn = 1U << 15,
};

/// In the order of their bits.
inline constexpr std::array<std::string_view, 16> kWcFieldNames{"wr_id",
                                                                "status",
                                                                "qp_num",
                                                                "vendor_err",
                                                                "opcode",
                                                                "byte_len",
                                                                "imm_data",
                                                                "invalidated_rkey",
                                                                "wc_flags",
                                                                "grh",
                                                                "src_qp",
                                                                "slid",
                                                                "sl",
                                                                "dlid_path_bits",
                                                                "pkey_index",
                                                                "srqn"};

/// Which one it is, 0 .. 15, from its bit; UINT8_MAX unless `bit` is that of one field.
constexpr std::uint8_t wc_field_index(std::uint64_t bit) {
    for (std::size_t i = 0; i < kWcFieldNames.size(); ++i) {
        if (bit == std::uint64_t{1} << i) {
            return static_cast<std::uint8_t>(i);
        }
    }
    return UINT8_MAX;
}
/// The name of the field that has this bit; "?" if none has.
constexpr std::string_view wc_field_name(std::uint64_t bit) {
    const std::uint8_t index = wc_field_index(bit);
    return index < kWcFieldNames.size() ? kWcFieldNames[index] : "?";
}
constexpr std::string_view name(WcField field) {
    return wc_field_name(static_cast<std::uint32_t>(field));
}

}  // namespace cqsim
