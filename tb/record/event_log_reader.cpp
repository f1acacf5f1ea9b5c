// SPDX-License-Identifier: Apache-2.0
#include "tb/record/event_log_reader.h"

#include "models/observe/record_names.h"
#include "tb/record/event_log_field_reader.h"
#include "tb/record/event_log_fields.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace cqsim::tb {
namespace {

using event_log::Field;
using event_log::FieldReader;
using event_log::LineError;
using event_log::one_of;

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

std::vector<ConnectedRange> connections_of(const nlohmann::json& list) {
    std::vector<ConnectedRange> connections;
    for (const nlohmann::json& entry : list) {
        ConnectedRange range;
        entry.at("first").get_to(range.first);
        entry.at("peer").get_to(range.peer);
        entry.at("count").get_to(range.count);
        entry.at("retry_cnt").get_to(range.retry_cnt);
        entry.at("rnr_retry").get_to(range.rnr_retry);
        connections.push_back(range);
    }
    return connections;
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
        if (policy.optional && !header.contains(policy.key)) {
            m_header.*policy.value = policy.words.front();
            continue;
        }
        const auto word =
            std::find(policy.words.begin(), policy.words.end(), header.at(policy.key));
        if (word == policy.words.end()) {
            fail(column_of(policy.key),
                 "\"" + std::string(policy.key) + "\" should be " +
                     (policy.words.size() == 1 ? "\"" + std::string(policy.words.front()) + "\""
                                               : "one of " + one_of(policy.words)) +
                     ": the checkers know nothing else");
        }
        m_header.*policy.value = *word;
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
        m_header.srq = ranges_of(header.value("srq", nlohmann::json::array()));
        m_header.vectors = header.value("vectors", m_header.vectors);
        m_header.arm = header.value("arm", m_header.arm);
        m_header.event_latency_ps = header.value("event_latency", m_header.event_latency_ps);
        m_header.moderation_break = header.value("moderation_break", m_header.moderation_break);
        m_header.eq_overflow = header.value("eq_overflow", m_header.eq_overflow);
        m_header.connection = connections_of(header.value("connection", nlohmann::json::array()));
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
    FieldReader fields(m_fields, m_bytes, m_header.cqe_format);
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
        throw LineError(event.value_column, "\"ev\" should be one of " + one_of(kind_names()));
    }
    record.kind = *kind;
    if (m_fields.has("device")) {
        fields.number("device", record.device);
    }
    static_cast<void>(event_log::describe(*kind, fields, record));  // which knows every kind
    m_fields.nothing_left("a record of kind \"" + event.text + "\"");
}

}  // namespace cqsim::tb
