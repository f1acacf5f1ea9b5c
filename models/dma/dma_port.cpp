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

std::byte* DmaPort::buffer() {
    if (m_next == nullptr) {
        m_next = &m_pool.take();
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
    set_request(write, tlm::TLM_WRITE_COMMAND, address, write.bytes.data(), length);

    m_open = &write;
    m_sending = true;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time t = to_sc_time(delay);
    const tlm::tlm_sync_enum status = isock->nb_transport_fw(write, phase, t);
    const TimePs answered{t.value()};
    if (status == tlm::TLM_COMPLETED) {
        request_over(write, TimePs{});
        respond(write, answered);
    } else if (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
        request_over(write, answered);
        write.owes_end_resp = true;
        respond(write, answered);
    } else if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
        request_over(write, answered);
    }
    m_sending = false;
}

tlm::tlm_sync_enum DmaPort::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay) {
    const TimePs annotated{delay.value()};
    if (phase == tlm::END_REQ) {
        request_over(payload, annotated);
    } else if (phase == tlm::BEGIN_RESP) {
        request_over(payload, annotated);  // a response ends its request (2-phase answer)
        respond(static_cast<Write&>(payload), annotated);
        return tlm::TLM_COMPLETED;
    } else if (phase == tlm::BEGIN_REQ || phase == tlm::END_RESP) {
        SC_REPORT_ERROR("/cqsim/dma/phase", "a phase that no target of the base protocol may send");
    }
    return tlm::TLM_ACCEPTED;
}

void DmaPort::refuse() {
    m_refused = true;
    if (m_open == nullptr) {
        m_timeline.at(m_slot, m_request_over);
    }
}

/// The request is accepted `delay` from now: then the next may be sent.
void DmaPort::request_over(const tlm::tlm_generic_payload& payload, TimePs delay) {
    if (m_open != &payload) {
        return;
    }
    m_open = nullptr;
    m_request_over = m_timeline.now() + delay;
    if (m_refused) {
        if (delay == TimePs{} && !m_sending) {
            tell_refused();
        } else {
            m_timeline.at(m_slot, m_request_over);
        }
    }
}

void DmaPort::tell_refused() {
    m_refused = false;
    m_listener.can_send_again();
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
    ask_for_time();
}

void DmaPort::due(TimePs now) {
    while (!m_late.empty() && m_late.front().at <= now) {
        Write* write = m_late.front().write;
        m_late.erase(m_late.begin());
        finish(*write);
    }
    if (m_refused && m_open == nullptr && m_request_over <= now) {
        tell_refused();
    }
    ask_for_time();
}

void DmaPort::ask_for_time() {
    if (!m_late.empty()) {
        m_timeline.at(m_slot, m_late.front().at);
    }
    if (m_refused && m_open == nullptr) {
        m_timeline.at(m_slot, m_request_over);
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
