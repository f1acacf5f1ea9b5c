// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of the records that the event arbiter writes (record.h).
#pragma once

#include "models/event/event_rules.h"

namespace cqsim {

/// Kind::Create of an event queue.
inline void describe_created(Record& record, const CreateEq& command) {
    record.unit = static_cast<std::uint16_t>(command.eqn);
    record.a = command.ring_address;
    record.index = command.depth;
    record.b = eqe::kBytes;
    record.serial = command.vector;
    record.state = static_cast<std::uint8_t>(command.kind);
}

/// Kind::Modify of a CQ.
inline void describe_moderation(Record& record, Cqn cqn, const Moderation& moderation) {
    record.cqn = cqn;
    record.index = moderation.count;
    record.a = moderation.period.ps;
}

/// Kind::Event.
inline void describe_event(Record& record, const CqEvent& event) {
    record.cqn = event.cqn;
    record.unit = static_cast<std::uint16_t>(event.eqn);
    record.index = event.index;
    record.state = static_cast<std::uint8_t>(event.cause);
    record.a = event.entries;
}

/// Kind::Async: DEVICE_FATAL, for an event queue that has gone to error (K13, S6.23).
inline void describe_device_fatal(Record& record, Eqn failed) {
    record.unit = static_cast<std::uint16_t>(failed);
    record.state = static_cast<std::uint8_t>(AsyncEvent::DeviceFatal);
}

}  // namespace cqsim
