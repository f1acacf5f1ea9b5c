// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of the records that a tap writes (record.h).
#pragma once

#include "models/protocol/completion.h"

namespace cqsim {

/// Kind::Suppress, and Kind::Outcome but for the outcome: whose request it is.
inline void describe_ended(Record& record, const Completion& completion) {
    record.qpn = completion.qpn;
    record.generation = completion.generation;
    record.queue = completion.queue;
    record.index = completion.wqe_index;
    record.serial = completion.serial;
    record.wr_id = completion.wr_id;
}

}  // namespace cqsim
