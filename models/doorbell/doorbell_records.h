// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of the records that the doorbell unit writes (record.h).
#pragma once

#include "models/doorbell/doorbell_rules.h"

namespace cqsim {

/// Kind::Refuse of a write into the BAR.
inline void describe_refused(Record& record, const Doorbell& doorbell, CommandResult result) {
    record.cqn = doorbell.cqn;
    record.unit = static_cast<std::uint16_t>(doorbell.eqn);
    record.state = static_cast<std::uint8_t>(result);
    record.index = doorbell.offset;
}

}  // namespace cqsim
