// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/floor.h"

#include "models/time/kernel_timeline.h"

#include <cstring>

namespace cqsim::tb {

Floor::Floor(const sc_core::sc_module_name& module_name)
    : sc_module(module_name) {
    m_source.bind(m_block);
    m_out.bind(m_memory);
    m_block.register_b_transport(this, &Floor::take);
    m_memory.register_b_transport(this, &Floor::store);
    SC_HAS_PROCESS(Floor);
    SC_THREAD(loop);
}

void Floor::run(std::uint64_t completions) {
    m_left = completions;
    m_go.notify(sc_core::SC_ZERO_TIME);
    sc_core::sc_start();
}

void Floor::loop() {
    const sc_core::sc_time service = to_sc_time(kService);
    for (;;) {
        wait(m_go);
        for (; m_left != 0; --m_left) {
            send(m_source, m_in_payload, m_entry);
            wait(service);
        }
    }
}

void Floor::send(tlm_utils::simple_initiator_socket<Floor>& socket,
                 tlm::tlm_generic_payload& payload,
                 Entry& entry) {
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(0);
    payload.set_data_ptr(entry.data());
    payload.set_data_length(static_cast<unsigned>(entry.size()));
    payload.set_streaming_width(static_cast<unsigned>(entry.size()));
    payload.set_byte_enable_ptr(nullptr);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    if (!payload.is_response_ok()) {
        SC_REPORT_ERROR("/cqsim/bench/floor", "a transport failed");
    }
}

void Floor::take(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    send(m_out, m_out_payload, m_entry);
}

void Floor::store(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    std::memcpy(m_stored.data(), payload.get_data_ptr(), payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace cqsim::tb
