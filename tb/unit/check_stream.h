// SPDX-License-Identifier: Apache-2.0
/// \file
/// A legal stream of records, made without the model: what tests doctor and benches feed.
#pragma once

#include "models/observe/record.h"
#include "models/verbs/cq.h"
#include "models/verbs/verbs.h"

#include <array>
#include <deque>
#include <functional>
#include <vector>

namespace cqsim::tb {

/// Plays a tiny NIC and its software by hand: posts, completions, slots, entries, polls, overruns.
/// QP q reports both its queues to CQ q mod `cqs`. serial and wr_id follow from queue and index.
class LegalStream {
  public:
    static constexpr std::uint64_t kStepPs = 10;  ///< from a happening to the next

    struct Options {
        std::uint32_t cqs = 1;
        std::uint32_t qps = 1;
        std::uint32_t depth = 8;
        std::uint32_t first_index = 0;
        std::uint32_t index_width = 32;
        std::uint16_t stride = 64;
        bool all_signaled = false;
        /// Entries that are written and not yet visible at any time.
        std::size_t in_flight = 0;
        /// Completion event queues, on vectors of their own; CQ c reports to c mod `eqs`. Behind
        /// them, if there are any, comes one for asynchronous events.
        std::uint16_t eqs = 0;
        std::uint32_t eq_depth = 4;
        QpType type = QpType::Rc;
        OwnerScheme owner = OwnerScheme::Parity;
        CqeFormat format = CqeFormat::Native;
        std::uint8_t flags = 0;     ///< of CQs: kIgnoreOverrun, kCollapsed
        std::uint32_t unused = 0;   ///< slots that a full ring leaves (K01)
        bool newest_first = false;  ///< of writes in flight, the last one is visible first
        /// Faults, for tests of the checkers.
        bool resumes_after_error = false;  ///< a CQ in error takes entries again when it has room
    };
    /// Gets each record; its bytes are valid during the call.
    using Sink = std::function<void(const Record&)>;

    LegalStream(const Options& options, Sink sink);

    void post(std::uint32_t qp, QueueKind queue, bool signaled, WrOpcode opcode = WrOpcode::Send);
    /// Completes the oldest posted request, with all that follows from it.
    void complete(std::uint32_t qp,
                  QueueKind queue,
                  WcStatus status = WcStatus::Success,
                  std::uint16_t wc_flags = 0);
    /// Completes it with a failure; the QP goes to ERR and is flushed.
    void fail(std::uint32_t qp, QueueKind queue, WcStatus status);
    /// The queue begins, or goes on, to flush: `count` of its requests, or all.
    void flush(std::uint32_t qp, QueueKind queue, std::uint32_t count = ~std::uint32_t{0});
    /// Makes everything visible that was written.
    void settle();
    /// Software polls up to `count` entries and publishes its consumer index.
    void poll(std::uint32_t cq, std::uint32_t count);
    void end(EndReason reason = EndReason::Idle);

    // Notification. Nothing of it follows by itself.
    void arm(std::uint32_t cq, ArmKind kind = ArmKind::Next);
    /// Arms with a consumer index `behind` entries before what software has read.
    void arm_behind(std::uint32_t cq, std::uint32_t behind);
    void refuse_arm(std::uint32_t cq);
    void moderate(std::uint32_t cq, std::uint32_t count, std::uint64_t period_ps);
    /// The CQ reports now, `entries` after the arm.
    void event(std::uint32_t cq, EventCause cause, std::uint32_t entries);
    /// The event's entry in the event queue.
    void tell(std::uint32_t cq);
    /// The entry of an asynchronous event of a CQ or of a QP.
    void tell_async(AsyncEvent event, Cqn cqn, Qpn qpn);
    /// DEVICE_FATAL of an event queue; kNoEqn: it does not say of which.
    void device_fatal(std::uint16_t eqn);
    void interrupt(std::uint16_t vector);
    /// Software has read all of an event queue but `unread` entries.
    void ack(std::uint16_t eqn, bool arms, std::uint32_t unread = 0);
    void wait(std::uint64_t ps) { m_now += ps; }

