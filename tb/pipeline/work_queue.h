// SPDX-License-Identifier: Apache-2.0
/// \file
/// Work queues: what is posted, what has ended, what is reported (D3). No SystemC.
#pragma once

#include "models/protocol/completion.h"
#include "models/rows/rows.h"

#include <cstdint>
#include <vector>

namespace cqsim::tb {

/// One posted request. 32 bytes.
struct WorkRequest {
    std::uint64_t serial = 0;
    TimePs posted{};
    TimePs ended{};  ///< when the pipeline ended it
    std::uint32_t bytes = 0;
    WrOpcode opcode{};
    std::uint8_t flags = 0;
    WcStatus status{};
    std::uint8_t unused = 0;

    static constexpr std::uint8_t kSignaled = 1;
    static constexpr std::uint8_t kSolicited = 2;
    static constexpr std::uint8_t kEnded = 4;
    static constexpr std::uint8_t kDue = 8;  ///< would end, but an older request has not
};
static_assert(sizeof(WorkRequest) == 32);

/// One work queue of one QP. 16 bytes. Free-running wqe_index of the next post, and how many
/// requests lie behind it in each stage: unfreed >= unreported >= unstarted.
struct WorkQueueRow {
    std::uint32_t posted = 0;
    std::uint16_t unstarted = 0;   ///< receive: no message has come for it; send: posted in SQD
    std::uint16_t unreported = 0;  ///< its completion has not been offered and taken
    std::uint16_t unfreed = 0;     ///< its slot is not free again (K26)
    std::uint8_t shape = 0;        ///< log_depth() below, type() above
    std::uint8_t flags = 0;
    std::uint32_t ring = 0;  ///< first request in the pool, in units of kRingUnit

    static constexpr std::uint8_t kFlushes = 1;    ///< all that is here ends WR_FLUSH_ERR (S2.18)
    static constexpr std::uint8_t kListed = 2;     ///< in a list of queues with something to offer
    static constexpr std::uint8_t kAccepts = 4;    ///< may be posted to (S2.24)
    static constexpr std::uint8_t kWaits = 8;      ///< for a credit of the arbiter
    static constexpr std::uint8_t kOddDepth = 16;  ///< the depth is no power of two
    static constexpr std::uint8_t kBehind = 32;    ///< a request ended and was not taken at once
    static constexpr std::uint8_t kRuns = 64;      ///< what is posted starts; messages come
    static constexpr std::uint8_t kOvertaken = 128;  ///< once a request was due before an older one
    /// What the QP's state makes of the queue: three bits of `flags`.
    static constexpr std::uint8_t kMode = kFlushes | kAccepts | kRuns;

    bool is(std::uint8_t flag) const { return (flags & flag) != 0; }
    /// Of its room in the pool: 1 .. 15; 0: there is no queue.
    unsigned log_depth() const { return shape & 0xFU; }
    bool created() const { return log_depth() != 0; }
    QpType type() const { return static_cast<QpType>(shape >> 4U); }
};

/// The work queues of one kind (send or receive) of all QPs.
class WorkQueues {
  public:
    explicit WorkQueues(Rows<WorkQueueRow> rows)
        : m_rows(std::move(rows)) {}

    /// Gives the QP's queue room for `depth` requests, 1 .. 32768; rounded up to a power of two
    /// inside, `depth` counts. It accepts nothing yet. A queue of a destroyed QP gives its room to
    /// the next one of its size under the same number.
    void create(Qpn qpn, std::uint32_t depth, QpType type = QpType::Rc);
    /// A new life: empty, the next wqe_index is 0, accepts nothing.
    void renew(Qpn qpn);

    WorkQueueRow& row(Qpn qpn) { return m_rows[index_of(qpn)]; }
    const WorkQueueRow& row(Qpn qpn) const { return m_rows[index_of(qpn)]; }
    std::uint32_t size() const { return m_rows.size(); }

    bool full(Qpn qpn) const {
        const WorkQueueRow& queue = row(qpn);
        return (queue.flags & WorkQueueRow::kOddDepth) == 0
                   ? (queue.unfreed >> queue.log_depth()) != 0
                   : queue.unfreed >= m_odd_depth[index_of(qpn)];
    }

    /// The request of that free-running index, which must be unfreed.
    WorkRequest& request(const WorkQueueRow& row, std::uint32_t wqe_index) {
        const std::uint32_t mask = (1U << row.log_depth()) - 1;
        return pool()[std::size_t{row.ring} * kRingUnit + (wqe_index & mask)];
    }
    const WorkRequest& request(const WorkQueueRow& row, std::uint32_t wqe_index) const {
        const std::uint32_t mask = (1U << row.log_depth()) - 1;
        return pool()[std::size_t{row.ring} * kRingUnit + (wqe_index & mask)];
    }
    /// Index of the oldest request whose completion has not been taken.
    static std::uint32_t next_to_report(const WorkQueueRow& row) {
        return row.posted - row.unreported;
    }
    /// Index of the oldest receive for which no message has come.
    static std::uint32_t next_to_start(const WorkQueueRow& row) {
        return row.posted - row.unstarted;
    }

    /// Accepts a request; the queue must not be full. \returns its wqe_index.
    std::uint32_t post(Qpn qpn, const WorkRequest& posted);

    /// S2.4, S2.5: a polled completion frees its request and every earlier one of this queue.
    /// \returns how many slots became free.
    std::uint32_t release_through(Qpn qpn, std::uint32_t wqe_index);

    [[gnu::always_inline]] void prefetch(Qpn qpn) const { m_rows.prefetch(index_of(qpn)); }
    /// The request that is `back` before the next post.
    [[gnu::always_inline]] void prefetch_request(const WorkQueueRow& row,
                                                 std::uint32_t back) const {
        const std::uint32_t mask = (1U << row.log_depth()) - 1;
        __builtin_prefetch(
            &pool()[std::size_t{row.ring} * kRingUnit + ((row.posted - back) & mask)], 1);
    }

  private:
    static constexpr std::size_t kRingUnit = 2;  ///< requests: one cache line

    WorkRequest* pool() const { return reinterpret_cast<WorkRequest*>(m_pool.data()); }
    void make_room(std::size_t requests);

    Rows<WorkQueueRow> m_rows;
    std::vector<std::uint16_t> m_odd_depth;  ///< by QP; empty while every depth is a power of two
    HugeArray m_pool;
    std::size_t m_used = 0;  ///< requests of the pool that are given to a queue
};

/// What the test software writes into wr_id: tells queue, QP and request apart at a glance, and the
/// life of the QP number, modulo 16: the first one is 0.
constexpr std::uint64_t wr_id_of(Qpn qpn,
                                 QueueKind queue,
                                 std::uint32_t wqe_index,
                                 std::uint16_t generation) {
    const std::uint64_t life = (generation - 1U) & 0xFU;
    return (std::uint64_t{index_of(queue)} << 60U) | (life << 56U) |
           (std::uint64_t{index_of(qpn)} << 32U) | wqe_index;
}

}  // namespace cqsim::tb
