// SPDX-License-Identifier: Apache-2.0
#include "tb/host/host.h"

#include "models/overflow/overflow_config.h"
#include "models/ring/doorbell_record.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cqsim::tb {
namespace {

constexpr std::uint32_t kFar = 1024;     ///< CQs: more than caches hold
constexpr std::uint32_t kPrefetch = 64;  ///< entries of a poll that are fetched ahead

}  // namespace

Host::Host(const sc_core::sc_module_name& module_name,
           Timeline& timeline,
           CqRingMemory& memory,
           Rows<CqRow> rows,
           std::uint32_t qps)
    : sc_module(module_name),
      m_timeline(timeline),
      m_slot(timeline.attach(*this, Rank::Host)),
      m_memory(memory),
      m_rows(std::move(rows)),
      m_qps(qps),
      m_places(m_rows.size()),
      m_far(m_rows.size() > kFar) {
    memory_isock.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    tx_isock.bind(static_cast<NoBackward<SoftwareProtocol>&>(*this));
    rx_isock.bind(static_cast<NoBackward<SoftwareProtocol>&>(*this));
    memory.watch(*this);
}

void Host::add_ring(Cqn cqn, const RingPlace& place) {
    m_places[index_of(cqn)] = place;
    CqRow& row = m_rows[index_of(cqn)];
    row.consumer = place.first_index;
    row.owner = static_cast<std::uint8_t>(place.first_index / place.depth & 1U);
    const std::uint64_t first = (place.ring - HostMemory::kBase) / HostMemory::kPage;
    const std::uint64_t bytes = std::uint64_t{place.depth} * native::kStride;
    const std::uint64_t pages = (bytes + HostMemory::kPage - 1) / HostMemory::kPage;
    if (m_cq_of_page.size() < first + pages) {
        m_cq_of_page.resize(first + pages, kNoCq);
    }
    std::fill_n(m_cq_of_page.begin() + static_cast<std::ptrdiff_t>(first), pages, cqn);
}

void Host::poll(Cqn cqn, const PollLoop& loop) {
    CqRow& row = m_rows[index_of(cqn)];
    row.loop = static_cast<std::uint32_t>(m_loops.size());
    row.flags = CqRow::kPolled;
    m_loops.push_back(loop);
    if (m_batch.size() < loop.batch) {
        m_batch.resize(loop.batch);
    }
}

void Host::ring_written(std::uint64_t address) {
    const std::uint64_t page = (address - HostMemory::kBase) / HostMemory::kPage;
    if (page >= m_cq_of_page.size() || m_cq_of_page[page] == kNoCq) {
        return;
    }
    const Cqn cqn = m_cq_of_page[page];
    const CqRow& row = m_rows[index_of(cqn)];
    if ((row.flags & (CqRow::kPolled | CqRow::kAwake)) == CqRow::kPolled) {
        wake(cqn, m_timeline.now());
    }
}

/// Asks for the CQ's first tick at or after a time.
void Host::wake(Cqn cqn, TimePs not_before) {
    CqRow& row = m_rows[index_of(cqn)];
    const PollLoop& loop = m_loops[row.loop];
    TimePs at = loop.first;
    if (at < not_before) {
        const std::uint64_t since = not_before.ps - loop.first.ps;
        at.ps += (since + loop.interval.ps - 1) / loop.interval.ps * loop.interval.ps;
    }
    row.flags |= CqRow::kAwake;
    m_ticks.push_back({at, cqn});
    std::push_heap(m_ticks.begin(), m_ticks.end());
    m_timeline.at(m_slot, m_ticks.front().at);
}

void Host::due(TimePs now) {
    while (!m_ticks.empty() && m_ticks.front().at <= now) {
        const Cqn cqn = m_ticks.front().cqn;
        std::pop_heap(m_ticks.begin(), m_ticks.end());
        m_ticks.pop_back();
        poll_once(cqn, now);
    }
    if (!m_ticks.empty()) {
        m_timeline.at(m_slot, m_ticks.front().at);
    }
}

void Host::poll_once(Cqn cqn, TimePs now) {
    CqRow& row = m_rows[index_of(cqn)];
    const std::uint32_t batch = m_loops[row.loop].batch;
    const std::uint32_t count = read_entries(cqn, batch);
    ++m_polls;
    row.flags = static_cast<std::uint8_t>(row.flags & ~CqRow::kAwake);
    if (count > 0) {
        publish(row, m_places[index_of(cqn)]);
        retire(count);
    }
    if (count == batch) {  // S1.7: a full batch says nothing about what is left
        wake(cqn, now + TimePs{1});
    }
}

/// Reads valid entries in order, at most `most`, and steps over them.
std::uint32_t Host::read_entries(Cqn cqn, std::uint32_t most) {
    CqRow& row = m_rows[index_of(cqn)];
    const RingPlace& place = m_places[index_of(cqn)];
    if (m_far) {
        for (std::uint32_t i = 0; i < std::min(most, kPrefetch); ++i) {
            m_memory.bytes().prefetch(place.ring + std::uint64_t{(row.slot + i) % place.depth} *
                                                       native::kStride);
        }
    }
    std::uint32_t count = 0;
    alignas(8) native::Entry entry;
    while (count < most) {
        transport(tlm::TLM_READ_COMMAND,
                  place.ring + std::uint64_t{row.slot} * native::kStride,
                  reinterpret_cast<unsigned char*>(entry.data()),
                  native::kStride);
        if (!native::is_valid(entry.data(), row.owner)) {
            break;
        }
        const native::Decoded decoded = native::decode(entry.data());
        m_batch[count++] = {decoded.wr_id, decoded.qpn, decoded.wqe_index, decoded.queue};
        if (index_of(decoded.qpn) < m_qps) {
            (decoded.queue == QueueKind::Send ? tx_isock : rx_isock)->hint(decoded.qpn);
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

void Host::publish(const CqRow& row, const RingPlace& place) {
    std::array<unsigned char, 4> bytes{};
    doorbell_record::store(bytes.data(), row.consumer & index_mask(place.index_width));
    transport(tlm::TLM_WRITE_COMMAND,
              place.record + doorbell_record::kConsumerIndex,
              bytes.data(),
              static_cast<unsigned>(bytes.size()));
}

void Host::retire(std::uint32_t count) {
    constexpr std::uint32_t kAhead = 4;
    for (std::uint32_t i = 0; i < count; ++i) {
        const Polled& ahead = m_batch[i + kAhead < count ? i + kAhead : i];
        if (m_far && index_of(ahead.qpn) < m_qps) {
            (ahead.queue == QueueKind::Send ? tx_isock : rx_isock)->hint_next(ahead.qpn);
        }
        const Polled& polled = m_batch[i];
        if (index_of(polled.qpn) >= m_qps) {
            ++m_unknown;
            continue;
        }
        (polled.queue == QueueKind::Send ? tx_isock : rx_isock)
            ->polled(polled.qpn, polled.wqe_index, polled.wr_id);
    }
}

void Host::transport(tlm::tlm_command command,
                     std::uint64_t address,
                     unsigned char* data,
                     unsigned length) {
    m_payload.set_command(command);
    m_payload.set_address(address);
    m_payload.set_data_ptr(data);
    m_payload.set_data_length(length);
    m_payload.set_streaming_width(length);
    m_payload.set_byte_enable_ptr(nullptr);
    m_payload.set_dmi_allowed(false);
    m_payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    memory_isock->b_transport(m_payload, delay);
    if (!m_payload.is_response_ok()) {
        SC_REPORT_ERROR("/cqsim/host/memory", "an access to host memory failed");
    }
}

}  // namespace cqsim::tb
