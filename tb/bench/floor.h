// SPDX-License-Identifier: Apache-2.0
/// \file
/// The floor: the least that a timed TLM model of this path could do.
#pragma once

#include "models/time/time_ps.h"

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>

namespace cqsim::tb {

/// A bare loop: for each completion one b_transport in, one 64-byte b_transport out, one wait.
/// Memory footprint: two 64-byte buffers.
class Floor final : public sc_core::sc_module {
  public:
    static constexpr TimePs kService = from_ns(10);   ///< simulated, of one completion
    static constexpr std::uint64_t kRun = 1'000'000;  ///< completions: enough for a measurement
    static constexpr std::size_t kFootprintBytes = 128;

    explicit Floor(const sc_core::sc_module_name& module_name);

    /// Runs that many completions; returns when they are done.
    void run(std::uint64_t completions);

  private:
    using Entry = std::array<unsigned char, 64>;

    void loop();
    void take(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void store(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    static void send(tlm_utils::simple_initiator_socket<Floor>& socket,
                     tlm::tlm_generic_payload& payload,
                     Entry& entry);

    tlm_utils::simple_initiator_socket<Floor> m_source{"source"};
    tlm_utils::simple_target_socket<Floor> m_block{"block"};
    tlm_utils::simple_initiator_socket<Floor> m_out{"out"};
    tlm_utils::simple_target_socket<Floor> m_memory{"memory"};
    tlm::tlm_generic_payload m_in_payload;
    tlm::tlm_generic_payload m_out_payload;
    Entry m_entry{};
    Entry m_stored{};
    static_assert(sizeof(m_entry) + sizeof(m_stored) == kFootprintBytes);
    std::uint64_t m_left = 0;
    sc_core::sc_event m_go;
};

}  // namespace cqsim::tb
