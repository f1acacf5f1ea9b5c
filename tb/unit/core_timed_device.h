// SPDX-License-Identifier: Apache-2.0
/// \file
/// The engine, every latency of it zero, with host memory and monitors on the memory-mapped links.
#pragma once

#include "models/engine/cq_event_engine.h"
#include "models/ring/cq_ring_memory.h"
#include "models/ring/doorbell_record.h"
#include "models/time/kernel_timeline.h"
#include "tb/record/memory_monitor.h"
#include "tb/unit/core_software.h"

#include <tlm_utils/simple_initiator_socket.h>

namespace cqsim::test {

/// Tells of each request that passes.
class Passing final : public tb::MemoryMonitor {
  public:
    Passing(const sc_core::sc_module_name& module_name,
            const Timeline& timeline,
            RecordStream& records,
            tb::RingMap& map,
            std::function<void()> passes)
        : MemoryMonitor(module_name, timeline, records, map),
          m_passes(std::move(passes)) {}

  private:
    void request(const tlm::tlm_generic_payload& /*payload*/, TimePs /*at*/) override {
        m_passes();
    }
    void response(const tlm::tlm_generic_payload& /*payload*/, TimePs /*at*/) override {}

    std::function<void()> m_passes;
};

/// Doorbell records that are read within the call.
class PromptRecords final : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
  public:
    tlm::tlm_target_socket<> tsock{"tsock"};

    PromptRecords(const sc_core::sc_module_name& module_name, HostMemory& memory)
        : sc_module(module_name),
          m_memory(memory) {
        tsock.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    }

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& /*phase*/,
                                       sc_core::sc_time& /*delay*/) override {
        const std::uint32_t length = payload.get_data_length();
        std::memcpy(payload.get_data_ptr(), m_memory.at(payload.get_address(), length), length);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    void b_transport(tlm::tlm_generic_payload& /*payload*/, sc_core::sc_time& /*delay*/) override {}
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

    HostMemory& m_memory;
};

