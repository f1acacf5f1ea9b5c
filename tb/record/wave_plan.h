// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which CQs and QPs of a run get waves of their own, and under which names. What writes the waves
/// and what writes the save file for the viewer agree through this.
#pragma once

#include "models/verbs/ids.h"
#include "tb/record/run_header.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cqsim::tb {

/// What the `state` wave of a CQ or of an event queue says.
enum class QueueWaveState : std::uint8_t { None = 0, Ok = 1, Error = 2, Full = 3 };
inline constexpr std::array<std::string_view, 4> kQueueStateText{"NONE", "OK", "ERROR", "FULL"};

struct WavePlan {
    /// CQs in a run of which each is drawn; a group that would exceed it is drawn as a whole.
    static constexpr std::uint32_t kMaxCqs = 64;
    /// Event queues and interrupt vectors, likewise. Vectors beyond have no waves of their own.
    static constexpr std::uint32_t kMaxEqs = 64;
    static constexpr std::uint32_t kMaxVectors = 64;
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
    std::vector<Group> eq;
    std::uint32_t vectors = 0;
};

/// Where the waves of each object of a kind are, by its number.
class WavePlaces {
  public:
    explicit WavePlaces(const std::vector<WavePlan::Group>& groups);

    struct Place {
        std::uint32_t group = 0;
        std::uint32_t index = 0;  ///< among the groups drawn as a whole, or the members drawn
        bool listed = false;
        bool whole = false;  ///< in the waves of a group
    };
    /// Of a number that no group has: not listed.
    Place operator[](std::uint32_t number) const;
    /// Numbers below this one may be listed.
    std::uint32_t end() const;

  private:
    struct Range {
        std::uint32_t first;
        std::uint32_t count;
        bool whole;
        std::uint32_t index;
    };
    std::vector<Range> m_ranges;  ///< in order of their numbers
};

}  // namespace cqsim::tb
