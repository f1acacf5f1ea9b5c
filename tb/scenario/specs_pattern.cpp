// SPDX-License-Identifier: Apache-2.0
// The patterns of records in [[expect]].
#include "models/observe/record_names.h"
#include "tb/scenario/specs.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

using T = RecordPattern;

Words<Kind> all_kinds() {
    Words<Kind> words;
    for (const std::string_view spelling : kind_names()) {
        words.emplace_back(spelling, *parse_kind(spelling));
    }
    return words;
}

/// "post, complete, ...": the kinds of which something is true.
std::string kinds_with(const std::function<bool(const KindInfo&)>& property) {
    std::string list;
    for (const auto& [spelling, kind] : all_kinds()) {
        if (property(info(kind))) {
            list += (list.empty() ? "ev = " : ", ") + spelling;
        }
    }
    return list;
}

Field<T> for_kinds(Field<T> field, const std::function<bool(const KindInfo&)>& property) {
    return std::move(field).standing_for("any").only(
        kinds_with(property), [property](const T& p) { return property(info(p.kind)); });
}

/// The object of a pattern, if it names one.
template <class Read, class Groups>
Field<T> object(const char* key,
                const char* type,
                std::optional<GroupRef> T::*member,
                Read read,
                Groups groups) {
    Field<T> field = leaf<T>(key,
                             type,
                             "NAME or NAME[i]",
                             "That the record names; a group means any of it.",
                             member,
                             read,
                             [](const auto&, const Scenario&) { return std::string(); });
    field.write = [member, groups](const T& pattern,
                                   const Scenario& scenario) -> std::optional<std::string> {
        const std::optional<GroupRef>& ref = pattern.*member;
        if (!ref) {
            return std::nullopt;
        }
        return in_quotes(ref_text(*ref, std::invoke(groups, scenario).at(ref->group).name));
    };
    return field;
}

Field<T> queue_field() {
    Field<T> field;
    field.key = "queue";
    field.type = "one of";
    field.choices = {std::string(name(QueueKind::Send)), std::string(name(QueueKind::Receive))};
    field.range = "send, recv";
    field.doc = "The work queue.";
    field.read = [words = field.choices](T& pattern, const Node& node, ReadContext& context) {
        if (const auto index = read_choice(node, words, context)) {
            pattern.queue = static_cast<QueueKind>(*index);
        }
    };
    field.write = [](const T& pattern, const Scenario&) -> std::optional<std::string> {
        return pattern.queue ? std::optional<std::string>(in_quotes(name(*pattern.queue)))
                             : std::nullopt;
    };
    return field;
}

Field<T> wqe_field() {
    Field<T> field;
    field.key = "wqe";
    field.type = "integer";
    field.range = "0 .. 4294967295";
    field.doc =
        "Index of the request in its queue, from 0 in each life of the QP; of an SRQ, the slot.";
    field.read = [](T& pattern, const Node& node, ReadContext& context) {
        if (const auto number = read_integer(node, {0, UINT32_MAX}, context)) {
            pattern.wqe = static_cast<std::uint32_t>(*number);
        }
    };
    field.write = [](const T& pattern, const Scenario&) -> std::optional<std::string> {
        return pattern.wqe ? std::optional<std::string>(std::to_string(*pattern.wqe))
                           : std::nullopt;
    };
    return for_kinds(std::move(field), [](const KindInfo& k) { return names_wqe(k.kind); });
}

/// The number of an event queue or of a vector.
Field<T> unit_field(UnitMeaning meaning, const char* key, const char* doc) {
    Field<T> field;
    field.key = key;
    field.type = "integer";
    field.range = "0 .. 65535";
    field.doc = doc;
    field.read = [](T& pattern, const Node& node, ReadContext& context) {
        if (const auto number = read_integer(node, {0, UINT16_MAX}, context)) {
            pattern.unit = static_cast<std::uint16_t>(*number);
        }
    };
    field.write = [](const T& pattern, const Scenario&) -> std::optional<std::string> {
        return pattern.unit ? std::optional<std::string>(std::to_string(*pattern.unit))
                            : std::nullopt;
    };
    return for_kinds(std::move(field), [meaning](const KindInfo& k) { return k.unit == meaning; });
}

