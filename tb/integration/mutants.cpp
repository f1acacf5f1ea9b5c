// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/mutants.h"

#include "models/cqe/native.h"

namespace cqsim::tb::test {
namespace {

struct ReportsAll {
    static constexpr QueueKind kQueue = QueueKind::Send;
    static bool reports(const Completion& /*completion*/, bool /*sq_sig_all*/) { return true; }
};

struct DropsFailures {
    static constexpr QueueKind kQueue = QueueKind::Send;
    static bool reports(const Completion& completion, bool sq_sig_all) {
        return sq_sig_all || completion.signaled;
    }
};

template <QueueKind queue>
struct DropsEveryThird {
    static constexpr QueueKind kQueue = queue;
    static bool reports(const Completion& completion, bool /*sq_sig_all*/) {
        return completion.wqe_index % 3 != 2;
    }
};

template <QueueKind queue>
struct DropsAll {
    static constexpr QueueKind kQueue = queue;
    static bool reports(const Completion& /*completion*/, bool /*sq_sig_all*/) { return false; }
};

/// Stamps where a completion goes, for without that it goes nowhere; and no more.
class PassThroughTap final : public CompletionTapPorts,
                             private CompletionForward,
                             private CompletionBackward,
                             private NoBackward<QpAdmitProtocol> {
  public:
    explicit PassThroughTap(const sc_core::sc_module_name& module_name)
        : CompletionTapPorts(module_name) {
        pipeline_tsock.bind(static_cast<CompletionForward&>(*this));
        arbiter_isock.bind(static_cast<CompletionBackward&>(*this));
        qp_isock.bind(static_cast<NoBackward<QpAdmitProtocol>&>(*this));
    }

  private:
    OfferReply offer(Completion& completion) override {
        const Admission admission = qp_isock->lookup(completion.qpn, completion.queue);
        completion.cqn = admission.cqn;
        return arbiter_isock->offer(completion);
    }
    void decline(Qpn qpn, QueueKind queue) override { arbiter_isock->decline(qpn, queue); }
    void hint(Qpn qpn, Cqn cqn) override { arbiter_isock->hint(qpn, cqn); }
    void offer_done(const OfferReply& reply) override { pipeline_tsock->offer_done(reply); }
    void credit(Qpn qpn, QueueKind queue) override { pipeline_tsock->credit(qpn, queue); }
    void answered(const CompletionAnswer& answer) override { pipeline_tsock->answered(answer); }
};

template <QueueKind queue>
std::unique_ptr<CompletionTapPorts> make_tap(const char* name,
                                             const BlockContext& context,
                                             TapFault fault) {
    Timeline& timeline = context.timeline;
    RecordStream& records = context.records;
    switch (fault) {
        case TapFault::ReportsAll:
            return std::make_unique<CompletionTap<ReportsAll>>(name, timeline, records);
        case TapFault::DropsFailures:
            return std::make_unique<CompletionTap<DropsFailures>>(name, timeline, records);
        case TapFault::DropsEveryThird:
            return std::make_unique<CompletionTap<DropsEveryThird<queue>>>(name, timeline, records);
        case TapFault::DropsAll:
            return std::make_unique<CompletionTap<DropsAll<queue>>>(name, timeline, records);
        case TapFault::PassesAllUncounted:
            break;
    }
    return std::make_unique<PassThroughTap>(name);
}

/// The library's writer with a shim in each of its links.
class ShimmedWriter final : public CqeWriterPorts {
  public:
    ShimmedWriter(const sc_core::sc_module_name& module_name,
                  BlockContext& context,
                  const WriterHooks& hooks)
        : CqeWriterPorts(module_name),
          m_writer(EngineFactories::standard().writer("writer", context)),
          m_completions("completions", hooks.completions),
          m_slots("slots", hooks.slots),
          m_dma("dma", hooks.dma) {
        arbiter_tsock.bind(m_completions.tsock);
        m_completions.isock.bind(m_writer->arbiter_tsock);
        m_writer->slot_isock.bind(m_slots.tsock);
        m_slots.isock.bind(slot_isock);
        m_writer->qp_isock.bind(qp_isock);
        m_writer->dma_isock().bind(m_dma.tsock);
    }

    tlm::tlm_initiator_socket<>& dma_isock() override { return m_dma.isock; }

