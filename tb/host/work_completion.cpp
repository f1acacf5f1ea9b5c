// SPDX-License-Identifier: Apache-2.0
#include "tb/host/work_completion.h"

namespace cqsim::tb {

void UndefinedReads::add(const WorkCompletion& completion, WcField field, std::uint64_t value) {
    ++m_count;
    if (Record* record = m_records.open(Kind::UndefinedRead, m_source, m_timeline.now())) {
        record->cqn = completion.place().cqn;
        record->qpn = completion.qpn();
        record->queue = completion.queue();
        record->index = completion.place().slot;
        record->wr_id = completion.wr_id();
        record->state = static_cast<std::uint8_t>(completion.status());
        record->a = static_cast<std::uint32_t>(field);
        record->serial = value;
    }
}

std::uint64_t WorkCompletion::undefined(WcField field, UndefinedReads& reads) const {
    const std::uint64_t value = raw(field);
    if (!defined().has(field)) {
        reads.add(*this, field, value);
    }
    return value;
}

std::uint64_t WorkCompletion::raw(WcField field) const {
    const CompletionDetails& details = m_entry.details;
    switch (field) {
        case WcField::WrId:
            return m_entry.wr_id;
        case WcField::Status:
            return static_cast<std::uint8_t>(m_entry.status);
        case WcField::QpNum:
            return index_of(m_entry.qpn);
        case WcField::VendorErr:
            return details.vendor_err;
        case WcField::Opcode:
            return details.opcode;
        case WcField::ByteLen:
            return details.byte_len;
        case WcField::ImmData:
        case WcField::InvalidatedRkey:  // in the same place
            return details.imm_data;
        case WcField::WcFlags:
            return details.wc_flags;
        case WcField::Grh:
            return details.wc_flags & kWcGrh;
        case WcField::SrcQp:
            return details.src_qp;
        case WcField::Slid:
            return details.slid;
        case WcField::Sl:
            return details.sl;
        case WcField::DlidPathBits:
            return details.dlid_path_bits;
        case WcField::PkeyIndex:
            return details.pkey_index;
        case WcField::Srqn:
            return details.srqn;
    }
    return 0;
}

}  // namespace cqsim::tb
