// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/arbiter/arbiter_config.h"
#include "models/command/command_config.h"
#include "models/doorbell/doorbell_config.h"
#include "models/event/event_config.h"
#include "models/overflow/overflow_config.h"
#include "models/qp/qp_config.h"
#include "models/writer/writer_config.h"

#include <cstdint>

namespace cqsim {

/// The typed configuration of one engine, valid as a whole: the modules check nothing again.
struct EngineConfig {
    std::uint32_t qps = 0;  ///< QP numbers are 0 .. qps-1; at most 2^24
    std::uint32_t cqs = 0;  ///< CQ numbers are 0 .. cqs-1; at most 2^24
    std::uint64_t seed = 1;
    ArbiterConfig arbiter;
    WriterConfig writer;
    OverflowConfig overflow;
    EventConfig event;
    QpConfig qp;
    CommandConfig command;
    DoorbellConfig doorbell;  ///< of CQs it says what `overflow` does
    /// Delays every call and answer of the links whose protocol lets an answer be late
    /// (completions, slots, entries and doorbell records; see link_delay.h) by this much: shows
    /// that nothing hangs on an answer that comes at once. 0: no delay.
    TimePs link_delay{};
};

}  // namespace cqsim
