// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which CQs and QPs of a run get waves of their own, and under which names. What writes the waves
/// and what writes the save file for the viewer agree through this.
#pragma once

#include "models/verbs/ids.h"
#include "tb/record/run_header.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cqsim::tb {

struct WavePlan {
    /// CQs in a run of which each is drawn; a group that would exceed it is drawn as a whole.
    static constexpr std::uint32_t kMaxCqs = 64;
    /// Members of a QP group of which each is drawn.
    static constexpr std::uint32_t kMaxGroupQps = 16;

    struct Member {
        std::string scope;  ///< e.g. "cq_shared_3", "qp_alice"; unique
        std::string name;   ///< e.g. "shared[3]"
        std::uint32_t number = 0;
    };
    struct Group {
        std::string scope;  ///< e.g. "cqs_shared", "qps_victim"; unique
        std::string name;
        std::uint32_t first = 0;
        std::uint32_t count = 0;
        std::vector<Member> members;  ///< empty: too many
    };

    explicit WavePlan(const RunHeader& header);

    /// In order of their numbers, which are 24 bits.
    std::vector<Group> cq;
    std::vector<Group> qp;
};

}  // namespace cqsim::tb
