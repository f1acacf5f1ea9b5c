// SPDX-License-Identifier: Apache-2.0
#include "tb/record/event_log_line.h"

#include <charconv>

namespace cqsim::tb::event_log {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

void Line::skip_space() {
    while (m_at < m_text.size() &&
           (m_text[m_at] == ' ' || m_text[m_at] == '\t' || m_text[m_at] == '\r')) {
        ++m_at;
    }
}

void Line::expect(char c, const char* where) {
    skip_space();
    if (m_at >= m_text.size()) {
        fail(std::string("the line ends where '") + c + "' should be, " + where);
    }
    if (m_text[m_at] != c) {
        fail(std::string("'") + c + "' should be here, " + where + ", not '" + m_text[m_at] + "'");
    }
    ++m_at;
}

Field& Line::next_field() {
    if (m_count == m_fields.size()) {
        m_fields.emplace_back();
    }
    Field& field = m_fields[m_count++];
    field.taken = false;
    field.number = 0;
    field.text.clear();
    return field;
}

void Line::parse(std::string_view line) {
    m_text = line;
    m_at = m_count = m_next = 0;
    expect('{', "where the record begins");
    skip_space();
    if (peek() == '}') {
        ++m_at;
    } else {
        for (bool more = true; more;) {
            skip_space();
            Field& field = next_field();
            field.key_column = column();
            if (peek() != '"') {
                fail("the name of a field should be here, in quotes");
            }
            field.key = string();
            expect(':', "behind the name of a field");
            skip_space();
            field.value_column = column();
            value(field);
            skip_space();
            more = peek() == ',';
            if (more) {
                ++m_at;
            } else {
                expect('}', "or ',', behind a field");
            }
        }
    }
    m_end = column();
    skip_space();
    if (m_at != m_text.size()) {
        fail("the line should end behind the record");
    }
}

std::string Line::string() {
    std::string result;
    ++m_at;
    while (true) {
        if (m_at >= m_text.size()) {
            fail("the line ends inside a string");
        }
        const char c = m_text[m_at];
        if (c == '"') {
            ++m_at;
            return result;
        }
        ++m_at;
        if (c != '\\') {
            result += c;
        } else if (peek() == 'u') {
            ++m_at;
            code_point(result);
        } else {
            result += escaped();
        }
    }
}

char Line::escaped() {
    const char c = peek();
    ++m_at;
    switch (c) {
        case '"':
        case '\\':
        case '/':
            return c;
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        default:
            --m_at;
            fail("no such escape in JSON");
    }
}

// A code unit of four hexadecimal digits, as UTF-8. Names have no need of surrogate pairs.
void Line::code_point(std::string& result) {
    constexpr std::size_t kDigits = 4;
    unsigned code = 0;
    const char* first = m_text.data() + m_at;
    if (m_text.size() - m_at < kDigits ||
        std::from_chars(first, first + kDigits, code, 16).ptr != first + kDigits) {
        fail("four hexadecimal digits should be here");
    }
    m_at += kDigits;
    if (code < 0x80) {
        result += static_cast<char>(code);
    } else if (code < 0x800) {
        result += static_cast<char>(0xC0 | code >> 6);
        result += static_cast<char>(0x80 | (code & 0x3FU));
    } else {
        result += static_cast<char>(0xE0 | code >> 12);
        result += static_cast<char>(0x80 | (code >> 6 & 0x3FU));
        result += static_cast<char>(0x80 | (code & 0x3FU));
    }
}

void Line::value(Field& field) {
    const std::string_view rest = m_text.substr(m_at);
    if (rest.empty()) {
        fail("the line ends where a value should be");
    }
    if (rest.front() == '"') {
        field.type = Field::Type::String;
        field.text = string();
        return;
    }
    for (const bool truth : {false, true}) {
        const std::string_view word = truth ? "true" : "false";
        if (rest.substr(0, word.size()) == word) {
            field.type = Field::Type::Boolean;
            field.number = truth ? 1 : 0;
            m_at += word.size();
            return;
        }
    }
    number(field);
}

void Line::number(Field& field) {
    field.type = Field::Type::Number;
    const char* first = m_text.data() + m_at;
    const char* last = m_text.data() + m_text.size();
    const auto [end, error] = std::from_chars(first, last, field.number);
    if (error == std::errc::result_out_of_range) {
        fail("\"" + field.key + "\" does not fit in 64 bits");
    }
    if (end == first || !is_digit(*first) ||
        (end != last && (*end == '.' || *end == 'e' || *end == 'E'))) {
        fail("\"" + field.key + "\" should be a whole number from 0, a string, true or false");
    }
    m_at += static_cast<std::size_t>(end - first);
}

const Field* Line::take(std::string_view key) {
    // Fields mostly come in the order in which they are asked for.
    for (std::size_t i = 0; i < m_count; ++i) {
        const std::size_t at = (m_next + i) % m_count;
        Field& field = m_fields[at];
        if (!field.taken && field.key == key) {
            field.taken = true;
            m_next = at + 1;
            return &field;
        }
    }
    return nullptr;
}

const Field& Line::require(std::string_view key) {
    const Field* field = take(key);
    if (field == nullptr) {
        throw LineError(m_end, "the field \"" + std::string(key) + "\" is missing");
    }
    return *field;
}

bool Line::has(std::string_view key) const {
    for (std::size_t i = 0; i < m_count; ++i) {
        if (m_fields[i].key == key) {
            return true;
        }
    }
    return false;
}

void Line::nothing_left(std::string_view what) const {
    for (std::size_t i = 0; i < m_count; ++i) {
        const Field& field = m_fields[i];
        if (field.taken) {
            continue;
        }
        for (std::size_t before = 0; before < m_count; ++before) {
            if (before != i && m_fields[before].key == field.key) {
                throw LineError(field.key_column, "\"" + field.key + "\" is there twice");
            }
        }
        throw LineError(field.key_column,
                        std::string(what) + " has no field \"" + field.key + "\"");
    }
}

}  // namespace cqsim::tb::event_log
