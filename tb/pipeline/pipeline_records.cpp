// SPDX-License-Identifier: Apache-2.0
// What the pipelines say of a request: to the tap, and to observers.
#include "models/qp/qp_capability.h"
#include "tb/pipeline/pipeline.h"

namespace cqsim::tb {
namespace {

/// What SEND_WITH_INV invalidates: keys are not modelled, so always the same one.
constexpr std::uint32_t kInvalidatedRkey = 0x1000;
constexpr std::uint32_t kAtomicBytes = 8;

/// The sender of all that comes to a QP without a connection: one of a number of its own.
Qpn far_away(Qpn qpn) {
    constexpr std::uint32_t kPeers = 0x80'0000;
    return Qpn{index_of(qpn) ^ kPeers};
}

/// Where a datagram came from, S1.3. There is no network: the rest goes round with the index, so
/// that mixed-up entries differ.
void add_source(CompletionDetails& details, Qpn qpn, Qpn sender, std::uint32_t wqe_index) {
    constexpr std::uint32_t kFirstLid = 0x100;
    constexpr std::uint32_t kServiceLevels = 16;
    constexpr std::uint32_t kPathBits = 0x7F;
    constexpr Qpn kGsi{1};
    details.wc_flags |= kWcGrh;  // RoCE: every packet has one
    details.src_qp = index_of(sender);
    details.slid = static_cast<std::uint16_t>(kFirstLid + wqe_index % kFirstLid);
    details.sl = static_cast<std::uint8_t>(wqe_index % kServiceLevels);
    details.dlid_path_bits = static_cast<std::uint8_t>(wqe_index & kPathBits);
    details.pkey_index = qpn == kGsi ? static_cast<std::uint16_t>(wqe_index & kPathBits) : 0;
}

}  // namespace

CompletionDetails Pipeline::details_of(Qpn qpn,
                                       const WorkRequest& work,
                                       std::uint32_t wqe_index) const {
    CompletionDetails details;
    details.srqn = index_of(m_shared.number_of(qpn));
    const WcOpcode opcode = sends() ? requester_opcode(work.opcode)
                                    : responder_opcode(work.opcode).value_or(WcOpcode::Recv);
    details.opcode = static_cast<std::uint8_t>(opcode);
    if (work.status != WcStatus::Success) {
        details.vendor_err = vendor_err_of(work);
        return details;
    }
    if (sends()) {
        const bool moves =
            opcode == WcOpcode::Send || opcode == WcOpcode::RdmaWrite || opcode == WcOpcode::Tso;
        if (opcode == WcOpcode::RdmaRead || (moves && m_config.send_length)) {  // S1.3, K19
            details.byte_len = work.bytes;
        } else if (opcode == WcOpcode::CompSwap || opcode == WcOpcode::FetchAdd) {
            details.byte_len = kAtomicBytes;
        }
        return details;
    }
    details.byte_len = work.bytes;
    if (work.opcode == WrOpcode::SendWithImm || work.opcode == WrOpcode::RdmaWriteWithImm) {
        details.wc_flags = kWcWithImm;  // S1.5
        details.imm_data = wqe_index;
    } else if (work.opcode == WrOpcode::SendWithInv) {
        details.wc_flags = kWcWithInv;
        details.imm_data = kInvalidatedRkey;
    }
    if (is_datagram(m_queues.row(qpn).type())) {
        details.byte_len += kGrhBytes;  // S2.14
        const Qpn sender = on_wire(qpn) ? m_peer[index_of(qpn)] : far_away(qpn);
        add_source(details, qpn, sender, wqe_index);
    }
    return details;
}

std::uint32_t Pipeline::vendor_err_of(const WorkRequest& work) const {
    const auto found = m_vendor_err.find(work.serial);
    return found == m_vendor_err.end() ? 0 : found->second;
}

Completion Pipeline::completion_of(Qpn qpn,
                                   const WorkRequest& work,
                                   std::uint32_t wqe_index) const {
    Completion completion;
    completion.serial = work.serial;
    completion.generation = m_generation[index_of(qpn)];
    const std::uint32_t wqe = wqe_of(qpn, wqe_index);
    completion.wr_id = wr_id_at(qpn, wqe, completion.generation);
    completion.posted = work.posted;
    completion.completed = work.ended;
    completion.details = details_of(qpn, work, wqe_index);
    completion.qpn = qpn;
    completion.wqe_index = wqe;
    completion.queue = m_config.queue;
    completion.status = work.status;
    completion.signaled = (work.flags & WorkRequest::kSignaled) != 0;
    // S6.2: of the successes only receives of messages with the solicited bit count.
    completion.solicited = !sends() && (work.flags & WorkRequest::kSolicited) != 0;
    return completion;
}

/// A record about a request; the caller knows that the kind is wanted.
Record& Pipeline::open_request(
    Kind kind, Qpn qpn, const WorkRequest& work, std::uint32_t wqe_index, TimePs now) {
    Record& record = *m_records.open(kind, m_source, now);
    record.qpn = qpn;
    record.generation = m_generation[index_of(qpn)];
    record.queue = m_config.queue;
    record.index = wqe_of(qpn, wqe_index);
    record.serial = work.serial;
    record.wr_id = wr_id_at(qpn, record.index, record.generation);
    record.a = work.bytes;
    record.flags = work.flags & (kSignaled | kSolicited);
    mark_shared(record, qpn);
    return record;
}

void Pipeline::observe_post(Qpn qpn, const WorkRequest& work, std::uint32_t wqe_index, TimePs now) {
    Record& record = open_request(Kind::Post, qpn, work, wqe_index, now);
    record.state = static_cast<std::uint8_t>(work.opcode);
}

void Pipeline::observe_end(Qpn qpn, const WorkRequest& work, std::uint32_t wqe_index, TimePs now) {
    Record& record = open_request(Kind::Complete, qpn, work, wqe_index, now);
    record.state = static_cast<std::uint8_t>(work.status);
    if (work.status == WcStatus::WrFlushErr) {
        record.flags |= kFlushed;
    }
    const CompletionDetails details = details_of(qpn, work, wqe_index);
    m_records.attach(record, &details, sizeof details);
}

void Pipeline::observe_flush(Qpn qpn, std::uint32_t first) {
    if (Record* record = m_records.open(Kind::Flush, m_source, m_timeline.now())) {
        record->qpn = qpn;
        record->generation = m_generation[index_of(qpn)];
        record->queue = m_config.queue;
        record->index = wqe_of(qpn, first);
        record->a = m_queues.row(qpn).posted - first;
    }
}

}  // namespace cqsim::tb
