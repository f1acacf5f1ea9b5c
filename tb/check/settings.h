// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the checkers must know about a run beside its records.
#pragma once

#include "tb/check/rules.h"

#include <cstdint>
#include <string>

namespace cqsim::tb::check {

struct Settings {
    /// Bits of device-visible indices, 1 .. 32.
    std::uint32_t index_width = 32;
    /// Of an index, of 64 bits that count on for ever.
    std::uint32_t index_mask() const {
        return static_cast<std::uint32_t>((std::uint64_t{1} << index_width) - 1);
    }
    /// The format of entries: "native".
    std::string cqe_format = "native";
    /// Ring writes become visible as they were issued, "in_order", or "relaxed".
    std::string memory_ordering = "in_order";
    /// K20: software returns slots in a doorbell "record", by "mmio", or by "increment"s.
    std::string consumer_index = "record";
    /// What the device does where the semantics sheet leaves it open.
    bool full_at_depth = true;     ///< K01
    bool sticky_error = true;      ///< K03
    bool cq_err_once = true;       ///< K04
    bool qp_fatal_once = true;     ///< K06
    bool overrun_ignored = false;  ///< K12
    /// At most so long after an entry is in memory the device decides on its event, ps.
    std::uint64_t event_latency_ps = 0;
    /// K09: whether a CQ is armed by edge or by level: "edge", "level".
    std::string arm = "edge";
    /// K15: a solicited or failed entry breaks moderation.
    bool moderation_break = true;
    /// K13: what a full event queue does: "fatal", "drop", "back_pressure".
    std::string eq_overflow = "fatal";
    Names names;
};

}  // namespace cqsim::tb::check
