// SPDX-License-Identifier: Apache-2.0
/// \file
/// Commands of software to the device: values, no SystemC.
#pragma once

#include "models/verbs/verbs.h"

namespace cqsim {

/// The answer to a command; numeric values are errno's.
enum class CommandResult : std::uint8_t {
    Ok = 0,
    NoEntry = 2,
    NoMemory = 12,
    Busy = 16,
    Invalid = 22
};

/// S4.1, S4.2: a CQ needs a ring, a doorbell record and a depth; no protection domain.
struct CreateCq {
    Cqn cqn = kNoCq;
    std::uint64_t ring_address = 0;  ///< 64-byte aligned, all entries preset to INVALID (S3.3)
    std::uint64_t doorbell_record_address = 0;  ///< 8-byte aligned
    std::uint32_t depth = 0;                    ///< entries, a power of two, 1 .. 2^22
};

/// Where a QP's work queues report to, and how.
struct CreateQp {
    Qpn qpn = kNoQp;
    Cqn send_cq = kNoCq;
    Cqn recv_cq = kNoCq;
    std::uint32_t send_depth = 0;  ///< requests; for the record only, the pipelines own the queues
    std::uint32_t recv_depth = 0;
    bool sq_sig_all = false;
};

/// The answer to `CreateQp`.
struct QpCreated {
    CommandResult result = CommandResult::Invalid;
    /// Which life of the QP number has begun: the QP table counts, everyone else is told. 0: none.
    std::uint16_t generation = 0;
};

}  // namespace cqsim
