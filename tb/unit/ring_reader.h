// SPDX-License-Identifier: Apache-2.0
/// \file
/// Software that reads a ring from its bytes, written from spec.md: owner values by S3.3 and S3.4,
/// rings that are replaced by S4.7 and S4.8.
#pragma once

#include "models/cqe/cqe_codec.h"
#include "models/random/random.h"
#include "tb/unit/ring_reference.h"

#include <cstring>

namespace cqsim::test {

/// What lies where software looks.
struct Found {
    enum class What : std::uint8_t { Nothing, Entry, End, Lapped };
    What what = What::Nothing;
    std::uint64_t serial = 0;  ///< of an entry
};

/// One CQ's software: its rings, which the device writes, and how far it has read.
class RingReader {
  public:
    RingReader(const OverflowConfig& device, const CreateCq& cq, RandomStream& random)
        : m_scheme(device.owner),
          m_marker(device.resize.value_or(ResizeMode::CutOff) == ResizeMode::Marker),
          m_codec(cqe::codec_of(cq.format)),
          m_collapsed((cq.flags & kCollapsed) != 0) {
        // S3.3: slot and owner value follow from the index; S3.4: they are counted.
        const std::uint64_t first = takes_any_depth(m_scheme) ? 0 : device.first_index;
        m_rings.push_back(make(cq.ring_address, cq.depth, first, random));
    }

    /// Memory of a resize.
    void prepare(const ResizeCq& command, RandomStream& random) {
        m_rings.push_back(make(command.ring_address, command.depth, 0, random));
    }

    /// \returns the memory of an entry that the device writes; null: it is none of the rings'.
    std::byte* memory(std::uint64_t address) {
        for (Ring& ring : m_rings) {
            if (std::byte* entry = ring.at(address, m_codec.stride)) {
                return entry;
            }
        }
        return nullptr;
    }

    /// Reads on by one, if there is something to read. What ends a ring leads to the next one.
    Found poll() {
        const Found found = look();
        if (found.what == Found::What::Entry) {
            ++m_rings.front().position;
            ++m_read;
        } else if (found.what == Found::What::End) {
            leave_ring();
        }
        return found;
    }
    /// S4.7: what is unread in the old ring goes to the new one, each a place further, with the
    /// owner value of its new place; the marker goes. \returns how many there were; none: there is
    /// no marker.
    std::optional<std::uint64_t> copy() {
        Ring& from = m_rings.at(0);
        Ring& to = m_rings.at(1);
        const std::uint64_t unread_from = from.position;
        Found found = look();
        for (; found.what == Found::What::Entry; found = look()) {
            const std::uint64_t place = from.position + 1;
            std::byte* copied = to.slot(place % to.slots, m_codec.stride);
            std::memcpy(
                copied, from.slot(from.position % from.slots, m_codec.stride), m_codec.stride);
            std::byte& own = copied[m_codec.stride - 1];
            own = (own & std::byte{0xFE}) | static_cast<std::byte>(place / to.slots % 2);
            ++from.position;
        }
        if (found.what != Found::What::End) {
            return std::nullopt;
        }
        const std::uint64_t copied = from.position - unread_from;
        leave_ring();
        m_rings.front().position = unread_from + 1;
        return copied;
    }

    std::uint64_t read() const { return m_read; }  ///< entries, ends of rings among them
    bool by_marker() const { return m_marker; }
    std::size_t rings() const { return m_rings.size(); }  ///< not done with

  private:
    struct Ring {
        std::uint64_t address = 0;
        std::uint64_t slots = 0;
        std::uint64_t position = 0;  ///< of the entry that is read next: lap and slot in one
        std::uint64_t first = 0;     ///< position at the beginning
        std::vector<std::byte> bytes{};

        std::byte* at(std::uint64_t where, std::uint32_t stride) {
            const std::uint64_t offset = where - address;
            return offset % stride == 0 && offset < bytes.size() ? &bytes[offset] : nullptr;
        }
        std::byte* slot(std::uint64_t number, std::uint32_t stride) {
            return &bytes[number * stride];
        }
    };

    /// Memory is dirty when software gets it; what makes its slots invalid is preset (S3.3, S3.4).
    Ring make(std::uint64_t address,
              std::uint32_t slots,
              std::uint64_t position,
              RandomStream& random) const {
        Ring ring;
        ring.address = address;
        ring.slots = slots;
        ring.position = ring.first = position;
        ring.bytes.resize(std::size_t{slots} * m_codec.stride);
        for (std::byte& byte : ring.bytes) {
            byte = static_cast<std::byte>(random.below(256));
        }
        const std::byte invalid = invalid_in_pass(slots == 0 ? 0 : position / slots);
        for (std::uint32_t slot = 0; slot < slots; ++slot) {
            ring.slot(slot, m_codec.stride)[m_codec.stride - 1] = invalid;
        }
        return ring;
    }

    /// The last byte of a slot that no entry was written to. A: opcode INVALID; A': the other
    /// owner value, 1 in a ring that begins in pass 0; B and generations: zeros.
    std::byte invalid_in_pass(std::uint64_t pass) const {
        switch (m_scheme) {
            case OwnerScheme::Parity:
                return std::byte{0xF0};
            case OwnerScheme::ParityPreset:
                return pass % 2 == 0 ? std::byte{1} : std::byte{0};
            case OwnerScheme::Phase:
            case OwnerScheme::Generation:
                break;
        }
        return std::byte{0};
    }

    Found look() {
        Ring& ring = m_rings.front();
        // S3.16: one slot, written anew with each entry.
        const std::uint64_t lap = m_collapsed ? ring.first / ring.slots + ring.position - ring.first
                                              : ring.position / ring.slots;
        const std::byte* entry =
            ring.slot(m_collapsed ? 0 : ring.position % ring.slots, m_codec.stride);
        const auto own = std::to_integer<unsigned>(entry[m_codec.stride - 1]);
        const unsigned kind = own >> 4U;
        bool valid = false;
        switch (m_scheme) {
            case OwnerScheme::Parity:
                valid = kind != 15 && own % 2 == lap % 2;
                break;
            case OwnerScheme::ParityPreset:
                valid = own % 2 == lap % 2;
                break;
            case OwnerScheme::Phase:
                valid = own % 2 == (lap + 1) % 2;
                break;
            case OwnerScheme::Generation:
                valid = own % 8 == (lap + 1) % 8;
                if (!valid && own % 8 != lap % 8) {
                    return {Found::What::Lapped, 0};
                }
                break;
        }
        if (!valid) {
            return {};
        }
        if (kind == 5) {
            return {Found::What::End, 0};
        }
        const cqe::Decoded decoded = m_codec.decode(entry);
        return {Found::What::Entry, m_codec.holds_wr_id ? decoded.wr_id : decoded.wqe_index};
    }

    /// By a marker the new ring goes on at the next index, by a cut-off at its beginning.
    void leave_ring() {
        const std::uint64_t after = m_rings.front().position + 1;
        m_rings.at(1).position = m_marker ? after : 0;
        m_rings.pop_front();
        ++m_read;
    }

    OwnerScheme m_scheme;
    bool m_marker;
    const cqe::Codec& m_codec;
    bool m_collapsed;
    std::deque<Ring> m_rings;  ///< the one that is read, and those that replace it
    std::uint64_t m_read = 0;
};

}  // namespace cqsim::test
