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

    /// "shared", or "shared[3]" for a member of a group; "cq 7" for one without a name.
    std::string cq_name(Cqn cqn) const;
    std::string qp_name(Qpn qpn) const;
};

}  // namespace cqsim::tb
