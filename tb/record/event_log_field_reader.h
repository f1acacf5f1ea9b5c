// SPDX-License-Identifier: Apache-2.0
/// \file
/// Takes the fields of a record out of a line of events.jsonl.
#pragma once

#include "models/observe/record_names.h"
#include "models/verbs/cq.h"
#include "models/verbs/verbs.h"
#include "tb/record/event_log_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cqsim::tb::event_log {

/// The words as a list for people.
std::string one_of(const std::vector<std::string_view>& names);

/// The 'event_log_fields.h' visitor that reads.
class FieldReader {
  public:
    FieldReader(Line& line, std::array<std::byte, 128>& bytes, const std::string& cqe_format)
        : m_line(line),
          m_bytes(bytes),
          m_cqe_format(cqe_format) {}

    bool is_of_cq(const Record& /*record*/) const { return m_line.has("cqn"); }
    bool is_of_qp(const Record& /*record*/) const { return m_line.has("qpn"); }
    bool is_of_srq(const Record& /*record*/) const {
        return m_line.has("srqn") && !m_line.has("qpn");
    }

    void cq(Cqn& cqn) {
        name("cq");
        std::uint32_t value = 0;
        number("cqn", value);
        cqn = Cqn{value};
    }
    void qp(Qpn& qpn) {
        name("qp");
        std::uint32_t value = 0;
        number("qpn", value);
        qpn = Qpn{value};
    }
    void eq(std::uint16_t& eqn) {
        name("eq");
        number("eqn", eqn);
    }
    void objects(Record& record) {
        if (is_of_cq(record)) {
            cq(record.cqn);
        }
        if (is_of_qp(record)) {
            qp(record.qpn);
        }
    }
    template <class Number>
    void shared(Record& record, Number& srqn) {
        if (m_line.has("srqn")) {
            name("srq");
            number("srqn", srqn);
            record.flags |= kShared;
        }
    }
    bool is_of_eq(Record& record) const {
        record.unit = kNoEqn;
        return m_line.has("eqn");
    }
    template <class Number>
    void number(const char* key, Number& value) {
        const Field& field = m_line.require(key);
        if (field.type != Field::Type::Number) {
            throw LineError(field.value_column, "\"" + field.key + "\" should be a number");
        }
        if (field.number > std::numeric_limits<Number>::max()) {
            throw LineError(field.value_column,
                            "\"" + field.key + "\" should be at most " +
                                std::to_string(std::uint64_t{std::numeric_limits<Number>::max()}) +
                                ", not " + std::to_string(field.number));
        }
        value = static_cast<Number>(field.number);
    }
    void hex(const char* key, std::uint64_t& value) {
        const Field& field = m_line.require(key);
        const char* first = field.text.data() + 2;
        const char* last = field.text.data() + field.text.size();
        const bool prefixed = field.type == Field::Type::String && field.text.size() > 2 &&
                              field.text.compare(0, 2, "0x") == 0;
        if (!prefixed || std::from_chars(first, last, value, 16).ptr != last || last - first > 16) {
            throw LineError(field.value_column,
                            "\"" + field.key + R"(" should be a string "0x..." of up to 16 )" +
                                "hexadecimal digits");
        }
    }
    void flag(const char* key, std::uint8_t& flags, std::uint8_t bit) {
        const Field& field = m_line.require(key);
        if (field.type != Field::Type::Boolean) {
            throw LineError(field.value_column, "\"" + field.key + "\" should be true or false");
        }
        flags |= field.number != 0 ? bit : std::uint8_t{0};
    }
    void bit(const char* key, std::uint8_t& flags, std::uint8_t bit) {
        const Field& field = m_line.require(key);
        if (field.type != Field::Type::Number || field.number > 1) {
            throw LineError(field.value_column, "\"" + field.key + "\" should be 0 or 1");
        }
        flags |= field.number != 0 ? bit : std::uint8_t{0};
    }
    template <class Number>
    void word(const char* key, StateMeaning meaning, Number& value) {
        named(
            key,
            value,
            [meaning](std::string_view text) { return parse_state(meaning, text); },
            [meaning] { return state_names(meaning); });
    }
    template <class Table, class Number>
    void choice(const char* key, const Table& table, Number& value) {
        named(
            key,
            value,
            [&table](std::string_view text) { return number_in(table, text); },
            [&table] { return std::vector<std::string_view>(table.begin(), table.end()); });
    }
    void format(const char* key, std::uint8_t& value) {
        if (m_line.has(key)) {
            choice(key, kCqeFormatNames, value);
        } else {
            value = number_in(kCqeFormatNames, m_cqe_format).value_or(0);
        }
    }
    void option(const char* key, std::uint8_t& flags, std::uint8_t bit) {
        if (m_line.has(key)) {
            flag(key, flags, bit);
        }
    }
    void queue(const char* key, QueueKind& queue) {
        std::uint8_t value = 0;
        named(
            key,
            value,
            [](std::string_view text) -> std::optional<std::uint8_t> {
                const auto kind = parse_queue_kind(text);
                return kind ? std::optional(static_cast<std::uint8_t>(*kind)) : std::nullopt;
            },
            [] {
                return std::vector<std::string_view>{cqsim::name(QueueKind::Send),
                                                     cqsim::name(QueueKind::Receive)};
            });
        queue = static_cast<QueueKind>(value);
    }
    void opcode(const char* key, Record& record) {
        if (record.queue == QueueKind::Send) {
            word(key, StateMeaning::WrOpcode, record.state);
        }
    }
    /// Into the array that it was given.
    void bytes(const char* key, Record& record);
    void details(Record& record);

  private:
    // The name of an object is for people: its number counts.
    void name(const char* key) {
        const Field* field = m_line.take(key);
        if (field != nullptr && field->type != Field::Type::String) {
            throw LineError(field->value_column, "\"" + field->key + "\" should be a string");
        }
    }
    template <class Number, class Parse, class All>
    void named(const char* key, Number& value, const Parse& parse, const All& all) {
        const Field& field = m_line.require(key);
        if (field.type == Field::Type::Number && field.number <= UINT8_MAX) {
            value = static_cast<Number>(field.number);  // a value that has no name
            return;
        }
        const auto found = field.type == Field::Type::String ? parse(field.text) : std::nullopt;
        if (!found) {
            throw LineError(field.value_column,
                            "\"" + field.key + "\" should be one of " + one_of(all()));
        }
        value = *found;
    }

    template <class Table>
    static std::optional<std::uint8_t> number_in(const Table& table, std::string_view text) {
        const auto found = std::find(table.begin(), table.end(), text);
        if (found == table.end() || text == "?") {
            return std::nullopt;
        }
        return static_cast<std::uint8_t>(found - table.begin());
    }

    Line& m_line;
    std::array<std::byte, 128>& m_bytes;
    const std::string& m_cqe_format;
};

}  // namespace cqsim::tb::event_log
