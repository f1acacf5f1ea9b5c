// SPDX-License-Identifier: Apache-2.0
/// \file
/// The one table of keys, by table of the language. To add a key, add a line to its spec (and a
/// row to scenarios/README.md, or a test fails).
#pragma once

#include "tb/scenario/leaf.h"

#include <optional>

namespace cqsim::tb {

/// [[traffic]]: gives one Traffic for `send` and one for `recv`.
struct TrafficEntry {
    std::uint32_t qp = 0;
    std::optional<Traffic> send;
    std::optional<Traffic> recv;
};

/// [[step]] before `every` and `times` are expanded.
struct StepEntry : Step {
    TimePs every{};
    std::uint32_t times = 1;
    std::optional<RecordPattern> on;  ///< instead of a time
    std::uint32_t nth = 1;            ///< of `on`
    TimePs after{};                   ///< of `on`
};

inline constexpr std::size_t kMaxSteps = 100'000;  ///< after expansion
inline constexpr std::int64_t kMaxMessageBytes = std::int64_t{1} << 31;

/// Words for kinds of arms (S6.2).
Words<ArmKind> arm_words();
/// Refuses moderation without a period (S4.9).
void check_moderation(const Moderation& moderation, const Node& table, ReadContext& context);
/// Words for work request opcodes.
Words<WrOpcode> wr_opcode_words();
/// Refuses an opcode that consumes no receive, for what arrives (S2.10).
void check_opcode(QueueKind queue, WrOpcode opcode, const Node& table, ReadContext& context);
/// Refuses what would come at or after `end`.
void check_before_end(TimePs at, const char* key, const Node& table, ReadContext& context);

/// How many of some QPs are connected.
enum class Coverage : std::uint8_t { None, Some, All };
Coverage connected(const Scenario& scenario, const GroupRef& ref);

const Spec<Scenario>& device_spec();
const Spec<EqGroup>& eq_spec();
const Spec<CqGroup>& cq_spec();
const Spec<SrqGroup>& srq_spec();
const Spec<QpGroup>& qp_spec();
const Spec<Connection>& connection_spec();
const Spec<TrafficEntry>& traffic_spec();
const Spec<HostLoop>& host_spec();
const Spec<HostDriver>& host_driver_spec();
const Spec<Moderation>& moderation_spec();
const Spec<StepEntry>& step_spec();
const Spec<Expectation>& expect_spec();
const Spec<RecordPattern>& pattern_spec();
/// Reads a pattern; nothing after it has reported what is wrong.
std::optional<RecordPattern> read_pattern(const Node& node, ReadContext& context);

/// The keys of commands on QPs, beside the target.
void add_qp_fields(std::vector<Field<StepEntry>>& fields);
/// The words of `do` for these steps.
Words<StepKind> qp_step_words();
/// Whether the step is one of them.
bool is_qp_command(const StepEntry& step);
/// Refuses what does not go together in them.
void check_qp_step(const StepEntry& step, const Node& node, ReadContext& context);

/// The keys of steps on SRQs.
void add_srq_fields(std::vector<Field<StepEntry>>& fields);
/// The SRQ whose requests the QPs of a group take.
Field<QpGroup> srq_of_qp();
/// Refuses what does not go together in steps on SRQs.
void check_srq_step(const StepEntry& step, const Node& node, ReadContext& context);

/// The keys of steps that disturb a connection.
void add_wire_fields(std::vector<Field<StepEntry>>& fields);
/// The words of `do` for these steps.
Words<StepKind> wire_step_words();
/// Whether the step is one of them.
bool is_wire_step(const StepEntry& step);
/// Refuses what does not go with QPs that are, or are not, connected.
void check_wire_step(const StepEntry& step, const Node& node, ReadContext& context);
void check_wire_traffic(const TrafficEntry& entry, const Node& node, ReadContext& context);
/// Refuses a connection that does not go with its ends, or with those before it.
void check_connection(const Connection& added, const Node& node, ReadContext& context);

/// The keys of commands on CQs, and of software that reads one entry by entry.
void add_cq_fields(std::vector<Field<StepEntry>>& fields);
/// The words of `do` for these steps.
Words<StepKind> cq_step_words();
/// Whether the step is a command on a CQ.
bool is_cq_command(const StepEntry& step);
/// Refuses what does not go together in them.
void check_cq_step(const StepEntry& step, const Node& node, ReadContext& context);

/// The keys of steps on CQs and event queues, and the answer expected of commands.
void add_host_fields(std::vector<Field<StepEntry>>& fields);
/// The words of `do` for these steps.
Words<StepKind> host_step_words();
/// `on`: the record that a step waits for.
Field<StepEntry> on_field();

/// The whole file.
const Spec<Scenario>& scenario_spec();

}  // namespace cqsim::tb
