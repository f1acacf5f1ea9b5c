// SPDX-License-Identifier: Apache-2.0
#include "tb/scenario/values.h"

#include "tb/scenario/nearest.h"
#include "tb/scenario/units.h"

#include <algorithm>
#include <cmath>

namespace cqsim::tb {
namespace {

/// At most 40 bytes of it, not cut inside a character.
std::string shortened(const std::string& text) {
    std::size_t length = 40;
    if (text.size() <= length) {
        return text;
    }
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) {
        --length;
    }
    return text.substr(0, length) + "...";
}

/// "depth = 0", as far as it can be shown in a line.
std::string said(const Node& node) {
    std::string value;
    switch (node.type) {
        case Node::Type::String:
            value = in_quotes(shortened(node.text));
            break;
        case Node::Type::Integer:
            value = std::to_string(node.integer);
            break;
        case Node::Type::Float:
            value = format_number(node.number);
            break;
        case Node::Type::Boolean:
            value = node.boolean ? "true" : "false";
            break;
        default:
            value = node.type_name();
    }
    return node.key.empty() ? value : node.key + " = " + value;
}

bool require(const Node& node, Node::Type type, const std::string& wanted, ReadContext& context) {
    if (node.type == type) {
        return true;
    }
    context.errors.add(
        node.where, said(node) + " is " + std::string(node.type_name()), "write " + wanted);
    return false;
}

/// What the text with a unit should have been.
struct UnitWords {
    const char* what;
    std::string_view units;
    const char* example;
    std::string range;
};

/// Reports anything but Ok.
bool unit_ok(const Node& node, UnitResult result, const UnitWords& words, ReadContext& context) {
    const std::string write = std::string("write ") + words.what + " with one of the units " +
                              std::string(words.units) + ", e.g. " + words.example + ", in " +
                              words.range;
    switch (result) {
        case UnitResult::Ok:
            return true;
        case UnitResult::NoNumber:
            context.errors.add(node.where, said(node) + " is not " + words.what, write);
            break;
        case UnitResult::NoUnit:
            context.errors.add(node.where, said(node) + " has no unit", write);
            break;
        case UnitResult::UnknownUnit:
            context.errors.add(node.where, said(node) + " has an unknown unit", write);
            break;
        case UnitResult::NotWhole:
            context.errors.add(
                node.where,
                said(node) + " is not a whole number of the smallest unit",
                "it must be whole in " + std::string(words.units.substr(0, words.units.find(','))));
            break;
        case UnitResult::TooLarge:
            context.errors.add(node.where, said(node) + " is out of range", words.range);
            break;
    }
    return false;
}

/// A number where a text with a unit belongs, or another type.
bool unit_text(const Node& node, const UnitWords& words, ReadContext& context) {
    if (node.type == Node::Type::Integer || node.type == Node::Type::Float) {
        return unit_ok(node, UnitResult::NoUnit, words, context);
    }
    return require(
        node, Node::Type::String, std::string(words.what) + " like " + words.example, context);
}

template <class Group>
std::vector<std::string> names_of(const std::vector<Group>& groups) {
    std::vector<std::string> names;
    for (const Group& group : groups) {
        if (!group.name.empty()) {
            names.push_back(group.name);
        }
    }
    return names;
}

template <class Group>
std::optional<std::uint32_t> find_group(const Node& node,
                                        const std::string& name,
                                        const std::vector<Group>& groups,
                                        const char* kind,
                                        ReadContext& context) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (groups[i].name == name && !name.empty()) {
            return static_cast<std::uint32_t>(i);
        }
    }
    // A group whose own name was refused, or none at all, is mistake enough.
    const std::vector<std::string> known = names_of(groups);
    if (known.size() == groups.size() && !groups.empty()) {
        context.errors.add(
            node.where, said(node) + " names an unknown " + kind, suggest(name, known));
    }
    return std::nullopt;
}

/// A scenario may have no event queue at all.
bool require_eqs(const Node& node, ReadContext& context) {
    if (context.scenario.eq.empty()) {
        context.errors.add(
            node.where, said(node) + " names an event queue, and there is none", "add an [[eq]]");
        return false;
    }
    return true;
}

/// Likewise.
bool require_srqs(const Node& node, ReadContext& context) {
    if (context.scenario.srq.empty()) {
        context.errors.add(node.where,
                           said(node) + " names a shared receive queue, and there is none",
                           "add an [[srq]]");
        return false;
    }
    return true;
}

