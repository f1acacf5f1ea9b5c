// SPDX-License-Identifier: Apache-2.0
// Values that only [[expect]] has: intervals, paths into result.json, rules.
#include "tb/scenario/nearest.h"
#include "tb/scenario/units.h"
#include "tb/scenario/values.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

/// The top of result.json, as far as numbers stand below it.
const std::vector<std::string>& stat_sections() {
    static const std::vector<std::string> sections{
        "cq", "srq", "qp", "eq", "vector", "host", "arbiter", "storm", "async", "end", "rules"};
    return sections;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// S, digits, a dot, digits, perhaps one small letter.
bool is_rule(const std::string& text) {
    std::size_t at = 0;
    const auto digits = [&] {
        const std::size_t from = at;
        while (at < text.size() && is_digit(text[at])) {
            ++at;
        }
        return at > from;
    };
    if (text.empty() || text[at++] != 'S' || !digits()) {
        return false;
    }
    if (at >= text.size() || text[at++] != '.' || !digits()) {
        return false;
    }
    if (at < text.size() && text[at] >= 'a' && text[at] <= 'z') {
        ++at;
    }
    return at == text.size();
}

std::optional<GroupRef> read_object(const std::string& section,
                                    const Node& node,
                                    ReadContext& context) {
    if (section == "eq") {
        return read_eq_ref(node, context);
    }
    if (section == "srq") {
        return read_srq_ref(node, context);
    }
    return section == "cq" ? read_cq_ref(node, context) : read_qp_ref(node, context);
}

}  // namespace

std::optional<Between> read_between(const Node& node, ReadContext& context) {
    if (node.type != Node::Type::Array || node.children.size() != 2) {
        context.errors.add(
            node.where, node.key + " is not a pair of numbers", "write [lowest, highest]");
        return std::nullopt;
    }
    const auto low = read_number(node.children[0], context);
    const auto high = read_number(node.children[1], context);
    if (!low || !high) {
        return std::nullopt;
    }
    if (*low > *high) {
        context.errors.add(node.where,
                           node.key + " = [" + format_number(*low) + ", " + format_number(*high) +
                               "] holds no number",
                           "write [lowest, highest]");
        return std::nullopt;
    }
    return Between{*low, *high};
}

std::optional<std::string> read_stat(const Node& node, ReadContext& context) {
    auto text = read_string(node, context);
    if (!text) {
        return std::nullopt;
    }
    const std::string hint = "a path into result.json, e.g. \"cq.shared.overruns\"";
    const std::size_t dot = text->find('.');
    if (dot == std::string::npos || dot + 1 == text->size()) {
        context.errors.add(
            node.where, "stat = " + in_quotes(*text) + " is no path to a number", hint);
        return std::nullopt;
    }
    const std::string section = text->substr(0, dot);
    const auto& sections = stat_sections();
    if (std::find(sections.begin(), sections.end(), section) == sections.end()) {
        context.errors.add(node.where,
                           "stat = " + in_quotes(*text) + " begins with an unknown word",
                           suggest(section, sections));
        return std::nullopt;
    }
    if (section != "cq" && section != "qp" && section != "eq" && section != "srq") {
        return text;
    }
    const std::size_t second = text->find('.', dot + 1);
    const std::string part = text->substr(dot + 1, second - dot - 1);
    Node object = node;
    object.key = section;
    object.text = part;
    if (!read_object(section, object, context)) {
        return std::nullopt;
    }
    if (second == std::string::npos || second + 1 == text->size()) {
        context.errors.add(
            node.where, "stat = " + in_quotes(*text) + " is no path to a number", hint);
        return std::nullopt;
    }
    return text;
}

std::optional<std::string> read_rule(const Node& node, ReadContext& context) {
    auto text = read_string(node, context);
    if (text && !is_rule(*text)) {
        context.errors.add(node.where,
                           node.key + " = " + in_quotes(*text) + " is not the number of a rule",
                           "e.g. \"S5.3c\"");
        return std::nullopt;
    }
    return text;
}

}  // namespace cqsim::tb
