// SPDX-License-Identifier: Apache-2.0
/// \file
/// What software keeps of each CQ.
#pragma once

#include "models/verbs/ids.h"

namespace cqsim::tb {

/// 16 bytes of each CQ's line. The position in the ring is the RingReader's; the rest belongs to
/// the loop that serves the CQ.
struct CqRow {
    std::uint32_t consumer = 0;  ///< free-running, 32 bits; narrower indices are masked on the bus
    std::uint32_t slot = 0;      ///< of the next entry to read
    std::uint32_t loop = 0;      ///< index into the loops of the PollLoop or the EventLoop
    std::uint8_t owner = 0;      ///< of a valid entry in this lap
    std::uint8_t flags = 0;
    std::uint16_t unused = 0;

    static constexpr std::uint8_t kPolled = 1;  ///< PollLoop: it serves the CQ
    static constexpr std::uint8_t kAwake = 2;   ///< PollLoop: a tick is asked for
    static constexpr std::uint8_t kEvents = 4;  ///< EventLoop: it serves the CQ
    static constexpr std::uint8_t kStale = 8;   ///< RingReader: entries of dead QPs are in the ring
};
static_assert(sizeof(CqRow) == 16);

}  // namespace cqsim::tb
