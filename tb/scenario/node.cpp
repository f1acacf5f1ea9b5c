// SPDX-License-Identifier: Apache-2.0
// The one file that includes toml++.
#include "tb/scenario/node.h"

#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tuple>
#include <utility>

namespace cqsim::tb {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20U;

SourcePosition position(const toml::source_region& source, const std::string& file) {
    return {file,
            static_cast<std::uint32_t>(source.begin.line),
            static_cast<std::uint32_t>(source.begin.column)};
}

Node convert(const toml::node& from, const std::string& file);

void convert_children(const toml::table& table, const std::string& file, Node& to) {
    for (const auto& [key, value] : table) {
        Node child = convert(value, file);
        child.key = std::string(key.str());
        child.key_where = position(key.source(), file);
        to.children.push_back(std::move(child));
    }
    std::stable_sort(to.children.begin(), to.children.end(), [](const Node& l, const Node& r) {
        return std::make_tuple(l.key_where.line, l.key_where.column) <
               std::make_tuple(r.key_where.line, r.key_where.column);
    });
}

Node convert(const toml::node& from, const std::string& file) {
    Node to;
    to.where = position(from.source(), file);
    to.key_where = to.where;
    if (const toml::table* table = from.as_table()) {
        to.type = Node::Type::Table;
        convert_children(*table, file, to);
    } else if (const toml::array* array = from.as_array()) {
        to.type = Node::Type::Array;
        for (const toml::node& element : *array) {
            to.children.push_back(convert(element, file));
        }
    } else if (const auto* text = from.as_string()) {
        to.type = Node::Type::String;
        to.text = text->get();
    } else if (const auto* integer = from.as_integer()) {
        to.type = Node::Type::Integer;
        to.integer = integer->get();
    } else if (const auto* number = from.as_floating_point()) {
        to.type = Node::Type::Float;
        to.number = number->get();
    } else if (const auto* boolean = from.as_boolean()) {
        to.type = Node::Type::Boolean;
        to.boolean = boolean->get();
    } else {
        to.type = Node::Type::Date;
    }
    return to;
}

[[noreturn]] void fail(SourcePosition where, std::string message, std::string hint = {}) {
    throw ScenarioErrors({{std::move(where), std::move(message), std::move(hint)}});
}

}  // namespace

const Node* Node::find(std::string_view name) const {
    if (type != Type::Table) {
        return nullptr;
    }
    for (const Node& child : children) {
        if (child.key == name) {
            return &child;
        }
    }
    return nullptr;
}

Node* Node::find(std::string_view name) {
    return const_cast<Node*>(std::as_const(*this).find(name));
}

std::string_view Node::type_name() const {
    switch (type) {
        case Type::Table:
            return "a table";
        case Type::Array:
            return "an array";
        case Type::String:
            return "a string";
        case Type::Integer:
            return "an integer";
        case Type::Float:
            return "a floating-point number";
        case Type::Boolean:
            return "a boolean";
        case Type::Date:
            break;
    }
    return "a date or time";
}

Node parse_document(std::string_view text, const std::string& file) {
    try {
        const toml::table table = toml::parse(text, std::string_view(file));
        return convert(table, file);
    } catch (const toml::parse_error& error) {
        fail(position(error.source(), file),
             "not TOML: " + std::string(error.description()),
             "see https://toml.io/en/v1.0.0");
    }
}

std::string read_text(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) {
        fail({path}, "no such file", "give the path of a scenario, e.g. scenarios/first_look.toml");
    }
    if (error) {
        fail({path}, "cannot be read: " + error.message());
    }
    if (fs::is_directory(status)) {
        fail({path}, "is a directory", "give the path of a scenario file");
    }
    std::ifstream in(path, std::ios::binary);
    std::string text;
    std::vector<char> block(1U << 16U);
    while (in && text.size() <= kMaxFileBytes) {
        in.read(block.data(), static_cast<std::streamsize>(block.size()));
        text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    }
    if (text.size() > kMaxFileBytes) {
        fail({path}, "is larger than 16 MiB", "a scenario is a short TOML file");
    }
    if (!in.eof()) {
        fail({path}, "cannot be read", "it must be a readable file");
    }
    return text;
}

}  // namespace cqsim::tb
