// SPDX-License-Identifier: Apache-2.0
/// \file
/// The formats of completion queue entries behind one interface, a row of a table each.
#pragma once

#include "models/cqe/owner.h"
#include "models/protocol/completion.h"

#include <array>
#include <cstddef>

namespace cqsim::cqe {

/// Of any format.
inline constexpr std::uint32_t kMaxStride = 128;
using Entry = std::array<std::byte, kMaxStride>;

/// Kinds, in bits 7:4 of an entry's last byte, that all formats have in common.
inline constexpr std::uint8_t kEndOfRing = 5;  ///< RESIZE_CQ (S4.7), or the cut-off (S4.8)

/// What a driver reads. `opcode` and all of `details` but vendor_err mean nothing unless `status`
/// is SUCCESS (S1.2).
struct Decoded {
    std::uint64_t wr_id = 0;         ///< 0 in a format that does not hold it (S1.8)
    std::uint64_t timestamp_ps = 0;  ///< in steps of the format's clock
    CompletionDetails details{};
    Qpn qpn = kNoQp;
    std::uint32_t wqe_index = 0;  ///< its lower 16 bits in a format that holds no more
    QueueKind queue = QueueKind::Send;
    WcStatus status = WcStatus::Success;
    bool solicited = false;
    bool ends_ring = false;  ///< no completion: the ring goes on elsewhere; nothing else is set
};

/// One format.
struct Codec {
    CqeFormat format;
    std::uint32_t stride;  ///< bytes from one entry to the next
    bool holds_wr_id;      ///< and the whole wqe_index; else software maps wqe_counter back (S1.8)
    bool any_owner;        ///< takes every owner scheme; else Parity alone
    /// Writes the entry of a completion. On failure the fields that are defined on success only
    /// come from `filler` (S1.2).
    void (*encode)(const Completion& completion,
                   std::uint8_t owner,
                   const CompletionDetails& filler,
                   std::byte* entry);
    Decoded (*decode)(const std::byte* entry);
};

/// By CqeFormat.
extern const std::array<Codec, kCqeFormatNames.size()> codecs;

inline const Codec& codec_of(CqeFormat format) {
    return codecs[static_cast<std::size_t>(format)];
}

/// Writes the entry that ends a ring which is replaced; all but its last byte is zero.
void encode_end_of_ring(CqeFormat format, std::uint8_t owner, std::byte* entry);

/// The last byte of an entry of any format.
inline std::uint8_t own_byte(const std::byte* entry, std::uint32_t stride) {
    return std::to_integer<std::uint8_t>(entry[stride - 1]);
}
inline bool ends_ring(std::uint8_t own) {
    return (own >> owner::kKindShift) == kEndOfRing;
}

}  // namespace cqsim::cqe
