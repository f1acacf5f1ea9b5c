// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a run amounted to, counted from its records.
#pragma once

#include "models/observe/record.h"
#include "tb/check/rows.h"
#include "tb/report/histogram.h"
#include "tb/scenario/scenario.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
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
        mask_of(Kind::QpState) | mask_of(Kind::Create) | mask_of(Kind::Destroy) |
        mask_of(Kind::UndefinedRead);

    /// One CQ, on a cache line.
    struct alignas(64) Cq {
        std::uint64_t written;
        std::uint64_t polled;
        std::uint64_t dropped;
        std::uint64_t first_slot;  ///< in the table of times
        std::uint32_t overruns;
        std::uint32_t depth;
        std::uint32_t visible;  ///< producer index that software can see
        std::uint32_t consumer;
        std::uint32_t read;  ///< where software goes on reading
        std::uint32_t peak;
        std::uint32_t next_slot;  ///< of the next entry that is granted one
        std::uint16_t times;      ///< which pair of histograms
        std::uint8_t flags;

        static constexpr std::uint8_t kError = 1;
        static constexpr std::uint8_t kCollapsed = 2;    ///< S3.16
        static constexpr std::uint8_t kReplaced = 4;     ///< it had another ring once
        static constexpr std::uint8_t kOverwrites = 16;  ///< K12
        static constexpr std::uint8_t kMarked = 8;       ///< S4.7: a marker is to be stepped over
    };
    static_assert(sizeof(Cq) == 64);
    /// A ring of a CQ whose ring was replaced.
    struct Ring {
        std::uint64_t address;
        std::uint64_t end;
        std::uint64_t first_slot;  ///< in the table of times
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
    /// Entries that software gave back without having polled them (S7.7).
    std::uint64_t swept(Cqn cqn) const { return counted(m_swept, cqn); }
    /// Entries that others overwrote before software polled them (K12).
    std::uint64_t overwritten(Cqn cqn) const { return counted(m_overwritten, cqn); }
    /// Entries that it holds (K01).
    std::uint32_t capacity(Cqn cqn) const { return m_cqs[index_of(cqn)].depth - m_spare; }
    const Times& times(std::uint32_t which) const { return m_times[which]; }
    bool singly() const { return m_singly; }
    const QpGroupCounts& group(std::size_t index) const { return m_groups[index]; }
    const Arbiter& arbiter() const { return m_arbiter; }
    /// Jain's index over the grants of the QPs that had any: 1 is even, 1/n is one QP alone.
    double jain_fairness() const;
    const Storm& storm() const { return m_storm; }
    /// Uses of fields that are not defined (S1.2).
    std::uint64_t undefined_reads() const { return m_undefined_reads; }
    std::uint64_t async(AsyncEvent event) const { return m_async[static_cast<std::size_t>(event)]; }

  private:
    /// One work queue: which requests are accounted for.
    struct Queue {
        std::uint32_t next;         ///< first request that no answer of a reported one has passed
        std::uint32_t first_flush;  ///< valid when `flags` say that it flushes
        std::uint32_t posted;       ///< in this life of the QP's number
    };

    /// One QP, two on a cache line.
    struct alignas(32) Qp {
        std::array<Queue, 2> queue;
        std::uint32_t grants;
        std::array<std::uint8_t, 2> flags;  ///< by QueueKind
        std::uint16_t generation;           ///< of its life; 0: nothing was posted in it
    };
    static constexpr std::uint8_t kFlushes = 1;
    static constexpr std::uint8_t kFlushed = 4;  ///< it flushed once, and runs again
    static constexpr std::uint8_t kWaits = 2;  ///< suppressed requests wait for one to retire them

    /// Requests first .. end-1.
    struct Range {
        std::uint32_t first;
        std::uint32_t end;
    };
    using Waiting = std::vector<Range>;

    /// QPs with numbers below `end`, and not below that of the group before.
    struct Members {
        std::uint32_t end;
        std::uint32_t group;
    };

    void take(const Record& record);
    /// How many suppressed requests before `index` the answer retires; they wait no longer.
    static std::uint64_t retire(Waiting& waiting, std::uint32_t index);
    /// Takes a request out of those that wait. \returns false if it is not among them.
    static bool take_out(Waiting& waiting, std::uint32_t index);
    void create(const Record& record);
    void post(const Record& record);
    void destroy(const Record& record);
    void complete(const Record& record);
    void flush_over(const Record& record);
    void storm_begins(std::uint64_t now_ps);
    /// Whether the request ended in a flush.
    bool was_flushed(const Record& record);
    void outcome(const Record& record);
    void late_outcome(const Record& record);
    void shared_outcome(const Record& record);
    void visible(const Record& record);
    void poll(const Record& record);
    void consumer(const Record& record);
    [[gnu::always_inline]] inline void fetch_row(const Record& record) const;
    [[gnu::always_inline]] inline void fetch_time(const Record& record) const;

    QpGroupCounts& group_of(Qpn qpn) {
        const std::uint32_t number = index_of(qpn);
        if (m_members.size() == 1) {
            return m_groups[m_members.front().group];
        }
        return m_groups[std::upper_bound(m_members.begin(),
                                         m_members.end(),
                                         number,
                                         [](std::uint32_t wanted, const Members& members) {
                                             return wanted < members.end;
                                         })
                            ->group];
    }
    static std::uint64_t queue_key(const Record& record) {
        return std::uint64_t{index_of(record.qpn)} * 2 + index_of(record.queue);
    }
    /// Of the entry that the record is about.
    std::uint64_t& slot_time(const Cq& cq, const Record& record) {
        return m_slot_times[((cq.flags & Cq::kReplaced) == 0 ? cq.first_slot
                                                             : first_slot_at(record)) +
                            record.index];
    }
    std::uint64_t first_slot_at(const Record& record) const;
    std::uint64_t take_times(std::uint32_t slots);
    using Counts = std::unordered_map<std::uint32_t, std::uint64_t>;
    static std::uint64_t counted(const Counts& counts, Cqn cqn) {
        const auto found = counts.find(index_of(cqn));
        return found == counts.end() ? 0 : found->second;
    }
    void resize(const Record& record);

    std::uint32_t m_index_mask;
    bool m_singly;
    bool m_by_index;        ///< slots follow from indices (K02)
    std::uint32_t m_spare;  ///< slots of a full ring without an entry (K01)
    bool m_far;             ///< more rows than caches hold: fetch ahead
    check::Rows<Cq> m_cqs;
    std::vector<Times> m_times;
    check::Rows<std::uint64_t> m_slot_times;  ///< completed, then visible, of the entry in a slot
    std::uint64_t m_times_used = 0;           ///< of that table; rings that were left keep theirs
    check::Rows<Qp> m_qps;
    std::uint32_t m_qp_count;
    std::vector<Members> m_members;  ///< in order of their numbers
    std::vector<QpGroupCounts> m_groups;
    std::unordered_map<std::uint32_t, std::vector<Ring>> m_rings;  ///< by CQ, oldest first
    std::unordered_map<std::uint64_t, Waiting> m_waiting;          ///< by queue; not iterated
    std::unordered_map<std::uint64_t, Waiting> m_flushed;          ///< by queue; not iterated
    std::unordered_set<std::uint64_t> m_flushed_shared;            ///< serials; not iterated
    Counts m_swept;                                                ///< by CQ; not iterated
    Counts m_overwritten;                                          ///< likewise
    Arbiter m_arbiter;
    Storm m_storm;
    std::array<std::uint64_t, kAsyncEvents> m_async{};
    std::uint64_t m_undefined_reads = 0;
};

}  // namespace cqsim::tb
