// SPDX-License-Identifier: Apache-2.0
/// \file
/// QP state, and what a QP reports to (P1). No time, no SystemC.
#pragma once

#include "models/protocol/admission.h"
#include "models/protocol/command.h"
#include "models/protocol/qp_change.h"
#include "models/qp/qp_transitions.h"
#include "models/rows/rows.h"

#include <vector>

namespace cqsim {

/// One QP. 16 bytes.
struct QpRow {
    Cqn send_cq = kNoCq;
    Cqn recv_cq = kNoCq;
    std::uint16_t sends = 0;  ///< completions inside the block: offered, and not yet left
    std::uint16_t receives = 0;
    std::uint16_t generation = 0;
    std::uint8_t state_and_type = 0;  ///< QpState, and above its four bits QpType
    std::uint8_t flags = 0;

    static constexpr std::uint8_t kExists = 1;
    static constexpr std::uint8_t kSqSigAll = 2;
    static constexpr std::uint8_t kFatalRaised = 4;
    static constexpr std::uint8_t kNotify = 8;       ///< tell when the send queue is drained
    static constexpr std::uint8_t kResetting = 16;   ///< a life has ended, its work is not through
    static constexpr std::uint8_t kDestroying = 32;  ///< likewise, and the number goes with it
    static constexpr std::uint8_t kHasSrq = 64;      ///< receives take requests of an SRQ (S2.11)
    static constexpr std::uint8_t kLastWqe = 128;    ///< QP_LAST_WQE_REACHED was raised (S2.26)

    bool exists() const { return (flags & kExists) != 0; }
    std::uint32_t in_flight() const { return std::uint32_t{sends} + receives; }
    bool dying() const { return (flags & (kResetting | kDestroying)) != 0; }
    QpState state() const { return static_cast<QpState>(state_and_type & kStateMask); }
    QpType type() const { return static_cast<QpType>(state_and_type >> kTypeShift); }
    void set_state(QpState state) { set(state, type()); }
    void set(QpState state, QpType type) {
        state_and_type = static_cast<std::uint8_t>(static_cast<unsigned>(type) << kTypeShift |
                                                   static_cast<unsigned>(state));
    }

    friend bool operator==(const QpRow& l, const QpRow& r) {
        return l.send_cq == r.send_cq && l.recv_cq == r.recv_cq && l.sends == r.sends &&
               l.receives == r.receives && l.generation == r.generation &&
               l.state_and_type == r.state_and_type && l.flags == r.flags;
    }

  private:
    static constexpr unsigned kTypeShift = 4;
    static constexpr std::uint8_t kStateMask = 15;
};
static_assert(sizeof(QpRow) == 16);

/// The QP table's rules. A QP's life begins with its creation and with each reset; a life is named
/// by the number and its generation, and completions of an earlier one change nothing (D3).
class QpRules {
  public:
    /// What an input did to a QP.
    struct Effect {
        bool told = false;  ///< the pipelines hear of it: a state was entered, or asked for again
        bool qp_fatal = false;     ///< raise QP_FATAL (S5.3d, K06: once per life)
        bool second_goes = false;  ///< K18: the queue that flushes second may begin
        QpState before{};
        QpState after{};

        bool changed() const { return told && before != after; }
    };
    /// The answer to a command that asks for a state or for the end.
    struct Answer {
        CommandResult result = CommandResult::Ok;
        Effect effect;
        bool ends_life = false;        ///< a reset or a destroy has begun
        std::uint16_t generation = 0;  ///< the life that the command found
    };

    /// CQ numbers are 0 .. cqs-1.
    QpRules(Rows<QpRow> rows, std::uint32_t cqs, const QpConfig& config = {})
        : m_config(config),
          m_rows(std::move(rows)),
          m_work_queues(cqs) {}

    /// Creates a QP in RESET, its CQs being given. Invalid: the QP's number is out of range or in
    /// use, the number of one of its CQs is out of range, or there is no such type.
    CommandAnswer create(const CreateQp& command);
    /// S2.22 to S2.24, K21: the transitions of `may_modify`. A transition to RESET ends the life:
    /// the next one begins at once, and the command is done when `dying` is over.
    Answer modify(const ModifyQp& command);
    /// Ends the life and, when nothing of it is in flight, the QP.
    Answer destroy(Qpn qpn);
    /// Whether the life is to end and nothing of it is in flight.
    bool life_is_empty(Qpn qpn) const {
        const QpRow& row = m_rows[index_of(qpn)];
        return row.dying() && row.in_flight() == 0;
    }
    /// To be asked after `modify`, `destroy` and `left`: whether a reset or destroy is done by now.
    /// It is so once. A destroyed number is free from then on.
    bool finish_life(Qpn qpn) {
        QpRow& row = m_rows[index_of(qpn)];
        return life_is_empty(qpn) && end_life(row);
    }

