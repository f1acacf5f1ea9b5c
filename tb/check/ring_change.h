// SPDX-License-Identifier: Apache-2.0
/// \file
/// A ring that is being replaced: from the decision until software has left the old one.
/// S4.6 to S4.8.
#pragma once

#include "models/observe/record.h"
#include "tb/check/entry.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace cqsim::tb::check {

/// Where a ring lies.
struct RingArea {
    std::uint64_t address = 0;
    std::uint32_t depth = 0;
    std::uint32_t stride = 0;

    /// The slot that begins at an address.
    std::optional<std::uint32_t> slot_at(std::uint64_t at) const {
        const std::uint64_t offset = at - address;
        if (at < address || offset % stride != 0 || offset / stride >= depth) {
            return std::nullopt;
        }
        return static_cast<std::uint32_t>(offset / stride);
    }
};

/// An entry that has an index and was not polled.
struct OpenEntry {
    std::uint64_t address = 0;
    std::uint64_t held = 0;  ///< token of whoever was given the slot, then digest of the bytes
    Entry entry;             ///< once it is written
    std::uint8_t owner = 0;  ///< that its lap asks for
    bool written = false;
    bool visible = false;
    bool ends_ring = false;  ///< it belongs to no completion
    bool in_new = false;     ///< it is in the new ring: given its slot there, or copied
};

/// A CQ with two rings.
struct RingChange {
    Cqn cqn{};
    ResizeMode mode{};
    RingArea new_ring;
    std::uint32_t end = 0;       ///< count behind the entry that ends the old ring
    bool dropped = false;        ///< software has left the entry that ends the old ring behind
    std::deque<OpenEntry> open;  ///< from the next one to poll to the last that has a slot
    // Entries of `open` that are written, and visible, without one before them that is not: at
    // least so many.
    std::size_t written = 0;
    std::size_t visible = 0;

    /// The first entry that is not written; the end if all are.
    std::deque<OpenEntry>::iterator next_to_write() {
        while (written != open.size() && open[written].written) {
            ++written;
        }
        return open.begin() + static_cast<std::ptrdiff_t>(written);
    }
    /// The first entry that is not visible; the end if all are.
    std::deque<OpenEntry>::iterator next_visible() {
        while (visible != open.size() && open[visible].visible) {
            ++visible;
        }
        return open.begin() + static_cast<std::ptrdiff_t>(visible);
    }
    void pop() {
        open.pop_front();
        written -= written != 0 ? 1 : 0;
        visible -= visible != 0 ? 1 : 0;
    }
};

/// What is to be known of a ring that replaced another, as long as not more entries got slots in it
/// than it has: by then the consumer index that the device knows may be of the old ring.
struct NewRing {
    ResizeMode mode{};
    std::uint32_t first = 0;  ///< count of its first index
    std::uint32_t known = 0;  ///< by the consumer index that the device knew when it was made
};

}  // namespace cqsim::tb::check
