// SPDX-License-Identifier: Apache-2.0
/// \file
/// The lives of QPs and CQs: states, what they allow, and what an end of a life asks for.
/// S1.18, S2.22 to S2.24, S4.11, S4.12, S7.2, S7.4.
#pragma once

#include "models/verbs/verbs.h"
#include "tb/check/queue_checker.h"
#include "tb/check/read_window.h"
#include "tb/check/rows.h"
#include "tb/check/rules.h"
#include "tb/check/settings.h"

namespace cqsim::tb::check {

/// Follows each QP's generation and state, and which CQs are in use. A life of a QP number goes
/// from its `create`, or the end of a reset, to the `destroy` that is done.
class LifeChecker {
  public:
    LifeChecker(const Settings& settings, const QueueChecker& queues, Findings& findings)
        : m_resets_from_any(settings.reset_from == "any"),
          m_queues(queues),
          m_findings(findings) {}

    void on_create(const Record& record);
    void on_post(const Record& record) {
        const Row* row = row_at(record.qpn);
        if (row == nullptr) {
            return;
        }
        if ((row->flags & kStateKnown) != 0) {
            check_post_state(record, *row);
        }
        if ((row->flags & kHot) != 0 || row->generation != record.generation) {
            post_of_life(record);
        }
        if ((row->flags & kSlowState) != 0) {
            wait_for_rts(record);
        }
    }
    void on_complete(const Record& record) {
        const Row* row = row_at(record.qpn);
        if (row != nullptr && (row->flags & kSlowState) != 0) {
            complete_in_state(record, *row);
        }
    }
    void on_slot(const Record& record, const ReadWindow& grants) {
        const Row* row = row_at(record.qpn);
        if (row != nullptr && (row->generation != record.generation || (row->flags & kOld) != 0)) {
            slot_of_life(record, *row, grants);
        }
        if (m_gone_cqs != 0) {
            check_cq(record, "is given a slot");
        }
    }
    /// Once an end is acknowledged, nothing of that life is on its way to memory (D3).
    void on_visible(const Record& record) {
        if (m_ended) {
            visible_of_life(record);
        }
    }
    void on_flush(const Record& record);
    void on_modify(const Record& record);
    void on_qp_state(const Record& record);
    /// An asynchronous event of a QP or of a CQ was raised.
    void on_async(const Record& record);
    /// A command on a QP or on a CQ was refused.
    void on_resize(const Record& record) {
        if (CqRow* cq = cq_at(index_of(record.cqn)); cq != nullptr) {
            cq->flags |= CqRow::kResized;
        }
    }
    void on_refused(const Record& record);
    /// Time goes on: what was asked for and answered ok has happened by now.
    void on_time() {
        if (!m_asked.empty()) {
            fail_asked();
        }
    }
    /// What a destroy of a QP ends: nothing yet, a life, or the QP.
    enum class End : std::uint8_t { Nothing, Life, Qp };
    End on_destroy_qp(const Record& record, const ReadWindow& grants);
    void on_destroy_cq(const Record& record);
    /// `idle`: the run ended with nothing in flight.
    void finish(std::uint64_t time_ps, bool idle);

    /// Whether entries of this QP may be swept out of a ring: a life of it has ended, or ends, and
    /// the next one has posted nothing yet (S7.7).
    bool dead(Qpn qpn) const {
        const Row* row = row_at(qpn);
        return row != nullptr && (row->flags & (kDying | kGone | kFresh)) != 0;
    }
    /// Whether the end of the QP's life is under way or reported: its requests get answers.
    bool ends(Qpn qpn) const {
        const Row* row = row_at(qpn);
        return row != nullptr && (row->flags & (kResetting | kDying | kGone | kFresh)) != 0;
    }

    [[gnu::always_inline]] void prefetch_row(const Record& record) {
        if (index_of(record.qpn) < m_rows.size()) {
            prefetch(&m_rows[index_of(record.qpn)]);
        }
    }

