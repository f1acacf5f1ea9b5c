// SPDX-License-Identifier: Apache-2.0
/// \file
/// Text of events.jsonl, formatted by hand into a buffer.
#pragma once

#include "tb/record/run_header.h"

#include <charconv>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace cqsim::tb::event_log {

/// A JSON string with its quotes.
std::string in_quotes(std::string_view text);

/// Writes at a moving place of a buffer. The caller has made sure of room.
class Cursor {
  public:
    explicit Cursor(char* at)
        : m_at(at) {}

    char* at() const { return m_at; }

    void text(std::string_view text) {
        std::memcpy(m_at, text.data(), text.size());
        m_at += text.size();
    }
    void character(char c) { *m_at++ = c; }
    template <class Number>
    void number(Number value) {
        constexpr int kDigits = 20;
        m_at = std::to_chars(m_at, m_at + kDigits, value).ptr;
    }
    /// "0x..." with its quotes.
    void hex(std::uint64_t value) {
        constexpr int kDigits = 16;
        text("\"0x");
        m_at = std::to_chars(m_at, m_at + kDigits, value, 16).ptr;
        character('"');
    }
    void bytes(const std::byte* bytes, std::size_t count) {
        static constexpr char kDigit[] = "0123456789abcdef";
        for (std::size_t i = 0; i < count; ++i) {
            const auto byte = std::to_integer<unsigned>(bytes[i]);
            m_at[0] = kDigit[byte >> 4];
            m_at[1] = kDigit[byte & 15U];
            m_at += 2;
        }
    }
    /// `,"key":`
    template <std::size_t kSize>
    void key(const char (&key)[kSize]) {
        std::memcpy(m_at, ",\"", 2);
        std::memcpy(m_at + 2, key, kSize - 1);
        std::memcpy(m_at + 1 + kSize, "\":", 2);
        m_at += kSize + 3;
    }

  private:
    char* m_at;
};

/// The names of a header's objects, found fast.
class NameTable {
  public:
    /// `kind` names an object of no range: "cq 7".
    NameTable(const std::vector<NamedRange>& ranges, std::string_view kind);

    /// Bytes that `put` writes at most.
    std::size_t longest() const { return m_longest; }
    /// The quoted name of an object.
    void put(Cursor& cursor, std::uint32_t number);

  private:
    struct Range {
        std::string name;  ///< escaped, with the opening quote
        std::uint32_t first;
        std::uint32_t count;
        bool holds(std::uint32_t number) const { return number >= first && number - first < count; }
    };

    std::vector<Range> m_ranges;  ///< by first number
    std::string m_kind;
    std::size_t m_longest = 0;
    std::size_t m_last = 0;
};

}  // namespace cqsim::tb::event_log