/// Plays the software on it, a time stamp after the other. One in a process: it elaborates.
class TimedDevice final : public sc_core::sc_module,
                          public Device,
                          private QpStateForward,
                          private CommandBackward,
                          private RecordSubscriber,
                          private TimedBlock {
  public:
    TimedDevice(const sc_core::sc_module_name& module_name,
                const Setting& setting,
                Software& software)
        : sc_module(module_name),
          m_software(software),
          m_window(setting.window),
          m_first_index(setting.core.overflow.first_index),
          m_format(setting.format),
          m_moment(m_timeline.attach(m_between, Rank::Memory)),  // before anything lands
          m_memory("memory", m_timeline, MemoryConfig{{}, {}, 0}),
          m_slot(m_timeline.attach(*this, Rank::TxPipeline)),
          m_engine("engine", m_timeline, m_records, config(setting), m_lines, factories()),
          m_prompt("prompt", m_memory.bytes()) {
        history.splits = m_window == 1;
        bind();
        const std::uint64_t base = m_memory.bytes().allocate(layout::kPages * HostMemory::kPage);
        sc_assert(base == layout::page(0));
        lay_out();
        m_records.subscribe(*this, kAllKinds);
    }

    void play() {
        m_timeline.at(m_slot, TimePs{kStamp});
        sc_core::sc_start();
        m_records.drain();
        stand();
    }
    std::uint64_t refused_consumer_indices() const {
        return m_overflow->refused_consumer_indices();
    }

  private:
    void bind() {
        m_tx.bind(m_tx_port);
        m_rx.bind(m_rx_port);
        m_tx_state.bind(static_cast<QpStateForward&>(*this));
        m_rx_state.bind(static_cast<QpStateForward&>(*this));
        m_command.bind(static_cast<CommandBackward&>(*this));
        m_tx.bind(m_engine.tx_tsock);
        m_rx.bind(m_engine.rx_tsock);
        m_engine.tx_state_isock.bind(m_tx_state);
        m_engine.rx_state_isock.bind(m_rx_state);
        m_command.bind(m_engine.command_tsock);
        m_mmio.bind(m_mmio_monitor.tsock);
        m_mmio_monitor.isock.bind(m_engine.mmio_tsock);
        m_engine.dma_isock.bind(m_cqe_passing.tsock);
        m_cqe_passing.isock.bind(m_cqe_monitor.tsock);
        m_cqe_monitor.isock.bind(m_memory.dma_tsock);
        m_engine.event_dma_isock.bind(m_event_passing.tsock);
        m_event_passing.isock.bind(m_event_monitor.tsock);
        m_event_monitor.isock.bind(m_memory.event_dma_tsock);
        m_unused.bind(m_memory.host_tsock);
        // While the engine waits for a doorbell record, writes land that the core still has in
        // flight. With a window of one there are none.
        if (m_window == 1) {
            m_engine.record_isock.bind(m_memory.record_tsock);
            m_unused_records.bind(m_prompt.tsock);
        } else {
            m_engine.record_isock.bind(m_prompt.tsock);
            m_unused_records.bind(m_memory.record_tsock);
        }
    }
    void lay_out() {
        for (std::uint32_t cq = 0; cq < kCqs; ++cq) {
            for (std::uint32_t ring = 0; ring < kRings; ++ring) {
                add_ring(cq, layout::cq_ring(cq, ring));
                add_ring(cq, layout::nowhere(layout::cq_ring(cq, ring)));
            }
        }
        for (std::uint16_t eqn = 0; eqn < kEqs; ++eqn) {
            m_map.add_eq(Eqn{eqn}, layout::eq_ring(eqn), HostMemory::kPage / kEqEntry);
        }
        m_map.set_vectors({layout::kMsix, 8, 4});
        m_map.set_indices(OwnerScheme::Parity, kIndexWidth);
    }
    /// To the map a record goes with each ring; none is read.
    void add_ring(std::uint32_t cq, std::uint64_t address) {
        const std::uint64_t record = layout::doorbell_record(kCqs) + std::uint64_t{8} * m_mapped++;
        const auto slots = static_cast<std::uint32_t>(HostMemory::kPage / stride_of(m_format));
        m_map.add(Cqn{cq}, {address, record, slots, 0, m_format});
    }

    /// What one tap answers to.
    class Port final : public CompletionBackward {
      public:
        Port(TimedDevice& device, QueueKind queue)
            : m_device(device),
              m_queue(queue) {}

      private:
        void offer_done(const OfferReply& /*reply*/) override { m_device.room({m_queue, kNoQp}); }
        void credit(Qpn qpn, QueueKind queue) override { m_device.room({queue, qpn}); }
        void answered(const CompletionAnswer& answer) override { m_device.answered(answer); }

        TimedDevice& m_device;
        QueueKind m_queue;
    };
    /// Due while writes are in flight.
    class Between final : public TimedBlock {
      public:
        explicit Between(TimedDevice& device)
            : m_device(device) {}

      private:
        void due(TimePs /*now*/) override { m_device.m_software.between(m_device); }

        TimedDevice& m_device;
    };

    EngineFactories factories() {
        EngineFactories factories = EngineFactories::standard();
        keep(factories.qp_table, m_qp_table);
        keep(factories.overflow, m_overflow);
        keep(factories.event, m_event);
        return factories;
    }
    /// Remembers the block that the factory makes.
    template <class Factory, class Block>
    static void keep(Factory& factory, Block*& block) {
        factory = [standard = factory, &block](const char* name, BlockContext& context) {
            auto made = standard(name, context);
            block = dynamic_cast<Block*>(made.get());
            return made;
        };
    }
    static EngineConfig config(const Setting& setting) {
        EngineConfig config;
        config.qps = setting.core.qps;
        config.cqs = setting.core.cqs;
        config.seed = setting.core.seed;
        config.arbiter = setting.core.arbiter;
        config.writer.service = TimePs{};
        config.writer.writes_in_flight = setting.window;
        config.writer.undefined = setting.core.undefined;
        config.overflow = setting.core.overflow;
        config.event = setting.core.event;
        config.command = setting.core.command;
        config.qp = setting.core.qp;
        config.event.eqe_service = TimePs{};
        return config;
    }

    // TimedBlock
    void due(TimePs now) override {
        if (m_software.play(*this)) {
            m_timeline.at(m_slot, now + m_software.pause());
        }
    }

    // Device
    void begin_step(std::uint32_t step) override {
        m_records.drain();
        m_step = step;
    }
    ArbiterRules::Offer offer(const Completion& completion) override {
        Completion offered = completion;
        CompletionInitiator& tap = completion.queue == QueueKind::Send ? m_tx : m_rx;
        switch (tap->offer(offered).status) {
            case OfferStatus::Taken:
                return ArbiterRules::Offer::Taken;
            case OfferStatus::Held:
                return ArbiterRules::Offer::Held;
            case OfferStatus::NoCredit:
                break;
        }
        return ArbiterRules::Offer::NoCredit;
    }
    void decline(Qpn qpn, QueueKind queue) override {
        (queue == QueueKind::Send ? m_tx : m_rx)->decline(qpn, queue);
    }
    void request_failed(const Completion& completion) override {
        (completion.queue == QueueKind::Send ? m_tx_state : m_rx_state)
            ->request_failed(
                completion.qpn, completion.generation, completion.queue, completion.status);
    }
    void drained(Qpn qpn, std::uint16_t generation) override {
        m_tx_state->drained(qpn, generation);
    }
    void last_wqe_ended(Qpn qpn, std::uint16_t generation) override {
        m_rx_state->last_wqe_ended(qpn, generation);
    }
    void srq_limit_reached(Srqn srqn) override { m_rx_state->srq_limit_reached(srqn); }
    void flushed(Qpn qpn, std::uint16_t generation, QueueKind queue) override {
        (queue == QueueKind::Send ? m_tx_state : m_rx_state)->flushed(qpn, generation, queue);
    }
    void submit(std::uint32_t ticket, const Command& command) override {
        CommandAnswer answer;
        if (m_command->submit(ticket, command, answer) == CommandStatus::Done) {
            if (const auto* cq = std::get_if<CreateCq>(&command);
                cq != nullptr && answer.result == CommandResult::Ok) {
                m_map.reading(cq->cqn).published = m_first_index;
            }
            command_done(ticket, answer);
        }
    }
    void ring(std::uint64_t offset, std::uint64_t value) override {
        std::array<unsigned char, 8> bytes{};
        for (unsigned i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<unsigned char>(value >> (8 * i));
        }
        tlm::tlm_generic_payload payload;
        set_request(payload, tlm::TLM_WRITE_COMMAND, offset, bytes.data(), 8);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        m_mmio->b_transport(payload, delay);
    }
    std::byte* memory(std::uint64_t address) override { return m_memory.bytes().at(address, 1); }
    void write_doorbell_record(std::uint32_t cq, std::uint32_t value) override {
        std::byte* bytes = m_memory.bytes().at(layout::doorbell_record(cq), 4);
        doorbell_record::store(reinterpret_cast<unsigned char*>(bytes), value);
    }
    void note(const Record& record) override {
        if (Record* place = m_records.open(record.kind, 0, m_timeline.now())) {
            const std::uint64_t now = place->time_ps;
            *place = record;
            place->bytes = nullptr;
            place->time_ps = now;
            if (record.bytes != nullptr) {
                m_records.attach(*place, record.bytes, record.b);
            }
        }
    }
    void stand() override {
        Hasher cqs;
        for (std::uint32_t cq = 0; cq < kCqs; ++cq) {
            cqs.add(m_overflow->context(Cqn{cq}));
        }
        Hasher qps;
        for (std::uint32_t qp = 0; qp < kQps; ++qp) {
            qps.add(m_qp_table->state(Qpn{qp}));
            qps.add(m_qp_table->in_flight(Qpn{qp}));
        }
        history.standing.add(m_step, {cqs.value(), qps.value(), m_event->rules().hash()});
    }

    // What the engine says.
    void observe(const RecordBatch& batch) override {
        for (const Record& record : batch) {
            Seen seen(record);
            if (record.kind == Kind::CqeWrite) {
                seen.bytes = {};  // compared when they are visible
            }
            history.add(m_step, seen);
        }
    }
    void qp_changed(const QpChange& change) override {
        // Both pipelines are told.
        if (m_told = !m_told; m_told) {
            history.qp_states.add(m_step, change);
        }
    }
    void command_done(std::uint32_t ticket, const CommandAnswer& answer) override {
        history.done.add(m_step, {ticket, answer});
    }
    void room(const CoreRoom& room) { history.rooms.add(m_step, room); }
    void answered(const CompletionAnswer& answer) {
        if (Record* record = m_records.open(Kind::Outcome, 0, m_timeline.now())) {
            record->qpn = answer.qpn;
            record->generation = answer.generation;
            record->queue = answer.queue;
            record->index = answer.wqe_index;
            record->serial = answer.serial;
            record->wr_id = Software::wr_id_of(answer.serial);
            record->state = static_cast<std::uint8_t>(answer.outcome);
            record->a = static_cast<std::uint64_t>(answer.cause);
        }
    }
    void entry_passes() {
        const TimePs now = m_timeline.now();
        if (m_moment_at != now) {  // the core stops once a time stamp, too
            m_moment_at = now;
            m_timeline.at(m_moment, now);
        }
    }

    Software& m_software;
    std::uint32_t m_window;
    std::uint32_t m_first_index;
    CqeFormat m_format;
    std::uint32_t m_mapped = 0;  ///< rings
    std::uint32_t m_step = 0;
    bool m_told = false;
    TimePs m_moment_at = kNever;
    Between m_between{*this};
    RecordStream m_records;
    KernelTimeline m_timeline{"timeline"};
    Timeline::Slot m_moment;
    tb::RingMap m_map;
    ObjectLines m_lines{kQps, kCqs};
    CqRingMemory m_memory;
    QpTable* m_qp_table = nullptr;
    OverflowChecker* m_overflow = nullptr;
    EventArbiter* m_event = nullptr;
    Timeline::Slot m_slot;
    CqEventEngine m_engine;
    PromptRecords m_prompt;
    Port m_tx_port{*this, QueueKind::Send};
    Port m_rx_port{*this, QueueKind::Receive};
    Passing m_cqe_passing{"cqe_passing", m_timeline, m_records, m_map, [this] { entry_passes(); }};
    Passing m_event_passing{"event_passing", m_timeline, m_records, m_map, [this] {
                                m_timeline.at(m_moment, m_timeline.now());
                            }};
    tb::DmaMonitor m_cqe_monitor{"cqe_monitor", m_timeline, m_records, m_map};
    tb::DmaMonitor m_event_monitor{"event_monitor", m_timeline, m_records, m_map};
    tb::MmioMonitor m_mmio_monitor{"mmio_monitor", m_timeline, m_records, m_map};
    CompletionInitiator m_tx{"tx"};
    CompletionInitiator m_rx{"rx"};
    QpStateTarget m_tx_state{"tx_state"};
    QpStateTarget m_rx_state{"rx_state"};
    CommandInitiator m_command{"command"};
    tlm_utils::simple_initiator_socket<TimedDevice> m_mmio{"mmio"};
    tlm_utils::simple_initiator_socket<TimedDevice> m_unused{"unused"};
    tlm_utils::simple_initiator_socket<TimedDevice> m_unused_records{"unused_records"};
};

}  // namespace cqsim::test
