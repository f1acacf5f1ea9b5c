// SPDX-License-Identifier: Apache-2.0
/// \file
/// What cqsim-bench measures.
#pragma once

#include "tb/scenario/scenario.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cqsim::tb::bench {

/// How software learns of completions.
enum class Reporting : std::uint8_t {
    Polled,     ///< it looks on its own, at most 16 entries at a time
    Moderated,  ///< one event and interrupt for at least 16 completions of a CQ
    Each,       ///< an event and an interrupt for each completion
};

/// QPs and CQs of a configuration. QP i reports to CQ i mod `cqs`.
struct Size {
    const char* name;
    std::uint32_t qps;
    std::uint32_t cqs;
    std::uint32_t depth;        ///< of each CQ, entries
    std::uint32_t queue_depth;  ///< of each work queue, requests
};

struct Configuration {
    std::string name;
    Size size{};
    Reporting reporting = Reporting::Polled;
    bool observed = false;  ///< with statistics and all rule checkers
    bool ahead = false;     ///< the run-ahead timeline
    std::uint64_t completions = 0;
    std::optional<double> target;  ///< ratio to the floor; some have none
};

/// Configurations in the order in which they are measured.
std::vector<Configuration> all_configurations();

/// The two ends of the growth from 1 to 1,000,000 QPs: polled, nothing observed.
std::vector<Configuration> growth_configurations();

/// Half send, half receive, all signaled, QPs in a random order, for ever.
Scenario scenario_of(const Configuration& configuration);

/// Simulated time between two completions.
TimePs spacing(const Configuration& configuration);

/// When traffic and software begin: well after the floor, which runs before in the same process.
TimePs start_time();

/// Simulated time from the start until every QP and every ring has been in use.
TimePs warm_up(const Configuration& configuration);

const char* name_of(Reporting reporting);

}  // namespace cqsim::tb::bench
