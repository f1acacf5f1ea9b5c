// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads what EventLogWriter, or the monitors of an RTL test bench, wrote.
#pragma once

#include "models/observe/record.h"
#include "tb/record/event_log_error.h"
#include "tb/record/event_log_line.h"
#include "tb/record/run_header.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <fstream>
#include <string>
#include <vector>

namespace cqsim::tb {

/// Reads an events.jsonl record by record. Every mistake in it is an EventLogError with line and
/// column: a foreign file, an unknown kind or field, a missing field, a wrong type, a line cut
/// short.
class EventLogReader {
  public:
    /// Opens the file and reads its first line.
    /// \throws EventLogError
    explicit EventLogReader(std::string path);

    const RunHeader& header() const { return m_header; }
    /// The kinds of records that the file says it holds.
    KindMask kinds() const { return m_kinds; }

    /// The next record; false at the end. Its bytes are valid until the next call.
    /// \throws EventLogError
    bool next(Record& record);

    const std::string& source_name(std::uint8_t source) const { return m_sources.at(source); }
    /// The number of the line read last, from 1.
    std::size_t line() const { return m_line; }

  private:
    void read_header();
    void read_policies(const nlohmann::json& header);
    std::size_t column_of(const std::string& key) const;
    bool read_line();
    void parse(Record& record);
    std::uint8_t intern(const std::string& source, std::size_t column);
    [[noreturn]] void fail(std::size_t column, const std::string& text) const;
    bool begins_header() const;
    [[noreturn]] void foreign() const;

    std::string m_path;
    std::ifstream m_file;
    std::string m_text;
    std::size_t m_line = 0;
    bool m_whole = true;  ///< the line ended with a line feed
    event_log::Line m_fields;
    RunHeader m_header;
    KindMask m_kinds = 0;
    std::vector<std::string> m_sources;
    std::array<std::byte, 128> m_bytes{};
};

}  // namespace cqsim::tb
