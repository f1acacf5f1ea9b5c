// SPDX-License-Identifier: Apache-2.0
/// \file
/// The engine: builds the blocks and binds them. Structure only.
#pragma once

#include "models/arbiter/completion_arbiter.h"
#include "models/command/command_unit.h"
#include "models/doorbell/doorbell_unit.h"
#include "models/engine/engine_config.h"
#include "models/event/event_arbiter.h"
#include "models/overflow/overflow_checker.h"
#include "models/qp/qp_table.h"
#include "models/rows/rows.h"
#include "models/tap/completion_tap.h"
#include "models/writer/cqe_writer.h"

#include <systemc>

#include <functional>
#include <memory>
#include <vector>

namespace cqsim {

/// The cache lines of QPs and CQs. The blocks' parts are at the offsets below; the rest of each
/// object's lines is for the pipelines and the host, so that they are fetched together. A QP has
/// one line, a CQ two: what polling needs is in the first.
struct ObjectLines {
    ObjectLines(std::uint32_t qps, std::uint32_t cqs)
        : qp(qps),
          cq(cqs, kLinesPerCq) {}

    static constexpr std::size_t kQpTableOffset = 0;      ///< 16 bytes
    static constexpr std::size_t kArbiterOffset = 16;     ///< 16 bytes
    static constexpr std::size_t kTxPipelineOffset = 32;  ///< 16 bytes
    static constexpr std::size_t kRxPipelineOffset = 48;  ///< 16 bytes
    static constexpr std::size_t kOverflowOffset = 0;     ///< 48 bytes
    static constexpr std::size_t kHostOffset = 48;        ///< 16 bytes
    static constexpr std::size_t kEventOffset = 64;       ///< 32 bytes
    static constexpr std::uint32_t kLinesPerCq = 2;

    LineSlab qp;
    LineSlab cq;
};

/// What a factory gets to build a block with.
struct BlockContext {
    Timeline& timeline;
    RecordStream& records;
    const EngineConfig& config;
    ObjectLines& lines;
};

/// One factory per block: replace any of them by your own, RTL behind a transactor included.
struct EngineFactories {
    template <class Ports>
    using Factory = std::function<std::unique_ptr<Ports>(const char* name, BlockContext& context)>;

    Factory<CompletionTapPorts> tx_tap;
    Factory<CompletionTapPorts> rx_tap;
    Factory<CompletionArbiterPorts> arbiter;
    Factory<CqeWriterPorts> writer;
    Factory<OverflowCheckerPorts> overflow;
    Factory<EventArbiterPorts> event;
    Factory<QpTablePorts> qp_table;
    Factory<CommandUnitPorts> command;
    Factory<DoorbellUnitPorts> doorbell;

    /// The blocks of this library.
    static EngineFactories standard();
};

/// The block in which both pipelines end. Its sockets are those of the blocks inside.
class CqEventEngine final : public sc_core::sc_module {
  public:
    CompletionTarget tx_tsock{"tx_tsock"};  ///< from the transmit pipeline
    CompletionTarget rx_tsock{"rx_tsock"};  ///< from the receive pipeline
    QpStateInitiator tx_state_isock{"tx_state_isock"};
    QpStateInitiator rx_state_isock{"rx_state_isock"};
    CommandTarget command_tsock{"command_tsock"};              ///< commands of software
    tlm::tlm_target_socket<> mmio_tsock{"mmio_tsock"};         ///< the BAR (see bar_map.h)
    tlm::tlm_initiator_socket<> dma_isock{"dma_isock"};        ///< entries to host memory
    tlm::tlm_initiator_socket<> record_isock{"record_isock"};  ///< doorbell records from it
    /// Entries of event queues to host memory, and MSI-X writes.
    tlm::tlm_initiator_socket<> event_dma_isock{"event_dma_isock"};

    /// The timeline, the stream and the lines must outlive the engine.
    CqEventEngine(const sc_core::sc_module_name& module_name,
                  Timeline& timeline,
                  RecordStream& records,
                  const EngineConfig& config,
                  ObjectLines& lines,
                  const EngineFactories& factories = EngineFactories::standard());
    ~CqEventEngine() override;

    const EngineConfig& config() const { return m_config; }

  private:
    template <class Shim, class From, class To>
    void join(const char* name, From& from, To& to);
    void bind_inside();
    void bind_outside();

    EngineConfig m_config;
    Timeline& m_timeline;
    std::unique_ptr<CompletionTapPorts> m_tx_tap;
    std::unique_ptr<CompletionTapPorts> m_rx_tap;
    std::unique_ptr<CompletionArbiterPorts> m_arbiter;
    std::unique_ptr<CqeWriterPorts> m_writer;
    std::unique_ptr<OverflowCheckerPorts> m_overflow;
    std::unique_ptr<EventArbiterPorts> m_event;
    std::unique_ptr<QpTablePorts> m_qp_table;
    std::unique_ptr<CommandUnitPorts> m_command;
    std::unique_ptr<DoorbellUnitPorts> m_doorbell;
    std::vector<std::unique_ptr<sc_core::sc_module>> m_shims;
};

}  // namespace cqsim