    // Lives.
    void modify(std::uint32_t qp, QpState state, std::uint8_t flags = 0);
    void state(std::uint32_t qp, QpState state);
    void raise(AsyncEvent event, std::uint32_t qp);
    void destroy_qp(std::uint32_t qp, DestroyPhase phase);
    /// Software is done with a drain (S7.6).
    void drained(std::uint32_t qp, CommandResult result = CommandResult::Ok);
    /// What is open is answered 'cancelled'.
    void cancel(std::uint32_t qp);
    /// The next life of a QP that was reset, or after `create_qp` of one that was destroyed.
    void next_life(std::uint32_t qp) { ++m_qp[qp].generation; }
    void create_qp(std::uint32_t qp);
    void create_cq(std::uint32_t cq);
    void destroy_cq(std::uint32_t cq, DestroyPhase phase);
    /// Of one that is not armed, and whose doorbell record the device has just read.
    void query_cq(std::uint32_t cq);
    /// Software takes the entries of a QP out of the ring (S7.7) and publishes its consumer index.
    void sweep(std::uint32_t cq, std::uint32_t qp);
    /// The ring of a CQ is replaced; what is written is visible by then. Before the entry that ends
    /// the old ring, `between` happens.
    void resize(std::uint32_t cq,
                std::uint32_t depth,
                ResizeMode mode,
                const std::function<void()>& between = {});

    std::uint32_t open(std::uint32_t qp, QueueKind queue) const;
    std::uint32_t unpolled(std::uint32_t cq) const { return m_cq[cq].visible - m_cq[cq].polled; }

    /// What a monitor decodes from the bytes of a slot.
    static void decode(Record& record, const std::byte* slot, CqeFormat format);
    static Qpn qpn(std::uint32_t qp) { return Qpn{qp}; }
    static std::uint64_t serial(std::uint32_t qp, QueueKind queue, std::uint32_t index) {
        return (std::uint64_t{qp} * 2 + index_of(queue)) << 32 | (index + 1);
    }
    static std::uint64_t wr_id(std::uint32_t qp, QueueKind queue, std::uint32_t index) {
        return serial(qp, queue, index) * 3;
    }

  private:
    static constexpr std::size_t kEntry = 64;
    static constexpr std::size_t kLongest = 128;
    static constexpr std::uint32_t kPostedBits = 64;

    using Entry = std::array<std::byte, kLongest>;  ///< as long as the format asks for
    struct Queue {
        std::uint32_t posted = 0;
        std::uint32_t completed = 0;
        std::uint64_t signaled = 0;  ///< a bit for each of the last 64 posted
        WrOpcode opcode = WrOpcode::Send;
    };
    struct Cq {
        std::uint64_t ring = 0;
        std::uint64_t doorbell = 0;
        std::uint32_t slots = 0;
        std::uint32_t visible = 0;
        std::uint32_t polled = 0;
        std::uint32_t released = 0;
        std::uint32_t depth = 0;
        std::uint32_t first_count = 0;  ///< whose place is
        std::uint64_t first_place = 0;
        std::vector<Entry> memory;  ///< of the ring
        bool error = false;
    };
    struct Qp {
        std::array<Queue, 2> queue;
        QpState state = QpState::Rts;
        std::uint16_t generation = 1;
        bool fatal = false;
    };
    struct Eq {
        std::uint32_t written = 0;
        std::uint32_t read = 0;
    };
    struct Flight {
        Record write;
        Record outcome;
        Entry bytes{};
    };

