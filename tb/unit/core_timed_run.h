// SPDX-License-Identifier: Apache-2.0
/// \file
/// The timed engine at zero latency under that stimulus.
#pragma once

#include "models/engine/cq_event_engine.h"
#include "models/ring/cq_ring_memory.h"
#include "models/ring/doorbell_record.h"
#include "models/time/kernel_timeline.h"
#include "tb/unit/core_stimulus.h"

#include <tlm_utils/simple_initiator_socket.h>

namespace cqsim::test {

/// Offers the groups to a timed engine whose every latency is zero.
class TimedRun final : public sc_core::sc_module,
                       private QpStateForward,
                       private CommandBackward,
                       private RecordSubscriber,
                       private TimedBlock {
  public:
    Trace trace;

    TimedRun(const sc_core::sc_module_name& module_name,
             std::uint64_t seed,
             const std::vector<Group>& groups)
        : sc_module(module_name),
          m_groups(groups),
          m_slot(m_timeline.attach(*this, Rank::TxPipeline)),
          m_engine("engine", m_timeline, m_records, config(seed), m_lines, factories()) {
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
        m_mmio.bind(m_engine.mmio_tsock);
        m_engine.dma_isock.bind(m_memory.dma_tsock);
        m_engine.record_isock.bind(m_memory.record_tsock);
        m_engine.event_dma_isock.bind(m_memory.event_dma_tsock);
        m_host.bind(m_memory.host_tsock);
        m_records.subscribe(*this,
                            mask_of(Kind::Slot) | mask_of(Kind::Overrun) | mask_of(Kind::Outcome));
    }

    void play() {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        for (std::uint32_t i = 0; i < kCqs; ++i) {
            m_ring[i] = m_memory.bytes().allocate(HostMemory::kPage);
            m_record[i] = m_memory.bytes().allocate(HostMemory::kPage);
            command(CreateCq{Cqn{i}, m_ring[i], m_record[i], kDepth, kNoEqn, {}});
        }
        for (std::uint32_t i = 0; i < kQps; ++i) {
            create(i);
        }
        m_timeline.at(m_slot, TimePs{kStamp});
        sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC), sc_core::SC_EXIT_ON_STARVATION);
        m_records.drain();
    }

  private:
    CommandAnswer command(const Command& command) {
        CommandAnswer answer;
        REQUIRE(m_command->submit(0, command, answer) == CommandStatus::Done);
        REQUIRE(answer.result == CommandResult::Ok);
        return answer;
    }
    void create(std::uint32_t qp) {
        m_generation[qp] = command(qp_of(qp)).generation;
        bring_up(qp);
    }
    void bring_up(std::uint32_t qp) {
        for (const QpState state : kBringUp) {
            command(ModifyQp{Qpn{qp}, state, false});
        }
    }
    void end_life(const Group& group) {
        if (group.end_of == kQps) {
            return;
        }
        m_ending = group;
        const Qpn qpn{group.end_of};
        CommandAnswer answer;
        const CommandStatus status =
            group.destroyed
                ? m_command->submit(kEndOfLife, DestroyQp{qpn}, answer)
                : m_command->submit(kEndOfLife, ModifyQp{qpn, QpState::Reset, false}, answer);
        if (status == CommandStatus::Done) {
            command_done(kEndOfLife, answer);
        }
    }
    void command_done(std::uint32_t ticket, const CommandAnswer& answer) override {
        CHECK(ticket == kEndOfLife);
        CHECK(answer.result == CommandResult::Ok);
        m_generation[m_ending.end_of] = answer.generation;
        m_life_over = true;
    }
    /// The next life begins, if the last one is over by now: at zero latency it must be.
    void begin_life() {
        if (m_ending.end_of == kQps) {
            return;
        }
        CHECK(m_life_over);
        m_life_over = false;
        if (m_ending.destroyed) {
            create(m_ending.end_of);
        } else {
            bring_up(m_ending.end_of);
        }
        m_ending = Group{};
    }

    /// What one tap answers to.
    class Port final : public CompletionBackward {
      public:
        Port(TimedRun& run, QueueKind queue)
            : m_run(run),
              m_queue(queue) {}

      private:
        void offer_done(const OfferReply& reply) override {
            CHECK(reply.status == OfferStatus::Taken);
            m_run.room({m_queue, kNoQp});
        }
        void credit(Qpn qpn, QueueKind queue) override {
            CHECK(queue == m_queue);
            m_run.room({queue, qpn});
        }
        void answered(const CompletionAnswer& answer) override { m_run.answered(answer); }

        TimedRun& m_run;
        QueueKind m_queue;
    };

    EngineFactories factories() {
        EngineFactories factories = EngineFactories::standard();
        const auto standard = factories.qp_table;
        factories.qp_table = [this, standard](const char* name, BlockContext& context) {
            std::unique_ptr<QpTablePorts> table = standard(name, context);
            m_qp_table = dynamic_cast<QpTable*>(table.get());
            return table;
        };
        return factories;
    }

    static EngineConfig config(std::uint64_t seed) {
        EngineConfig config;
        config.qps = kQps;
        config.cqs = kCqs;
        config.seed = seed;
        config.arbiter = arbiter_of(seed);
        config.writer.service = TimePs{};
        config.overflow = overflow_config();
        return config;
    }

    void due(TimePs now) override {
        begin_life();
        if (m_next != 0) {
            consume(m_groups[m_next - 1].consume_from);
        }
        if (m_next == m_groups.size()) {
            return;
        }
        const Group& group = m_groups[m_next];
        m_arrivals.add(group.arrivals, [this](Qpn qpn) { return m_generation[index_of(qpn)]; });
        m_arrivals.offer_all(trace, [this](Completion completion) {
            CompletionInitiator& tap = completion.queue == QueueKind::Send ? m_tx : m_rx;
            return tap->offer(completion).status;
        });
        for (const Completion& ended : group.arrivals) {
            if (ended.status != WcStatus::Success) {
                (ended.queue == QueueKind::Send ? m_tx_state : m_rx_state)
                    ->request_failed(
                        ended.qpn, m_generation[index_of(ended.qpn)], ended.queue, ended.status);
            }
        }
        for (std::uint32_t qp = 0; qp < kQps; ++qp) {
            trace.qps.push_back(
                qp_word(m_qp_table->state(Qpn{qp}), m_qp_table->in_flight(Qpn{qp})));
        }
        end_life(group);
        ++m_next;
        m_timeline.at(m_slot, now + TimePs{kStamp});
    }

    /// Software has read everything that is visible.
    void consume(std::uint32_t cq) {
        if (cq == kCqs) {
            return;
        }
        std::array<unsigned char, 4> bytes{};
        doorbell_record::store(bytes.data(), m_granted[cq] & ((1U << kIndexWidth) - 1));
        tlm::tlm_generic_payload payload;
        payload.set_command(tlm::TLM_WRITE_COMMAND);
        payload.set_address(m_record[cq]);
        payload.set_data_ptr(bytes.data());
        payload.set_data_length(4);
        payload.set_streaming_width(4);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        m_host->b_transport(payload, delay);
        CHECK(payload.is_response_ok());
    }

    void observe(const RecordBatch& batch) override {
        for (const Record& record : batch) {
            const bool granted = record.kind == Kind::Slot;
            const Outcome refused =
                record.kind == Kind::Outcome ? Outcome::Cancelled : Outcome::Lost;
            trace.decisions.push_back({record.serial,
                                       granted ? Outcome::Granted : refused,
                                       record.index,
                                       granted ? record.state : std::uint8_t{0}});
        }
    }

    void room(const Room& room) {
        trace.rooms.push_back(room);
        m_arrivals.room(room);
    }
    void answered(const CompletionAnswer& answer) {
        if (answer.outcome == Outcome::Granted) {
            const CreateQp qp = qp_of(index_of(answer.qpn));
            ++m_granted[index_of(answer.queue == QueueKind::Send ? qp.send_cq : qp.recv_cq)];
        } else if (answer.outcome == Outcome::Cancelled) {
            if (Record* record = m_records.open(Kind::Outcome, 0, m_timeline.now())) {
                record->serial = answer.serial;
            }
        }
    }
    void qp_changed(const QpChange&) override {}

    static constexpr std::uint32_t kEndOfLife = 1;  ///< its ticket

    const std::vector<Group>& m_groups;
    std::size_t m_next = 0;
    RecordStream m_records;
    KernelTimeline m_timeline{"timeline"};
    Timeline::Slot m_slot;
    ObjectLines m_lines{kQps, kCqs};
    CqRingMemory m_memory{"memory", m_timeline, MemoryConfig{{}, {}, 0}};
    QpTable* m_qp_table = nullptr;
    CqEventEngine m_engine;
    Arrivals m_arrivals;
    Port m_tx_port{*this, QueueKind::Send};
    Port m_rx_port{*this, QueueKind::Receive};
    tlm_utils::simple_initiator_socket<TimedRun> m_host{"host"};
    CompletionInitiator m_tx{"tx"};
    CompletionInitiator m_rx{"rx"};
    QpStateTarget m_tx_state{"tx_state"};
    QpStateTarget m_rx_state{"rx_state"};
    CommandInitiator m_command{"command"};
    tlm_utils::simple_initiator_socket<TimedRun> m_mmio{"mmio"};
    std::array<std::uint64_t, kCqs> m_ring{};
    std::array<std::uint64_t, kCqs> m_record{};
    std::array<std::uint32_t, kCqs> m_granted{};
    std::array<std::uint16_t, kQps> m_generation{};
    Group m_ending;  ///< whose end of a life is under way
    bool m_life_over = false;
};

}  // namespace cqsim::test