template <class Group>
std::optional<GroupRef> find_ref(const Node& node,
                                 const std::vector<Group>& groups,
                                 const char* kind,
                                 ReadContext& context) {
    if (!require(node, Node::Type::String, std::string("the name of a ") + kind, context)) {
        return std::nullopt;
    }
    const std::size_t bracket = node.text.find('[');
    const auto group = find_group(node, node.text.substr(0, bracket), groups, kind, context);
    if (!group || bracket == std::string::npos) {
        return group ? std::optional<GroupRef>({*group, std::nullopt}) : std::nullopt;
    }
    const std::string digits = node.text.substr(bracket + 1);
    const std::size_t used = digits.find_first_not_of("0123456789");
    const std::uint32_t count = groups[*group].count;
    const bool formed = used != 0 && used <= 8 && digits.substr(used) == "]";
    if (!formed || std::stoul(digits) >= count) {
        context.errors.add(
            node.where,
            said(node) + " is no member of the group",
            groups[*group].name + " has the members [0] to [" + std::to_string(count - 1) + "]");
        return std::nullopt;
    }
    return GroupRef{*group, static_cast<std::uint32_t>(std::stoul(digits))};
}

}  // namespace

std::string IntegerRange::text() const {
    return std::to_string(low) + " .. " + std::to_string(high);
}

std::string DurationRange::text() const {
    return format_duration(low) + " .. " + format_duration(high);
}

std::optional<std::int64_t> read_integer(const Node& node,
                                         IntegerRange range,
                                         ReadContext& context) {
    if (!require(node, Node::Type::Integer, "an integer, " + range.text(), context)) {
        return std::nullopt;
    }
    if (node.integer < range.low || node.integer > range.high) {
        context.errors.add(node.where, said(node) + " is out of range", range.text());
        return std::nullopt;
    }
    return node.integer;
}

std::optional<double> read_number(const Node& node, ReadContext& context) {
    if (node.type == Node::Type::Integer) {
        return static_cast<double>(node.integer);
    }
    if (!require(node, Node::Type::Float, "a number", context)) {
        return std::nullopt;
    }
    if (!std::isfinite(node.number)) {
        context.errors.add(node.where, said(node) + " is not finite", "write a number");
        return std::nullopt;
    }
    return node.number;
}

std::optional<bool> read_boolean(const Node& node, ReadContext& context) {
    if (!require(node, Node::Type::Boolean, "true or false", context)) {
        return std::nullopt;
    }
    return node.boolean;
}

std::optional<std::string> read_string(const Node& node, ReadContext& context) {
    if (!require(node, Node::Type::String, "a string in quotes", context)) {
        return std::nullopt;
    }
    return node.text;
}

std::optional<std::string> read_run_name(const Node& node, ReadContext& context) {
    constexpr std::size_t kLongest = 200;
    auto text = read_string(node, context);
    if (!text) {
        return std::nullopt;
    }
    const bool plain = std::none_of(text->begin(), text->end(), [](char c) {
        const auto code = static_cast<unsigned char>(c);
        return c == '/' || code < 0x20 || code == 0x7F;
    });
    if (!plain || text->empty() || text->size() > kLongest || *text == "." || *text == "..") {
        context.errors.add(node.where,
                           said(node) + " cannot be the name of a file",
                           "1 to 200 bytes, none of them / or a control character");
        return std::nullopt;
    }
    return text;
}

