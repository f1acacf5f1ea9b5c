// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an observer must know beside the records: the first line of events.jsonl.
#pragma once

#include "models/verbs/ids.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cqsim::tb {

/// `count` objects of consecutive numbers from `first`, under one name.
struct NamedRange {
    std::string name;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

/// Names, and every knob that a checker needs.
struct RunHeader {
    static constexpr std::uint32_t kSchema = 1;

    std::string scenario;
    std::uint64_t seed = 0;
    std::string cqe_format = "native";
    std::uint32_t index_width = 32;  ///< bits of device-visible indices
    std::vector<NamedRange> cq;
    std::vector<NamedRange> qp;
    std::vector<NamedRange> eq;
    std::uint32_t vectors = 0;          ///< of the MSI-X table, from 0
    std::string arm = "edge";           ///< K09: "edge" or "level"
    bool moderation_break = true;       ///< K15: a solicited or failed entry breaks moderation
    std::string eq_overflow = "fatal";  ///< K13: "fatal", "drop" or "back_pressure"

    /// "shared", or "shared[3]" for a member of a group; "cq 7" for one without a name.
    std::string cq_name(Cqn cqn) const;
    std::string qp_name(Qpn qpn) const;
    std::string eq_name(Eqn eqn) const;
};

}  // namespace cqsim::tb
