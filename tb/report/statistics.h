// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a run amounted to, counted from its records.
#pragma once

#include "models/observe/record.h"
#include "tb/report/histogram.h"
#include "tb/scenario/scenario.h"

#include <array>
#include <vector>

namespace cqsim::tb {

/// Counts per CQ, per QP group and for the arbiter. `report` is complete to visible, `pickup` is
/// visible to polled. Above kSingly CQs times are kept per group.
class Statistics final : public RecordSubscriber {
  public:
    static constexpr std::uint32_t kSingly = 1024;
    static constexpr KindMask kKinds =
        mask_of(Kind::Post) | mask_of(Kind::Complete) | mask_of(Kind::Outcome) |
        mask_of(Kind::Grant) | mask_of(Kind::Slot) | mask_of(Kind::Overrun) |
        mask_of(Kind::CqeVisible) | mask_of(Kind::Poll) | mask_of(Kind::Ci) | mask_of(Kind::Async) |
        mask_of(Kind::QpState) | mask_of(Kind::Create) | mask_of(Kind::Destroy);

    struct alignas(64) Cq {
        std::uint64_t written = 0;
        std::uint64_t polled = 0;
        std::uint64_t dropped = 0;
        std::uint64_t overruns = 0;
        std::uint64_t first_slot = 0;  ///< in the table of times
        std::uint32_t depth = 0;
        std::uint32_t visible = 0;  ///< producer index that software can see
        std::uint32_t consumer = 0;
        std::uint32_t peak = 0;
        std::uint32_t times = 0;  ///< which pair of histograms
        bool error = false;
    };
    struct Times {
        Histogram report;
        Histogram pickup;
    };
    struct QpGroupCounts {
        std::uint64_t posted = 0;
        std::uint64_t completed = 0;
        std::uint64_t unsignaled_retired = 0;
        std::uint64_t flushed = 0;
        std::uint64_t lost = 0;
        std::uint64_t discarded = 0;
        std::array<std::uint64_t, 7> state{};  ///< by QpState
        Histogram report;

        std::uint64_t outstanding() const {
            return posted - completed - unsignaled_retired - flushed - lost - discarded;
        }
    };
    struct Arbiter {
        std::uint64_t grants = 0;
        std::uint64_t max_wait_ps = 0;
    };
    struct Storm {
        std::uint64_t first_error_ps = 0;
        std::uint64_t last_flush_ps = 0;
        std::uint64_t flush_cqes = 0;
        bool seen = false;
    };

    explicit Statistics(const Scenario& scenario);

    void observe(const RecordBatch& batch) override;

    const Cq& cq(Cqn cqn) const { return m_cqs[index_of(cqn)]; }
    const Times& times(std::uint32_t which) const { return m_times[which]; }
    bool singly() const { return m_singly; }
    const QpGroupCounts& group(std::size_t index) const { return m_groups[index]; }
    const Arbiter& arbiter() const { return m_arbiter; }
    /// Jain's index over the grants of the QPs that had any: 1 is even, 1/n is one QP alone.
    double jain_fairness() const;
    const Storm& storm() const { return m_storm; }
    std::uint64_t async(AsyncEvent event) const { return m_async[static_cast<std::size_t>(event)]; }

  private:
    /// One work queue: which requests are accounted for.
    struct Queue {
        std::uint32_t next = 0;         ///< first request that no reported completion has passed
        std::uint32_t waiting = 0;      ///< suppressed ones before it, not retired yet
        std::uint32_t first_flush = 0;  ///< valid when `flushes`
        std::uint32_t flushes = 0;
        std::uint32_t posted = 0;      ///< in this life of the QP's number
        std::uint16_t generation = 0;  ///< of the life; 0: nothing was posted in it
    };

    /// One QP, on a cache line.
    struct alignas(64) Qp {
        std::array<Queue, 2> queue{};
        std::uint32_t grants = 0;
        std::uint32_t group = 0;
    };

    void take(const Record& record);
    void create(const Record& record);
    void post(const Record& record);
    void destroy(const Record& record);
    void complete(const Record& record);
    void outcome(const Record& record);
    void late_outcome(const Record& record);
    void visible(const Record& record);
    void poll(const Record& record);
    [[gnu::always_inline]] inline void fetch_rows(const Record& record) const;
    [[gnu::always_inline]] inline void fetch_time(const Record& record) const;

    QpGroupCounts& group_of(Qpn qpn) { return m_groups[m_qps[index_of(qpn)].group]; }
    Queue& queue_of(const Record& record) {
        return m_qps[index_of(record.qpn)].queue[index_of(record.queue)];
    }
    std::uint64_t& slot_time(const Cq& cq, std::uint32_t slot) {
        return m_slot_times[cq.first_slot + slot];
    }

    std::uint32_t m_index_mask;
    bool m_singly;
    std::vector<Cq> m_cqs;
    std::vector<Times> m_times;
    std::vector<std::uint64_t> m_slot_times;  ///< completed, then visible, of the entry in a slot
    std::vector<Qp> m_qps;
    std::vector<QpGroupCounts> m_groups;
    Arbiter m_arbiter;
    Storm m_storm;
    std::array<std::uint64_t, 2> m_async{};
};

}  // namespace cqsim::tb
