// SPDX-License-Identifier: Apache-2.0
#include "models/ring/cq_ring_memory.h"

#include "models/time/kernel_timeline.h"

#include <cstring>

namespace cqsim {
namespace {

constexpr std::uint64_t kPsPerSecond = 1'000'000'000'000;
constexpr std::size_t kUsual = 64;
constexpr std::size_t kTogether = 8;  ///< lines that are fetched at once

/// memcpy, without a call for the usual length of an entry.
void copy(void* to, const void* from, std::size_t length) {
    if (length == kUsual) {
        std::memcpy(to, from, kUsual);
    } else {
        std::memcpy(to, from, length);
    }
}

}  // namespace

CqRingMemory::CqRingMemory(const sc_core::sc_module_name& module_name,
                           Timeline& timeline,
                           const MemoryConfig& config,
                           std::uint64_t seed)
    : sc_module(module_name),
      m_timeline(timeline),
      m_slot(timeline.attach(*this, Rank::Memory)),
      m_config(config) {
    if (config.bandwidth != 0) {
        m_ps_per_kib = kPsPerSecond * 1024 / config.bandwidth;
    }
    if (WriteBeats::at_once(config)) {
        dma_tsock.bind(m_dma);
        event_dma_tsock.bind(m_event_dma);
    } else {
        m_beats = std::make_unique<BeatPath>(*this, seed);
        dma_tsock.bind(m_beats->dma);
        event_dma_tsock.bind(m_beats->event_dma);
    }
    record_tsock.bind(m_records);
    host_tsock.bind(m_host);
}

CqRingMemory::~CqRingMemory() = default;

std::size_t CqRingMemory::pending() const {
    return m_writes.due.size() + (m_beats == nullptr ? 0 : m_beats->pending());
}

TimePs CqRingMemory::due_time(const tlm::tlm_generic_payload& payload, TimePs from) {
    if (payload.is_read()) {
        return from + m_config.read_latency;
    }
    const TimePs transfer{m_ps_per_kib * payload.get_data_length() / 1024};
    m_path_free_at = later_of(m_path_free_at, from) + transfer;
    return m_path_free_at + m_config.write_latency;
}

void CqRingMemory::access(tlm::tlm_generic_payload& payload,
                          std::uint64_t first,
                          std::uint64_t moved) {
    const std::uint64_t length = payload.get_data_length();
    std::byte* bytes = m_bytes.at(payload.get_address(), length);
    if (payload.get_byte_enable_ptr() != nullptr) {
        payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    } else if (payload.get_streaming_width() < length) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    } else if (bytes == nullptr) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    } else {
        if (payload.is_read()) {
            copy(payload.get_data_ptr() + first, bytes + first, moved);
        } else if (payload.is_write()) {
            copy(bytes + first, payload.get_data_ptr() + first, moved);
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
}

void CqRingMemory::due(TimePs now) {
    for (Lane* lane : {&m_writes, &m_reads}) {
        lane->complete(now);
        ask_for_time(*lane);
    }
    if (m_beats != nullptr) {
        m_beats->ask_for_time();
    }
}

tlm::tlm_sync_enum CqRingMemory::Port::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                       tlm::tlm_phase& phase,
                                                       sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP && m_response_open) {
        end_response(TimePs{delay.value()});
        m_memory.ask_for_time(m_lane);
        return tlm::TLM_COMPLETED;
    }
    if (phase != tlm::BEGIN_REQ) {
        if (phase <= tlm::END_RESP) {
            SC_REPORT_ERROR("/cqsim/ring/protocol",
                            "a phase that an initiator of the base protocol may not send now");
        }
        return tlm::TLM_ACCEPTED;
    }
    if (payload.get_command() != m_command) {
        payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    const TimePs now = m_memory.m_timeline.now();
    const TimePs at = m_memory.due_time(payload, now + TimePs{delay.value()});
    m_lane.due.push(Due{at, &payload, this, 0, payload.get_data_length()});
    if (++m_lane.unfetched == kTogether) {
        fetch_lines();
    }
    if (m_lane.due.size() == 1) {
        m_memory.m_timeline.at(m_memory.m_slot, at);
    }
    phase = tlm::END_REQ;  // accepted when it arrives: the annotated delay stands
    return tlm::TLM_UPDATED;
}

