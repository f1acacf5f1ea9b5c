// SPDX-License-Identifier: Apache-2.0
/// \file
/// The QP table: owner of QP state and of what a QP reports to.
#pragma once

#include "models/observe/record_stream.h"
#include "models/protocol/command_link.h"
#include "models/protocol/event_link.h"
#include "models/protocol/qp_link.h"
#include "models/qp/qp_rules.h"
#include "models/rows/due_ring.h"
#include "models/time/timeline.h"

#include <systemc>

namespace cqsim {

/// The sockets of a QP table: what any replacement must have.
class QpTablePorts : public sc_core::sc_module {
  public:
    QpAdmitTarget admit_tsock{"admit_tsock"};     ///< from both taps
    QpReportTarget report_tsock{"report_tsock"};  ///< from the writer and the overflow checker
    QpCommandTarget command_tsock{"command_tsock"};
    QpStateInitiator tx_isock{"tx_isock"};  ///< to the pipelines
    QpStateInitiator rx_isock{"rx_isock"};
    AsyncInitiator async_isock{"async_isock"};  ///< of QPs and of SRQs

  protected:
    explicit QpTablePorts(const sc_core::sc_module_name& name)
        : sc_module(name) {}
};

class QpTable final : public QpTablePorts,
                      private QpAdmitForward,
                      private QpReportForward,
                      private QpCommandForward,
                      private QpStateBackward,
                      private NoBackward<AsyncProtocol>,
                      private TimedBlock {
  public:
    /// `answers_take`: how long an answer may be on its way to its pipeline after the completion
    /// left the block. A life ends no sooner, so that its pipelines have heard everything.
    QpTable(const sc_core::sc_module_name& module_name,
            Timeline& timeline,
            RecordStream& records,
            QpRules rules,
            TimePs answers_take = {});

    QpState state(Qpn qpn) const { return m_rules.row(qpn).state(); }
    /// Completions of the QP inside the block.
    std::uint32_t in_flight(Qpn qpn) const { return m_rules.row(qpn).in_flight(); }

  private:
    /// When the pipelines have heard all answers to what has left.
    struct Ending {
        TimePs at{};
        Qpn qpn = kNoQp;
    };

    Admission lookup(Qpn qpn, QueueKind queue) const override { return m_rules.lookup(qpn, queue); }
    void entered(const Completion& completion) override {
        m_rules.entered(completion.qpn, completion.queue);
    }
    void turned_away(const Completion& completion) override {
        left(completion.qpn, completion.queue);
    }
    bool live(Qpn qpn, std::uint16_t generation) const override {
        return m_rules.live(qpn, generation);
    }
    void left(Qpn qpn, QueueKind queue) override {
        m_rules.left(qpn, queue);
        if (m_rules.life_is_empty(qpn) || m_rules.may_be_drained(qpn)) {
            last_left(qpn);
        }
    }
    void cq_unusable(Qpn qpn, std::uint16_t generation) override {
        apply(qpn, m_rules.cq_unusable(qpn, generation));
    }
    void request_failed(Qpn qpn,
                        std::uint16_t generation,
                        QueueKind queue,
                        WcStatus status) override {
        apply(qpn, m_rules.request_failed(qpn, generation, queue, status));
    }
    void violated(Qpn qpn, std::uint16_t generation, AsyncEvent event) override;
    void drained(Qpn qpn, std::uint16_t generation) override;
    void last_wqe_ended(Qpn qpn, std::uint16_t generation) override;
    void srq_limit_reached(Srqn srqn) override;
    void flushed(Qpn qpn, std::uint16_t generation, QueueKind queue) override {
        apply(qpn, m_rules.flushed(qpn, generation, queue));
    }
    CommandAnswer create_qp(const CreateQp& command) override;
    CommandStatus modify_qp(const ModifyQp& command, CommandAnswer& answer) override;
    CommandStatus destroy_qp(const DestroyQp& command, CommandAnswer& answer) override;
    std::uint32_t work_queues_on(Cqn cqn) const override { return m_rules.work_queues_on(cqn); }

    void apply(Qpn qpn, const QpRules::Effect& effect);
    void tell(Qpn qpn, const QpRules::Effect& effect);
    CommandStatus begin_end_of_life(Qpn qpn, const QpRules::Answer& decided, CommandAnswer& answer);
    CommandAnswer life_over(Qpn qpn);
    void last_left(Qpn qpn);
    void await_answers(Qpn qpn);
    bool awaits_answers(Qpn qpn) const;
    void all_answered(Qpn qpn);
    void due(TimePs now) override;
    void raise(Qpn qpn, AsyncEvent event);
    void observe_state(Qpn qpn, const QpRules::Effect& effect);
    void observe_end_of_life(Qpn qpn, std::uint16_t generation, DestroyPhase phase);

    Timeline& m_timeline;
    RecordStream& m_records;
    std::uint8_t m_source;
    QpRules m_rules;
    TimePs m_answers_take;
    Timeline::Slot m_slot;
    DueRing<Ending> m_endings;  ///< of lives and of drains
};

}  // namespace cqsim
