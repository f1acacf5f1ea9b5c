// SPDX-License-Identifier: Apache-2.0
/// \file
/// A line of events.jsonl taken apart: a JSON object whose values are strings, whole numbers and
/// booleans, with the column of each.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cqsim::tb::event_log {

/// What is wrong in a line, and at which column (from 1).
class LineError : public std::runtime_error {
  public:
    LineError(std::size_t column, const std::string& text)
        : std::runtime_error(text),
          m_column(column) {}

    std::size_t column() const { return m_column; }

  private:
    std::size_t m_column;
};

struct Field {
    enum class Type : std::uint8_t { String, Number, Boolean };

    std::string key;
    Type type{};
    bool taken = false;
    std::string text;          ///< of a string
    std::uint64_t number = 0;  ///< of a number or boolean
    std::size_t key_column = 0;
    std::size_t value_column = 0;
};

/// The fields of a line in their order, to be taken by name.
class Line {
  public:
    /// Takes the line apart.
    /// \throws LineError if it is no JSON object, or holds a value of another type.
    void parse(std::string_view line);

    /// The field of that name, or null. Each is taken once.
    const Field* take(std::string_view key);
    /// The field of that name.
    /// \throws LineError if there is none.
    const Field& require(std::string_view key);
    bool has(std::string_view key) const;
    /// \throws LineError if a field was not taken. `what` tells whose fields these are.
    void nothing_left(std::string_view what) const;

    /// The column behind the object.
    std::size_t end_column() const { return m_end; }

  private:
    char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    std::size_t column() const { return m_at + 1; }
    void skip_space();
    void expect(char c, const char* where);
    std::string string();
    char escaped();
    void code_point(std::string& result);
    void value(Field& field);
    void number(Field& field);
    Field& next_field();
    [[noreturn]] void fail(const std::string& text) const { throw LineError(column(), text); }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_end = 0;
    std::vector<Field> m_fields;  ///< reused from line to line
    std::size_t m_count = 0;
    std::size_t m_next = 0;  ///< where the next field is likely
};

}  // namespace cqsim::tb::event_log
