// SPDX-License-Identifier: Apache-2.0
#include "tb/host/host.h"

#include <utility>

namespace cqsim::tb {

Host::Host(const sc_core::sc_module_name& module_name,
           Timeline& timeline,
           RecordStream& records,
           CqRingMemory& memory,
           Rows<CqRow> rows,
           std::uint32_t qps,
           const DriverConfig& config)
    : sc_module(module_name),
      m_bus(memory_isock, mmio_isock),
      m_undefined_reads(timeline, records, name()),
      m_rings(m_bus, memory.bytes(), tx_isock, rx_isock, std::move(rows), qps),
      m_queues(m_bus),
      m_driver(timeline,
               config,
               memory.bytes(),
               command_isock,
               m_rings,
               m_queues,
               m_poll_loop,
               m_event_loop),
      m_event_loop(timeline, m_bus, m_rings, m_queues, config.interrupt_latency),
      m_poll_loop(timeline, m_rings) {
    memory_isock.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    mmio_isock.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    tx_isock.bind(static_cast<NoBackward<SoftwareProtocol>&>(*this));
    rx_isock.bind(static_cast<NoBackward<SoftwareProtocol>&>(*this));
    memory.watch(*this);
    if (config.classify == ClassifyPolicy::Opcode) {
        m_rings.classify_by_opcode(m_undefined_reads);
    }
    m_rings.return_indices(config.index_return);
}

void Host::ring_written(std::uint64_t address) {
    const Cqn cqn = m_rings.ring_at(address);
    if (cqn != kNoCq) {
        m_poll_loop.entry_visible(cqn);
    } else if (const std::optional<std::uint16_t> vector = m_driver.vector_at(address)) {
        m_event_loop.interrupted(*vector);
    }
}

}  // namespace cqsim::tb
