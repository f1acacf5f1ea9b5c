// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a CQ must do, as an endless sequence of entries: counts of 64 bits and lists, no indices
/// that wrap, no slots and no owner values. Written from spec.md chapters 3 to 5.
#pragma once

#include "models/overflow/overflow_rules.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

namespace cqsim::test {

/// Why a CQ gets no new ring, and what the command says.
enum class ResizeRefusal : std::uint8_t {
    None,
    NoCq,         ///< NoEntry
    NoMode,       ///< Unsupported: the device replaces no rings
    NotByMarker,  ///< Unsupported: a marker needs scheme Parity
    Overwrites,   ///< Unsupported: what is unread is not known
    Running,      ///< Busy: one is open
    InError,      ///< Invalid
    NoRing,       ///< Invalid: no device could use what was given
    BadConsumer,  ///< Invalid: nobody has read so much
    TooSmall,     ///< Invalid: what is unread has no room (S4.6)
    Behind,       ///< Busy: software has not read the ring before to its end (S4.8)
    Full,         ///< Busy: the old ring has no room for the entry that ends it
};
inline constexpr std::size_t kResizeRefusals = std::size_t{12};

inline CommandResult result_of(ResizeRefusal refusal) {
    switch (refusal) {
        case ResizeRefusal::None:
            return CommandResult::Ok;
        case ResizeRefusal::NoCq:
            return CommandResult::NoEntry;
        case ResizeRefusal::NoMode:
        case ResizeRefusal::NotByMarker:
        case ResizeRefusal::Overwrites:
            return CommandResult::Unsupported;
        case ResizeRefusal::Running:
        case ResizeRefusal::Behind:
        case ResizeRefusal::Full:
            return CommandResult::Busy;
        default:
            return CommandResult::Invalid;
    }
}

/// Whether rings have whole laps of a number of entries that halves.
inline bool takes_any_depth(OwnerScheme scheme) {
    return scheme == OwnerScheme::Phase || scheme == OwnerScheme::Generation;
}

/// Whether a device could use such a ring at all.
inline bool ring_can_be(const OverflowConfig& device,
                        CqeFormat format,
                        std::uint64_t address,
                        std::uint32_t slots) {
    std::uint64_t power = 1;
    while (power < slots) {
        power *= 2;
    }
    const std::uint64_t indices = std::uint64_t{1} << device.index_width;
    return slots > device.spare_slots && slots <= device.max_depth && 2ULL * slots <= indices &&
           address % (format == CqeFormat::Mlx5Wide ? 128 : 64) == 0 &&
           (takes_any_depth(device.owner) || power == slots);
}

/// One CQ, from its creation to its end.
class RingReference {
  public:
    using Verdict = OverflowRules::Verdict;
    enum class Write : std::uint8_t { Open, Landed, Failed };
    struct Entry {
        std::uint64_t serial = 0;  ///< 0: it ends a ring
        bool solicited = false;
        bool failed = false;
        Write write = Write::Open;

        bool ends_ring() const { return serial == 0; }
    };

    RingReference(const OverflowConfig& device, const CreateCq& cq)
        : m_device(device),
          m_slots(cq.depth),
          m_format(cq.format),
          m_overwrites((cq.flags & kIgnoreOverrun) != 0),
          m_collapsed((cq.flags & kCollapsed) != 0) {}

    /// S5.3a: the attempt to add is the overrun; K20: not before the consumer index was read.
    Verdict request(bool fresh, const Entry& entry) {
        if (m_error) {
            return Verdict::CqError;
        }
        if (!m_overwrites && in_ring() >= m_slots - m_device.spare_slots) {
            m_error = fresh;
            return fresh ? Verdict::Overrun : Verdict::LooksFull;
        }
        add(entry);
        return Verdict::Granted;
    }

    ResizeRefusal resize(const ResizeCq& command) {
        const ResizeRefusal refusal = judge(command);
        if (refusal == ResizeRefusal::None) {
            add({});
            m_resizing = true;
            m_slots = command.depth;
            m_cut_off = *m_device.resize == ResizeMode::CutOff ? m_granted : 0;
        }
        return refusal;
    }

    /// \returns whether the CQ goes to error by this.
    bool commit(std::size_t place, bool ok) {
        m_in_flight[place].write = ok ? Write::Landed : Write::Failed;
        if (ok) {
            m_landed.push_back(m_granted - m_in_flight.size() + place);
        }
        const bool news = !ok && !m_error;
        m_error = m_error || !ok;
        return news;
    }
    /// What the device tells next: entries in order as their writes have landed, none behind a
    /// failed one (D2), but always that a ring is over.
    std::optional<PublishedEntry> publish(Cqn cqn) {
        while (!m_in_flight.empty() && m_in_flight.front().write != Write::Open) {
            const Entry entry = m_in_flight.front();
            m_in_flight.pop_front();
            m_broken = m_broken || entry.write == Write::Failed;
            m_resizing = m_resizing && !entry.ends_ring();
            const std::uint32_t at = index(m_published);
            if (m_broken && entry.ends_ring()) {
                return PublishedEntry{cqn, at, false, true, true};
            }
            if (!m_broken) {
                ++m_published;
                m_unread.push_back(entry.serial);
                return PublishedEntry{cqn, at, entry.solicited, entry.failed, entry.ends_ring()};
            }
        }
        return std::nullopt;
    }
    /// S3.1: the consumer index is this one, in as many bits as the device looks at. \returns
    /// whether software can have read so much: what was granted may be in memory.
    bool consumer(std::uint64_t value) {
        const std::uint64_t indices = std::uint64_t{1} << m_device.index_width;
        const std::uint64_t more = (value % indices + indices - index(m_known)) % indices;
        if (more > m_granted - m_known) {
            return false;
        }
        m_known += more;
        return true;
    }

