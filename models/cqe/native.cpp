// SPDX-License-Identifier: Apache-2.0
#include "models/cqe/native.h"

namespace cqsim::native {
namespace {

/// The layout of the table in native.h, as this little-endian machine holds it.
struct Layout {
    std::uint64_t wr_id;
    std::uint32_t qp_num;
    std::uint32_t byte_len;
    std::uint32_t imm_data;
    std::uint32_t src_qp;
    std::uint32_t vendor_err;
    std::uint32_t wqe_index;
    std::uint64_t timestamp;
    std::uint32_t srqn;
    std::uint16_t wc_flags;
    std::uint16_t pkey_index;
    std::uint16_t slid;
    std::uint8_t sl;
    std::uint8_t dlid_path_bits;
    std::uint8_t opcode;
    std::uint8_t status;
    std::array<std::uint8_t, 9> reserved;
    std::uint8_t own;
};
static_assert(sizeof(Layout) == kStride && offsetof(Layout, own) == kStride - 1);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "native.cpp lays entries out as a little-endian machine does"
#endif

constexpr std::uint8_t kSolicitedBit = 8;

}  // namespace

void encode(const Completion& completion,
            std::uint8_t owner,
            const CompletionDetails& filler,
            std::byte* entry) {
    Layout layout{};
    layout.wr_id = completion.wr_id;
    layout.qp_num = index_of(completion.qpn);
    layout.wqe_index = completion.wqe_index;
    layout.timestamp = completion.completed.ps;
    layout.status = static_cast<std::uint8_t>(completion.status);
    const bool failed = completion.status != WcStatus::Success;
    layout.vendor_err = failed ? completion.details.vendor_err : 0;
    const CompletionDetails& details = failed ? filler : completion.details;
    layout.byte_len = details.byte_len;
    layout.imm_data = details.imm_data;
    layout.src_qp = details.src_qp;
    layout.srqn = details.srqn;
    layout.wc_flags = details.wc_flags;
    layout.pkey_index = details.pkey_index;
    layout.slid = details.slid;
    layout.sl = details.sl;
    layout.dlid_path_bits = details.dlid_path_bits;
    layout.opcode = details.opcode;
    const unsigned kind = index_of(completion.queue);
    layout.own = static_cast<std::uint8_t>(kind << owner::kKindShift | owner |
                                           (completion.solicited ? kSolicitedBit : 0U));
    std::memcpy(entry, &layout, sizeof layout);
}

cqe::Decoded decode(const std::byte* entry) {
    Layout layout{};
    std::memcpy(&layout, entry, sizeof layout);
    cqe::Decoded decoded;
    if (cqe::ends_ring(layout.own)) {
        decoded.ends_ring = true;
        return decoded;
    }
    decoded.wr_id = layout.wr_id;
    decoded.timestamp_ps = layout.timestamp;
    decoded.details.byte_len = layout.byte_len;
    decoded.details.imm_data = layout.imm_data;
    decoded.details.src_qp = layout.src_qp;
    decoded.details.vendor_err = layout.vendor_err;
    decoded.details.srqn = layout.srqn;
    decoded.details.wc_flags = layout.wc_flags;
    decoded.details.pkey_index = layout.pkey_index;
    decoded.details.pkey_index = layout.pkey_index;
    decoded.details.slid = layout.slid;
    decoded.details.sl = layout.sl;
    decoded.details.dlid_path_bits = layout.dlid_path_bits;
    decoded.details.opcode = layout.opcode;
    decoded.qpn = Qpn{layout.qp_num};
    decoded.wqe_index = layout.wqe_index;
    decoded.queue = (layout.own >> owner::kKindShift) == 1 ? QueueKind::Receive : QueueKind::Send;
    decoded.status = static_cast<WcStatus>(layout.status);
    decoded.solicited = (layout.own & kSolicitedBit) != 0;
    return decoded;
}

}  // namespace cqsim::native
