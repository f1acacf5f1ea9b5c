// SPDX-License-Identifier: Apache-2.0
#include "tb/record/event_log_reader.h"

#include "models/observe/record_names.h"
#include "tb/record/event_log_fields.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>

namespace cqsim::tb {
namespace {

using event_log::Field;
using event_log::Line;
using event_log::LineError;

std::string one_of(const std::vector<std::string_view>& names) {
    std::string text;
    for (const std::string_view name : names) {
        text += (text.empty() ? "" : ", ") + std::string(name);
    }
    return text;
}

// Takes the fields of a record out of a line. The 'event_log_fields.h' visitor that reads.
class FieldReader {
  public:
    FieldReader(Line& line, std::array<std::byte, 128>& bytes)
        : m_line(line),
          m_bytes(bytes) {}

    bool is_of_cq(const Record& /*record*/) const { return m_line.has("cqn"); }
    bool is_of_qp(const Record& /*record*/) const { return m_line.has("qpn"); }

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

    Line& m_line;
    std::array<std::byte, 128>& m_bytes;
};

void FieldReader::bytes(const char* key, Record& record) {
    const Field& field = m_line.require(key);
    const std::size_t count = field.text.size() / 2;
    bool good = field.type == Field::Type::String && field.text.size() % 2 == 0 && count != 0 &&
                count <= m_bytes.size();
    for (std::size_t i = 0; good && i < count; ++i) {
        std::uint8_t byte = 0;
        const char* digits = field.text.data() + 2 * i;
        good = std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
        m_bytes.at(i) = static_cast<std::byte>(byte);
    }
    if (!good) {
        throw LineError(field.value_column,
                        "\"" + field.key + "\" should be a string of 1 to 128 bytes, two " +
                            "hexadecimal digits each");
    }
    record.bytes = m_bytes.data();
    record.b = static_cast<std::uint16_t>(count);
}

void FieldReader::details(Record& record) {
    CompletionDetails details;
    named(
        "wc_opcode",
        details.opcode,
        [](std::string_view text) -> std::optional<std::uint8_t> {
            const auto opcode = parse_wc_opcode(text);
            return opcode ? std::optional(static_cast<std::uint8_t>(*opcode)) : std::nullopt;
        },
        [] {
            return std::vector<std::string_view>{"SEND", "RDMA_WRITE", "RDMA_READ", "..."};
        });
    number("byte_len", details.byte_len);
    number("imm_data", details.imm_data);
    number("src_qp", details.src_qp);
    number("vendor_err", details.vendor_err);
    number("srqn", details.srqn);
    number("wc_flags", details.wc_flags);
    number("pkey_index", details.pkey_index);
    number("slid", details.slid);
    number("sl", details.sl);
    number("dlid_path_bits", details.dlid_path_bits);
    std::memcpy(m_bytes.data(), &details, sizeof(details));
    record.bytes = m_bytes.data();
    record.b = sizeof(details);
}

std::vector<NamedRange> ranges_of(const nlohmann::json& list) {
    std::vector<NamedRange> ranges;
    for (const nlohmann::json& entry : list) {
        NamedRange range;
        entry.at("name").get_to(range.name);
        entry.at("first").get_to(range.first);
        entry.at("count").get_to(range.count);
        ranges.push_back(std::move(range));
    }
    return ranges;
}

}  // namespace

EventLogReader::EventLogReader(std::string path)
    : m_path(std::move(path)) {
    std::error_code error;
    if (std::filesystem::is_directory(m_path, error)) {
        throw EventLogError(m_path, "is a directory; it should be an events.jsonl");
    }
    m_file.open(m_path, std::ios::binary);
    if (!m_file) {
        throw EventLogError(m_path, "cannot be read: " + std::generic_category().message(errno));
    }
    read_header();
}

void EventLogReader::fail(std::size_t column, const std::string& text) const {
    throw EventLogError(
        m_path, m_line, column, text + (m_whole ? "" : "; the file is cut short in this line"));
}

void EventLogReader::foreign() const {
    throw EventLogError(m_path,
                        1,
                        1,
                        R"(not an events.jsonl of cqsim: the first line should be {"format":")" +
                            std::string(event_log::kFormat) + R"(","schema":)" +
                            std::to_string(RunHeader::kSchema) + ",...}");
}

bool EventLogReader::read_line() {
    errno = 0;
    if (!std::getline(m_file, m_text)) {
        if (m_file.bad()) {
            throw EventLogError(m_path,
                                "cannot be read: " + std::generic_category().message(errno));
        }
        return false;
    }
    ++m_line;
    m_whole = !m_file.eof();
    return true;
}

/// The column of the header's value for a key.
std::size_t EventLogReader::column_of(const std::string& key) const {
    const std::string word = "\"" + key + "\"";
    for (std::size_t at = m_text.find(word); at != std::string::npos;
         at = m_text.find(word, at + 1)) {
        const std::size_t colon = m_text.find_first_not_of(" \t", at + word.size());
        if (colon != std::string::npos && m_text[colon] == ':') {
            return m_text.find_first_not_of(" \t", colon + 1) + 1;
        }
    }
    return 1;
}