    // What software must read: serials, 0 for the end of a ring.

    /// The next one; none if there is none yet.
    std::optional<std::uint64_t> next() const {
        return m_unread.empty() ? std::nullopt : std::optional(m_unread.front());
    }
    void read() { m_unread.pop_front(); }
    /// An end is among what is unread.
    bool ended() const { return std::find(m_unread.begin(), m_unread.end(), 0) != m_unread.end(); }
    /// The end of the old ring goes, and what lies before it stays (S4.7). \returns how many.
    std::uint64_t drop_end() {
        const auto end = std::find(m_unread.begin(), m_unread.end(), 0);
        const auto before = static_cast<std::uint64_t>(end - m_unread.begin());
        m_unread.erase(end);
        return before;
    }

    /// S4.3: where entries overwrite, what lies in the place of the entry that software reads after
    /// `read` others: which entry, counted from 0. None: nothing ever came there.
    std::optional<std::uint64_t> in_place_of(std::uint64_t read) const {
        for (auto entry = m_landed.rbegin(); entry != m_landed.rend(); ++entry) {
            if (m_collapsed || *entry % m_slots == read % m_slots) {
                return *entry;
            }
        }
        return std::nullopt;
    }
    std::uint64_t serial_of(std::uint64_t entry) const { return m_serials[entry]; }
    /// How often the writer has come round when it writes this entry (S3.16: each time).
    std::uint64_t lap_of(std::uint64_t entry) const {
        return m_collapsed ? entry : entry / m_slots;
    }

    CqContext context() const {
        CqContext context;
        context.state = m_error ? CqState::Error : CqState::Ok;
        context.format = m_format;
        context.depth = m_slots;
        context.producer = index(m_granted);
        context.consumer = index(m_known);
        return context;
    }
    std::uint32_t index(std::uint64_t entries) const {
        return static_cast<std::uint32_t>((m_device.first_index + entries) %
                                          (std::uint64_t{1} << m_device.index_width));
    }
    /// That the device has to count as taken: no more than there are.
    std::uint64_t in_use() const { return in_ring() < m_slots ? in_ring() : m_slots; }
    std::uint64_t granted() const { return m_granted; }
    std::uint64_t published() const { return m_published; }
    std::uint64_t known() const { return m_known; }
    std::uint32_t slots() const { return m_slots; }
    bool overwrites() const { return m_overwrites; }
    bool collapsed() const { return m_collapsed; }
    bool resizing() const { return m_resizing; }
    const std::deque<Entry>& in_flight() const { return m_in_flight; }

  private:
    void add(const Entry& entry) {
        ++m_granted;
        m_in_flight.push_back(entry);
        m_serials.push_back(entry.serial);
    }
    /// S4.6. What the command says of the consumer index is known from then on, refused or not.
    ResizeRefusal judge(const ResizeCq& command) {
        if (!m_device.resize) {
            return ResizeRefusal::NoMode;
        }
        if (*m_device.resize == ResizeMode::Marker && m_device.owner != OwnerScheme::Parity) {
            return ResizeRefusal::NotByMarker;
        }
        if (m_overwrites) {
            return ResizeRefusal::Overwrites;
        }
        if (m_resizing) {
            return ResizeRefusal::Running;
        }
        if (m_error) {
            return ResizeRefusal::InError;
        }
        if (!ring_can_be(m_device, m_format, command.ring_address, command.depth)) {
            return ResizeRefusal::NoRing;
        }
        if (!consumer(command.consumer)) {
            return ResizeRefusal::BadConsumer;
        }
        if (m_granted - m_known > command.depth - m_device.spare_slots) {
            return ResizeRefusal::TooSmall;
        }
        if (m_known < m_cut_off) {
            return ResizeRefusal::Behind;
        }
        return in_ring() >= m_slots ? ResizeRefusal::Full : ResizeRefusal::None;
    }
    /// S4.8: what software has not read of a ring that was cut off takes no room in the next.
    std::uint64_t in_ring() const { return m_granted - std::max(m_known, m_cut_off); }

    OverflowConfig m_device;
    std::uint32_t m_slots;
    CqeFormat m_format;
    bool m_overwrites;
    bool m_collapsed;
    std::uint64_t m_granted = 0;
    std::uint64_t m_published = 0;
    std::uint64_t m_known = 0;    ///< read, as far as the device knows
    std::uint64_t m_cut_off = 0;  ///< the first entry of a ring behind a cut-off
    bool m_error = false;
    bool m_broken = false;  ///< nothing more is published
    bool m_resizing = false;
    std::deque<Entry> m_in_flight;  ///< neither published nor given up
    std::deque<std::uint64_t> m_unread;
    std::vector<std::uint64_t> m_serials;  ///< of all granted
    std::vector<std::uint64_t> m_landed;   ///< which of them are in memory, in the order of writes
};

}  // namespace cqsim::test
