// SPDX-License-Identifier: Apache-2.0
#include "tb/pipeline/work_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cqsim::tb {

void WorkQueues::create(Qpn qpn, std::uint32_t depth, QpType type) {
    WorkQueueRow& created = row(qpn);
    unsigned log_depth = 1;
    while ((1U << log_depth) < depth) {
        ++log_depth;
    }
    if (created.log_depth() != log_depth) {
        const std::size_t room = std::size_t{1} << log_depth;
        make_room(room);
        created.ring = static_cast<std::uint32_t>(m_used / kRingUnit);
        m_used += room;
    }
    created.shape = static_cast<std::uint8_t>(log_depth | static_cast<unsigned>(type) << 4U);
    created.flags = static_cast<std::uint8_t>(created.flags & ~WorkQueueRow::kOddDepth);
    if ((1U << log_depth) != depth) {
        m_odd_depth.resize(m_rows.size());
        m_odd_depth[index_of(qpn)] = static_cast<std::uint16_t>(depth);
        created.flags |= WorkQueueRow::kOddDepth;
    }
    renew(qpn);
}

void WorkQueues::renew(Qpn qpn) {
    WorkQueueRow& queue = row(qpn);
    queue.posted = 0;
    queue.unstarted = 0;
    queue.unreported = 0;
    queue.unfreed = 0;
    // A credit that an earlier life was promised still comes.
    queue.flags &= WorkQueueRow::kOddDepth | WorkQueueRow::kWaits;
}

/// Doubles the pool until so many more requests fit.
void WorkQueues::make_room(std::size_t requests) {
    const std::size_t needed = (m_used + requests) * sizeof(WorkRequest);
    if (needed <= m_pool.size()) {
        return;
    }
    HugeArray larger(std::max(needed, m_pool.size() * 2));
    if (m_used != 0) {
        std::memcpy(larger.data(), m_pool.data(), m_used * sizeof(WorkRequest));
    }
    m_pool = std::move(larger);
}

std::uint32_t WorkQueues::post(Qpn qpn, const WorkRequest& posted) {
    WorkQueueRow& queue = row(qpn);
    const std::uint32_t wqe_index = queue.posted;
    request(queue, wqe_index) = posted;
    ++queue.posted;
    ++queue.unstarted;
    ++queue.unreported;
    ++queue.unfreed;
    return wqe_index;
}

std::uint32_t WorkQueues::release_through(Qpn qpn, std::uint32_t wqe_index) {
    WorkQueueRow& queue = row(qpn);
    const std::uint32_t first = queue.posted - queue.unfreed;
    const std::uint32_t count = wqe_index + 1 - first;
    if (count > queue.unfreed) {
        return 0;  // freed before: a repeated completion frees nothing
    }
    queue.unfreed = static_cast<std::uint16_t>(queue.unfreed - count);
    return count;
}

}  // namespace cqsim::tb