/// Fetches the lines of the newest requests, several together: each lies on a page of its own, and
/// the walks through the page tables then overlap.
void CqRingMemory::Port::fetch_lines() {
    const std::size_t pending = m_lane.due.size();
    const std::size_t count = m_lane.unfetched < pending ? m_lane.unfetched : pending;
    for (std::size_t i = 1; i <= count; ++i) {
        m_memory.m_bytes.prefetch(m_lane.due.peek(pending - i).payload->get_address());
    }
    m_lane.unfetched = 0;
}

/// The payloads of the requests that are done next: with many in flight the first-level cache has
/// lost them since they were sent (a twentieth of the time with 65,536 CQs).
inline void CqRingMemory::Lane::fetch_payloads() const {
    constexpr std::size_t kLine = 64;
    const std::size_t pending = due.size();
    if (pending > 1) {
        const auto* payload = reinterpret_cast<const std::byte*>(due.peek(1).payload);
        for (std::size_t at = 0; at < sizeof(tlm::tlm_generic_payload); at += kLine) {
            __builtin_prefetch(payload + at);
        }
    }
    if (pending > 0) {
        __builtin_prefetch(due.peek(0).payload->get_data_ptr());
    }
}

void CqRingMemory::Lane::complete(TimePs now) {
    while (!due.empty() && due.front().at <= now && due.front().port->ready(now)) {
        const Due done = due.front();
        due.pop();
        fetch_payloads();
        done.port->complete(done);
    }
}

TimePs CqRingMemory::Lane::next() const {
    if (due.empty() || due.front().port->owed()) {
        return kNever;
    }
    return later_of(due.front().at, due.front().port->response_over());
}

void CqRingMemory::Port::complete(const Due& done) {
    tlm::tlm_generic_payload& payload = *done.payload;
    m_memory.access(payload, done.first, done.bytes);
    if (m_command == tlm::TLM_WRITE_COMMAND && m_memory.m_watcher != nullptr) {
        m_memory.m_watcher->ring_written(payload.get_address());
    }
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    m_response_open = true;  // until END_RESP, which may come from inside the call
    const tlm::tlm_sync_enum status = m_socket->nb_transport_bw(payload, phase, delay);
    if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
        end_response(TimePs{delay.value()});
    }
    payload.release();
}

void CqRingMemory::Port::end_response(TimePs delay) {
    m_response_open = false;
    m_response_over = m_memory.m_timeline.now() + delay;
}

void CqRingMemory::ask_for_time(const Lane& lane) {
    const TimePs next = lane.next();
    if (next != kNever) {
        m_timeline.at(m_slot, next);
    }
}

void CqRingMemory::Port::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    m_memory.access(payload);
    delay += to_sc_time(payload.is_read() ? m_memory.m_config.read_latency
                                          : m_memory.m_config.write_latency);
}

unsigned CqRingMemory::Port::transport_dbg(tlm::tlm_generic_payload& payload) {
    m_memory.access(payload);
    return payload.is_response_ok() ? payload.get_data_length() : 0;
}

tlm::tlm_sync_enum CqRingMemory::HostPort::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                           tlm::tlm_phase& phase,
                                                           sc_core::sc_time& /*delay*/) {
    if (phase != tlm::BEGIN_REQ) {
        return tlm::TLM_ACCEPTED;  // none of the base protocol's: every request is completed
    }
    m_memory.access(payload);
    return tlm::TLM_COMPLETED;
}

void CqRingMemory::HostPort::b_transport(tlm::tlm_generic_payload& payload,
                                         sc_core::sc_time& /*delay*/) {
    m_memory.access(payload);
}

unsigned CqRingMemory::HostPort::transport_dbg(tlm::tlm_generic_payload& payload) {
    m_memory.access(payload);
    return payload.is_response_ok() ? payload.get_data_length() : 0;
}

}  // namespace cqsim
