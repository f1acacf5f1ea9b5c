// SPDX-License-Identifier: Apache-2.0
/// \file
/// How software reaches memory and the device's registers.
#pragma once

#include <systemc>
#include <tlm>

#include <cstdint>

namespace cqsim::tb {

/// Blocking accesses in zero time through the host's two memory-mapped sockets.
class HostBus {
  public:
    HostBus(tlm::tlm_initiator_socket<>& memory, tlm::tlm_initiator_socket<>& mmio)
        : m_memory(memory),
          m_mmio(mmio) {}
    HostBus(const HostBus&) = delete;
    HostBus& operator=(const HostBus&) = delete;

    /// An access that memory refuses is an error of the model (/cqsim/host/memory).
    void read(std::uint64_t address, void* data, unsigned length) {
        access(m_memory, tlm::TLM_READ_COMMAND, address, data, length);
        if (!m_payload.is_response_ok()) {
            SC_REPORT_ERROR("/cqsim/host/memory", "an access to host memory failed");
        }
    }
    void write(std::uint64_t address, void* data, unsigned length) {
        access(m_memory, tlm::TLM_WRITE_COMMAND, address, data, length);
        if (!m_payload.is_response_ok()) {
            SC_REPORT_ERROR("/cqsim/host/memory", "an access to host memory failed");
        }
    }
    /// Writes a 64-bit register of the BAR. \returns false when the device refused it.
    bool ring(std::uint64_t offset, std::uint64_t value);

  private:
    void access(tlm::tlm_initiator_socket<>& socket,
                tlm::tlm_command command,
                std::uint64_t address,
                void* data,
                unsigned length) {
        m_payload.set_command(command);
        m_payload.set_address(address);
        m_payload.set_data_ptr(static_cast<unsigned char*>(data));
        m_payload.set_data_length(length);
        m_payload.set_streaming_width(length);
        m_payload.set_byte_enable_ptr(nullptr);
        m_payload.set_dmi_allowed(false);
        m_payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(m_payload, delay);
    }

    tlm::tlm_initiator_socket<>& m_memory;
    tlm::tlm_initiator_socket<>& m_mmio;
    tlm::tlm_generic_payload m_payload;
};

}  // namespace cqsim::tb
