// SPDX-License-Identifier: Apache-2.0
// The part of CqRingMemory in which writes become visible beat by beat.
#include "models/ring/cq_ring_memory.h"

namespace cqsim {

CqRingMemory::BeatPath::BeatPath(CqRingMemory& memory, std::uint64_t seed)
    : dma(memory, memory.dma_tsock),
      event_dma(memory, memory.event_dma_tsock),
      m_memory(memory),
      m_slot(memory.m_timeline.attach(*this, Rank::Memory)),
      m_beats(memory.m_config, seed) {
}

tlm::tlm_sync_enum CqRingMemory::BeatPort::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                           tlm::tlm_phase& phase,
                                                           sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ || !payload.is_write()) {
        return Port::nb_transport_fw(payload, phase, delay);
    }
    payload.acquire();
    const TimePs from = m_memory.m_timeline.now() + TimePs{delay.value()};
    m_memory.m_beats->add(payload, *this, m_memory.due_time(payload, from));
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

void CqRingMemory::BeatPath::add(tlm::tlm_generic_payload& payload, Port& port, TimePs due) {
    const std::uint32_t number = m_beats.add(payload.get_address(), payload.get_data_length(), due);
    if (number >= m_open.size()) {
        m_open.resize(std::size_t{number} + 1);
    }
    m_open[number] = {&payload, &port};
    ask_for_time();
}

bool CqRingMemory::BeatPath::held_back() const {
    return m_memory.m_config.ordering == MemoryOrdering::Ordered && !m_memory.m_writes.due.empty();
}

void CqRingMemory::BeatPath::ask_for_time() {
    if (m_beats.next_at() != kNever && !held_back()) {
        m_memory.m_timeline.at(m_slot, m_beats.next_at());
    }
}

void CqRingMemory::BeatPath::due(TimePs now) {
    while (m_beats.next_at() <= now && !held_back()) {
        const WriteBeats::Beat beat = m_beats.take();
        const Open& open = m_open[beat.write];
        if (beat.left == 0) {
            m_memory.m_writes.due.push({now, open.payload, open.port, beat.first, beat.bytes});
            m_memory.ask_for_time(m_memory.m_writes);
            continue;
        }
        m_memory.access(*open.payload, beat.first, beat.bytes);
        if (m_memory.m_watcher != nullptr) {
            // Whoever waits for the entry looks at it: this may be its owner's beat.
            m_memory.m_watcher->ring_written(open.payload->get_address());
        }
    }
    ask_for_time();
}

}  // namespace cqsim