    Admission lookup(Qpn qpn, QueueKind queue) const {
        const QpRow& row = m_rows[index_of(qpn)];
        return {queue == QueueKind::Send ? row.send_cq : row.recv_cq,
                row.generation,
                (row.flags & QpRow::kSqSigAll) != 0};
    }
    /// Whether this life of the number goes on.
    bool live(Qpn qpn, std::uint16_t generation) const {
        return m_rows[index_of(qpn)].generation == generation;
    }

    /// The generation of the life before one of this generation, and after it. 0 is no life.
    static constexpr std::uint16_t before(std::uint16_t generation) {
        return generation <= 1 ? std::uint16_t{0xFFFF} : static_cast<std::uint16_t>(generation - 1);
    }
    static constexpr std::uint16_t after(std::uint16_t generation) {
        return generation == 0xFFFF ? std::uint16_t{1} : static_cast<std::uint16_t>(generation + 1);
    }

    /// A completion entered the block.
    void entered(Qpn qpn, QueueKind queue) { ++inside(qpn, queue); }
    /// A completion left the block.
    void left(Qpn qpn, QueueKind queue) { --inside(qpn, queue); }

    /// S2.16, S2.18, S2.22: a request of this queue failed.
    Effect request_failed(Qpn qpn, std::uint16_t generation, QueueKind queue, WcStatus status);
    /// S2.16: a message failed, and no request of the QP with it. \returns nothing for an earlier
    /// life and in ERR.
    Effect violated(Qpn qpn, std::uint16_t generation);
    /// S5.3d, S5.3e: a work queue of this QP tried to use a CQ that is full or in error.
    Effect cq_unusable(Qpn qpn, std::uint16_t generation);
    /// S2.23: in the send queue nothing is in progress. \returns whether SQ_DRAINED is to be
    /// raised: not before the last entry of a send is written.
    bool drained(Qpn qpn, std::uint16_t generation);
    /// K18: the queue that flushes first is through with what it held when the QP went to ERR.
    Effect flushed(Qpn qpn, std::uint16_t generation, QueueKind queue) const;
    /// What the pipelines are told of an effect (`told`).
    QpChange change(Qpn qpn, const Effect& effect) const;
    /// Whether SQ_DRAINED is asked for and no entry of a send is still to be written.
    bool may_be_drained(Qpn qpn) const {
        const QpRow& row = m_rows[index_of(qpn)];
        return row.state() == QpState::Sqd && (row.flags & QpRow::kNotify) != 0 && row.sends == 0;
    }

    /// S2.26: the receive queue of a QP on an SRQ has ended all that it took, and takes no more.
    /// \returns whether QP_LAST_WQE_REACHED is to be raised: in ERR alone, once per life.
    bool last_wqe_ended(Qpn qpn, std::uint16_t generation);

    /// Work queues that report to the CQ: 2 of a QP that sends and receives there.
    std::uint32_t work_queues_on(Cqn cqn) const {
        return index_of(cqn) < m_work_queues.size() ? m_work_queues[index_of(cqn)] : 0;
    }

    std::uint32_t size() const { return m_rows.size(); }
    const QpRow& row(Qpn qpn) const { return m_rows[index_of(qpn)]; }
    [[gnu::always_inline]] void prefetch(Qpn qpn) const { m_rows.prefetch(index_of(qpn)); }

  private:
    auto state() const {
        return std::tie(m_config.flush_order, m_config.reset_from, m_rows, m_work_queues);
    }
    std::uint16_t& inside(Qpn qpn, QueueKind queue) {
        QpRow& row = m_rows[index_of(qpn)];
        return queue == QueueKind::Send ? row.sends : row.receives;
    }
    /// The answer to a command that finds no QP, or one that is about to end.
    Answer refuse_unless_idle(Qpn qpn) const;
    static Effect enter(QpRow& row, QpState state);
    static Effect begin_next_life(QpRow& row, std::uint8_t how);
    bool end_life(QpRow& row);
    FlushTurn turn(QueueKind queue, const Effect& effect) const;
    bool flushes_first(QueueKind queue) const {
        return (m_config.flush_order == FlushOrder::SqThenRq) == (queue == QueueKind::Send);
    }

    QpConfig m_config;
    Rows<QpRow> m_rows;
    std::vector<std::uint32_t> m_work_queues;  ///< that report to each CQ

  public:
    friend bool operator==(const QpRules& l, const QpRules& r) { return l.state() == r.state(); }
    std::uint64_t hash() const { return hash_of(state()); }
};

}  // namespace cqsim
