// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cqsim {

/// Which of a QP's two queues flushes first when the QP goes to ERR (S2.21, K18). Inside a queue
/// it is always post order.
enum class FlushOrder : std::uint8_t {
    SqThenRq,     ///< the receive queue when all is through that the send queue held
    RqThenSq,     ///< the other way round
    Interleaved,  ///< both at once
};

/// From which states software may move a QP to RESET (S7.4, K21).
enum class ResetFrom : std::uint8_t {
    Any,
    Error,  ///< from ERR, and from RESET itself
};

struct QpConfig {
    FlushOrder flush_order = FlushOrder::SqThenRq;
    ResetFrom reset_from = ResetFrom::Any;
};

}  // namespace cqsim