/// The key of the state byte, under the name that it has for some kinds.
Field<T> state_field(StateMeaning meaning, const char* doc) {
    Field<T> field;
    field.key = std::string(name(meaning));
    field.type = "one of";
    for (const std::string_view word : state_names(meaning)) {
        field.choices.emplace_back(word);
        field.range += (field.range.empty() ? "" : ", ") + std::string(word);
    }
    field.doc = doc;
    field.read = [meaning, words = field.choices](
                     T& pattern, const Node& node, ReadContext& context) {
        if (const auto index = read_choice(node, words, context)) {
            pattern.state = parse_state(meaning, words.at(*index));
        }
    };
    field.write = [meaning](const T& pattern, const Scenario&) -> std::optional<std::string> {
        return pattern.state
                   ? std::optional<std::string>(in_quotes(state_name(meaning, *pattern.state)))
                   : std::nullopt;
    };
    return for_kinds(std::move(field), [meaning](const KindInfo& k) { return k.state == meaning; });
}

/// `ev` decides what else belongs to the pattern, so it is read first.
bool read_expect_first(T& pattern, const Node& node, ReadContext& context) {
    const std::size_t before = context.errors.count();
    read_field(pattern_spec(), pattern_spec().fields.front(), node, pattern, context);
    return context.errors.count() == before;
}

}  // namespace

const Spec<RecordPattern>& pattern_spec() {
    static const Spec<T> spec = [] {
        Spec<T> s;
        s.section = "Patterns";
        s.fields = {
            choice<T>("ev", &T::kind, all_kinds(), "Kind of the record.")
                .ranged("a kind of record")
                .required(),
            for_kinds(object("cq", "CQ name or member", &T::cq, read_cq_ref, &Scenario::cq),
                      [](const KindInfo& k) { return k.has_cq; }),
            for_kinds(object("qp", "QP name or member", &T::qp, read_qp_ref, &Scenario::qp),
                      [](const KindInfo& k) { return k.has_qp; }),
            for_kinds(object("srq", "SRQ name or member", &T::srq, read_srq_ref, &Scenario::srq),
                      [](const KindInfo& k) { return k.has_srq; }),
            for_kinds(queue_field(), [](const KindInfo& k) { return k.has_queue; }),
            wqe_field(),
            unit_field(UnitMeaning::Eq, "eq", "Number of the event queue."),
            unit_field(UnitMeaning::Vector, "vector", "The interrupt vector."),
            state_field(StateMeaning::WrOpcode, "What was posted.").ranged("a work request opcode"),
            state_field(StateMeaning::WcStatus, "How the request ended.").ranged("a status"),
            state_field(StateMeaning::LostCause, "Why there is no slot."),
            state_field(StateMeaning::AsyncEvent, "Which asynchronous event.")
                .ranged("an asynchronous event"),
            state_field(StateMeaning::QpState, "The state after."),
            state_field(StateMeaning::Outcome, "What became of the completion."),
            state_field(StateMeaning::EndReason, "Why the run ended."),
            state_field(StateMeaning::ArmKind, "Which entries the arm waits for (S6.2)."),
            state_field(StateMeaning::EventCause, "Why the CQ reports now."),
            state_field(StateMeaning::Eqe, "What the entry reports.").ranged("COMP or an event"),
            state_field(StateMeaning::DestroyPhase, "Accepted, or done."),
            state_field(StateMeaning::CommandResult, "Why it was refused."),
            state_field(StateMeaning::PacketType, "What the packet is.").ranged("a packet (S2.17)"),
            state_field(StateMeaning::CqState, "The state of the CQ that was queried."),
        };
        s.prepare = read_expect_first;
        return s;
    }();
    return spec;
}

std::optional<RecordPattern> read_pattern(const Node& node, ReadContext& context) {
    RecordPattern pattern;
    const std::size_t before = context.errors.count();
    read_table(pattern_spec(), node, pattern, context);
    if (context.errors.count() != before) {
        return std::nullopt;
    }
    pattern.text = write_inline(pattern_spec(), pattern, context.scenario);
    return pattern;
}

}  // namespace cqsim::tb
