// SPDX-License-Identifier: Apache-2.0
#include "models/ring/write_beats.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cqsim {
namespace {

/// The order of a heap whose front is next.
bool is_later(const WriteBeats::Beat& l, const WriteBeats::Beat& r) {
    return std::tie(r.at, r.serial) < std::tie(l.at, l.serial);
}

}  // namespace

WriteBeats::WriteBeats(const MemoryConfig& config, std::uint64_t seed)
    : m_ordering(config.ordering),
      m_beat(config.beat),
      m_gap(config.beat_gap),
      m_reorder(config.reorder),
      m_random(seed, "memory") {
}

std::uint32_t WriteBeats::free_number() {
    for (std::uint32_t i = 0; i < m_writes.size(); ++i) {
        if (m_writes[i].left == 0) {
            return i;
        }
    }
    m_writes.emplace_back();
    return static_cast<std::uint32_t>(m_writes.size() - 1);
}

/// S3.6: nothing of a write is visible before what it may not overtake is.
TimePs WriteBeats::start_of(std::uint64_t address, std::uint32_t bytes, TimePs due) const {
    if (m_ordering == MemoryOrdering::Ordered) {
        return later_of(due, m_done);
    }
    TimePs start = due;
    for (const Write& write : m_writes) {
        if (write.left != 0 && address < write.address + write.bytes &&
            write.address < address + bytes) {
            start = later_of(start, write.done);
        }
    }
    return start;
}

/// Gives each beat of a write its place in the order: its own, or a random one.
void WriteBeats::shuffle(std::uint32_t beats) {
    m_places.resize(beats);
    std::iota(m_places.begin(), m_places.end(), 0U);
    if (m_ordering == MemoryOrdering::Relaxed) {
        for (std::uint32_t i = beats; i > 1; --i) {
            std::swap(m_places[i - 1], m_places[m_random.below(i)]);
        }
    }
}

std::uint32_t WriteBeats::add(std::uint64_t address, std::uint32_t bytes, TimePs due) {
    const TimePs start = start_of(address, bytes, due);
    const std::uint32_t number = free_number();
    const std::uint32_t beats = bytes == 0 ? 1 : (bytes + m_beat - 1) / m_beat;
    Write& write = m_writes[number];
    write = {address, start, bytes, beats};
    shuffle(beats);
    for (std::uint32_t i = 0; i < beats; ++i) {
        const std::uint32_t first = i * m_beat;
        TimePs at = start + m_gap * m_places[i];
        if (m_ordering == MemoryOrdering::Relaxed) {
            at += TimePs{m_random.below(m_reorder.ps + 1)};
        }
        write.done = later_of(write.done, at);
        m_beats.push_back({at, m_serial++, number, first, std::min(m_beat, bytes - first), 0});
        std::push_heap(m_beats.begin(), m_beats.end(), is_later);
    }
    m_done = later_of(m_done, write.done);
    ++m_pending;
    return number;
}

WriteBeats::Beat WriteBeats::take() {
    std::pop_heap(m_beats.begin(), m_beats.end(), is_later);
    Beat beat = m_beats.back();
    m_beats.pop_back();
    beat.left = --m_writes[beat.write].left;
    m_pending -= beat.left == 0 ? 1 : 0;
    return beat;
}

}  // namespace cqsim