  private:
    using Flag = std::uint16_t;
    static constexpr Flag kKnown = 1;
    static constexpr Flag kStateKnown = 2;
    static constexpr Flag kSlowState = 4;  ///< SQD or SQE
    static constexpr Flag kResetting = 8;  ///< a modify to RESET was accepted
    static constexpr Flag kDying = 16;     ///< the end has begun
    static constexpr Flag kGone = 32;      ///< destroyed
    static constexpr Flag kFresh = 64;     ///< reset, and the new generation is not known yet
    static constexpr Flag kOld = 128;      ///< it has had an end of a life, or has begun one
    static constexpr Flag kRc = 256;
    static constexpr Flag kDrained = 512;    ///< SQ_DRAINED was raised in this SQD
    static constexpr Flag kNotifies = 1024;  ///< software wants SQ_DRAINED, and has not got it
    static constexpr Flag kWaiting = 2048;   ///< a send was posted in this SQD
    static constexpr Flag kHot = kDying | kGone | kFresh;

    struct Row {
        std::uint16_t generation;
        std::uint16_t flags;
        std::uint8_t state;
        std::uint8_t reserved[3];
    };
    static_assert(sizeof(Row) == 8);
    /// Which CQs a QP reports to.
    struct Targets {
        std::uint32_t send_cq;
        std::uint32_t recv_cq;
    };
    /// A life whose end has begun, and how many grants there were then.
    struct Ending {
        Qpn qpn;
        std::uint64_t grants;
    };
    /// What a `modify` that was answered ok has still to do.
    struct Asked {
        std::uint64_t time_ps;
        Qpn qpn;
        QpState state;
        bool changes;  ///< the QP goes to `state`
        bool ends;     ///< the end of its life begins
    };
    struct CqRow {
        static constexpr std::uint32_t kExists = 1;
        static constexpr std::uint32_t kGone = 2;       ///< its destroy has begun
        static constexpr std::uint32_t kHasEvents = 4;  ///< it has an event queue
        static constexpr std::uint32_t kResized = 8;    ///< its ring was replaced
        std::uint32_t users;                            ///< work queues that report to it
        std::uint32_t flags;
    };

    static QpState state_of(std::uint64_t state) { return static_cast<QpState>(state); }
    Row* row_at(Qpn qpn) {
        const std::uint32_t index = index_of(qpn);
        return index < m_rows.size() && (m_rows[index].flags & kKnown) != 0 ? &m_rows[index]
                                                                            : nullptr;
    }
    const Row* row_at(Qpn qpn) const { return const_cast<LifeChecker*>(this)->row_at(qpn); }
    CqRow* cq_at(std::uint64_t cqn);
    void use_cqs(const Targets& targets, bool begins);
    void create_cq(const Record& record);
    void check_post_state(const Record& record, const Row& row);
    void post_of_life(const Record& record);
    void wait_for_rts(const Record& record);
    void happened(Qpn qpn, QpState state, bool end_begins);
    void fail_asked();
    void on_sq_drained(const Record& record);
    void complete_in_state(const Record& record, const Row& row);
    void slot_of_life(const Record& record, const Row& row, const ReadWindow& grants);
    void visible_of_life(const Record& record);
    bool was_granted_before(const Record& record, const ReadWindow& grants) const;
    void check_cq(const Record& record, const char* what);

    void check_reset(const Record& record, const Row& row);

    bool m_resets_from_any;  ///< K21
    const QueueChecker& m_queues;
    Findings& m_findings;
    Rows<Row> m_rows;
    Rows<Targets> m_targets;
    Rows<std::uint32_t> m_first_waiting;  ///< by QP: wqe_index, if kWaiting
    Rows<CqRow> m_cqs;
    std::vector<Ending> m_endings;
    std::vector<Asked> m_asked;  ///< at this time
    std::uint32_t m_gone_cqs = 0;
    bool m_ended = false;  ///< a life has ended: spares a look at the row when none has
};

}  // namespace cqsim::tb::check
