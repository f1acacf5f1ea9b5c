// SPDX-License-Identifier: Apache-2.0
// Where receive requests come from, and how slots come back.
#include "models/qp/qp_capability.h"
#include "tb/pipeline/pipeline.h"

namespace cqsim::tb {

void Pipeline::fill(Qpn qpn) {
    while (has_queue(m_queues.row(qpn).type(), m_config.queue) && !m_shared.has(qpn) &&
           m_queues.row(qpn).is(WorkQueueRow::kAccepts) && !m_queues.full(qpn)) {
        accept(qpn, WorkRequest{}, m_timeline.now());
    }
}

/// A message takes the oldest free receive request (S2.11).
std::uint32_t Pipeline::begin_message(Qpn qpn, const StreamConfig& config) {
    if (m_shared.has(qpn)) {
        take_shared(qpn);
    }
    WorkQueueRow& row = m_queues.row(qpn);
    const std::uint32_t wqe_index = WorkQueues::next_to_start(row);
    WorkRequest& work = m_queues.request(row, wqe_index);
    work.opcode = config.opcode;
    work.bytes = config.bytes;
    if (config.solicited_every != 0 && (wqe_index + 1) % config.solicited_every == 0) {
        work.flags |= WorkRequest::kSolicited;
    }
    --row.unstarted;
    ++m_begun;
    return wqe_index;
}

void Pipeline::polled(Qpn qpn, std::uint32_t wqe_index, std::uint64_t wr_id) {
    if (wr_id != wr_id_at(qpn, wqe_index, m_generation[index_of(qpn)])) {
        return;  // S7.1: it was in the ring when its QP's life ended
    }
    if (m_shared.has(qpn)) {
        give_back(m_shared.number_of(qpn), wqe_index);
        return;
    }
    if (m_credits.on()) {
        return_credits(qpn, wqe_index);
    }
    const std::uint32_t freed = m_queues.release_through(qpn, wqe_index);
    const WorkQueueRow& row = m_queues.row(qpn);
    if (freed == 0 || !row.is(WorkQueueRow::kRuns)) {
        return;
    }
    if (!sends()) {
        for (std::uint32_t i = 0; i < freed; ++i) {
            accept(qpn, WorkRequest{}, m_timeline.now());
        }
    }
    unpark_streams(qpn);
}

}  // namespace cqsim::tb
