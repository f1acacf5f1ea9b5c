// SPDX-License-Identifier: Apache-2.0
/// \file
/// The keys of the scenario language, as data: for `cqsim list`, and for the test that compares
/// them with scenarios/README.md.
#pragma once

#include <string>
#include <vector>

namespace cqsim::tb {

/// One key as a reader of the documentation sees it.
struct KeyInfo {
    std::string section;   ///< heading under which it is documented, e.g. "[[cq]]"
    std::string key;       ///< within the section, e.g. "depth"
    std::string path;      ///< as `--set` takes it, e.g. "cq.NAME.depth"
    std::string type;      ///< "integer", "duration", "table", ...
    std::string standard;  ///< the default as it would be written; "required"; or in words
    std::string range;     ///< "1 .. 64", "fifo, round_robin"; may be empty
    std::string doc;       ///< one line
    std::vector<std::string> choices;  ///< the words of a "one of"
};

/// Every key, in the order of the documentation. A key that stands in several places (`send` and
/// `recv`, patterns) comes once for each path, with equal section and key.
std::vector<KeyInfo> scenario_keys();

}  // namespace cqsim::tb
