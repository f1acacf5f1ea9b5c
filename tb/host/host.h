// SPDX-License-Identifier: Apache-2.0
/// \file
/// The host: software that creates queues, polls them, sleeps, and is woken by interrupts.
#pragma once

#include "models/ring/cq_ring_memory.h"
#include "tb/host/driver.h"

#include <systemc>
#include <tlm>

namespace cqsim::tb {

/// The sockets of software, and the parts that it is made of: the driver, the readers of CQ rings
/// and event queues, and the loops of the modes `poll` and `event`. A CQ that no loop serves is
/// moved by steps alone.
class Host final : public sc_core::sc_module,
                   private tlm::tlm_bw_transport_if<>,
                   private NoBackward<SoftwareProtocol>,
                   public RingWatcher {
  public:
    tlm::tlm_initiator_socket<> memory_isock{"memory_isock"};
    tlm::tlm_initiator_socket<> mmio_isock{"mmio_isock"};
    CommandInitiator command_isock{"command_isock"};
    SoftwareInitiator tx_isock{"tx_isock"};
    SoftwareInitiator rx_isock{"rx_isock"};

    Host(const sc_core::sc_module_name& module_name,
         Timeline& timeline,
         RecordStream& records,
         CqRingMemory& memory,
         Rows<CqRow> rows,
         std::uint32_t qps,
         const DriverConfig& config);

    Driver& driver() { return m_driver; }
    const Driver& driver() const { return m_driver; }
    RingReader& rings() { return m_rings; }
    EqReader& queues() { return m_queues; }
    PollLoop& poll_loop() { return m_poll_loop; }
    EventLoop& event_loop() { return m_event_loop; }

    void ring_written(std::uint64_t address) override;

    std::uint64_t polls() const { return m_poll_loop.polls() + m_event_loop.counts().polls; }
    std::uint64_t polled() const { return m_rings.polled(); }
    const UndefinedReads& undefined_reads() const { return m_undefined_reads; }

  private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&,
                                       tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    HostBus m_bus;
    UndefinedReads m_undefined_reads;
    RingReader m_rings;
    EqReader m_queues;
    // In the order of their turns within a time stamp: an answer, an interrupt's handler, polls.
    Driver m_driver;
    EventLoop m_event_loop;
    PollLoop m_poll_loop;
};

}  // namespace cqsim::tb
