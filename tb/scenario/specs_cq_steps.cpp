// SPDX-License-Identifier: Apache-2.0
// [[step]]: the commands of software on CQs, and reading one entry by entry.
#include "models/observe/record_names.h"
#include "tb/scenario/specs.h"

namespace cqsim::tb {
namespace {

constexpr std::uint32_t kMaxEntries = 1'000'000;
constexpr const char* kOfCreate = "do = \"create_cq\"";
constexpr const char* kOfDepth = R"(do = "create_cq" or "resize_cq")";
constexpr const char* kOfModify = "do = \"modify_cq\"";
constexpr const char* kOfQuery = "do = \"query_cq\"";
constexpr const char* kOfIterate = "do = \"iterate\"";

std::function<bool(const StepEntry&)> is(StepKind kind) {
    return [kind](const StepEntry& step) { return step.kind == kind; };
}

/// A number that is shown only when it was said.
template <class T, class Access>
Field<T> optional_number(const std::string& key,
                         Access access,
                         IntegerRange range,
                         const std::string& doc) {
    Field<T> field = leaf<T>(
        key,
        "integer",
        range.text(),
        doc,
        access,
        [range](const Node& node, ReadContext& context) {
            return read_integer(node, range, context);
        },
        [](const auto&, const Scenario&) { return std::string(); });
    field.write = [access](const T& table, const Scenario&) -> std::optional<std::string> {
        const auto& value = std::invoke(access, table);
        return value ? std::optional<std::string>(std::to_string(*value)) : std::nullopt;
    };
    return field;
}

/// Likewise a word, of those that `name` has for the values 0, 1, ... from `first` on.
template <class T, class Value>
Field<T> optional_word(const char* key,
                       std::optional<Value> T::*member,
                       const std::vector<Value>& values,
                       const char* doc) {
    Words<std::optional<Value>> words;
    for (const Value value : values) {
        words.emplace_back(name(value), value);
    }
    Field<T> field = choice<T>(key, member, words, doc);
    field.write = [member](const T& table, const Scenario&) -> std::optional<std::string> {
        const std::optional<Value>& value = table.*member;
        return value ? std::optional<std::string>(in_quotes(name(*value))) : std::nullopt;
    };
    return std::move(field).standing_for("any");
}

Field<CqExpectation> expected(const char* key,
                              std::optional<std::uint32_t> CqExpectation::*member,
                              const char* doc) {
    return optional_number<CqExpectation>(key, member, {0, UINT32_MAX}, doc).standing_for("any");
}

const Spec<CqExpectation>& expectation_spec() {
    using T = CqExpectation;
    static const Spec<T> spec{
        "[[step]] expect",
        {},
        {
            optional_word<T>("state",
                             &T::state,
                             std::vector{CqState::Ok, CqState::Error},
                             "Whether the CQ is in error (S5.3)."),
            expected("slots", &T::slots, "Of its ring."),
            expected("producer", &T::producer, "Index of the next slot that is granted."),
            expected("consumer", &T::consumer, "Consumer index as the device knows it (K20)."),
            optional_word<T>("armed",
                             &T::armed,
                             std::vector{ArmState::No, ArmState::Next, ArmState::Solicited},
                             "What it waits for to report it (S6.2)."),
        },
        {},
        {}};
    return spec;
}

/// What software can ask for, right or wrong: the device judges it.
const Spec<Moderation>& wish_spec() {
    using T = Moderation;
    static const Spec<T> spec{
        "[[step]] moderation",
        {},
        {
            integer<T>("count", &T::count, {0, UINT32_MAX}, "Entries for one event; 0, 1: none."),
            duration<T>("period", &T::period, {{}, kSecond}, "From the first entry to the event."),
        },
        {},
        {}};
    return spec;
}

Field<StepEntry> eqn_field() {
    return optional_number<StepEntry>(
               "eqn",
               [](auto& step) -> auto& { return step.wish.eqn; },
               {0, kNoEqn - 1},
               "Number of the event queue, there or not, instead of that of its group.")
        .standing_for("as of its group")
        .only(kOfCreate, is(StepKind::CreateCq));
}

}  // namespace

bool is_cq_command(const StepEntry& step) {
    return step.kind == StepKind::CreateCq || step.kind == StepKind::DestroyCq ||
           step.kind == StepKind::ModifyCq || step.kind == StepKind::QueryCq ||
           step.kind == StepKind::ResizeCq;
}

Words<StepKind> cq_step_words() {
    return {{"create_cq", StepKind::CreateCq},
            {"destroy_cq", StepKind::DestroyCq},
            {"modify_cq", StepKind::ModifyCq},
            {"resize_cq", StepKind::ResizeCq},
            {"query_cq", StepKind::QueryCq},
            {"iterate", StepKind::Iterate},
            {"lose_command", StepKind::LoseCommand}};
}

void add_cq_fields(std::vector<Field<StepEntry>>& fields) {
    using T = StepEntry;
    fields.push_back(optional_number<T>(
                         "depth",
                         [](auto& step) -> auto& { return step.wish.depth; },
                         {0, UINT32_MAX},
                         "Entries asked for instead of the depth of its group.")
                         .standing_for("as of its group")
                         .only(kOfDepth, [](const T& step) {
                             return step.kind == StepKind::CreateCq ||
                                    step.kind == StepKind::ResizeCq;
                         }));
    fields.push_back(eqn_field());
    fields.push_back(inline_table<T>(
                         "moderation",
                         &T::moderation,
                         wish_spec(),
                         [](const T& step) { return step.kind == StepKind::ModifyCq; },
                         "What is asked for (S4.9).")
                         .required()
                         .only(kOfModify, is(StepKind::ModifyCq)));
    fields.push_back(inline_table<T>(
                         "expect",
                         &T::expect,
                         expectation_spec(),
                         [](const T& step) { return step.kind == StepKind::QueryCq; },
                         "What the device must say of the CQ; another value fails the run.")
                         .only(kOfQuery, is(StepKind::QueryCq)));
    fields.push_back(
        optional_number<T>("expect_entries",
                           &T::expect_entries,
                           {0, kMaxEntries},
                           "How many entries it must find; another number fails the run.")
            .standing_for("any number")
            .only(kOfIterate, is(StepKind::Iterate)));
}

/// Moderation that no device takes is asked for only to be refused.
void check_cq_step(const StepEntry& step, const Node& node, ReadContext& context) {
    const Node* moderation = node.find("moderation");
    if (step.kind != StepKind::ModifyCq || moderation == nullptr ||
        step.expect_result != CommandResult::Ok) {
        return;
    }
    check_moderation(step.moderation, *moderation, context);
    if (step.moderation.count > EventConfig::kMaxCount ||
        step.moderation.period > EventConfig::kMaxPeriod) {
        context.errors.add(moderation->where,
                           "moderation goes beyond what a device can do (S4.9)",
                           "a count of at most 65535 and a period of at most 4095 us; or "
                           "expect_result = \"invalid\"");
    }
}

}  // namespace cqsim::tb
