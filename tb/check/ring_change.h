// SPDX-License-Identifier: Apache-2.0
/// \file
/// A ring that is being replaced: from the decision until software has left the old one.
/// S4.6 to S4.8.
#pragma once

#include "models/observe/record.h"
#include "tb/check/entry.h"

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
};

}  // namespace cqsim::tb::check
