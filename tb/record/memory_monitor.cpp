// SPDX-License-Identifier: Apache-2.0
#include "tb/record/memory_monitor.h"

#include "tb/check/entry.h"
#include "tb/check/event_entry.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

std::uint32_t big_endian_32(const unsigned char* bytes) {
    return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U |
           std::uint32_t{bytes[2]} << 8U | std::uint32_t{bytes[3]};
}

// The registers of the BAR that a monitor reads, by its documentation.
constexpr std::uint64_t kCqArm = 0x20;
constexpr std::uint64_t kCqConsumer = 0x28;
constexpr std::uint64_t kCqCredit = 0x30;
constexpr std::uint64_t kEqArm = 0x40;
constexpr std::uint64_t kEqUpdate = 0x48;
constexpr unsigned kRegister = 8;
constexpr std::uint32_t kCqnMask = 0x00FF'FFFF;
constexpr std::uint32_t kSolicitedBit = std::uint32_t{1} << 24U;

std::uint32_t little_endian_32(const unsigned char* bytes) {
    return std::uint32_t{bytes[3]} << 24U | std::uint32_t{bytes[2]} << 16U |
           std::uint32_t{bytes[1]} << 8U | std::uint32_t{bytes[0]};
}

check::Entry entry_in(const tlm::tlm_generic_payload& payload, CqeFormat format) {
    return check::Entry::at(reinterpret_cast<const std::byte*>(payload.get_data_ptr()),
                            payload.get_data_length(),
                            format);
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

// A write over many entries is cut: the checkers take no length but an entry's.
void MemoryMonitor::attach(Record& record, const tlm::tlm_generic_payload& payload) {
    m_records.attach(record,
                     payload.get_data_ptr(),
                     std::min<std::size_t>(payload.get_data_length(), RecordStream::kMaxBytes));
}

void MemoryMonitor::observe_entry(Kind kind,
                                  RingMap::Place place,
                                  const tlm::tlm_generic_payload& payload,
                                  TimePs at) {
    Record* record = m_records.open(kind, m_source, m_timeline.now(), at);
    if (record == nullptr) {
        return;
    }
    record->cqn = place.cqn;
    record->index = place.slot;
    record->a = payload.get_address();
    attach(*record, payload);
    const CqeFormat format = m_map.format_of(place.cqn);
    if (!check::Entry::is_whole(payload.get_data_length(), format)) {
        return;  // no entry: the checkers say so
    }
    const check::Entry entry = entry_in(payload, format);
    record->qpn = entry.qp_num();
    record->queue = entry.queue();
    record->wr_id = entry.wr_id();
    record->state = entry.is_resize() ? 0 : entry.status();
    record->flags = entry.owner(1) != 0 ? kOwner : 0;
}

void DmaMonitor::request(const tlm::tlm_generic_payload& payload, TimePs at) {
    const RingMap::Place place = m_map.ring_at(payload.get_address());
    if (payload.is_write() && place.cqn != kNoCq) {
        observe_entry(Kind::CqeWrite, place, payload, at);
        const CqeFormat format = m_map.format_of(place.cqn);
        if (check::Entry::is_whole(payload.get_data_length(), format) &&
            entry_in(payload, format).is_resize()) {
            m_map.end_written(place.cqn, place.slot);
        }
    }
}

void DmaMonitor::response(const tlm::tlm_generic_payload& payload, TimePs at) {
    if (!payload.is_write() || !payload.is_response_ok()) {
        return;
    }
    const std::uint64_t address = payload.get_address();
    const RingMap::Place place = m_map.ring_at(address);
    if (place.cqn != kNoCq) {
        observe_entry(Kind::CqeVisible, place, payload, at);
    } else if (const auto eq = m_map.eq_at(address)) {
        observe_event(*eq, payload, at);
    } else if (const auto vector = m_map.vector_at(address)) {
        if (Record* record = m_records.open(Kind::Irq, m_source, m_timeline.now(), at)) {
            record->unit = *vector;
            record->a = address;
            record->index = payload.get_data_length() < sizeof(std::uint32_t)
                                ? 0
                                : little_endian_32(payload.get_data_ptr());
        }
    }
}

void DmaMonitor::observe_event(RingMap::EqPlace place,
                               const tlm::tlm_generic_payload& payload,
                               TimePs at) {
    Record* record = m_records.open(Kind::Eqe, m_source, m_timeline.now(), at);
    if (record == nullptr) {
        return;
    }
    record->unit = static_cast<std::uint16_t>(place.eqn);
    record->index = place.slot;
    record->a = payload.get_address();
    if (payload.get_data_length() == check::EventEntry::kBytes) {
        const auto entry =
            check::EventEntry::at(reinterpret_cast<const std::byte*>(payload.get_data_ptr()));
        record->state = entry.type;
        record->cqn = entry.cqn;
        record->qpn = entry.qpn;
        record->flags = entry.owner != 0 ? kOwner : 0;
        if (entry.srqn != 0) {
            record->flags |= kShared;
            record->serial = entry.srqn;
        }
    }
    attach(*record, payload);
}

void HostMonitor::request(const tlm::tlm_generic_payload& payload, TimePs at) {
    if (!payload.is_write()) {
        return;
    }
    const RingMap::Place place = m_map.ring_at(payload.get_address());
    if (place.cqn != kNoCq) {
        observe_entry(Kind::Sweep, place, payload, at);
        return;
    }
    const Cqn cqn = m_map.record_at(payload.get_address());
    if (cqn == kNoCq) {
        return;
    }
    observe_consumer(cqn, big_endian_32(payload.get_data_ptr()), payload.get_address(), at);
}

/// S7.7: software that gives back more than it has polled has swept the rest out of the ring, maybe
/// more than a lap of it by and by: it goes on where it has given back to. While the ring is
/// replaced it may have stepped over the marker, which RingMap::go_on tells from that.
void MemoryMonitor::published(Cqn cqn, std::uint32_t index) {
    RingReading& reading = m_map.reading(cqn);
    const std::uint32_t advance = (index - reading.published) & m_map.index_mask();
    reading.published = index;
    if (advance == 0 || (reading.flags & kCollapsed) != 0) {
        return;
    }
    const std::uint64_t to = std::uint64_t{reading.published_slot} + advance;
    reading.published_slot = static_cast<std::uint32_t>(to % reading.depth);
    reading.published_lap =
        static_cast<std::uint8_t>((reading.published_lap + to / reading.depth) % check::kLaps);
    const std::uint32_t round = reading.depth * check::kLaps;
    const std::uint32_t ahead = (reading.published_slot + reading.published_lap * reading.depth +
                                 round - reading.next_slot - reading.next_lap * reading.depth) %
                                round;
    if (ahead != 0 && ahead <= round / 2 && !reading.is_replaced) {
        reading.next_slot = reading.published_slot;
        reading.next_lap = reading.published_lap;
    }
}

/// Whether software that looks for its next entry takes this one; then the reading goes on.
bool HostMonitor::takes(RingReading& reading, std::uint32_t slot, const check::Entry& entry) const {
    const OwnerScheme scheme = m_map.scheme();
    if (entry.is_invalid()) {
        return false;
    }
    if ((reading.flags & kCollapsed) != 0) {
        // S3.16: there is one slot; what it held before is no news.
        const std::uint64_t digest = entry.digest();
        const bool news = digest != reading.seen;
        reading.seen = news ? digest : reading.seen;
        return news;
    }
    // A slot before the next one is that of the lap after.
    const std::uint32_t lap = reading.next_lap + (slot < reading.next_slot ? 1U : 0U);
    const std::uint8_t owner = entry.owner(check::owner_bits(scheme));
    std::uint32_t ahead = 0;
    if (scheme == OwnerScheme::Generation) {
        // Of the lap before it is no entry yet; of any other, it tells that some were overwritten.
        ahead = (owner - check::owners(scheme).at(lap % check::kLaps)) % check::kLaps;
        if (ahead == check::kLaps - 1) {
            return false;
        }
    } else if (owner != check::owners(scheme).at(lap % check::kLaps)) {
        return false;
    }
    const bool last = slot + 1 == reading.depth;
    reading.next_slot = last ? 0 : slot + 1;
    reading.next_lap = static_cast<std::uint8_t>((lap + ahead + (last ? 1U : 0U)) % check::kLaps);
    return true;
}

void MemoryMonitor::observe_consumer(Cqn cqn,
                                     std::uint32_t index,
                                     std::uint64_t address,
                                     TimePs at) {
    published(cqn, index);
    if (Record* record = m_records.open(Kind::Ci, m_source, m_timeline.now(), at)) {
        record->cqn = cqn;
        record->index = index;
        record->a = address;
    }
}

void HostMonitor::response(const tlm::tlm_generic_payload& payload, TimePs at) {
    const RingMap::Place place = m_map.ring_at(payload.get_address());
    if (!payload.is_read() || !payload.is_response_ok() || place.cqn == kNoCq) {
        return;
    }
    RingReading& reading = m_map.reading(place.cqn);
    if (!check::Entry::is_whole(payload.get_data_length(), reading.format)) {
        return;  // it looks, maybe ahead of where it reads
    }
    m_map.looks_at(place.cqn, payload.get_address());
    if (takes(reading, place.slot, entry_in(payload, reading.format))) {
        observe_entry(Kind::Poll, place, payload, at);
    }
}

void MmioMonitor::request(const tlm::tlm_generic_payload& payload, TimePs at) {
    if (!payload.is_write() || payload.get_data_length() != kRegister) {
        return;  // no register takes it
    }
    const std::uint64_t offset = payload.get_address() - m_base;
    const std::uint32_t low = little_endian_32(payload.get_data_ptr());
    const std::uint32_t high = little_endian_32(payload.get_data_ptr() + sizeof(low));
    if (offset == kCqArm) {
        if (Record* record = m_records.open(Kind::Arm, m_source, m_timeline.now(), at)) {
            record->cqn = Cqn{low & kCqnMask};
            record->index = high;
            record->state = static_cast<std::uint8_t>(
                (low & kSolicitedBit) != 0 ? ArmKind::Solicited : ArmKind::Next);
        }
    } else if (offset == kCqConsumer || offset == kCqCredit) {
        const Cqn cqn{low & kCqnMask};
        if (m_map.has(cqn)) {  // else only the device's refusal tells
            const std::uint32_t grown = (m_map.reading(cqn).published + high) & m_map.index_mask();
            observe_consumer(cqn, offset == kCqConsumer ? high : grown, offset, at);
        }
    } else if (offset == kEqArm || offset == kEqUpdate) {
        if (Record* record = m_records.open(Kind::Ack, m_source, m_timeline.now(), at)) {
            record->unit = static_cast<std::uint16_t>(low);
            record->index = high;
            record->flags = offset == kEqArm ? kArms : 0;
        }
    }
}

}  // namespace cqsim::tb
