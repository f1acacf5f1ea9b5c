// SPDX-License-Identifier: Apache-2.0
/// \file
/// Each work queue's requests from post to end: order, what must be reported, one end for each.
/// S1.15, S2.1, S2.2, S2.4, S2.9, S2.10, S2.18, S2.19, S3.9, S3.10, S5.3f, D4.
#pragma once

#include "tb/check/content_checker.h"
#include "tb/check/error_checker.h"
#include "tb/check/rows.h"
#include "tb/check/rules.h"

#include <array>
#include <optional>

namespace cqsim::tb::check {

/// How many requests of a kind of queue ended in which way (D4).
struct Ends {
    std::uint64_t posted = 0;
    std::uint64_t reported = 0;    ///< granted, not flushed
    std::uint64_t flushed = 0;     ///< granted, with WR_FLUSH_ERR
    std::uint64_t suppressed = 0;  ///< for a later signaled one to retire
    std::uint64_t lost = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t discarded = 0;  ///< by a reset

    std::uint64_t open() const {
        return posted - reported - flushed - suppressed - lost - cancelled - discarded;
    }
};

/// Keeps the open requests of each work queue as a list in post order, with cursors for what comes
/// next: completion, suppression, slot, answer.
class QueueChecker {
  public:
    /// What `on_slot` says about the completion that a record names.
    struct Claim {
        std::uint32_t token;  ///< of its expected entry; 0 if that is not known
        bool repeated;        ///< the record says again what was said before
    };

    QueueChecker(ContentChecker& content, const ErrorChecker& errors, Findings& findings)
        : m_content(content),
          m_errors(errors),
          m_findings(findings) {}

    void on_create(const Record& record);
    void on_post(const Record& record);
    void on_complete(const Record& record);
    void on_suppress(const Record& record);
    /// `repeats`: the CQ's last slot had the same index.
    Claim on_slot(const Record& record, bool repeats);
    /// Whether the record is about an open completion, and no repetition.
    bool on_overrun(const Record& record);
    /// An answer. The CQ of the work queue if its pipeline learned of a failed write, else kNoCq.
    Cqn on_outcome(const Record& record);
    void on_flush(const Record& record);
    /// The QP went to RESET: what it had not completed is discarded (S7.3), unless the end of its
    /// life is recorded (`ends`): then each request gets an answer. To any other state but ERR and
    /// SQE: its queues run again.
    void on_qp_state(const Record& record, bool ends);
    /// A life of the QP is over: nothing of it may be open. `gone`: so is the QP.
    void on_life_end(const Record& record, bool gone);
    /// Whether all that completed in this queue got its answer.
    bool settled(Qpn qpn, QueueKind queue) const;
    /// wqe_index of the queue's oldest request that has not completed, if there is one.
    std::optional<std::uint32_t> next_to_complete(Qpn qpn, QueueKind queue) const;
    /// wqe_index of the queue's next post; 0 if nothing is known of it.
    std::uint32_t next_to_post(Qpn qpn, QueueKind queue) const;
    /// The queue's requests that have not completed.
    std::uint32_t open(Qpn qpn, QueueKind queue) const;
    void on_end(const Record& record);
    /// Whether all that completed got its answer.
    bool all_settled() const;
    /// At the end of a run with nothing left to do: a queue in error has nothing left to flush.
    void check_flushed(const Record& end);

    /// Whether a work queue of the QP reports to this CQ.
    bool reports_to(Qpn qpn, Cqn cqn) const {
        const std::size_t first = std::size_t{index_of(qpn)} * 2;
        return first + 1 < m_rows.size() && (m_rows[first].cq_and_flags & kCreated) != 0 &&
               (cq_of(m_rows[first]) == cqn || cq_of(m_rows[first + 1]) == cqn);
    }

    const Ends& ends(QueueKind queue) const { return m_ends[index_of(queue)]; }

    std::size_t rows() const { return m_rows.size(); }
    [[gnu::always_inline]] void prefetch_row(const Record& record) {
        const std::size_t index = row_index(record);
        if (index < m_rows.size()) {
            prefetch(&m_rows[index]);
        }
    }
    /// After the row is there: the request that the record is about.
    [[gnu::always_inline]] void prefetch_request(const Record& record) {
        const std::size_t index = row_index(record);
        if (index < m_rows.size()) {
            const Row& row = m_rows[index];
            prefetch(&m_requests[record.kind == Kind::Post ? row.tail : row.to_complete]);
        }
    }

  private:
    static constexpr std::uint32_t kCqnBits = kMaxIds - 1;
    /// Flags of a row, above its CQ number.
    static constexpr std::uint32_t kCreated = 1U << 24;
    static constexpr std::uint32_t kUnknown = 1U << 25;  ///< never created, and this was said
    static constexpr std::uint32_t kAllSignaled = 1U << 26;
    static constexpr std::uint32_t kFailed =
        1U << 27;  ///< the last request that ended failed or flushed
    static constexpr std::uint32_t kNextKnown = 1U << 28;      ///< next_index holds
    static constexpr std::uint32_t kIndexDoubtful = 1U << 29;  ///< of the last post
    static constexpr std::uint32_t kFlushing = 1U << 30;       ///< its flush has begun
    static constexpr std::uint32_t kFlushBegins = 1U << 31;    ///< and flushed none yet

