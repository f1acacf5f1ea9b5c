// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of the records that the owner of CQ contexts writes (record.h).
#pragma once

#include "models/overflow/overflow_rules.h"

#include <algorithm>

namespace cqsim {

/// Kind::Create of a CQ that exists by now.
inline void describe_created(Record& record, const CreateCq& command, const CqRow& row) {
    record.cqn = command.cqn;
    record.unit = command.eqn;
    record.a = command.ring_address;
    record.serial = command.doorbell_record_address;
    record.index = command.depth;
    record.b = static_cast<std::uint16_t>(stride_of(command.format));
    record.state = static_cast<std::uint8_t>(command.format);
    record.flags = command.flags;
    record.wr_id = row.reserved;
}

/// Kind::Resize, when the CQ has the new ring.
inline void describe_resized(Record& record,
                             const ResizeCq& command,
                             const SlotAnswer& end,
                             ResizeMode mode) {
    record.cqn = command.cqn;
    record.a = command.ring_address;
    record.index = command.depth;
    record.b = static_cast<std::uint16_t>(stride_of(end.format));
    record.wr_id = end.index;
    record.serial = command.consumer;
    record.state = static_cast<std::uint8_t>(mode);
}

/// Kind::Destroy of a CQ.
inline void describe_destroyed(Record& record, Cqn cqn) {
    record.cqn = cqn;
    record.state = static_cast<std::uint8_t>(DestroyPhase::Done);
}

/// What Kind::Slot and Kind::Overrun have in common.
inline void describe_decision(Record& record, const SlotRequest& asked, const SlotAnswer& answer) {
    record.cqn = asked.cqn;
    record.qpn = asked.qpn;
    record.generation = asked.generation;
    record.queue = asked.queue;
    record.serial = asked.serial;
    record.index = answer.index;
}

/// Kind::Slot; `in_use`: of the CQ, this slot included.
inline void describe_slot(Record& record,
                          const SlotRequest& asked,
                          const SlotAnswer& answer,
                          std::uint32_t in_use) {
    describe_decision(record, asked, answer);
    record.state = answer.owner;
    record.a = asked.completed.ps;
    record.b = static_cast<std::uint16_t>(std::min<std::uint32_t>(in_use, 0xFFFF));
}

/// Kind::Overrun; `consumer`: the consumer index that the device knows.
inline void describe_overrun(Record& record,
                             const SlotRequest& asked,
                             const SlotAnswer& answer,
                             std::uint32_t consumer) {
    describe_decision(record, asked, answer);
    record.state = static_cast<std::uint8_t>(answer.cause);
    record.a = consumer;
}

/// Kind::Async: CQ_ERR.
inline void describe_cq_error(Record& record, Cqn cqn) {
    record.cqn = cqn;
    record.state = static_cast<std::uint8_t>(AsyncEvent::CqErr);
}

}  // namespace cqsim
