// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a node to a value in its range, or a mistake with its place.
#pragma once

#include "tb/scenario/node.h"
#include "tb/scenario/scenario.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cqsim::tb {

/// Inclusive bounds.
struct IntegerRange {
    std::int64_t low = 0;
    std::int64_t high = 0;
    std::string text() const;
};

struct DurationRange {
    TimePs low;
    TimePs high;
    std::string text() const;
};

inline constexpr TimePs kMicrosecond = from_ns(1'000);
inline constexpr TimePs kMillisecond = from_ns(1'000'000);
inline constexpr TimePs kSecond = from_ns(1'000'000'000);

/// What a scenario lasts at most: leaves 2^64 ps far away for sums.
inline constexpr TimePs kMaxTime = kSecond * 1000;

/// Bounds of a rate, as periods.
inline constexpr TimePs kMinPeriod{1'000};              ///< 1 G/s
inline constexpr TimePs kMaxPeriod{1'000'000'000'000};  ///< 1 /s
inline constexpr const char* kRateRange = "1 /s .. 1 G/s";

/// Bounds of a bandwidth; 0 stands for none and is written "unlimited".
inline constexpr std::uint64_t kMinBandwidth = 1'000'000;
inline constexpr std::uint64_t kMaxBandwidth = 1'000'000'000'000;
inline constexpr const char* kBandwidthRange = "1 MB/s .. 1 TB/s, or \"unlimited\"";

/// What a field reader knows beside its node: where mistakes go, and the names read so far.
struct ReadContext {
    ErrorList& errors;
    Scenario& scenario;
};

/// Each gives nothing after it has reported the mistake.
std::optional<std::int64_t> read_integer(const Node& node,
                                         IntegerRange range,
                                         ReadContext& context);
std::optional<double> read_number(const Node& node, ReadContext& context);
std::optional<bool> read_boolean(const Node& node, ReadContext& context);
std::optional<std::string> read_string(const Node& node, ReadContext& context);
/// The name of a scenario, which may be that of a file: 1 to 200 bytes without '/' and control
/// characters, not "." or "..".
std::optional<std::string> read_run_name(const Node& node, ReadContext& context);
/// The name of a group: a letter, then letters, digits, '_' and '-', at most 64.
std::optional<std::string> read_name(const Node& node, ReadContext& context);
/// The index of the word in `words`.
std::optional<std::size_t> read_choice(const Node& node,
                                       const std::vector<std::string>& words,
                                       ReadContext& context);
std::optional<TimePs> read_duration(const Node& node, DurationRange range, ReadContext& context);
/// As a period.
std::optional<TimePs> read_rate(const Node& node, ReadContext& context);
std::optional<std::uint64_t> read_bandwidth(const Node& node, ReadContext& context);

/// "shared": the index of a group that was read before. Silent when a group has no right name:
/// that was reported, and it may be the one that is meant.
std::optional<std::uint32_t> read_cq_group(const Node& node, ReadContext& context);
std::optional<std::uint32_t> read_qp_group(const Node& node, ReadContext& context);
std::optional<std::uint32_t> read_eq_group(const Node& node, ReadContext& context);
/// "victim", all of it, or "victim[3]".
std::optional<GroupRef> read_cq_ref(const Node& node, ReadContext& context);
std::optional<GroupRef> read_qp_ref(const Node& node, ReadContext& context);
std::optional<std::uint32_t> read_srq_group(const Node& node, ReadContext& context);
std::optional<GroupRef> read_srq_ref(const Node& node, ReadContext& context);
std::optional<GroupRef> read_eq_ref(const Node& node, ReadContext& context);

/// [a, b] with a <= b.
struct Between {
    double low = 0;
    double high = 0;
};
std::optional<Between> read_between(const Node& node, ReadContext& context);

/// A path into result.json, e.g. "cq.shared.overruns"; names of CQs and QPs in it are known.
std::optional<std::string> read_stat(const Node& node, ReadContext& context);
/// A rule of spec.md, e.g. "S5.3c".
std::optional<std::string> read_rule(const Node& node, ReadContext& context);

std::string ref_text(const GroupRef& ref, const std::string& group_name);

}  // namespace cqsim::tb
