// SPDX-License-Identifier: Apache-2.0
#include "tb/host/ring_reader.h"

#include "models/overflow/overflow_config.h"
#include "tb/host/sweep.h"

#include <algorithm>
#include <utility>

namespace cqsim::tb {
namespace {

constexpr std::uint32_t kFar = 1024;  ///< CQs: more than caches hold
constexpr std::uint32_t kHalf = native::kStride / 2;

std::uint8_t owner_at(const RingPlace& place, std::uint32_t index) {
    return static_cast<std::uint8_t>(index / place.depth & 1U);
}

/// Indices wrap, but what is left behind lies within one ring: the difference tells.
bool is_before(std::uint32_t index, std::uint32_t end) {
    return end - index - 1 < (1U << 31U);
}

/// A ring on the bus. Entries are read as a driver reads fields: the owner's half first (S3.7).
class BusRing final : public SweptRing {
  public:
    BusRing(HostBus& bus, const RingPlace& place)
        : m_bus(bus),
          m_place(place) {}

    bool valid(std::uint32_t index) override {
        native::Entry entry{};
        m_bus.read(address(index) + kHalf, entry.data() + kHalf, kHalf);
        return native::is_valid(entry.data(), owner_at(m_place, index));
    }
    native::Entry read(std::uint32_t index) override {
        native::Entry entry{};
        m_bus.read(address(index) + kHalf, entry.data() + kHalf, kHalf);
        m_bus.read(address(index), entry.data(), kHalf);
        return entry;
    }
    void write(std::uint32_t index, const native::Entry& entry) override {
        constexpr std::byte kOwnerBit{1};
        std::byte own{};
        m_bus.read(address(index) + native::kOwnByte, &own, 1);
        native::Entry copy = entry;
        copy[native::kOwnByte] = (entry[native::kOwnByte] & ~kOwnerBit) | (own & kOwnerBit);
        m_bus.write(address(index), copy.data(), native::kStride);
    }

  private:
    std::uint64_t address(std::uint32_t index) const {
        return m_place.ring + std::uint64_t{index % m_place.depth} * native::kStride;
    }

    HostBus& m_bus;
    const RingPlace& m_place;
};

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
    move_to(cqn, place.first_index);
    m_return.start(cqn, place);
    const std::uint64_t bytes = std::uint64_t{place.depth} * native::kStride;
    m_runs.add(
        place.ring, (bytes + HostMemory::kPage - 1) / HostMemory::kPage * HostMemory::kPage, cqn);
}

void RingReader::remove_ring(Cqn cqn) {
    m_places[index_of(cqn)] = {};
    forget_stale(cqn);
}

void RingReader::reserve(std::uint32_t batch) {
    if (m_batch.size() < batch) {
        m_batch.resize(batch);
    }
}

void RingReader::move_to(Cqn cqn, std::uint32_t consumer) {
    CqRow& row = m_rows[index_of(cqn)];
    const RingPlace& place = m_places[index_of(cqn)];
    row.consumer = consumer;
    row.slot = consumer % place.depth;
    row.owner = owner_at(place, consumer);
}

std::uint32_t RingReader::consumer(Cqn cqn) const {
    return m_rows[index_of(cqn)].consumer & index_mask(m_places[index_of(cqn)].index_width);
}

std::uint32_t RingReader::read_entries(Cqn cqn, std::uint32_t most) {
    CqRow& row = m_rows[index_of(cqn)];
    const RingPlace& place = m_places[index_of(cqn)];
    std::uint32_t count = 0;
    m_taken = 0;
    alignas(8) native::Entry entry;
    while (count < most) {
        m_bus.read(
            place.ring + std::uint64_t{row.slot} * native::kStride, entry.data(), native::kStride);
        if (!native::is_valid(entry.data(), row.owner)) {
            break;
        }
        const native::Decoded decoded = native::decode(entry.data());
        ++count;
        if ((row.flags & CqRow::kStale) == 0 || !is_stale(cqn, decoded.qpn, row.consumer)) {
            m_batch[m_taken++] = {decoded.wr_id, decoded.qpn, decoded.wqe_index, decoded.queue};
            if (index_of(decoded.qpn) < m_qps) {
                (decoded.queue == QueueKind::Send ? m_tx : m_rx)->hint(decoded.qpn);
            }
        }
        ++row.consumer;
        if (++row.slot == place.depth) {
            row.slot = 0;
            row.owner ^= 1U;
        }
    }
    m_polled += count;
    return count;
}

void RingReader::fill(Cqn cqn, std::uint32_t count, std::byte byte) {
    const RingPlace& place = m_places[index_of(cqn)];
    native::Entry entry;
    entry.fill(byte);
    for (std::uint32_t index = m_rows[index_of(cqn)].consumer - count; count != 0; --count) {
        m_bus.write(place.ring + std::uint64_t{index++ % place.depth} * native::kStride,
                    entry.data(),
                    native::kStride);
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
        (polled.queue == QueueKind::Send ? m_tx : m_rx)
            ->polled(polled.qpn, polled.wqe_index, polled.wr_id);
    }
}

void RingReader::leave_stale(Cqn cqn, Qpn qpn) {
    if (!has_ring(cqn)) {
        return;
    }
    const RingPlace& place = m_places[index_of(cqn)];
    CqRow& row = m_rows[index_of(cqn)];
    BusRing ring(m_bus, place);
    const std::uint32_t count = valid_entries(ring, row.consumer, place.depth);
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
    const RingPlace& place = m_places[index_of(cqn)];
    BusRing ring(m_bus, place);
    const std::uint32_t consumer = m_rows[index_of(cqn)].consumer;
    const std::uint32_t freed = sweep(ring, consumer, place.depth, qpn);
    if (freed > 0) {
        // S7.7 step 3: the bus keeps the order of writes, so no barrier is needed here.
        move_to(cqn, consumer + freed);
        publish(cqn);
        m_swept += freed;
    }
    return freed;
}

}  // namespace cqsim::tb