void EventLogReader::read_policies(const nlohmann::json& header) {
    for (const HeaderPolicy& policy : header_policies()) {
        const nlohmann::json& said = header.at(policy.key);
        const std::string word = said.is_string() ? said.get<std::string>() : "";
        if (!policy.knows(word)) {
            fail(column_of(policy.key), policy.complaint());
        }
        m_header.*policy.value = word;
    }
}

/// Whether the first line is one of ours of which only the start is there.
bool EventLogReader::begins_header() const {
    const std::string start = std::string(R"({"format":")") + event_log::kFormat + "\"";
    const std::size_t length = std::min(start.size(), m_text.size());
    return !m_whole && length > 1 && m_text.compare(0, length, start, 0, length) == 0;
}

void EventLogReader::read_header() {
    if (!read_line()) {
        m_line = 1;
        foreign();
    }
    const nlohmann::json header = nlohmann::json::parse(m_text, nullptr, false);
    if (header.is_discarded() && begins_header()) {
        fail(m_text.size() + 1, "the header is not whole");
    }
    if (!header.is_object() || header.value("format", nlohmann::json()) != event_log::kFormat) {
        foreign();
    }
    try {
        const auto schema = header.at("schema").get<std::uint64_t>();
        if (schema != RunHeader::kSchema) {
            fail(1,
                 "schema " + std::to_string(schema) + "; this program reads schema " +
                     std::to_string(RunHeader::kSchema));
        }
        m_header.scenario = header.value("scenario", "");
        m_header.seed = header.value("seed", std::uint64_t{0});
        header.at("cqe_format").get_to(m_header.cqe_format);
        header.at("index_width").get_to(m_header.index_width);
        read_policies(header);
        m_header.cq = ranges_of(header.value("cq", nlohmann::json::array()));
        m_header.qp = ranges_of(header.value("qp", nlohmann::json::array()));
        m_header.eq = ranges_of(header.value("eq", nlohmann::json::array()));
        m_header.vectors = header.value("vectors", m_header.vectors);
        m_header.arm = header.value("arm", m_header.arm);
        m_header.event_latency_ps = header.value("event_latency", m_header.event_latency_ps);
        m_header.moderation_break = header.value("moderation_break", m_header.moderation_break);
        m_header.eq_overflow = header.value("eq_overflow", m_header.eq_overflow);
        for (const nlohmann::json& event : header.at("events")) {
            const auto text = event.get<std::string>();
            const auto kind = parse_kind(text);
            if (!kind) {
                fail(1, "the header names \"" + text + "\", which is no kind of record");
            }
            m_kinds |= mask_of(*kind);
        }
    } catch (const nlohmann::json::exception& error) {
        const std::string text = error.what();
        fail(1, "the header: " + text.substr(std::min(text.find("] ") + 2, text.size())));
    }
}

bool EventLogReader::next(Record& record) {
    if (!read_line()) {
        return false;
    }
    try {
        m_fields.parse(m_text);
        parse(record);
    } catch (const LineError& error) {
        fail(error.column(), error.what());
    }
    return true;
}

std::uint8_t EventLogReader::intern(const std::string& source, std::size_t column) {
    const auto found = std::find(m_sources.begin(), m_sources.end(), source);
    const auto index = static_cast<std::size_t>(found - m_sources.begin());
    if (found == m_sources.end()) {
        if (m_sources.size() > UINT8_MAX) {
            throw LineError(column, "this is the 257th name of a source; 256 are possible");
        }
        m_sources.push_back(source);
    }
    return static_cast<std::uint8_t>(index);
}

void EventLogReader::parse(Record& record) {
    record = Record{};
    FieldReader fields(m_fields, m_bytes);
    fields.number("t", record.time_ps);
    const Field& source = m_fields.require("src");
    const Field& event = m_fields.require("ev");
    if (source.type != Field::Type::String) {
        throw LineError(source.value_column, "\"src\" should be a string");
    }
    record.source = intern(source.text, source.value_column);
    const auto kind =
        event.type == Field::Type::String ? parse_kind(event.text) : std::optional<Kind>();
    if (!kind) {
        throw LineError(event.value_column,
                        "\"ev\" should be one of " + one_of(emitted_kind_names()));
    }
    record.kind = *kind;
    if (m_fields.has("device")) {
        fields.number("device", record.device);
    }
    if (!event_log::describe(*kind, fields, record)) {
        throw LineError(
            event.value_column,
            "\"" + event.text + "\" has no place in schema " + std::to_string(RunHeader::kSchema));
    }
    m_fields.nothing_left("a record of kind \"" + event.text + "\"");
}

}  // namespace cqsim::tb