  private:
    std::unique_ptr<CqeWriterPorts> m_writer;
    CompletionShim m_completions;
    SlotShim m_slots;
    DmaShim m_dma;
};

class PassThroughWriter final : public CqeWriterPorts,
                                private CompletionForward,
                                private SlotBackward,
                                private NoBackward<QpReportProtocol>,
                                private tlm::tlm_bw_transport_if<> {
  public:
    explicit PassThroughWriter(const sc_core::sc_module_name& module_name)
        : CqeWriterPorts(module_name) {
        arbiter_tsock.bind(static_cast<CompletionForward&>(*this));
        slot_isock.bind(static_cast<SlotBackward&>(*this));
        qp_isock.bind(static_cast<NoBackward<QpReportProtocol>&>(*this));
        m_dma_isock.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    }

    tlm::tlm_initiator_socket<>& dma_isock() override { return m_dma_isock; }

  private:
    OfferReply offer(Completion& completion) override {
        m_completion = completion;
        SlotRequest request;
        request.serial = completion.serial;
        request.completed = completion.completed;
        request.cqn = completion.cqn;
        request.qpn = completion.qpn;
        request.generation = completion.generation;
        request.queue = completion.queue;
        SlotAnswer answer;
        if (slot_isock->request_slot(request, answer) == SlotStatus::Accepted) {
            return {OfferStatus::Held, {}};
        }
        finish(answer);
        return {};
    }
    void decline(Qpn /*qpn*/, QueueKind /*queue*/) override {}
    void hint(Qpn /*qpn*/, Cqn cqn) override { slot_isock->hint(cqn); }
    void slot_answered(const SlotAnswer& answer) override {
        finish(answer);
        arbiter_tsock->offer_done({OfferStatus::Taken, {}});
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& /*payload*/,
                                       tlm::tlm_phase& /*phase*/,
                                       sc_core::sc_time& /*delay*/) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    void finish(const SlotAnswer& answer) {
        if (answer.granted()) {
            write(answer);
            slot_isock->commit(answer.tag, true);
        }
        qp_isock->left(m_completion.qpn, m_completion.queue);
        arbiter_tsock->answered(answer_to(
            m_completion, answer.granted() ? Outcome::Granted : Outcome::Lost, answer.cause));
    }

    void write(const SlotAnswer& answer) {
        cqe::Entry entry;
        native::encode(m_completion, answer.owner, {}, entry.data());
        tlm::tlm_generic_payload payload;
        payload.set_command(tlm::TLM_WRITE_COMMAND);
        payload.set_address(answer.address);
        payload.set_data_ptr(reinterpret_cast<unsigned char*>(entry.data()));
        payload.set_data_length(native::kStride);
        payload.set_streaming_width(native::kStride);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        m_dma_isock->b_transport(payload, delay);
    }

    tlm::tlm_initiator_socket<> m_dma_isock{"dma_isock"};
    Completion m_completion{};
};

/// The library's QP table behind shims that know one fault.
class ShimmedQpTable final : public QpTablePorts,
                             private QpAdmitForward,
                             private QpReportForward,
                             private NoBackward<QpAdmitProtocol>,
                             private NoBackward<QpReportProtocol> {
  public:
    ShimmedQpTable(const sc_core::sc_module_name& module_name,
                   BlockContext& context,
                   const QpTableFault& fault)
        : QpTablePorts(module_name),
          m_table(EngineFactories::standard().qp_table("qp_table", context)),
          m_fault(fault),
          m_tx_state("tx_state", hooks_of(fault, QueueKind::Send)),
          m_rx_state("rx_state", hooks_of(fault, QueueKind::Receive)) {
        admit_tsock.bind(static_cast<QpAdmitForward&>(*this));
        report_tsock.bind(static_cast<QpReportForward&>(*this));
        m_admit_isock.bind(static_cast<NoBackward<QpAdmitProtocol>&>(*this));
        m_report_isock.bind(static_cast<NoBackward<QpReportProtocol>&>(*this));
        m_admit_isock.bind(m_table->admit_tsock);
        m_report_isock.bind(m_table->report_tsock);
        command_tsock.bind(m_table->command_tsock);
        m_table->async_isock.bind(async_isock);
        m_table->tx_isock.bind(m_tx_state.tsock);
        m_tx_state.isock.bind(tx_isock);
        m_table->rx_isock.bind(m_rx_state.tsock);
        m_rx_state.isock.bind(rx_isock);
    }

  private:
    /// Between the table and the pipeline of this queue.
    static QpStateHooks hooks_of(const QpTableFault& fault, QueueKind queue) {
        const bool sends = queue == QueueKind::Send;
        QpStateHooks hooks;
        hooks.forgets =
            (sends ? fault.forgets_sends : fault.forgets_receives) ? QpState::Err : fault.hides;
        hooks.forgets_failures = fault.ignores_failures;
        hooks.forgets_flushed = fault.forgets_flushed;
        hooks.ignores_turns = fault.ignores_turns;
        hooks.drained_at_once = fault.drained_at_once;
        if (fault.leaves_later_ones) {  // in a state that takes requests and begins none
            hooks.leaves_later_ones = sends ? QpState::Sqd : QpState::Init;
        }
        if (!sends) {
            hooks.last_wqe = fault.last_wqe;
            hooks.limit_events = fault.limit_events;
        }
        return hooks;
    }
    Admission lookup(Qpn qpn, QueueKind queue) const override {
        const QueueKind other = queue == QueueKind::Send ? QueueKind::Receive : QueueKind::Send;
        Admission admission = m_admit_isock->lookup(qpn, m_fault.swaps_cqs ? other : queue);
        admission.sq_sig_all = admission.sq_sig_all && !m_fault.ignores_sig_all;
        return admission;
    }
    void entered(const Completion& completion) override {
        if (!m_fault.counts_nothing) {
            m_admit_isock->entered(completion);
        }
    }
    void turned_away(const Completion& completion) override {
        if (!m_fault.counts_nothing) {
            m_admit_isock->turned_away(completion);
        }
    }
    bool live(Qpn qpn, std::uint16_t generation) const override {
        return m_fault.revives_dead || m_report_isock->live(qpn, generation);
    }
    void left(Qpn qpn, QueueKind queue) override {
        if (!m_fault.counts_nothing) {
            m_report_isock->left(qpn, queue);
        }
    }
    void cq_unusable(Qpn qpn, std::uint16_t generation) override {
        if (!m_fault.ignores_refusals) {
            m_report_isock->cq_unusable(qpn, generation);
        }
    }

    std::unique_ptr<QpTablePorts> m_table;
    QpTableFault m_fault;
    mutable QpAdmitInitiator m_admit_isock{"admit_isock"};
    mutable QpReportInitiator m_report_isock{"report_isock"};
    QpStateShim m_tx_state;
    QpStateShim m_rx_state;
};

}  // namespace

EngineFactories broken_tap(QueueKind queue, TapFault fault) {
    EngineFactories factories = EngineFactories::standard();
    if (queue == QueueKind::Send) {
        factories.tx_tap = [fault](const char* name, BlockContext& context) {
            return make_tap<QueueKind::Send>(name, context, fault);
        };
    } else {
        factories.rx_tap = [fault](const char* name, BlockContext& context) {
            return make_tap<QueueKind::Receive>(name, context, fault);
        };
    }
    return factories;
}

EngineFactories broken_arbiter(ArbiterOrder order) {
    EngineFactories factories = EngineFactories::standard();
    factories.arbiter = [order](const char* name, BlockContext& context) {
        return make_broken_arbiter(name, context, order);
    };
    return factories;
}

EngineFactories broken_writer(const WriterHooks& hooks) {
    EngineFactories factories = EngineFactories::standard();
    factories.writer = [hooks](const char* name, BlockContext& context) {
        return std::make_unique<ShimmedWriter>(name, context, hooks);
    };
    return factories;
}

EngineFactories pass_through_writer() {
    EngineFactories factories = EngineFactories::standard();
    factories.writer = [](const char* name, BlockContext& /*context*/) {
        return std::make_unique<PassThroughWriter>(name);
    };
    return factories;
}

EngineFactories broken_checker(CheckerFault fault) {
    EngineFactories factories = EngineFactories::standard();
    factories.overflow = [fault](const char* name, BlockContext& context) {
        return make_broken_checker(name, context, fault);
    };
    return factories;
}

EngineFactories broken_qp_table(const QpTableFault& fault) {
    EngineFactories factories = EngineFactories::standard();
    factories.qp_table = [fault](const char* name, BlockContext& context) {
        return std::make_unique<ShimmedQpTable>(name, context, fault);
    };
    return factories;
}

}  // namespace cqsim::tb::test
