// SPDX-License-Identifier: Apache-2.0
// What the pipelines do for QPs that are connected: their requests end, and messages come, when the
// wire says so.
#include "tb/pipeline/pipeline.h"

namespace cqsim::tb {

void Pipeline::connect(Qpn qpn, Qpn peer) {
    m_on_wire.resize(m_queues.size());
    m_peer.resize(m_queues.size(), kNoQp);
    m_peer[index_of(qpn)] = peer;
    m_on_wire[index_of(qpn)] = true;
}

void Pipeline::begin_on_wire(Qpn qpn, std::uint32_t wqe_index) {
    const WorkRequest& work = m_queues.request(m_queues.row(qpn), wqe_index);
    WireMessage message;
    message.wqe_index = wqe_index;
    message.bytes = work.bytes;
    message.opcode = work.opcode;
    message.solicited = (work.flags & WorkRequest::kSolicited) != 0;
    wire_isock->begin(qpn, message);
}

void Pipeline::ended(Qpn qpn, std::uint16_t generation, std::uint32_t wqe_index, WcStatus status) {
    if (ends_by_itself(qpn, generation)) {
        end(qpn, wqe_index, status, m_timeline.now());
    }
}

std::optional<std::uint32_t> Pipeline::next_receive(Qpn qpn) const {
    const WorkQueueRow& row = m_queues.row(qpn);
    if (m_shared.has(qpn)) {
        const SharedReceiveQueue& srq = m_shared.at(m_shared.number_of(qpn));
        return srq.empty() ? std::nullopt : std::optional<std::uint32_t>(srq.next());
    }
    return row.unstarted == 0 ? std::nullopt
                              : std::optional<std::uint32_t>(WorkQueues::next_to_start(row));
}

void Pipeline::take(Qpn qpn, const WireMessage& message, WcStatus status) {
    if (m_shared.has(qpn)) {
        take_shared(qpn);
    }
    WorkQueueRow& row = m_queues.row(qpn);
    const std::uint32_t wqe_index = WorkQueues::next_to_start(row);
    WorkRequest& work = m_queues.request(row, wqe_index);
    work.opcode = message.opcode;
    work.bytes = message.bytes;
    if (message.solicited) {
        work.flags |= WorkRequest::kSolicited;
    }
    --row.unstarted;
    ++m_begun;
    end(qpn, wqe_index, status, m_timeline.now());
}

void Pipeline::violated(Qpn qpn, AsyncEvent event) {
    state_tsock->violated(qpn, m_generation[index_of(qpn)], event);
}

}  // namespace cqsim::tb
