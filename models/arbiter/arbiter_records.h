// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of the records that the completion arbiter writes (record.h).
#pragma once

#include "models/protocol/completion.h"

namespace cqsim {

/// Kind::Request, and Kind::Grant but for its time waited.
inline void describe_request(Record& record, const Completion& completion, std::uint32_t queued) {
    record.cqn = completion.cqn;
    record.qpn = completion.qpn;
    record.generation = completion.generation;
    record.queue = completion.queue;
    record.serial = completion.serial;
    record.a = queued;
}

}  // namespace cqsim