std::optional<std::string> read_name(const Node& node, ReadContext& context) {
    constexpr std::size_t kMaxName = 64;
    if (!require(node, Node::Type::String, "a name in quotes", context)) {
        return std::nullopt;
    }
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto allowed = [&](char c) {
        return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    if (node.text.empty() || node.text.size() > kMaxName || !letter(node.text.front()) ||
        !std::all_of(node.text.begin(), node.text.end(), allowed)) {
        context.errors.add(node.where,
                           said(node) + " is not a name",
                           "a letter, then letters, digits, _ and -, at most 64");
        return std::nullopt;
    }
    return node.text;
}

std::optional<std::size_t> read_choice(const Node& node,
                                       const std::vector<std::string>& words,
                                       ReadContext& context) {
    const auto quote = [](const std::string& word) { return in_quotes(word); };
    std::string list;
    for (const std::string& word : words) {
        list += (list.empty() ? "" : ", ") + quote(word);
    }
    if (!require(node, Node::Type::String, "one of " + list, context)) {
        return std::nullopt;
    }
    const auto found = std::find(words.begin(), words.end(), node.text);
    if (found == words.end()) {
        context.errors.add(node.where, said(node) + " is unknown", suggest(node.text, words));
        return std::nullopt;
    }
    return static_cast<std::size_t>(found - words.begin());
}

std::optional<TimePs> read_duration(const Node& node, DurationRange range, ReadContext& context) {
    const UnitWords words{"a duration", kDurationUnits, "\"4 ns\"", range.text()};
    if (!unit_text(node, words, context)) {
        return std::nullopt;
    }
    const Parsed<TimePs> parsed = parse_duration(node.text);
    if (!unit_ok(node, parsed.result, words, context)) {
        return std::nullopt;
    }
    const bool negative = parsed.negative && parsed.value.ps != 0;
    if (negative || parsed.value < range.low || parsed.value > range.high) {
        return unit_ok(node, UnitResult::TooLarge, words, context), std::nullopt;
    }
    return parsed.value;
}

std::optional<TimePs> read_rate(const Node& node, ReadContext& context) {
    const UnitWords words{"a rate", kRateUnits, "\"1 M/s\"", kRateRange};
    if (!unit_text(node, words, context)) {
        return std::nullopt;
    }
    const Parsed<TimePs> parsed = parse_rate(node.text);
    if (!unit_ok(node, parsed.result, words, context)) {
        return std::nullopt;
    }
    if (parsed.negative || parsed.value < kMinPeriod || parsed.value > kMaxPeriod) {
        return unit_ok(node, UnitResult::TooLarge, words, context), std::nullopt;
    }
    return parsed.value;
}

std::optional<std::uint64_t> read_bandwidth(const Node& node, ReadContext& context) {
    const UnitWords words{"a bandwidth", kBandwidthUnits, "\"16 GB/s\"", kBandwidthRange};
    if (!unit_text(node, words, context)) {
        return std::nullopt;
    }
    if (node.text == "unlimited") {
        return 0;
    }
    const Parsed<std::uint64_t> parsed = parse_bandwidth(node.text);
    if (!unit_ok(node, parsed.result, words, context)) {
        return std::nullopt;
    }
    if (parsed.negative || parsed.value < kMinBandwidth || parsed.value > kMaxBandwidth) {
        return unit_ok(node, UnitResult::TooLarge, words, context), std::nullopt;
    }
    return parsed.value;
}

std::optional<std::uint32_t> read_cq_group(const Node& node, ReadContext& context) {
    if (!require(node, Node::Type::String, "the name of a CQ", context)) {
        return std::nullopt;
    }
    return find_group(node, node.text, context.scenario.cq, "CQ", context);
}

std::optional<std::uint32_t> read_qp_group(const Node& node, ReadContext& context) {
    if (!require(node, Node::Type::String, "the name of a QP", context)) {
        return std::nullopt;
    }
    return find_group(node, node.text, context.scenario.qp, "QP", context);
}

std::optional<std::uint32_t> read_eq_group(const Node& node, ReadContext& context) {
    if (!require(node, Node::Type::String, "the name of an event queue", context)) {
        return std::nullopt;
    }
    if (!require_eqs(node, context)) {
        return std::nullopt;
    }
    return find_group(node, node.text, context.scenario.eq, "event queue", context);
}

std::optional<GroupRef> read_eq_ref(const Node& node, ReadContext& context) {
    if (node.type == Node::Type::String && !require_eqs(node, context)) {
        return std::nullopt;
    }
    return find_ref(node, context.scenario.eq, "event queue", context);
}

std::optional<std::uint32_t> read_srq_group(const Node& node, ReadContext& context) {
    if (!require(node, Node::Type::String, "the name of an SRQ", context) ||
        !require_srqs(node, context)) {
        return std::nullopt;
    }
    return find_group(node, node.text, context.scenario.srq, "SRQ", context);
}

std::optional<GroupRef> read_srq_ref(const Node& node, ReadContext& context) {
    if (node.type == Node::Type::String && !require_srqs(node, context)) {
        return std::nullopt;
    }
    return find_ref(node, context.scenario.srq, "SRQ", context);
}

std::optional<GroupRef> read_cq_ref(const Node& node, ReadContext& context) {
    return find_ref(node, context.scenario.cq, "CQ", context);
}

std::optional<GroupRef> read_qp_ref(const Node& node, ReadContext& context) {
    return find_ref(node, context.scenario.qp, "QP", context);
}

std::string ref_text(const GroupRef& ref, const std::string& group_name) {
    return ref.member ? group_name + "[" + std::to_string(*ref.member) + "]" : group_name;
}

}  // namespace cqsim::tb
