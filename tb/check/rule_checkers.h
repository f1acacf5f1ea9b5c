// SPDX-License-Identifier: Apache-2.0
/// \file
/// All rule checkers of a run as one subscriber: live on the stream of records, or offline from
/// events.jsonl, with the same verdict (design P3).
#pragma once

#include "models/observe/record.h"
#include "tb/check/content_checker.h"
#include "tb/check/credit_checker.h"
#include "tb/check/drain_checker.h"
#include "tb/check/eq_checker.h"
#include "tb/check/error_checker.h"
#include "tb/check/event_checker.h"
#include "tb/check/event_entry.h"
#include "tb/check/fault_order.h"
#include "tb/check/flush_order.h"
#include "tb/check/life_checker.h"
#include "tb/check/queue_checker.h"
#include "tb/check/ring_checker.h"
#include "tb/check/rules.h"
#include "tb/check/settings.h"
#include "tb/check/srq_checker.h"
#include "tb/check/type_checker.h"
#include "tb/check/wire_checker.h"

#include <variant>
#include <vector>

namespace cqsim::tb::check {

/// Written from the semantics sheet and the documentation of the records; knows nothing else of
/// the model. Cost: see tb/bench/check_bench.cpp.
class RuleCheckers final : public RecordSubscriber {
  public:
    /// \throws std::invalid_argument for a device that the checkers do not know.
    explicit RuleCheckers(const Settings& settings);
    RuleCheckers(const RuleCheckers&) = delete;
    RuleCheckers& operator=(const RuleCheckers&) = delete;

    /// The kinds of records that the checkers take.
    static KindMask kinds();
    /// Those of them that the checkers need: without one of these they report nonsense.
    static KindMask needed_kinds();

    void observe(const RecordBatch& batch) override;

    /// Ends the run: what only the end can tell. Call it once, after the last record.
    void finish();

    /// Every rule, in the order of the sheet, with how often it was checked and failed.
    std::vector<RuleCount> rules() const { return m_findings.rules(); }
    /// The first failures, at most Findings::kKept.
    const std::vector<Failure>& failures() const { return m_findings.failures(); }
    /// How many failures there were, kept or not.
    std::uint64_t failed() const { return m_findings.failed(); }
    /// How the requests of all send or all receive queues ended (D4).
    const Ends& ends(QueueKind queue) const { return m_queues.ends(queue); }

  private:
    /// Records on the way from the taps to the slots.
    struct Passage {
        static constexpr std::uint64_t kMix = 0x9e37'79b9'7f4a'7c15U;
        std::uint64_t count = 0;
        std::uint64_t which = 0;  ///< a digest of who passed, in any order
        void add(const Record& record) {
            ++count;
            const std::uint64_t where =
                std::uint64_t{index_of(record.cqn)} << 32 | index_of(record.qpn);
            which += (record.serial * 2 + index_of(record.queue)) * kMix ^ where * kMix;
        }
    };

    void check(const Record& record);
    void check_rare(const Record& record);
    void check_event(const Record& record);
    void check_life(const Record& record);
    void create(const Record& record);
    void check_async(const Record& record);
    /// Whether a ring write that failed may have been this QP's; then it was no other's.
    bool failed_write_of(Qpn qpn);
    void check_refused_command(const Record& record);
    void check_refusal(const Record& record);
    void check_entry(const Record& record);
    void check_entry(const Record& record, const Entry& entry);
    void check_visible(const Record& record, const Entry& entry);
    void check_event_entry(const Record& record, const EventEntry& entry);
    /// An entry became visible: those that were held until it was.
    void check_held(const Record& visible);
    /// The record of the second half of a wide slot, as one of the slot.
    static Record at_slot(const Record& record);
    void prefetch_rows(const Record& record);
    void prefetch_details(const Record& record);
    void no_queue(const Record& record);
    void no_bytes(const Record& record);
    void end(const Record& record);
    void check_passages(const Record& end);

    /// Relaxed memory: visible, and one before it in its ring is not (D2).
    struct Held {
        Record record;
        std::variant<Entry, EventEntry> entry;
    };

    Findings m_findings;
    RingChecker m_rings;
    ContentChecker m_content;
    ErrorChecker m_errors;
    QueueChecker m_queues;
    SrqChecker m_srqs;
    CreditChecker m_credits;
    /// In error for a ring write that failed, and no QP is known yet whose write that was.
    std::vector<Cqn> m_failed_write;
    FlushOrderChecker m_flush_order;
    DrainChecker m_drains;
    LifeChecker m_lives;
    TypeChecker m_types;
    EqChecker m_eqs;
    EventChecker m_events;
    FaultOrder m_faults;
    WireChecker m_wire;
    std::vector<Held> m_held;
    Passage m_requests;
    Passage m_grants;
    Passage m_decisions;
    std::uint64_t m_now_ps = 0;
    bool m_ended = false;
    bool m_idle = false;
};

}  // namespace cqsim::tb::check
