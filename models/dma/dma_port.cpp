// SPDX-License-Identifier: Apache-2.0
#include "models/dma/dma_port.h"

#include "models/time/kernel_timeline.h"

#include <algorithm>

namespace cqsim {

DmaPort::DmaPort(const char* socket_name, Timeline& timeline, DmaListener& listener)
    : isock(socket_name),
      m_timeline(timeline),
      m_slot(timeline.attach(*this, Rank::Memory)),
      m_listener(listener) {
    isock.bind(*this);
}

DmaPort::~DmaPort() {
    for (const auto& write : m_all) {
        write->set_data_ptr(nullptr);
    }
}

DmaPort::Write& DmaPort::take_free() {
    if (m_free.empty()) {
        m_all.push_back(std::make_unique<Write>());
        Write& fresh = *m_all.back();
        fresh.set_mm(this);
        m_free.push_back(&fresh);
    }
    Write* write = m_free.back();
    m_free.pop_back();
    return *write;
}

void DmaPort::free(tlm::tlm_generic_payload* payload) {
    payload->reset();
    m_free.push_back(static_cast<Write*>(payload));
}

std::byte* DmaPort::buffer() {
    if (m_next == nullptr) {
        m_next = &take_free();
    }
    return reinterpret_cast<std::byte*>(m_next->bytes.data());
}

void DmaPort::send(std::uint64_t address,
                   std::uint32_t length,
                   std::uint32_t cookie,
                   TimePs delay) {
    Write& write = *m_next;
    m_next = nullptr;
    write.cookie = cookie;
    write.owes_end_resp = false;
    write.acquire();
    write.set_command(tlm::TLM_WRITE_COMMAND);
    write.set_address(address);
    write.set_data_ptr(write.bytes.data());
    write.set_data_length(length);
    write.set_streaming_width(length);
    write.set_byte_enable_ptr(nullptr);
    write.set_byte_enable_length(0);
    write.set_dmi_allowed(false);
    write.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);

    m_open = &write;
    m_sending = true;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time t = to_sc_time(delay);
    const tlm::tlm_sync_enum status = isock->nb_transport_fw(write, phase, t);
    const TimePs answered{t.value()};
    if (status == tlm::TLM_COMPLETED) {
        request_over(write);
        respond(write, answered);
    } else if (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
        request_over(write);
        write.owes_end_resp = true;
        respond(write, answered);
    } else if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
        request_over(write);
    }
    m_sending = false;
}

tlm::tlm_sync_enum DmaPort::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
        request_over(payload);
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::BEGIN_RESP) {
        request_over(payload);  // a response ends its request (2-phase answer)
        respond(static_cast<Write&>(payload), TimePs{delay.value()});
        return tlm::TLM_COMPLETED;
    }
    SC_REPORT_ERROR("/cqsim/dma/phase", "a phase that no target of the base protocol may send");
    return tlm::TLM_ACCEPTED;
}

/// The request is accepted: the next may be sent. Who sends is not called back from inside `send`:
/// it sees `can_send` when it returns.
void DmaPort::request_over(const tlm::tlm_generic_payload& payload) {
    if (m_open != &payload) {
        return;
    }
    m_open = nullptr;
    if (!m_sending) {
        m_listener.can_send_again();
    }
}

void DmaPort::respond(Write& write, TimePs delay) {
    if (delay == TimePs{} && !m_sending) {
        finish(write);
        return;
    }
    // Annotated delays are honoured, and nothing is finished from inside `send`.
    const TimePs at = m_timeline.now() + delay;
    const auto later = std::upper_bound(
        m_late.begin(), m_late.end(), at, [](TimePs t, const Late& late) { return t < late.at; });
    m_late.insert(later, Late{at, &write});
    m_timeline.at(m_slot, m_late.front().at);
}

void DmaPort::due(TimePs now) {
    while (!m_late.empty() && m_late.front().at <= now) {
        Write* write = m_late.front().write;
        m_late.erase(m_late.begin());
        finish(*write);
    }
    if (!m_late.empty()) {
        m_timeline.at(m_slot, m_late.front().at);
    }
}

void DmaPort::finish(Write& write) {
    if (write.owes_end_resp) {
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time t = sc_core::SC_ZERO_TIME;
        isock->nb_transport_fw(write, phase, t);
    }
    const std::uint32_t cookie = write.cookie;
    const bool ok = write.is_response_ok();
    write.release();
    m_listener.write_done(cookie, ok);
}

}  // namespace cqsim
