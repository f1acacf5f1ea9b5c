// SPDX-License-Identifier: Apache-2.0
/// \file
/// A key bound to a member of the typed scenario. Reading, range checks, the resolved
/// configuration and the key list all come from these descriptors; the one table of them is in
/// specs*.cpp.
#pragma once

#include "tb/scenario/keys.h"
#include "tb/scenario/nearest.h"
#include "tb/scenario/values.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cqsim::tb {

template <class T>
struct Field {
    using Read = std::function<void(T&, const Node&, ReadContext&)>;
    /// The value in TOML; nothing when there is nothing to say.
    using Write = std::function<std::optional<std::string>(const T&, const Scenario&)>;
    /// Appends whole tables under the header `path` ("device.memory").
    using WriteTables =
        std::function<void(const T&, const Scenario&, const std::string& path, std::string&)>;
    using List = std::function<void(const std::string& path, std::vector<KeyInfo>&)>;

    std::string key;
    std::string type;
    std::string range;
    std::string doc;
    std::vector<std::string> choices;
    std::string standard;  ///< overrides the default that `write` shows for a fresh T
    bool is_required = false;
    std::string owner;                      ///< which tables it belongs to, in words
    std::function<bool(const T&)> applies;  ///< empty: to all
    Read read;
    Write write;
    WriteTables write_tables;
    List list_children;

    Field required() && {
        is_required = true;
        return std::move(*this);
    }
    Field standing_for(std::string words) && {
        standard = std::move(words);
        return std::move(*this);
    }
    /// Words for a range that is too long for a line.
    Field ranged(std::string words) && {
        range = std::move(words);
        return std::move(*this);
    }
    Field only(std::string words, std::function<bool(const T&)> when) && {
        owner = std::move(words);
        applies = std::move(when);
        return std::move(*this);
    }

    bool applies_to(const T& table) const { return !applies || applies(table); }
};

/// A table of the language.
template <class T>
struct Spec {
    using Prepare = std::function<bool(T&, const Node&, ReadContext&)>;
    using Check = std::function<void(T&, const Node&, ReadContext&)>;

    std::string section;  ///< heading in the documentation
    T fresh{};            ///< holds the defaults
    std::vector<Field<T>> fields;
    Prepare prepare;  ///< before the fields; false: do not read them
    Check check;      ///< after the fields: what concerns several of them

    std::vector<std::string> key_names() const {
        std::vector<std::string> names;
        for (const Field<T>& field : fields) {
            names.push_back(field.key);
        }
        return names;
    }
};

template <class T>
void refuse_unknown_keys(const Spec<T>& spec, const Node& node, ReadContext& context) {
    const std::vector<std::string> known = spec.key_names();
    for (const Node& child : node.children) {
        bool found = false;
        for (const std::string& key : known) {
            found = found || key == child.key;
        }
        if (!found) {
            context.errors.add(child.key_where,
                               "unknown key \"" + child.key + "\" in " + spec.section,
                               suggest(child.key, known));
        }
    }
}

template <class T>
void read_field(
    const Spec<T>& spec, const Field<T>& field, const Node& table, T& out, ReadContext& context) {
    const Node* node = table.find(field.key);
    if (!field.applies_to(out)) {
        if (node != nullptr) {
            context.errors.add(node->key_where,
                               "key \"" + field.key + "\" does not belong here",
                               "it belongs to " + field.owner);
        }
        return;
    }
    if (node != nullptr) {
        field.read(out, *node, context);
    } else if (field.is_required) {
        context.errors.add(table.where,
                           "key \"" + field.key + "\" is missing in " + spec.section,
                           field.type + (field.range.empty() ? "" : ", " + field.range));
    }
}

/// Fills `out`, which holds the defaults, from a table; reports everything wrong with it.
template <class T>
void read_table(const Spec<T>& spec, const Node& node, T& out, ReadContext& context) {
    if (node.type != Node::Type::Table) {
        context.errors.add(node.where,
                           spec.section + " is " + std::string(node.type_name()),
                           "it must be a table");
        return;
    }
    refuse_unknown_keys(spec, node, context);
    if (spec.prepare && !spec.prepare(out, node, context)) {
        return;
    }
    for (const Field<T>& field : spec.fields) {
        read_field(spec, field, node, out, context);
    }
    if (spec.check) {
        spec.check(out, node, context);
    }
}

/// "key = value" lines, then the tables below.
template <class T>
void write_table(const Spec<T>& spec,
                 const T& table,
                 const Scenario& scenario,
                 const std::string& path,
                 std::string& out) {
    for (const Field<T>& field : spec.fields) {
        if (field.write && field.applies_to(table)) {
            if (const auto value = field.write(table, scenario)) {
                out += field.key + " = " + *value + "\n";
            }
        }
    }
    for (const Field<T>& field : spec.fields) {
        if (field.write_tables) {
            const std::string below = path.empty() ? field.key : path + "." + field.key;
            field.write_tables(table, scenario, below, out);
        }
    }
}

/// "{ ev = \"overrun\", cq = \"shared\" }"
template <class T>
std::string write_inline(const Spec<T>& spec, const T& table, const Scenario& scenario) {
    std::string inside;
    for (const Field<T>& field : spec.fields) {
        if (field.write && field.applies_to(table)) {
            if (const auto value = field.write(table, scenario)) {
                inside += (inside.empty() ? " " : ", ") + field.key + " = " + *value;
            }
        }
    }
    return "{" + inside + " }";
}

template <class T>
std::string standard_text(const Spec<T>& spec, const Field<T>& field) {
    if (field.is_required) {
        return "required";
    }
    if (!field.standard.empty() || !field.write) {
        return field.standard;
    }
    return field.write(spec.fresh, Scenario{}).value_or("");
}

/// Appends the keys of a table that `--set` reaches under `path`.
template <class T>
void list_keys(const Spec<T>& spec, const std::string& path, std::vector<KeyInfo>& keys) {
    for (const Field<T>& field : spec.fields) {
        const std::string full = path.empty() ? field.key : path + "." + field.key;
        keys.push_back({spec.section,
                        field.key,
                        full,
                        field.type,
                        standard_text(spec, field),
                        field.range,
                        field.owner.empty() ? field.doc : field.doc + " (" + field.owner + ")",
                        field.choices});
    }
    for (const Field<T>& field : spec.fields) {
        if (field.list_children) {
            field.list_children(path.empty() ? field.key : path + "." + field.key, keys);
        }
    }
}

}  // namespace cqsim::tb
