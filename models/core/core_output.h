// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the untimed composition says of what it does.
#pragma once

#include "models/cqe/cqe_codec.h"
#include "models/observe/record.h"
#include "models/protocol/command.h"
#include "models/protocol/qp_change.h"

#include <cstdint>
#include <vector>

namespace cqsim {

/// A write into host memory. 128 bytes at most: an entry of a CQ or of an event queue, or the 4
/// bytes of an interrupt.
struct CoreWrite {
    std::uint64_t address = 0;
    std::uint32_t length = 0;
    cqe::Entry bytes{};

    friend bool operator==(const CoreWrite& l, const CoreWrite& r) {
        return l.address == r.address && l.length == r.length && l.bytes == r.bytes;
    }
};

/// What became free for who was not taken at once.
struct CoreRoom {
    QueueKind queue{};
    Qpn qpn = kNoQp;  ///< this work queue may be offered again; kNoQp: the completion that was held
                      ///< on this kind of queue is inside
};

/// A command that was accepted is done.
struct CoreDone {
    std::uint32_t ticket = 0;
    CommandAnswer answer;
};

/// What inputs and steps did, each list in order. The core only adds to it; it is the caller's to
/// empty.
struct CoreOutput {
    /// What an observer of the block and of the memory-mapped links would see, cause before effect
    /// (record.h): every kind that the engine's blocks write, `outcome` for the answers to the
    /// pipelines, and `cqe_write`, `cqe_visible`, `eqe`, `irq`, `arm`, `ack` and the `ci` of the
    /// BAR as a monitor decodes them. Without source and bytes: a `cqe_visible`, an `eqe` and an
    /// `irq` have theirs in `writes`, one each, in the same order.
    std::vector<Record> records;
    std::vector<CoreWrite> writes;    ///< into host memory, where they are by now
    std::vector<CoreRoom> rooms;      ///< for the pipelines
    std::vector<QpChange> qp_states;  ///< likewise
    std::vector<CoreDone> done;       ///< for software

    void clear() {
        records.clear();
        writes.clear();
        rooms.clear();
        qp_states.clear();
        done.clear();
    }
};

}  // namespace cqsim
