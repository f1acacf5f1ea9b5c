// SPDX-License-Identifier: Apache-2.0
#include "tb/host/ring_reader.h"

#include "models/overflow/overflow_config.h"
#include "tb/host/bus_ring.h"

#include <algorithm>
#include <utility>

namespace cqsim::tb {
namespace {

constexpr std::uint32_t kFar = 1024;  ///< CQs: more than caches hold

/// Indices wrap, but what is left behind lies within one ring: the difference tells.
bool is_before(std::uint32_t index, std::uint32_t end) {
    return end - index - 1 < (1U << 31U);
}

}  // namespace

RingReader::RingReader(HostBus& bus,
                       HostMemory& bytes,
                       SoftwareInitiator& tx,
                       SoftwareInitiator& rx,
                       Rows<CqRow> rows,
                       std::uint32_t qps)
    : m_bus(bus),
      m_bytes(bytes),
      m_tx(tx),
      m_rx(rx),
      m_rows(std::move(rows)),
      m_qps(qps),
      m_places(m_rows.size()),
      m_far(m_rows.size() > kFar) {
}

void RingReader::add_ring(Cqn cqn, const RingPlace& place) {
    m_places[index_of(cqn)] = place;
    CqRow& row = m_rows[index_of(cqn)];
    row.consumer = place.first_index;
    row.slot = place.first_slot();
    row.owner = place.first_owner();
    m_return.start(cqn, place);
    watch(cqn, place);
}

void RingReader::watch(Cqn cqn, const RingPlace& place) {
    m_runs.add(place.ring,
               (place.bytes() + HostMemory::kPage - 1) / HostMemory::kPage * HostMemory::kPage,
               cqn);
}

void RingReader::remove_ring(Cqn cqn) {
    m_places[index_of(cqn)] = {};
    m_next.erase(index_of(cqn));
    m_seen.erase(index_of(cqn));
    forget_stale(cqn);
}

void RingReader::reserve(std::uint32_t batch) {
    if (m_batch.size() < batch) {
        m_batch.resize(batch);
    }
}

void RingReader::advance(Cqn cqn, std::uint32_t entries) {
    CqRow& row = m_rows[index_of(cqn)];
    const RingSpot spot = spot_behind(m_places[index_of(cqn)], {row.slot, row.owner}, entries);
    row.consumer += entries;
    row.slot = spot.slot;
    row.owner = spot.owner;
}

std::uint32_t RingReader::consumer(Cqn cqn) const {
    return m_rows[index_of(cqn)].consumer & index_mask(m_places[index_of(cqn)].index_width);
}

std::uint32_t RingReader::read_entries(Cqn cqn, std::uint32_t most) {
    CqRow& row = m_rows[index_of(cqn)];
    const RingPlace& place = m_places[index_of(cqn)];
    const cqe::Codec& codec = cqe::codec_of(place.format);
    m_taken = 0;
    m_crossed = false;
    if (place.collapsed()) {
        return read_collapsed(cqn, most);
    }
    std::uint32_t count = 0;
    alignas(8) cqe::Entry entry;
    while (count < most) {
        m_bus.read(place.ring + std::uint64_t{row.slot} * codec.stride, entry.data(), codec.stride);
        const std::uint8_t own = cqe::own_byte(entry.data(), codec.stride);
        if (!is_next(place, row, own)) {
            break;
        }
        if (cqe::ends_ring(own)) {
            if (cross(cqn)) {
                continue;
            }
            break;
        }
        ++count;
        keep(cqn, codec, codec.decode(entry.data()));
        ++row.consumer;
        if (++row.slot == place.depth) {
            row.slot = 0;
            row.owner = owner::next(place.scheme, row.owner);
        }
    }
    m_polled += count;
    return count;
}

/// With generations an owner value that is neither that of the lap nor of the one before tells that
/// the device lapped software (S3.12): software goes on with what is there now.
inline bool RingReader::is_next(const RingPlace& place, CqRow& row, std::uint8_t own) {
    const std::uint8_t mask = owner::mask_of(place.scheme);
    if (place.scheme == OwnerScheme::Generation) {
        const auto ahead = static_cast<std::uint8_t>((own - row.owner) & mask);
        if (ahead != 0 && ahead != mask) {
            const std::uint32_t lost = ahead * place.depth;
            m_overwritten += lost;
            row.consumer += lost;
            row.owner = own & mask;
        }
    }
    return owner::is_valid(own, mask, row.owner);
}

inline void RingReader::keep(Cqn cqn, const cqe::Codec& codec, const cqe::Decoded& decoded) {
    const CqRow& row = m_rows[index_of(cqn)];
    const WorkCompletion completion(decoded, {cqn, row.slot});
    if ((row.flags & CqRow::kStale) != 0 && is_stale(cqn, completion.qpn(), row.consumer)) {
        if (completion.queue() == QueueKind::Receive && index_of(completion.qpn()) < m_qps) {
            m_rx->unowned(completion.qpn(), completion.wqe_index());
        }
        return;
    }
    const QueueKind queue = queue_of(completion);
    m_batch[m_taken++] = {completion.wr_id(),
                          completion.qpn(),
                          completion.wqe_index(),
                          queue,
                          completion.status(),
                          !codec.holds_wr_id};
    if (index_of(completion.qpn()) < m_qps) {
        (queue == QueueKind::Send ? m_tx : m_rx)->hint(completion.qpn());
    }
}

/// S3.16: the newest entry tells by its counter what is done. A slot that was never written says
/// INVALID. There are no indices to give back.
std::uint32_t RingReader::read_collapsed(Cqn cqn, std::uint32_t most) {
    const RingPlace& place = m_places[index_of(cqn)];
    const cqe::Codec& codec = cqe::codec_of(place.format);
    alignas(8) cqe::Entry entry{};
    m_bus.read(place.ring, entry.data(), codec.stride);
    if (most == 0 ||
        cqe::own_byte(entry.data(), codec.stride) >> owner::kKindShift == owner::kInvalidKind) {
        return 0;
    }
    const auto [seen, is_first] = m_seen.emplace(index_of(cqn), entry);
    if (!is_first && seen->second == entry) {
        return 0;
    }
    seen->second = entry;
    keep(cqn, codec, codec.decode(entry.data()));
    ++m_polled;
    return 1;
}

QueueKind RingReader::queue_by_opcode(const WorkCompletion& completion) const {
    constexpr std::uint64_t kRecvBit = 0x80;  // S1.15
    return (completion.undefined(WcField::Opcode, *m_by_opcode) & kRecvBit) != 0
               ? QueueKind::Receive
               : QueueKind::Send;
}

void RingReader::fill(Cqn cqn, std::uint32_t count, std::byte byte) {
    const RingPlace& place = m_places[index_of(cqn)];
    const CqRow& row = m_rows[index_of(cqn)];
    cqe::Entry entry;
    entry.fill(byte);
    for (std::uint32_t back = count; back > 0; --back) {
        const std::uint32_t slot =
            row.slot >= back ? row.slot - back : row.slot + place.depth - back;
        m_bus.write(
            place.ring + std::uint64_t{slot} * place.stride(), entry.data(), place.stride());
    }
}

void RingReader::retire() {
    constexpr std::uint32_t kAhead = 4;
    const std::uint32_t count = m_taken;
    for (std::uint32_t i = 0; i < count; ++i) {
        const Polled& ahead = m_batch[i + kAhead < count ? i + kAhead : i];
        if (m_far && index_of(ahead.qpn) < m_qps) {
            (ahead.queue == QueueKind::Send ? m_tx : m_rx)->hint_next(ahead.qpn);
        }
        const Polled& polled = m_batch[i];
        if (index_of(polled.qpn) >= m_qps) {
            ++m_unknown;
            continue;
        }
        SoftwareInitiator& side = polled.queue == QueueKind::Send ? m_tx : m_rx;
        NamedRequest request{polled.wqe_index, polled.wr_id};
        if (polled.by_counter) {
            request = side->request_at(polled.qpn, polled.wqe_index);
        }
        side->polled(polled.qpn, request.wqe_index, request.wr_id);
        if (m_listener != nullptr) {
            m_listener->polled(polled.qpn, polled.queue, request.wr_id, polled.status);
        }
    }
}

void RingReader::leave_stale(Cqn cqn, Qpn qpn) {
    if (!has_ring(cqn)) {
        return;
    }
    const RingPlace& place = m_places[index_of(cqn)];
    CqRow& row = m_rows[index_of(cqn)];
    BusRing ring(m_bus, place, m_rows[index_of(cqn)]);
    std::uint32_t count = valid_entries(ring, row.consumer, place.depth);
    count += valid_behind(cqn, count);
    if (count == 0) {
        return;
    }
    Stale& stale = m_stale[index_of(cqn)];
    if (!is_before(row.consumer, stale.furthest)) {
        stale.until.clear();  // software is past all of it
    }
    stale.furthest = row.consumer + count;
    stale.until[index_of(qpn)] = stale.furthest;
    row.flags |= CqRow::kStale;
}

/// Whether the entry at an index that is being read is one of an earlier life of its QP.
bool RingReader::is_stale(Cqn cqn, Qpn qpn, std::uint32_t index) {
    const Stale& stale = m_stale[index_of(cqn)];
    if (!is_before(index, stale.furthest)) {
        forget_stale(cqn);
        return false;
    }
    const auto found = stale.until.find(index_of(qpn));
    if (found == stale.until.end() || !is_before(index, found->second)) {
        return false;
    }
    ++m_skipped;
    return true;
}

void RingReader::forget_stale(Cqn cqn) {
    m_stale.erase(index_of(cqn));
    m_rows[index_of(cqn)].flags &= static_cast<std::uint8_t>(~CqRow::kStale);
}

std::uint32_t RingReader::sweep_out(Cqn cqn, Qpn qpn) {
    if (!has_ring(cqn)) {
        return 0;
    }
    if (resizing(cqn)) {  // two rings: nothing can be moved across
        leave_stale(cqn, qpn);
        return 0;
    }
    const RingPlace& place = m_places[index_of(cqn)];
    BusRing ring(m_bus, place, m_rows[index_of(cqn)]);
    const std::uint32_t consumer = m_rows[index_of(cqn)].consumer;
    const std::uint32_t freed = sweep(ring, consumer, place.depth, qpn);
    if (freed > 0) {
        // S7.7 step 3: the bus keeps the order of writes, so no barrier is needed here.
        advance(cqn, freed);
        publish(cqn);
        m_swept += freed;
        for (const std::uint32_t wqe_index : ring.receives()) {
            m_rx->unowned(qpn, wqe_index);
        }
    }
    return freed;
}

}  // namespace cqsim::tb
