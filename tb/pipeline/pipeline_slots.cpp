// SPDX-License-Identifier: Apache-2.0
// When slots of send queues come back (S2.5, K26), and when they never will (S2.6).
#include "tb/pipeline/pipeline.h"

#include <utility>

namespace cqsim::tb {

void Pipeline::use_credits(CqCredits credits) {
    m_credits = std::move(credits);
}

/// K26: of a queue whose slots are free at the end of their requests.
void Pipeline::release_ended(Qpn qpn) {
    WorkQueueRow& row = m_queues.row(qpn);
    row.unfreed = row.unreported;
    if (row.is(WorkQueueRow::kRuns)) {
        unpark_streams(qpn);
    }
}

/// Software has read an entry: what its account of the CQ gets back lets any QP on it go on.
void Pipeline::return_credits(Qpn qpn, std::uint32_t wqe_index) {
    const WorkQueueRow& row = m_queues.row(qpn);
    const bool kept = row.posted - wqe_index <= (1U << row.log_depth());
    const bool failed =
        kept && m_queues.request(m_queues.row(qpn), wqe_index).status != WcStatus::Success;
    if (m_credits.polled(qpn, wqe_index, failed) != 0) {
        unpark_all();
    }
}

void Pipeline::unpark_all() {
    for (Stream& stream : m_streams) {
        unpark(stream);
    }
}

bool Pipeline::nothing_to_retire(Qpn qpn) const {
    const WorkQueueRow& row = m_queues.row(qpn);
    if (m_config.slot_release != SlotRelease::Poll || !m_queues.full(qpn) || row.unreported != 0) {
        return false;
    }
    for (std::uint32_t back = 1; back <= row.unfreed; ++back) {
        const WorkRequest& work = m_queues.request(row, row.posted - back);
        if ((work.flags & WorkRequest::kSignaled) != 0 || work.status != WcStatus::Success) {
            return false;
        }
    }
    return true;
}

/// Among those that wait for the same as this QP.
WaitingQps& Pipeline::group_of(ParkedStream& waiting, Qpn qpn) const {
    if (!sends() || m_queues.full(qpn)) {
        return sends() && nothing_to_retire(qpn) ? waiting.for_ever : waiting.for_slot;
    }
    return m_credits.on() && !m_credits.available(qpn) ? waiting.for_credit : waiting.for_slot;
}

std::vector<ParkedStream> Pipeline::parked() const {
    std::vector<ParkedStream> all;
    for (const Stream& stream : m_streams) {
        if (!stream.parked() || stream.done()) {
            continue;
        }
        ParkedStream waiting;
        waiting.first = stream.config().first;
        for (std::uint32_t ahead = 0; ahead < stream.config().qps; ++ahead) {
            // A QP that does not run waits for software's will alone.
            const Qpn qpn = stream.qp_ahead(ahead);
            if (stream.wanted(ahead) && m_queues.row(qpn).is(WorkQueueRow::kRuns)) {
                group_of(waiting, qpn).add(qpn);
            }
        }
        if (waiting.any()) {
            all.push_back(waiting);
        }
    }
    return all;
}

}  // namespace cqsim::tb
