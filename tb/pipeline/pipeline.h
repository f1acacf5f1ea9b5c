// SPDX-License-Identifier: Apache-2.0
/// \file
/// The pipelines in front of the block: they play work requests of many QPs, end them, and flush.
#pragma once

#include "models/observe/record_stream.h"
#include "models/protocol/completion_link.h"
#include "models/protocol/qp_link.h"
#include "models/time/timeline.h"
#include "tb/pipeline/cq_credits.h"
#include "tb/pipeline/flush_turns.h"
#include "tb/pipeline/qp_lists.h"
#include "tb/pipeline/send_policies.h"
#include "tb/pipeline/shared_receive_queue.h"
#include "tb/pipeline/software_link.h"
#include "tb/pipeline/stream.h"
#include "tb/pipeline/work_queue.h"
#include "tb/wire/wire_link.h"

#include <systemc>

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cqsim::tb {

struct PipelineConfig {
    QueueKind queue = QueueKind::Send;
    TimePs flush_service = from_ns(4);  ///< at most one flush each so long (D3)
    std::uint64_t seed = 1;
    bool send_length = false;  ///< K19: success of a SEND or WRITE tells its length
    SlotRelease slot_release = SlotRelease::Poll;  ///< K26: of send queues
};

/// A request that a step posts by hand.
struct PostRequest {
    WrOpcode opcode = WrOpcode::Send;
    std::uint32_t bytes = 0;
    bool signaled = true;
    bool solicited = false;
    TimePs latency{};
};

/// What became of a post.
enum class PostResult : std::uint8_t {
    Done,
    Full,       ///< S2.5: ENOMEM
    NoCredit,   ///< S5.13: software has promised all entries of the send CQ
    Refused,    ///< S2.24: sends are accepted from RTS on, receives from INIT on
    NotOfType,  ///< S1.17: EINVAL; no QP of this type has the opcode, or the queue
};

/// QPs that wait for the same.
struct WaitingQps {
    Qpn first = kNoQp;  ///< in the order of turns
    std::uint32_t count = 0;
    void add(Qpn qpn) {
        first = count == 0 ? qpn : first;
        ++count;
    }
};

/// A stream that will not go on by itself, and its QPs that run and have turns left.
struct ParkedStream {
    Qpn first = kNoQp;      ///< of its group
    WaitingQps for_slot;    ///< a slot of the send queue (S2.5), or a posted receive (S2.14)
    WaitingQps for_ever;    ///< S2.6: what is in the send queue ended, and asked for no completion
    WaitingQps for_credit;  ///< an entry of the send CQ that is promised to nobody (S5.13)
    bool any() const { return for_slot.count + for_ever.count + for_credit.count != 0; }
};

/// What became of the wish to end a request with an error.
enum class FailResult : std::uint8_t {
    Done,
    NothingOutstanding,
    Stopped,  ///< the queue flushes: only the request that caused the error carries its code
};

/// One pipeline: the send queues or the receive queues of all QPs.
///
/// What has ended and is not accepted by the tap yet stays here, as a position per work queue (D3).
/// Order inside a work queue is post order (S2.4). When a QP fails, what is outstanding ends
/// WR_FLUSH_ERR lazily, one request each `flush_service` (S2.18), and not before its turn comes if
/// the QP table wants it after the other queue (K18); what SQE has not flushed yet when
/// software asks for RTS is flushed at once. When a QP's life ends, what the tap has not accepted
/// is cancelled at once (S7.3, D4). Traffic over a QP that does not run waits: its turns are
/// skipped, count for nothing, and are taken again when the QP runs.
class Pipeline final : public sc_core::sc_module,
                       private CompletionBackward,
                       private QpStateForward,
                       private SoftwareForward,
                       private NoBackward<SoftwareProtocol>,
                       private WireSendBackward,
                       private WireReceiveForward,
                       private TimedBlock {
  public:
    CompletionInitiator tap_isock{"tap_isock"};
    QpStateTarget state_tsock{"state_tsock"};
    SoftwareTarget software_tsock{"software_tsock"};
    WireSendInitiator wire_isock{"wire_isock"};  ///< of the send queues
    WireReceiveTarget wire_tsock{"wire_tsock"};  ///< of the receive queues

    Pipeline(const sc_core::sc_module_name& module_name,
             Timeline& timeline,
             RecordStream& records,
             const PipelineConfig& config,
             Rows<WorkQueueRow> rows,
             std::uint64_t& serial);

    /// From now on the wire ends the QP's requests, and brings its messages. Before any is posted.
    void connect(Qpn qpn, Qpn peer);
    /// Gives a QP in RESET its queue.
    void create_queue(Qpn qpn,
                      std::uint32_t depth,
                      std::uint16_t generation,
                      QpType type = QpType::Rc,
                      Cqn cqn = kNoCq);
    /// Posts receive requests until the queue is full; none if it accepts none (S2.24).
    void fill(Qpn qpn);

    /// A shared receive queue of so many slots; its number is the next one, from 1.
    Srqn create_srq(std::uint32_t depth, bool refilled);
    /// In place of `create_queue`: messages for the QP take requests of the SRQ (S2.11).
    void create_shared_queue(Qpn qpn,
                             Srqn srqn,
                             std::uint16_t generation,
                             QpType type = QpType::Rc);
    /// Software posts one request. Done or Full.
    PostResult post_shared(Srqn srqn);
    void fill_shared(Srqn srqn);
    /// S5.9: SRQ_LIMIT_REACHED, once, when a message leaves fewer requests than that. 0: never.
    void arm_limit(Srqn srqn, std::uint32_t limit);
    const SharedReceiveQueues& shared() const { return m_shared; }

    void add_stream(const StreamConfig& config);
    /// Software keeps such an account of its send CQs: each queue that is created has one there.
    void use_credits(CqCredits credits);

    /// Posts one request now.
    PostResult post(Qpn qpn, const PostRequest& request);
    /// What would become of a post now.
    PostResult would_post(Qpn qpn, WrOpcode opcode) const;
    /// Whether software posts to this queue of the QP: it has one, and not that of an SRQ.
    bool takes_posts(Qpn qpn) const;
    /// Ends the oldest request in progress with an error now, if the queue still runs: only the
    /// request that caused the error carries its code (S2.19).
    FailResult fail(Qpn qpn, WcStatus status, std::uint32_t vendor_err);

    /// Requests posted to this queue in this life: the wqe_index of the next one.
    std::uint32_t posted(Qpn qpn) const { return m_queues.row(qpn).posted; }
    /// The wr_id of the next one.
    std::uint64_t next_wr_id(Qpn qpn) const {
        return wr_id_of(qpn, m_config.queue, posted(qpn), m_generation[index_of(qpn)]);
    }
    /// Requests without an answer (D4).
    std::uint64_t unanswered() const { return m_posted - m_answered; }
    /// Requests that have begun and have no answer: for the receive side, that a message came for.
    std::uint64_t begun_unanswered() const { return m_begun - m_answered; }
    /// Streams that wait for what will not come by itself, while a QP of theirs runs.
    std::vector<ParkedStream> parked() const;
    /// S2.6: the send queue is full, and all that it holds has ended well and asked for nothing: if
    /// the QP is not sq_sig_all, no completion will ever retire it.
    bool nothing_to_retire(Qpn qpn) const;
    /// A turn that found its queue full (send) or empty (receive).
    std::uint64_t refusals() const;

  private:
    struct Ending {
        TimePs at{};  ///< of one that has not started: how long it takes
        Qpn qpn = kNoQp;
        std::uint32_t wqe_index = 0;
        std::uint16_t generation = 0;
    };

    void offer_done(const OfferReply& reply) override;
    void credit(Qpn qpn, QueueKind queue) override;
    void answered(const CompletionAnswer& answer) override;
    void qp_changed(const QpChange& change) override;
    void polled(Qpn qpn, std::uint32_t wqe_index, std::uint64_t wr_id) override;
    void unowned(Qpn qpn, std::uint32_t wqe_index) override;
    NamedRequest request_at(Qpn qpn, std::uint32_t wqe_counter) const override;
    void hint(Qpn qpn) override { fetch_queue(qpn); }
    void hint_next(Qpn qpn) override {
        if (m_far && !sends()) {
            m_queues.prefetch_request(m_queues.row(qpn), 0);
        }
    }
    void due(TimePs now) override;

    bool on_wire(Qpn qpn) const { return !m_on_wire.empty() && m_on_wire[index_of(qpn)]; }
    void begin_on_wire(Qpn qpn, std::uint32_t wqe_index);
    void ended(Qpn qpn,
               std::uint16_t generation,
               std::uint32_t wqe_index,
               WcStatus status) override;
    std::optional<std::uint32_t> next_receive(Qpn qpn) const override;
    void take(Qpn qpn, const WireMessage& message, WcStatus status) override;
    void violated(Qpn qpn, AsyncEvent event) override;

    /// Something was freed for this QP: streams over it that are parked go on.
    void unpark_streams(Qpn qpn);
    void unpark(Stream& stream);
    WaitingQps& group_of(ParkedStream& waiting, Qpn qpn) const;
    void release_ended(Qpn qpn);
    void return_credits(Qpn qpn, std::uint32_t wqe_index);
    void unpark_all();
    void run_stream(Stream& stream, TimePs now);
    void take_turn(Stream& stream, TimePs now);
    /// Always inlined, as all that only fetches: g++ drops calls to such functions.
    [[gnu::always_inline]] inline void fetch_turns(const Stream& stream) const;
    void fetch_ends(Stream& stream);
    [[gnu::always_inline]] inline void fetch_queue(Qpn qpn) const {
        m_queues.prefetch(qpn);
        __builtin_prefetch(&m_generation[index_of(qpn)]);
    }
    std::uint32_t accept(Qpn qpn, const WorkRequest& request, TimePs now);
    std::uint32_t begin_message(Qpn qpn, const StreamConfig& config);
    /// Whether a message for the QP finds a receive request.
    bool finds_receive(Qpn qpn, const WorkQueueRow& row) const {
        return m_shared.has(qpn) ? !m_shared.at(m_shared.number_of(qpn)).empty()
                                 : row.unstarted != 0;
    }
    void take_shared(Qpn qpn);
    void give_back(Srqn srqn, std::uint32_t slot);
    void settle_shared(const CompletionAnswer& answer);
    void check_last_wqe(Qpn qpn);

    /// Index of the oldest request that has not ended; that of the next post if all have.
    std::uint32_t next_to_end(const WorkQueueRow& row);
    void end(Qpn qpn, std::uint32_t wqe_index, WcStatus status, TimePs now);
    void end_next(Qpn qpn, std::uint32_t wqe_index, WcStatus status, TimePs now);
    void mark_ended(Qpn qpn, std::uint32_t wqe_index, WcStatus status, TimePs now);
    void report(Qpn qpn, std::uint32_t wqe_index);
    /// Whether a request that was begun in this life of its QP still ends by itself.
    bool ends_by_itself(Qpn qpn, std::uint16_t generation) const {
        return m_generation[index_of(qpn)] == generation &&
               !m_queues.row(qpn).is(WorkQueueRow::kFlushes);
    }
    void schedule(const Ending& ending);
    void begin_running(Qpn qpn);
    void flush_rest(Qpn qpn);
    void forget_unstarted(Qpn qpn);
    void stop(const QpChange& change, bool flushed);
    void check_stopped(Qpn qpn);
    void check_drained(Qpn qpn);
    void end_life(Qpn qpn, std::uint16_t next_generation);
    void cancel(Qpn qpn, std::uint32_t wqe_index);
    CompletionAnswer cancelled(Qpn qpn, std::uint32_t wqe_index);
    void offer_ended(Qpn qpn);
    void taken(Qpn qpn);
    void relist(Qpn qpn);
    void drain_backlog();
    void begin_flush(Qpn qpn);
    void flush_one(TimePs now);
    void ask_for_time(TimePs now);

    Completion completion_of(Qpn qpn, const WorkRequest& work, std::uint32_t wqe_index) const;
    CompletionDetails details_of(Qpn qpn, const WorkRequest& work, std::uint32_t wqe_index) const;
    /// How entries and records call the request of that free-running index: of one of an SRQ by its
    /// slot there (S2.11).
    std::uint32_t wqe_of(Qpn qpn, std::uint32_t wqe_index) const {
        return m_shared.has(qpn) ? m_shared.slot_of(qpn, wqe_index) : wqe_index;
    }
    /// The wr_id of the request that entries and records call so.
    std::uint64_t wr_id_at(Qpn qpn, std::uint32_t wqe, std::uint16_t generation) const {
        return m_shared.has(qpn) ? wr_id_of(m_shared.number_of(qpn), wqe)
                                 : wr_id_of(qpn, m_config.queue, wqe, generation);
    }
    /// Marks the record of a request of this QP if the request is one of an SRQ.
    void mark_shared(Record& record, Qpn qpn) const {
        if (m_shared.has(qpn)) {
            record.flags |= kShared;
            record.unit = static_cast<std::uint16_t>(m_shared.number_of(qpn));
        }
    }
    Record* open_shared(Kind kind, Srqn srqn);
    std::uint32_t vendor_err_of(const WorkRequest& work) const;
    Record& open_request(
        Kind kind, Qpn qpn, const WorkRequest& work, std::uint32_t wqe_index, TimePs now);
    void observe_post(Qpn qpn, const WorkRequest& work, std::uint32_t wqe_index, TimePs now);
    void observe_end(Qpn qpn, const WorkRequest& work, std::uint32_t wqe_index, TimePs now);
    /// The queue begins to flush, at the request `first`.
    void observe_flush(Qpn qpn, std::uint32_t first);
    void list(QpLists::List& in, Qpn qpn);
    void unlist(Qpn qpn);
    bool sends() const { return m_config.queue == QueueKind::Send; }

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    RecordStream& m_records;
    std::uint8_t m_source;
    PipelineConfig m_config;
    WorkQueues m_queues;
    SharedReceiveQueues m_shared;  ///< of the receive side alone
    std::uint64_t& m_serial;       ///< the run's last serial number, shared by the pipelines
    std::vector<std::uint16_t> m_generation;
    std::vector<Stream> m_streams;
    std::vector<Ending> m_by_hand;    ///< ends of requests that steps posted, a heap by time
    std::vector<Ending> m_unstarted;  ///< sends that steps posted in SQD, in the order of posts
    std::unordered_map<std::uint64_t, std::uint32_t> m_vendor_err;  ///< by serial; not iterated

    QpLists m_lists;
    FlushTurns m_turns;
    Qpn m_held = kNoQp;  ///< its completion is held by the tap: nothing may be offered
    std::optional<CompletionAnswer> m_held_dead;  ///< the life of the held one is over
    /// QPs whose life ended while a work queue waited for a credit; not iterated.
    std::unordered_set<std::uint32_t> m_credit_unwanted;
    std::vector<Qpn> m_declines;  ///< credits to be given back
    std::vector<bool> m_on_wire;  ///< by QP; empty without connections
    std::vector<Qpn> m_peer;      ///< likewise
    CqCredits m_credits;
    TimePs m_flush_at{};
    bool m_frees_at_end = false;  ///< K26: a send's slot is free when its completion is taken
    bool m_far = false;           ///< more QPs than caches hold: fetch ahead

    std::uint64_t m_posted = 0;
    std::uint64_t m_begun = 0;
    std::uint64_t m_answered = 0;
};

}  // namespace cqsim::tb