    Record record(Kind kind) const;
    Record of_queue(Kind kind, std::uint32_t qp, QueueKind queue, std::uint32_t index) const;
    void emit(const Record& record) { m_sink(record); }
    void create();
    void create_eqs();
    std::uint16_t eqn_of(std::uint32_t cq) const {
        return m_options.eqs == 0 ? kNoEqn : static_cast<std::uint16_t>(cq % m_options.eqs);
    }
    void emit_entry(std::uint16_t eqn, EqeType type, Cqn cqn, Qpn qpn);
    void describe_entry(Record& record, std::uint32_t cqn, std::uint32_t count) const;
    void report(const Record& complete, const CompletionDetails& details);
    void refuse(const Record& complete);
    void to_error(std::uint32_t qp);
    void land(const Flight& flight);
    static std::uint8_t byte(WcStatus status) { return static_cast<std::uint8_t>(status); }
    /// By parity the lap is a bit of the index (S3.3).
    static bool by_index(OwnerScheme scheme) {
        return scheme == OwnerScheme::Parity || scheme == OwnerScheme::ParityPreset;
    }
    Entry entry_of(const Record& complete,
                   const CompletionDetails& details,
                   std::uint8_t owner) const;
    static Entry mlx5_entry_of(const Record& complete,
                               const CompletionDetails& details,
                               std::uint8_t owner,
                               std::size_t begin);
    std::size_t length() const { return stride_of(m_options.format); }
    std::uint8_t owner_of(const Cq& cq, std::uint32_t count) const;
    std::uint32_t slot_of(const Cq& cq, std::uint32_t count) const {
        return (m_options.flags & kCollapsed) != 0
                   ? 0
                   : static_cast<std::uint32_t>(place_of(cq, count) % cq.depth);
    }
    /// Slots behind the start of the ring's lap 0; of a lap before it, as of one seven later.
    static std::uint64_t place_of(const Cq& cq, std::uint32_t count) {
        return cq.first_place + std::uint64_t{8} * cq.depth +
               static_cast<std::uint64_t>(std::int64_t{count} - cq.first_count);
    }
    std::uint32_t narrow(std::uint32_t count) const {
        return m_options.index_width == 32 ? count : count & ((1U << m_options.index_width) - 1);
    }

    Options m_options;
    Sink m_sink;
    std::uint64_t m_now = 0;
    std::vector<Cq> m_cq;
    std::vector<Qp> m_qp;
    std::vector<Eq> m_eq;
    std::deque<Flight> m_flight;
};

/// A recorded stream that owns its bytes, to be doctored.
class Trace {
  public:
    LegalStream::Sink sink() {
        return [this](const Record& record) { add(record); };
    }
    void add(const Record& record);
    std::vector<Record>& records() { return m_records; }
    const std::vector<Record>& records() const { return m_records; }

    /// The n-th record of a kind (from 0).
    Record& nth(Kind kind, std::size_t n);
    std::size_t position(Kind kind, std::size_t n) const;
    std::size_t count(Kind kind) const;
    void erase(Kind kind, std::size_t n);
    void duplicate(Kind kind, std::size_t n);
    /// Exchanges two records but for their times.
    void swap(Kind kind, std::size_t n, std::size_t m);
    /// Bytes of a record that may be changed without changing those of others.
    std::byte* own_bytes(Record& record);

  private:
    std::vector<Record> m_records;
    std::deque<std::array<std::byte, 128>> m_bytes;
};

/// Two CQs of 8, four QPs, both queues, unsignaled sends, wraps, a failed QP with its flush, an
/// overrun, and software that polls. Every kind of record is in it.
Trace rich_trace();
inline constexpr std::uint32_t kRichIndexWidth = 5;

/// A CQ that is armed, reports, is moderated, and overruns; event queues and interrupts. Two QPs.
Trace event_trace();
/// Three QPs on a CQ: SQD, SQE, a reset, a destroy with a sweep, a second life, the end of a CQ.
Trace life_trace();
/// One QP is put into ERR with requests in both queues and drained by markers; `first` flushes
/// first.
Trace drained_trace(QueueKind first);

/// The n-th entry, in all records that show it, with the bits of `flip` changed at `byte` of its
/// slot.
void flip_entry(Trace& trace, std::size_t n, std::size_t byte, unsigned flip, CqeFormat format);

/// One QP: `count` sends, each posted and completed before the next.
Trace sends(std::uint32_t count, bool signaled);
/// A CQ of 4 is filled by QP 0; QP 0 overruns it; software drains it; QP 1 finds it in error.
Trace overrun_trace(bool resumes = false);

}  // namespace cqsim::tb
