// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makers of fields: one call binds a TOML key to a member, with its type, range and line of
/// documentation. `access` is anything that `std::invoke` turns into a reference to the member: a
/// pointer to member, or a generic lambda that works on T& and const T&.
#pragma once

#include "tb/scenario/field.h"
#include "tb/scenario/units.h"

#include <type_traits>

namespace cqsim::tb {

template <class T, class Access, class ReadValue, class WriteValue>
Field<T> leaf(const std::string& key,
              const std::string& type,
              const std::string& range,
              const std::string& doc,
              Access access,
              ReadValue read_value,
              WriteValue write_value) {
    Field<T> field;
    field.key = key;
    field.type = type;
    field.range = range;
    field.doc = doc;
    field.read = [access, read_value](T& table, const Node& node, ReadContext& context) {
        if (const auto value = read_value(node, context)) {
            auto& member = std::invoke(access, table);
            member = static_cast<std::decay_t<decltype(member)>>(*value);
        }
    };
    field.write = [access, write_value](const T& table, const Scenario& scenario) {
        return std::optional<std::string>(write_value(std::invoke(access, table), scenario));
    };
    return field;
}

template <class T, class Access>
Field<T> integer(const std::string& key,
                 Access access,
                 IntegerRange range,
                 const std::string& doc) {
    return leaf<T>(
        key,
        "integer",
        range.text(),
        doc,
        access,
        [range](const Node& node, ReadContext& c) { return read_integer(node, range, c); },
        [](auto value, const Scenario&) { return std::to_string(value); });
}

template <class T, class Access>
Field<T> duration(const std::string& key,
                  Access access,
                  DurationRange range,
                  const std::string& doc) {
    return leaf<T>(
        key,
        "duration",
        range.text(),
        doc,
        access,
        [range](const Node& node, ReadContext& c) { return read_duration(node, range, c); },
        [](TimePs value, const Scenario&) { return in_quotes(format_duration(value)); });
}

/// Bound to a period.
template <class T, class Access>
Field<T> rate(const std::string& key, Access access, const std::string& doc) {
    return leaf<T>(
        key, "rate", kRateRange, doc, access, read_rate, [](TimePs period, const Scenario&) {
            return in_quotes(format_rate(period));
        });
}

template <class T, class Access>
Field<T> bandwidth(const std::string& key, Access access, const std::string& doc) {
    return leaf<T>(key,
                   "bandwidth",
                   kBandwidthRange,
                   doc,
                   access,
                   read_bandwidth,
                   [](std::uint64_t value, const Scenario&) {
                       return in_quotes(value == 0 ? "unlimited" : format_bandwidth(value));
                   });
}

template <class T, class Access>
Field<T> boolean(const std::string& key, Access access, const std::string& doc) {
    return leaf<T>(
        key, "boolean", "true, false", doc, access, read_boolean, [](bool value, const Scenario&) {
            return value ? "true" : "false";
        });
}

template <class T, class Access>
Field<T> text(const std::string& key, Access access, const std::string& doc) {
    return leaf<T>(
        key, "string", "", doc, access, read_string, [](const std::string& value, const Scenario&) {
            return in_quotes(value);
        });
}

/// The name of the whole scenario.
template <class T, class Access>
Field<T> run_name(Access access, const std::string& doc) {
    return leaf<T>("name",
                   "string",
                   "1 to 200 bytes, none of them / or a control character",
                   doc,
                   access,
                   read_run_name,
                   [](const std::string& value, const Scenario&) { return in_quotes(value); });
}

/// The name of a group.
template <class T, class Access>
Field<T> group_name(Access access, const std::string& doc) {
    return leaf<T>("name",
                   "name",
                   "a letter, then letters, digits, _ and -",
                   doc,
                   access,
                   read_name,
                   [](const std::string& value, const Scenario&) { return in_quotes(value); });
}

template <class T, class Access>
Field<T> cq_group(const std::string& key, Access access, const std::string& doc) {
    return leaf<T>(
        key, "CQ name", "", doc, access, read_cq_group, [](std::uint32_t group, const Scenario& s) {
            return in_quotes(s.cq.at(group).name);
        });
}

template <class T, class Access>
Field<T> qp_group(const std::string& key, Access access, const std::string& doc) {
    return leaf<T>(
        key, "QP name", "", doc, access, read_qp_group, [](std::uint32_t group, const Scenario& s) {
            return in_quotes(s.qp.at(group).name);
        });
}

/// The words of a choice with what they stand for, in the order of the documentation.
template <class Value>
using Words = std::vector<std::pair<std::string, Value>>;

template <class T, class Value, class Access>
Field<T> choice(const std::string& key, Access access, Words<Value> words, const std::string& doc) {
    std::vector<std::string> names;
    std::string range;
    for (const auto& word : words) {
        names.push_back(word.first);
        range += (range.empty() ? "" : ", ") + word.first;
    }
    const auto read_value = [names, words](const Node& node,
                                           ReadContext& c) -> std::optional<Value> {
        const auto index = read_choice(node, names, c);
        return index ? std::optional<Value>(words.at(*index).second) : std::nullopt;
    };
    const auto write_value = [words](const auto& value, const Scenario&) {
        for (const auto& [name, meaning] : words) {
            if (value == meaning) {
                return in_quotes(name);
            }
        }
        return std::string("\"?\"");
    };
    Field<T> field = leaf<T>(key, "one of", range, doc, access, read_value, write_value);
    field.choices = std::move(names);
    return field;
}

/// A table below: `access` gives the U inside T.
template <class T, class U, class Access>
Field<T> table(const std::string& key, Access access, const Spec<U>& spec, const std::string& doc) {
    Field<T> field;
    field.key = key;
    field.type = "table";
    field.doc = doc;
    field.standard = "as below";
    field.read = [access, &spec](T& outer, const Node& node, ReadContext& context) {
        read_table(spec, node, std::invoke(access, outer), context);
    };
    field.write_tables =
        [access, &spec](
            const T& outer, const Scenario& scenario, const std::string& path, std::string& out) {
            out += "\n[" + path + "]\n";
            write_table(spec, std::invoke(access, outer), scenario, path, out);
        };
    field.list_children = [&spec](const std::string& path, std::vector<KeyInfo>& keys) {
        list_keys(spec, path, keys);
    };
    return field;
}

/// A small table that is written on one line, when `shown` says so.
template <class T, class U, class Access, class Shown>
Field<T> inline_table(const std::string& key,
                      Access access,
                      const Spec<U>& spec,
                      Shown shown,
                      const std::string& doc) {
    Field<T> field;
    field.key = key;
    field.type = "table";
    field.doc = doc;
    field.standard = "as below";
    field.read = [access, &spec](T& outer, const Node& node, ReadContext& context) {
        read_table(spec, node, std::invoke(access, outer), context);
    };
    field.write = [access, &spec, shown](const T& outer, const Scenario& scenario) {
        return shown(outer) ? std::optional<std::string>(
                                  write_inline(spec, std::invoke(access, outer), scenario))
                            : std::nullopt;
    };
    field.list_children = [&spec](const std::string& path, std::vector<KeyInfo>& keys) {
        list_keys(spec, path, keys);
    };
    return field;
}

/// How an array of tables lies in the Scenario.
template <class U>
struct Elements {
    /// Takes an element that was read, right or wrong, and judges it against its neighbours.
    std::function<void(Scenario&, U, const Node&, ReadContext&)> add;
    std::function<std::vector<U>(const Scenario&)> all;
};

/// An array of tables of the scenario; `label` is what `--set` addresses an element by.
template <class U>
Field<Scenario> tables(const std::string& key,
                       const std::string& label,
                       Elements<U> elements,
                       const Spec<U>& spec,
                       const std::string& doc) {
    Field<Scenario> field;
    field.key = key;
    field.type = "tables";
    field.doc = doc;
    field.standard = "none";
    field.read = [elements, &spec](Scenario& scenario, const Node& node, ReadContext& context) {
        if (node.type != Node::Type::Array) {
            context.errors.add(node.where,
                               node.key + " is " + std::string(node.type_name()),
                               "write [[" + node.key + "]]");
            return;
        }
        for (const Node& child : node.children) {
            U element = spec.fresh;
            read_table(spec, child, element, context);
            elements.add(scenario, std::move(element), child, context);
        }
    };
    field.write_tables = [elements, &spec](const Scenario& of,
                                           const Scenario& scenario,
                                           const std::string& path,
                                           std::string& out) {
        for (const U& element : elements.all(of)) {
            out += "\n[[" + path + "]]\n";
            write_table(spec, element, scenario, path, out);
        }
    };
    field.list_children = [label, &spec](const std::string& path, std::vector<KeyInfo>& keys) {
        list_keys(spec, path + "." + label, keys);
    };
    return field;
}

}  // namespace cqsim::tb
