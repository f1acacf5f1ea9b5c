// SPDX-License-Identifier: Apache-2.0
// --set KEY=VALUE on the document, before it is read.
#include "tb/scenario/nearest.h"
#include "tb/scenario/node.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace cqsim::tb {
namespace {

void move_to(Node& node, const SourcePosition& where) {
    node.where = where;
    node.key_where = where;
    for (Node& child : node.children) {
        move_to(child, where);
    }
}

/// A TOML value if the text is exactly one, else the text as a string.
Node parse_value(const std::string& text, const SourcePosition& where) {
    Node value;
    value.type = Node::Type::String;
    value.text = text;
    try {
        Node document = parse_document("value = " + text, where.file);
        if (document.children.size() == 1 && document.children.front().key == "value") {
            value = std::move(document.children.front());
        }
    } catch (const ScenarioErrors&) {
        // Not TOML: 'round_robin', '4 ns'.
    }
    move_to(value, where);
    return value;
}

/// The parts of a dotted path; none if a part is empty.
std::vector<std::string> split(const std::string& path) {
    std::vector<std::string> parts{{}};
    for (const char c : path) {
        if (c == '.') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    const bool empty_part =
        std::any_of(parts.begin(), parts.end(), [](const std::string& p) { return p.empty(); });
    return empty_part ? std::vector<std::string>{} : parts;
}

std::string name_of(const Node& element) {
    const Node* name = element.find("name");
    return name != nullptr && name->type == Node::Type::String ? name->text : std::string();
}

std::optional<std::size_t> number_in(const std::string& text) {
    const bool digits =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits || text.size() > 9) {
        return std::nullopt;
    }
    return std::stoul(text);
}

/// The element of an array by name or by index; null, and an error, if there is none.
Node* element_of(Node& array,
                 const std::string& part,
                 const std::string& path,
                 const SourcePosition& where,
                 ErrorList& errors) {
    std::vector<std::string> names;
    for (Node& element : array.children) {
        const std::string name = name_of(element);
        if (name == part && !name.empty()) {
            return &element;
        }
        if (!name.empty()) {
            names.push_back(name);
        }
    }
    const std::optional<std::size_t> index = number_in(part);
    if (index && *index < array.children.size()) {
        return &array.children[*index];
    }
    const std::string hint =
        index || names.empty()
            ? path + " has " + std::to_string(array.children.size()) + " elements, counted from 0"
            : suggest(part, names);
    errors.add(where, "no element \"" + part + "\" in " + path, hint);
    return nullptr;
}

/// The value of a key in a table, made if there is none; null, and an error, in anything else.
Node* member_of(Node& table,
                const std::string& part,
                const std::string& path,
                const SourcePosition& where,
                ErrorList& errors) {
    if (table.type != Node::Type::Table) {
        errors.add(
            where,
            path + " is " + std::string(table.type_name()) + " and has no key \"" + part + "\"",
            "end the path there");
        return nullptr;
    }
    if (Node* found = table.find(part)) {
        return found;
    }
    Node made;
    made.key = part;
    made.where = where;
    made.key_where = where;
    table.children.push_back(std::move(made));
    return &table.children.back();
}

}  // namespace

void apply_override(Node& document, const std::string& assignment, ErrorList& errors) {
    const std::size_t equals = assignment.find('=');
    const std::string path = assignment.substr(0, equals);
    const SourcePosition where{"--set " + path};
    const std::vector<std::string> parts = split(path);
    if (equals == std::string::npos || parts.empty()) {
        errors.add(where,
                   equals == std::string::npos ? "no \"=\" in it" : "not a dotted path of keys",
                   "write KEY=VALUE, e.g. --set device.completion_arbiter.policy=fifo");
        return;
    }
    Node* target = &document;
    std::string so_far;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string& part = parts[i];
        if (i + 1 < parts.size() && number_in(parts[i + 1]) && target->find(part) == nullptr &&
            target->type == Node::Type::Table) {
            errors.add(where, "no [[" + part + "]] in the file", "it must be there to be changed");
            return;
        }
        target = target->type == Node::Type::Array
                     ? element_of(*target, part, so_far, where, errors)
                     : member_of(*target, part, so_far, where, errors);
        if (target == nullptr) {
            return;
        }
        so_far += (so_far.empty() ? "" : ".") + part;
    }
    Node value = parse_value(assignment.substr(equals + 1), where);
    value.key = target->key;
    *target = std::move(value);
}

}  // namespace cqsim::tb
