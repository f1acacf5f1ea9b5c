// SPDX-License-Identifier: Apache-2.0
#include "tb/record/memory_monitor.h"

#include "tb/check/native_entry.h"

namespace cqsim::tb {
namespace {

constexpr std::uint8_t kKindReceive = 1;
constexpr std::uint8_t kKindInvalid = 15;

std::uint32_t big_endian_32(const unsigned char* bytes) {
    return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U |
           std::uint32_t{bytes[2]} << 8U | std::uint32_t{bytes[3]};
}

check::NativeEntry entry_in(const tlm::tlm_generic_payload& payload) {
    return check::NativeEntry::at(reinterpret_cast<const std::byte*>(payload.get_data_ptr()));
}

}  // namespace

MemoryMonitor::MemoryMonitor(const sc_core::sc_module_name& module_name,
                             const Timeline& timeline,
                             RecordStream& records,
                             RingMap& map)
    : sc_module(module_name),
      m_timeline(timeline),
      m_records(records),
      m_map(map),
      m_source(records.intern(name())) {
    tsock.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    isock.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

tlm::tlm_sync_enum MemoryMonitor::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                  tlm::tlm_phase& phase,
                                                  sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
        request(payload, after(delay));
    }
    const tlm::tlm_sync_enum status = isock->nb_transport_fw(payload, phase, delay);
    if ((status == tlm::TLM_COMPLETED && phase != tlm::END_RESP) ||
        (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) {
        response(payload, after(delay));
    }
    return status;
}

tlm::tlm_sync_enum MemoryMonitor::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                                  tlm::tlm_phase& phase,
                                                  sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_RESP) {
        response(payload, after(delay));
    }
    return tsock->nb_transport_bw(payload, phase, delay);
}

void MemoryMonitor::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    request(payload, after(delay));
    isock->b_transport(payload, delay);
    response(payload, after(delay));
}

void MemoryMonitor::observe_entry(Kind kind,
                                  RingMap::Place place,
                                  const tlm::tlm_generic_payload& payload,
                                  TimePs at) {
    Record* record = m_records.open(kind, m_source, m_timeline.now(), at);
    if (record == nullptr) {
        return;
    }
    const check::NativeEntry entry = entry_in(payload);
    record->cqn = place.cqn;
    record->index = place.slot;
    record->a = payload.get_address();
    record->qpn = entry.qp_num();
    record->queue = entry.kind() == kKindReceive ? QueueKind::Receive : QueueKind::Send;
    record->wr_id = entry.wr_id();
    record->state = entry.status();
    record->flags = entry.owner() != 0 ? kOwner : 0;
    m_records.attach(*record, payload.get_data_ptr(), payload.get_data_length());
}

void DmaMonitor::request(const tlm::tlm_generic_payload& payload, TimePs at) {
    const RingMap::Place place = m_map.ring_at(payload.get_address());
    if (payload.is_write() && place.cqn != kNoCq) {
        observe_entry(Kind::CqeWrite, place, payload, at);
    }
}

void DmaMonitor::response(const tlm::tlm_generic_payload& payload, TimePs at) {
    const RingMap::Place place = m_map.ring_at(payload.get_address());
    if (payload.is_write() && payload.is_response_ok() && place.cqn != kNoCq) {
        observe_entry(Kind::CqeVisible, place, payload, at);
    }
}

void HostMonitor::request(const tlm::tlm_generic_payload& payload, TimePs at) {
    if (!payload.is_write()) {
        return;
    }
    const Cqn cqn = m_map.record_at(payload.get_address());
    if (cqn == kNoCq) {
        return;
    }
    if (Record* record = m_records.open(Kind::Ci, m_source, m_timeline.now(), at)) {
        record->cqn = cqn;
        record->index = big_endian_32(payload.get_data_ptr());
        record->a = payload.get_address();
    }
}

void HostMonitor::response(const tlm::tlm_generic_payload& payload, TimePs at) {
    const RingMap::Place place = m_map.ring_at(payload.get_address());
    if (!payload.is_read() || !payload.is_response_ok() || place.cqn == kNoCq) {
        return;
    }
    RingReading& reading = m_map.reading(place.cqn);
    const check::NativeEntry entry = entry_in(payload);
    if (payload.get_data_length() != check::NativeEntry::kBytes ||
        place.slot != reading.next_slot || entry.kind() == kKindInvalid ||
        entry.owner() != reading.next_owner) {
        return;  // an empty poll
    }
    observe_entry(Kind::Poll, place, payload, at);
    if (++reading.next_slot == reading.depth) {
        reading.next_slot = 0;
        reading.next_owner ^= 1U;
    }
}

}  // namespace cqsim::tb
