// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layer one of a scenario: what the file says, with positions, before it means anything.
#pragma once

#include "tb/scenario/errors.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cqsim::tb {

/// A TOML value, with the place where it was said.
struct Node {
    enum class Type : std::uint8_t { Table, Array, String, Integer, Float, Boolean, Date };

    Type type = Type::Table;
    SourcePosition where;        ///< of the value
    SourcePosition key_where;    ///< of its key; equal to `where` without one
    std::string key;             ///< in a table; empty in an array
    std::string text;            ///< String
    std::int64_t integer = 0;    ///< Integer
    double number = 0;           ///< Float
    bool boolean = false;        ///< Boolean
    std::vector<Node> children;  ///< Table (in order of position) and Array

    /// The value of a key of this table; null if there is none or this is no table.
    const Node* find(std::string_view name) const;
    Node* find(std::string_view name);
    /// "a string", "an integer", ...
    std::string_view type_name() const;
};

/// Parses TOML 1.0. `file` is only for positions.
/// \throws ScenarioErrors with the place of the first thing that is no TOML.
Node parse_document(std::string_view text, const std::string& file);

/// The contents of a file.
/// \throws ScenarioErrors for a missing file, a directory, one that cannot be read or is
/// larger than 16 MiB.
std::string read_text(const std::string& path);

/// Applies one `KEY=VALUE` (`--set`) to a document: KEY is a dotted path in which an array of
/// tables is addressed by the `name` of an element or by its index from 0; VALUE is a TOML value,
/// or a bare string when it is no TOML. What it says carries the position "--set KEY".
/// Whether the key exists is for the reader to say.
void apply_override(Node& document, const std::string& assignment, ErrorList& errors);

}  // namespace cqsim::tb
