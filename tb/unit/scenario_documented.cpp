// SPDX-License-Identifier: Apache-2.0
// scenarios/README.md and the key table say the same, in both directions.
#include "models/observe/record_names.h"
#include "models/verbs/verbs.h"
#include "tb/scenario/keys.h"
#include "tb/unit/scenario_text.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace cqsim::tb {
namespace {

std::string readme() {
    std::ifstream in(std::string(CQSIM_SOURCE_DIR) + "/scenarios/README.md");
    REQUIRE(in);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

/// Without spaces around it and without backquotes.
std::string bare(const std::string& text) {
    std::string kept;
    for (const char c : text) {
        if (c != '`') {
            kept += c;
        }
    }
    const std::size_t from = kept.find_first_not_of(' ');
    const std::size_t to = kept.find_last_not_of(' ');
    return from == std::string::npos ? "" : kept.substr(from, to - from + 1);
}

std::vector<std::string> cells(const std::string& row) {
    std::vector<std::string> result;
    std::istringstream in(row.substr(1));
    for (std::string cell; std::getline(in, cell, '|');) {
        result.push_back(bare(cell));
    }
    return result;
}

/// "section / key" -> "type | default | range", from rows under a head 'key'.
std::map<std::string, std::string> documented() {
    std::map<std::string, std::string> rows;
    std::string section;
    bool in_keys = false;
    std::istringstream in(readme());
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("### ", 0) == 0) {
            section = lower(bare(line.substr(4)));
        }
        if (line.empty() || line.front() != '|') {
            in_keys = false;
            continue;
        }
        const std::vector<std::string> row = cells(line);
        if (row.front() == "key") {
            in_keys = true;
        } else if (in_keys && row.front().find("---") != 0) {
            REQUIRE(row.size() == 5);
            INFO("documented twice: " << section << " / " << row[0]);
            CHECK(rows.emplace(section + " / " + row[0], row[1] + " | " + row[2] + " | " + row[3])
                      .second);
        }
    }
    return rows;
}

std::map<std::string, std::string> known() {
    std::map<std::string, std::string> rows;
    for (const KeyInfo& key : scenario_keys()) {
        rows[lower(key.section) + " / " + key.key] =
            key.type + " | " + key.standard + " | " + key.range;
    }
    return rows;
}

TEST_CASE("every key is documented with its type, default and range") {
    const auto rows = documented();
    for (const auto& [key, text] : known()) {
        INFO("not in scenarios/README.md: " << key);
        REQUIRE(rows.count(key) == 1);
        CHECK(rows.at(key) == text);
    }
}

TEST_CASE("every documented key is known") {
    const auto keys = known();
    for (const auto& row : documented()) {
        INFO("documented, but unknown to the reader: " << row.first);
        CHECK(keys.count(row.first) == 1);
    }
}

TEST_CASE("every key has a line of documentation, a type and its own path") {
    std::set<std::string> paths;
    for (const KeyInfo& key : scenario_keys()) {
        INFO(key.path);
        CHECK_FALSE(key.doc.empty());
        CHECK(key.doc.find('|') == std::string::npos);
        CHECK_FALSE(key.type.empty());
        CHECK_FALSE(key.standard.empty());
        CHECK(paths.insert(key.path).second);
        CHECK((key.type != "one of" || !key.choices.empty()));
    }
    CHECK(paths.count("cq.NAME.depth") == 1);
    CHECK(paths.count("device.completion_arbiter.policy") == 1);
    CHECK(paths.count("traffic.N.recv.rate") == 1);
    CHECK(paths.count("expect.N.sequence.N.ev") == 1);
}

TEST_CASE("the words of opcodes, statuses and kinds are documented") {
    const std::string text = readme();
    std::vector<std::string_view> words = wc_status_names();
    for (const std::string_view word : wr_opcode_names()) {
        words.push_back(word);
    }
    for (const std::string_view word : kind_names()) {
        words.push_back(word);
    }
    for (const std::string_view word : words) {
        INFO(word);
        CHECK(text.find("`" + std::string(word) + "`") != std::string::npos);
    }
}

TEST_CASE("the first scenario of the documentation is right and has 15 lines") {
    const std::string text = readme();
    const std::string mark = "```toml\n";
    const std::size_t first = text.find(mark) + mark.size();
    const std::string scenario = text.substr(first, text.find("```", first) - first);
    CHECK(mistakes(scenario).empty());
    std::istringstream in(scenario);
    int lines = 0;
    for (std::string line; std::getline(in, line);) {
        lines += line.empty() ? 0 : 1;
    }
    CHECK(lines == 15);
    const std::size_t second = text.find(mark, first) + mark.size();
    CHECK(mistakes(scenario + text.substr(second, text.find("```", second) - second)).empty());
}

}  // namespace
}  // namespace cqsim::tb
