// SPDX-License-Identifier: Apache-2.0
// [[expect]] and the patterns of records in it.
#include "models/observe/record_names.h"
#include "tb/scenario/specs.h"

#include <algorithm>
#include <array>

namespace cqsim::tb {
namespace {

constexpr const char* kOfStat = "stat";
constexpr const char* kOfBound = "stat or violation";

bool is_stat(const Expectation& e) {
    return e.kind == ExpectKind::Stat;
}

bool has_bound(const Expectation& e) {
    return is_stat(e) || e.kind == ExpectKind::Violation;
}

std::function<bool(const Expectation&)> is(ExpectKind kind) {
    return [kind](const Expectation& e) { return e.kind == kind; };
}

struct KindKey {
    const char* key;
    ExpectKind kind;
};
constexpr std::array<KindKey, 5> kKindKeys{{{"stat", ExpectKind::Stat},
                                            {"sequence", ExpectKind::Sequence},
                                            {"never", ExpectKind::Never},
                                            {"violation", ExpectKind::Violation},
                                            {"end", ExpectKind::End}}};

constexpr const char* kEndReason = "end.reason";

Words<EndReason> end_words() {
    Words<EndReason> words;
    for (const EndReason reason : {EndReason::Idle, EndReason::End, EndReason::Stalled}) {
        words.emplace_back(name(reason), reason);
    }
    return words;
}

/// The one stat that is a word: as `end = ...` says it.
void read_end_reason(Expectation& e, const Node& node, ReadContext& context) {
    const Words<EndReason> words = end_words();
    std::vector<std::string> names;
    names.reserve(words.size());
    for (const auto& word : words) {
        names.push_back(word.first);
    }
    if (const auto index = read_choice(node, names, context)) {
        e.kind = ExpectKind::End;
        e.end = words[*index].second;
    }
}

/// Exactly one key says what is expected.
bool read_kind_of_expectation(Expectation& e, const Node& node, ReadContext& context) {
    const Node* said = nullptr;
    for (const KindKey& entry : kKindKeys) {
        const Node* found = node.find(entry.key);
        if (found != nullptr && said != nullptr) {
            context.errors.add(
                found->key_where,
                "[[expect]] has both \"" + said->key + "\" and \"" + found->key + "\"",
                "write two [[expect]]");
            return false;
        }
        if (found != nullptr) {
            said = found;
            e.kind = entry.kind;
        }
    }
    if (said == nullptr) {
        context.errors.add(node.where,
                           "[[expect]] does not say what is expected",
                           "one of stat, sequence, never, violation, end");
        return false;
    }
    e.where = said->key_where;
    if (e.kind == ExpectKind::Violation) {
        e.at_least = 1;
    }
    return true;
}

void check_bounds(Expectation& e, const Node& node, ReadContext& context) {
    if (e.kind == ExpectKind::Violation && e.at_least.value_or(1) < 1) {
        context.errors.add(node.find("at_least")->where,
                           "a violation that need not happen expects nothing",
                           "at_least is 1 or more");
    }
    if (!is_stat(e)) {
        return;
    }
    if (e.stat == kEndReason && node.find("equals") == nullptr) {
        context.errors.add(
            node.where, "end.reason is a word", R"(equals = "idle", "end" or "stalled")");
        return;
    }
    int bounds = 0;
    for (const char* key : {"equals", "at_least", "at_most", "between"}) {
        bounds += node.find(key) != nullptr ? 1 : 0;
    }
    if (bounds != 1) {
        context.errors.add(node.where,
                           bounds == 0 ? "stat without a bound" : "stat with several bounds",
                           "exactly one of equals, at_least, at_most, between");
    }
}

std::optional<std::string> bound_text(const std::optional<double>& bound, bool show) {
    return show && bound ? std::optional<std::string>(format_number(*bound)) : std::nullopt;
}

bool is_point(const Expectation& e) {
    return is_stat(e) && e.at_least && e.at_most && *e.at_least == *e.at_most;
}

bool is_interval(const Expectation& e) {
    return is_stat(e) && e.at_least && e.at_most && !is_point(e);
}

Field<Expectation> bound(const char* key, const char* doc) {
    Field<Expectation> field;
    field.key = key;
    field.type = "number";
    field.doc = doc;
    field.standard = "none";
    return field;
}

void add_bound_fields(std::vector<Field<Expectation>>& fields) {
    using T = Expectation;
    Field<T> equals = bound("equals", "Exactly this.");
    equals.read = [](T& e, const Node& node, ReadContext& context) {
        if (e.stat == kEndReason) {
            read_end_reason(e, node, context);
        } else {
            e.at_least = e.at_most = read_number(node, context);
        }
    };
    equals.write = [](const T& e, const Scenario&) { return bound_text(e.at_least, is_point(e)); };
    fields.push_back(std::move(equals).only(kOfStat, is_stat));

    Field<T> at_least = bound("at_least", "This or more; 1 for a violation if nothing is said.");
    at_least.read = [](T& e, const Node& node, ReadContext& context) {
        if (const auto number = read_number(node, context)) {
            e.at_least = number;
        }
    };
    at_least.write = [](const T& e, const Scenario&) {
        return bound_text(e.at_least, !e.at_most.has_value());
    };
    fields.push_back(std::move(at_least).only(kOfBound, has_bound));

    Field<T> at_most = bound("at_most", "This or less.");
    at_most.read = [](T& e, const Node& node, ReadContext& context) {
        e.at_most = read_number(node, context);
    };
    at_most.write = [](const T& e, const Scenario&) {
        return bound_text(e.at_most, !e.at_least.has_value());
    };
    fields.push_back(std::move(at_most).only(kOfStat, is_stat));

    Field<T> between = bound("between", "[lowest, highest], both allowed.");
    between.type = "pair of numbers";
    between.read = [](T& e, const Node& node, ReadContext& context) {
        if (const auto pair = read_between(node, context)) {
            e.at_least = pair->low;
            e.at_most = pair->high;
        }
    };
    between.write = [](const T& e, const Scenario&) -> std::optional<std::string> {
        if (!is_interval(e)) {
            return std::nullopt;
        }
        return "[" + format_number(*e.at_least) + ", " + format_number(*e.at_most) + "]";
    };
    fields.push_back(std::move(between).only(kOfStat, is_stat));
}

Field<Expectation> sequence_field() {
    Field<Expectation> field;
    field.key = "sequence";
    field.type = "array of patterns";
    field.doc = "Records that match these come in this order, others between them.";
    field.standard = "none";
    field.read = [](Expectation& e, const Node& node, ReadContext& context) {
        if (node.type != Node::Type::Array || node.children.empty()) {
            context.errors.add(node.where,
                               "sequence is not an array of patterns",
                               R"(e.g. sequence = [ { ev = "overrun", cq = "shared" } ])");
            return;
        }
        for (const Node& child : node.children) {
            if (auto pattern = read_pattern(child, context)) {
                e.patterns.push_back(std::move(*pattern));
            }
        }
    };
    field.write = [](const Expectation& e, const Scenario& scenario) {
        std::string list;
        for (const RecordPattern& pattern : e.patterns) {
            list += "  " + write_inline(pattern_spec(), pattern, scenario) + ",\n";
        }
        return std::optional<std::string>("[\n" + list + "]");
    };
    field.list_children = [](const std::string& path, std::vector<KeyInfo>& keys) {
        list_keys(pattern_spec(), path + ".N", keys);
    };
    return std::move(field).only("", is(ExpectKind::Sequence));
}

Field<Expectation> never_field() {
    Field<Expectation> field;
    field.key = "never";
    field.type = "pattern";
    field.doc = "No record matches this.";
    field.standard = "none";
    field.read = [](Expectation& e, const Node& node, ReadContext& context) {
        if (auto pattern = read_pattern(node, context)) {
            e.patterns = {std::move(*pattern)};
        }
    };
    field.write = [](const Expectation& e, const Scenario& scenario) {
        return std::optional<std::string>(
            write_inline(pattern_spec(), e.patterns.front(), scenario));
    };
    field.list_children = [](const std::string& path, std::vector<KeyInfo>& keys) {
        list_keys(pattern_spec(), path, keys);
    };
    return std::move(field).only("", is(ExpectKind::Never));
}

Field<Expectation> string_value(const char* key,
                                const char* type,
                                std::string Expectation::*member,
                                std::optional<std::string> (*read)(const Node&, ReadContext&),
                                const char* doc) {
    return leaf<Expectation>(
               key,
               type,
               "",
               doc,
               member,
               read,
               [](const std::string& value, const Scenario&) { return in_quotes(value); })
        .standing_for("none");
}

}  // namespace

const Spec<Expectation>& expect_spec() {
    using T = Expectation;
    static const Spec<T> spec = [] {
        Spec<T> s;
        s.section = "[[expect]]";
        s.fields.push_back(
            string_value("stat", "path", &T::stat, read_stat, "A number in result.json.")
                .only("", is_stat));
        add_bound_fields(s.fields);
        s.fields.push_back(sequence_field());
        s.fields.push_back(never_field());
        s.fields.push_back(
            string_value("violation", "rule", &T::rule, read_rule, "This rule fails, and no other.")
                .only("", is(ExpectKind::Violation)));
        s.fields.push_back(choice<T>("end", &T::end, end_words(), "How the run ends.")
                               .standing_for("none")
                               .only("", is(ExpectKind::End)));
        s.prepare = read_kind_of_expectation;
        s.check = check_bounds;
        return s;
    }();
    return spec;
}

}  // namespace cqsim::tb
