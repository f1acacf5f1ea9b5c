// SPDX-License-Identifier: Apache-2.0
// What comes from shared receive queues, and goes back there (S2.11, S2.26).
#include "tb/pipeline/pipeline.h"

namespace cqsim::tb {

Srqn Pipeline::create_srq(std::uint32_t depth, bool refilled) {
    const Srqn srqn = m_shared.add(depth, refilled);
    if (Record* record = open_shared(Kind::Create, srqn)) {
        record->index = depth;
    }
    return srqn;
}

void Pipeline::create_shared_queue(Qpn qpn, Srqn srqn, std::uint16_t generation, QpType type) {
    m_shared.attach(qpn, srqn);
    create_queue(qpn, m_shared.at(srqn).depth(), generation, type);  // it may hold them all
}

PostResult Pipeline::post_shared(Srqn srqn) {
    SharedReceiveQueue& srq = m_shared.at(srqn);
    if (srq.full()) {
        return PostResult::Full;
    }
    WorkRequest request;
    request.serial = ++m_serial;
    request.posted = m_timeline.now();
    const std::uint32_t slot = srq.post(request);
    if (Record* record = open_shared(Kind::Post, srqn)) {
        record->queue = QueueKind::Receive;
        record->index = slot;
        record->serial = request.serial;
        record->wr_id = wr_id_of(srqn, slot);
    }
    for (Stream& stream : m_streams) {
        if (m_shared.has(stream.config().first)) {
            unpark(stream);
        }
    }
    return PostResult::Done;
}

void Pipeline::fill_shared(Srqn srqn) {
    while (post_shared(srqn) == PostResult::Done) {
    }
}

void Pipeline::arm_limit(Srqn srqn, std::uint32_t limit) {
    m_shared.at(srqn).arm(limit);
    if (Record* record = open_shared(Kind::Modify, srqn)) {
        record->index = limit;
    }
}

/// A message comes for the QP: the next request of the SRQ is the QP's from now on.
void Pipeline::take_shared(Qpn qpn) {
    const Srqn srqn = m_shared.number_of(qpn);
    SharedReceiveQueue& srq = m_shared.at(srqn);
    WorkQueueRow& row = m_queues.row(qpn);
    const std::uint32_t slot = srq.take();
    row.unfreed = row.unreported;  // software gives slots back to the SRQ, not to this ring
    const WorkRequest& request = srq.request(slot);
    const std::uint32_t wqe_index = m_queues.post(qpn, request);
    m_shared.note_slot(qpn, wqe_index, slot);
    ++m_posted;
    if (m_records.wants(Kind::Post)) {
        observe_post(qpn, request, wqe_index, m_timeline.now());
    }
    if (srq.passes_limit()) {
        state_tsock->srq_limit_reached(srqn);
    }
}

/// Software has seen the end of the request in this slot, whoever had taken it.
void Pipeline::give_back(Srqn srqn, std::uint32_t slot) {
    SharedReceiveQueue& srq = m_shared.at(srqn);
    if (srq.give_back(slot) && srq.refilled()) {
        post_shared(srqn);
    }
}

/// No entry tells of the request: cancelled, it comes back with its QP's life (S7.3); lost, its
/// state is not known, and it stays away (S5.3f).
void Pipeline::settle_shared(const CompletionAnswer& answer) {
    const Srqn srqn = m_shared.number_of(answer.qpn);
    if (answer.outcome == Outcome::Cancelled) {
        give_back(srqn, answer.wqe_index);
    } else if (answer.outcome == Outcome::Lost) {
        m_shared.at(srqn).lose(answer.wqe_index);
    }
}

void Pipeline::unowned(Qpn qpn, std::uint32_t wqe_index) {
    if (m_shared.has(qpn)) {
        give_back(m_shared.number_of(qpn), wqe_index);
    }
}

/// S2.26: in ERR the QP takes no more. All that it has taken has ended, and is accepted?
void Pipeline::check_last_wqe(Qpn qpn) {
    const WorkQueueRow& row = m_queues.row(qpn);
    if (m_shared.has(qpn) && row.is(WorkQueueRow::kFlushes) && row.unreported == 0) {
        state_tsock->last_wqe_ended(qpn, m_generation[index_of(qpn)]);
    }
}

Record* Pipeline::open_shared(Kind kind, Srqn srqn) {
    Record* record = m_records.open(kind, m_source, m_timeline.now());
    if (record != nullptr) {
        record->flags = kShared;
        record->unit = static_cast<std::uint16_t>(srqn);
    }
    return record;
}

}  // namespace cqsim::tb
