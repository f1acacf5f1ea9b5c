// SPDX-License-Identifier: Apache-2.0
#include "models/engine/cq_event_engine.h"

#include "models/engine/link_delay.h"

namespace cqsim {

EngineFactories EngineFactories::standard() {
    EngineFactories factories;
    factories.tx_tap = [](const char* name, BlockContext& context) {
        return std::make_unique<TxCompletionTap>(name, context.timeline, context.records);
    };
    factories.rx_tap = [](const char* name, BlockContext& context) {
        return std::make_unique<RxCompletionTap>(name, context.timeline, context.records);
    };
    factories.arbiter = [](const char* name, BlockContext& context) {
        const EngineConfig& config = context.config;
        Rows<RequesterRow> rows(context.lines.qp, ObjectLines::kArbiterOffset);
        ArbiterRules rules(config.arbiter, config.qps, config.cqs, config.seed, std::move(rows));
        return std::make_unique<CompletionArbiter>(
            name, context.timeline, context.records, std::move(rules));
    };
    factories.writer = [](const char* name, BlockContext& context) {
        const EngineConfig& config = context.config;
        return std::make_unique<CqeWriter>(name,
                                           context.timeline,
                                           WriterRules(config.writer),
                                           UndefinedFill(config.writer.undefined, config.seed));
    };
    factories.overflow = [](const char* name, BlockContext& context) {
        Rows<CqRow> rows(context.lines.cq, ObjectLines::kOverflowOffset);
        OverflowRules rules(context.config.overflow, std::move(rows));
        return std::make_unique<OverflowChecker>(
            name, context.timeline, context.records, std::move(rules));
    };
    factories.event = [](const char* name, BlockContext& context) {
        const OverflowConfig& cqs = context.config.overflow;
        const CqIndices indices{index_mask(cqs.index_width), cqs.first_index};
        Rows<EventRow> rows(context.lines.cq, ObjectLines::kEventOffset);
        EventRules rules(context.config.event, indices, std::move(rows));
        return std::make_unique<EventArbiter>(
            name, context.timeline, context.records, std::move(rules));
    };
    factories.qp_table = [](const char* name, BlockContext& context) {
        const EngineConfig& config = context.config;
        QpRules rules(
            Rows<QpRow>(context.lines.qp, ObjectLines::kQpTableOffset), config.cqs, config.qp);
        constexpr std::uint64_t kLinks = 3;  // from the writer to a pipeline
        return std::make_unique<QpTable>(
            name, context.timeline, context.records, std::move(rules), config.link_delay * kLinks);
    };
    factories.command = [](const char* name, BlockContext& context) {
        return std::make_unique<CommandUnit>(
            name, context.timeline, context.records, context.config.command);
    };
    factories.doorbell = [](const char* name, BlockContext& context) {
        DoorbellConfig config = context.config.doorbell;
        config.take(context.config.overflow);
        return std::make_unique<DoorbellUnit>(name, context.timeline, context.records, config);
    };
    return factories;
}

CqEventEngine::CqEventEngine(const sc_core::sc_module_name& module_name,
                             Timeline& timeline,
                             RecordStream& records,
                             const EngineConfig& config,
                             ObjectLines& lines,
                             const EngineFactories& factories)
    : sc_module(module_name),
      m_config(config),
      m_timeline(timeline) {
    BlockContext context{timeline, records, m_config, lines};
    m_tx_tap = factories.tx_tap("tx_tap", context);
    m_rx_tap = factories.rx_tap("rx_tap", context);
    m_arbiter = factories.arbiter("arbiter", context);
    m_writer = factories.writer("writer", context);
    m_overflow = factories.overflow("overflow", context);
    m_event = factories.event("event", context);
    m_qp_table = factories.qp_table("qp_table", context);
    m_command = factories.command("command", context);
    m_doorbell = factories.doorbell("doorbell", context);
    bind_inside();
    bind_outside();
}

CqEventEngine::~CqEventEngine() = default;

/// Binds one end to the other, with a delay between them when the configuration asks for one.
template <class Shim, class From, class To>
void CqEventEngine::join(const char* name, From& from, To& to) {
    if (m_config.link_delay == TimePs{}) {
        from.bind(to);
        return;
    }
    auto shim = std::make_unique<Shim>(name, m_timeline, m_config.link_delay);
    from.bind(shim->tsock);
    shim->isock.bind(to);
    m_shims.push_back(std::move(shim));
}

void CqEventEngine::bind_inside() {
    join<CompletionDelay>("tx_tap_to_arbiter", m_tx_tap->arbiter_isock, m_arbiter->tx_tsock);
    join<CompletionDelay>("rx_tap_to_arbiter", m_rx_tap->arbiter_isock, m_arbiter->rx_tsock);
    join<CompletionDelay>("arbiter_to_writer", m_arbiter->writer_isock, m_writer->arbiter_tsock);
    join<SlotDelay>("writer_to_overflow", m_writer->slot_isock, m_overflow->slot_tsock);
    m_tx_tap->qp_isock.bind(m_qp_table->admit_tsock);
    m_rx_tap->qp_isock.bind(m_qp_table->admit_tsock);
    m_writer->qp_isock.bind(m_qp_table->report_tsock);
    m_overflow->qp_isock.bind(m_qp_table->report_tsock);
    m_qp_table->async_isock.bind(m_event->async_tsock);
    m_overflow->publish_isock.bind(m_event->publish_tsock);
    m_overflow->async_isock.bind(m_event->async_tsock);
    m_command->cq_isock.bind(m_overflow->command_tsock);
    m_command->qp_isock.bind(m_qp_table->command_tsock);
    m_command->event_isock.bind(m_event->command_tsock);
    m_doorbell->notify_isock.bind(m_event->notify_tsock);
    m_doorbell->consumer_isock.bind(m_overflow->consumer_tsock);
}

void CqEventEngine::bind_outside() {
    join<CompletionDelay>("tx_delay", tx_tsock, m_tx_tap->pipeline_tsock);
    join<CompletionDelay>("rx_delay", rx_tsock, m_rx_tap->pipeline_tsock);
    join<DmaDelay>("dma_delay", m_writer->dma_isock(), dma_isock);
    join<DmaDelay>("record_delay", m_overflow->record_isock, record_isock);
    join<DmaDelay>("event_dma_delay", m_event->dma_isock(), event_dma_isock);
    m_qp_table->tx_isock.bind(tx_state_isock);
    m_qp_table->rx_isock.bind(rx_state_isock);
    command_tsock.bind(m_command->host_tsock);
    mmio_tsock.bind(m_doorbell->mmio_tsock);
}

}  // namespace cqsim
