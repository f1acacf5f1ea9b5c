// SPDX-License-Identifier: Apache-2.0
#include "tb/record/event_log_text.h"

#include <algorithm>

namespace cqsim::tb::event_log {

std::string in_quotes(std::string_view text) {
    static constexpr char kDigit[] = "0123456789abcdef";
    constexpr unsigned char kFirstPlain = 0x20;
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (byte < kFirstPlain) {
            result += "\\u00";
            result += kDigit[byte >> 4];
            result += kDigit[byte & 15U];
        } else {
            result += c;
        }
    }
    return result + '"';
}

NameTable::NameTable(const std::vector<NamedRange>& ranges, std::string_view kind)
    : m_kind("\"" + std::string(kind) + " ") {
    constexpr std::size_t kNumber = 16;  // a number, brackets, quotes
    m_longest = m_kind.size() + kNumber;
    for (const NamedRange& range : ranges) {
        std::string name = in_quotes(range.name);
        name.pop_back();
        m_longest = std::max(m_longest, name.size() + kNumber);
        m_ranges.push_back({std::move(name), range.first, range.count});
    }
    std::stable_sort(m_ranges.begin(), m_ranges.end(), [](const Range& left, const Range& right) {
        return left.first < right.first;
    });
}

void NameTable::put(Cursor& cursor, std::uint32_t number) {
    if (m_last >= m_ranges.size() || !m_ranges[m_last].holds(number)) {
        const auto after = std::upper_bound(
            m_ranges.begin(), m_ranges.end(), number, [](std::uint32_t value, const Range& range) {
                return value < range.first;
            });
        const auto found = static_cast<std::size_t>(after - m_ranges.begin());
        if (found == 0 || !m_ranges[found - 1].holds(number)) {
            cursor.text(m_kind);
            cursor.number(number);
            cursor.character('"');
            return;
        }
        m_last = found - 1;
    }
    const Range& range = m_ranges[m_last];
    cursor.text(range.name);
    if (range.count != 1) {
        cursor.character('[');
        cursor.number(number - range.first);
        cursor.character(']');
    }
    cursor.character('"');
}

}  // namespace cqsim::tb::event_log
