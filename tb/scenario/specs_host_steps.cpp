// SPDX-License-Identifier: Apache-2.0
// [[step]]: what steps do with CQs and event queues, and the records that steps wait for.
#include "models/observe/record_names.h"
#include "tb/scenario/specs.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

constexpr std::uint32_t kMaxNth = 1'000'000'000;
constexpr const char* kOfCq =
    R"(do = "poll", "iterate", "write_ci", "fill_slots", "arm", "ack" or a command on CQs)";
constexpr const char* kOfEq = R"(do = "read_eq" or "arm_eq")";
constexpr const char* kOfCommand = R"(do = "create_cq" or another command on CQs or QPs)";

bool is_of_eq(const StepEntry& step) {
    return step.kind == StepKind::ReadEq || step.kind == StepKind::ArmEq;
}

bool is_of_cq(const StepEntry& step) {
    return step.kind != StepKind::Post && step.kind != StepKind::Fail &&
           step.kind != StepKind::LoseCommand && step.kind != StepKind::ModifySrq &&
           !is_qp_command(step) && !is_wire_step(step) && !is_of_eq(step);
}

bool is_command(const StepEntry& step) {
    return is_cq_command(step) || is_qp_command(step);
}

bool is(const StepEntry& step, StepKind kind) {
    return step.kind == kind;
}

template <class Groups>
Field<StepEntry> target(const char* key,
                        const char* type,
                        const char* doc,
                        GroupRef Step::*member,
                        std::optional<GroupRef> (*read)(const Node&, ReadContext&),
                        Groups groups) {
    return leaf<StepEntry>(key,
                           type,
                           "NAME or NAME[i]",
                           doc,
                           member,
                           read,
                           [groups](const GroupRef& ref, const Scenario& scenario) {
                               const auto& all = std::invoke(groups, scenario);
                               return ref.group < all.size()
                                          ? in_quotes(ref_text(ref, all[ref.group].name))
                                          : std::string();
                           })
        .required();
}

struct Trigger {
    std::uint32_t nth = 1;
    TimePs after{};
};

/// What `on` has beside the pattern.
const Spec<Trigger>& trigger_spec() {
    using T = Trigger;
    static const Spec<T> spec{
        "[[step]] on",
        {},
        {
            integer<T>("nth", &T::nth, {1, kMaxNth}, "Which of the records that match."),
            duration<T>("after", &T::after, {{}, kSecond}, "From the record to the step."),
        },
        {},
        {}};
    return spec;
}

/// The keys of a table that are, or are not, those of the trigger.
Node part_of(const Node& node, bool of_trigger) {
    Node part = node;
    const auto other = [of_trigger](const Node& child) {
        return (child.key == "nth" || child.key == "after") != of_trigger;
    };
    part.children.erase(std::remove_if(part.children.begin(), part.children.end(), other),
                        part.children.end());
    return part;
}

}  // namespace

Words<StepKind> host_step_words() {
    return {{"poll", StepKind::Poll},
            {"write_ci", StepKind::WriteCi},
            {"fill_slots", StepKind::FillSlots},
            {"arm", StepKind::Arm},
            {"read_eq", StepKind::ReadEq},
            {"arm_eq", StepKind::ArmEq},
            {"ack", StepKind::Ack}};
}

void add_host_fields(std::vector<Field<StepEntry>>& fields) {
    using T = StepEntry;
    fields.push_back(target("cq",
                            "CQ name or member",
                            "Which CQ; a group means each CQ of it.",
                            &Step::cq,
                            read_cq_ref,
                            &Scenario::cq)
                         .only(kOfCq, is_of_cq));
    fields.push_back(target("eq",
                            "EQ name or member",
                            "Which event queue; a group means each of it.",
                            &Step::eq,
                            read_eq_ref,
                            &Scenario::eq)
                         .only(kOfEq, is_of_eq));
    fields.push_back(
        integer<T>("byte", &T::byte, {0, UINT8_MAX}, "What each byte of the slots becomes.")
            .required()
            .only("do = \"fill_slots\"", [](const T& s) { return is(s, StepKind::FillSlots); }));
    fields.push_back(choice<T>("kind", &T::arm, arm_words(), "Which entries are reported (S6.2).")
                         .only("do = \"arm\"", [](const T& s) { return is(s, StepKind::Arm); }));
    Words<CommandResult> words;
    for (const std::string_view word : state_names(StateMeaning::CommandResult)) {
        words.emplace_back(
            word, static_cast<CommandResult>(*parse_state(StateMeaning::CommandResult, word)));
    }
    fields.push_back(choice<T>("expect_result",
                               &T::expect_result,
                               std::move(words),
                               "The answer that must come; another fails the run.")
                         .only(kOfCommand, is_command));
}

Field<StepEntry> on_field() {
    Field<StepEntry> field;
    field.key = "on";
    field.type = "pattern";
    field.standard = "none";
    field.doc = "Instead of at: taken when such a record is observed.";
    field.read = [](StepEntry& step, const Node& node, ReadContext& context) {
        Trigger trigger;
        read_table(trigger_spec(), part_of(node, true), trigger, context);
        step.nth = trigger.nth;
        step.after = trigger.after;
        if (node.type == Node::Type::Table) {  // if not, that was said
            step.on = read_pattern(part_of(node, false), context);
        }
    };
    field.write = [](const StepEntry& step, const Scenario&) -> std::optional<std::string> {
        if (!step.on) {
            return std::nullopt;
        }
        std::string table = step.on->text;
        table.erase(table.size() - 2);  // " }"
        return table + ", nth = " + std::to_string(step.nth) +
               ", after = " + in_quotes(format_duration(step.after)) + " }";
    };
    field.list_children = [](const std::string& path, std::vector<KeyInfo>& keys) {
        list_keys(trigger_spec(), path, keys);
        list_keys(pattern_spec(), path, keys);
    };
    return field;
}

}  // namespace cqsim::tb