    using Flag = std::uint8_t;
    static constexpr Flag kAskedFor = 1;  ///< posted signaled
    static constexpr Flag kCompleted = 2;
    static constexpr Flag kReported = 4;    ///< must be reported
    static constexpr Flag kSuppressed = 8;  ///< a tap held it back
    static constexpr Flag kSlotted = 16;
    static constexpr Flag kRefused = 32;
    static constexpr Flag kAnswered = 64;
    static constexpr Flag kDoubtful = 128;  ///< a fault was reported: no more about it

    struct Request {
        std::uint64_t serial;
        std::uint64_t wr_id;
        std::uint32_t next;
        std::uint32_t index;
        std::uint32_t token;  ///< of its expected entry, until it has a slot
        std::uint16_t generation;
        std::uint8_t flags;
        std::uint8_t detail;  ///< WrOpcode; after completion WcStatus; once refused LostCause
    };
    static_assert(sizeof(Request) == 32);

    struct alignas(32) Row {
        std::uint32_t head;  ///< oldest open request
        std::uint32_t tail;
        std::uint32_t to_complete;  ///< oldest that has not completed
        // The last one that ... ; 0: none before the head.
        std::uint32_t suppressed;
        std::uint32_t slotted;
        std::uint32_t answered;
        std::uint32_t next_index;
        std::uint32_t cq_and_flags;
    };
    static_assert(sizeof(Row) == 32);

    static std::size_t row_index(const Record& record) {
        return std::size_t{index_of(record.qpn)} * 2 + index_of(record.queue);
    }
    static Rule report_rule(QueueKind queue, std::uint8_t status);
    static Cqn cq_of(const Row& row) { return Cqn{row.cq_and_flags & kCqnBits}; }

    Row* row_of(const Record& record) {
        const std::size_t index = row_index(record);
        if (index < m_rows.size() && (m_rows[index].cq_and_flags & kCreated) != 0) {
            return &m_rows[index];
        }
        return unknown_qp(record);
    }
    /// The first request after `last` (0: from the head) that has completed and of which `flags`
    /// under `mask` are `wanted`; 0 if there is none.
    std::uint32_t next_after(const Row& row,
                             std::uint32_t last,
                             std::uint8_t mask,
                             std::uint8_t wanted) const {
        std::uint32_t at = last != 0 ? m_requests[last].next : row.head;
        while (at != 0 && at != row.to_complete && (m_requests[at].flags & mask) != wanted) {
            at = m_requests[at].next;
        }
        return at == row.to_complete ? 0 : at;
    }
    std::uint32_t find(const Row& row, std::uint64_t serial) const;
    std::uint32_t append(Row& row, const Record& record);
    /// The request is through; frees what is through at the head of the list.
    void answered(Row& row, std::uint32_t at);
    void complete(Row& row, std::uint32_t at, const Record& record);
    std::uint32_t reported_request(Row& row, const Record& record, bool repeats);
    std::uint32_t answered_request(Row& row, const Record& record);
    /// S2.19: what ends after a failure that stopped the queue is flushed.
    void check_after_failure(Row& row, const Record& record);
    void succeeds_in_error(const Record& record);
    /// Status and opcode of a completion.
    void check_status(Row& row, const Record& record, const Request& request);
    static bool same_request(const Request& request, const Record& record) {
        return request.index == record.index && request.wr_id == record.wr_id &&
               request.generation == record.generation;
    }
    void discard_posted(Row& row, QueueKind queue);
    std::uint32_t end_life(Row& row, QueueKind queue);

    // What runs when something is wrong.
    Row* unknown_qp(const Record& record);
    bool wrong_index(Row& row, const Record& record);
    std::uint32_t unexpected_completion(Row& row, const Record& record);
    void unannounced_flush(Row& row, const Record& record);
    void wrong_cq(const Row& row, const Record& record);
    void differs(const Record& record, Request& request, const char* what);
    void unexpected_suppress(Row& row, const Record& record);
    std::uint32_t unexpected_report(Row& row, const Record& record, bool repeats);
    std::uint32_t insert_unposted(Row& row, const Record& record);
    void mark_doubtful(std::uint32_t from, std::uint32_t to);
    void check_suppressed(const Record& record, Request& request);
    void check_granted(const Record& record, Request& request);
    void check_lost(const Record& record, Request& request);
    void causeless(const Record& record);
    void count_end(const Record& record, const Request& request);
    void unanswered(const Record& end);

    ContentChecker& m_content;
    const ErrorChecker& m_errors;
    Findings& m_findings;
    Rows<Row> m_rows;
    Pool<Request> m_requests;
    std::array<Ends, 2> m_ends{};
};

}  // namespace cqsim::tb::check
