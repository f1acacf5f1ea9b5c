// SPDX-License-Identifier: Apache-2.0
/// \file
/// events.jsonl: a header line, then a line for each record (design D6).
/// Documented field by field in events.schema.json.
#pragma once

#include "models/observe/record.h"
#include "tb/record/event_log_error.h"
#include "tb/record/event_log_text.h"
#include "tb/record/run_header.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cqsim::tb {

/// Streams records to a file. It never cuts silently: what could not be written is an error of
/// `close`, and of `error` before.
class EventLogWriter final : public RecordSubscriber {
  public:
    /// The name of the module behind Record::source.
    using SourceName = std::function<std::string(std::uint8_t)>;

    /// Creates or empties the file and writes its first line. Records of other kinds than `kinds`
    /// are left out, and the header says so.
    /// \throws EventLogError if the file cannot be created.
    EventLogWriter(std::string path,
                   const RunHeader& header,
                   KindMask kinds,
                   SourceName source_name);
    EventLogWriter(const EventLogWriter&) = delete;
    EventLogWriter& operator=(const EventLogWriter&) = delete;

    KindMask kinds() const { return m_kinds; }
    void observe(const RecordBatch& batch) override;

    /// Why nothing is written any more, with the file's name; empty while all is well.
    const std::string& error() const { return m_error; }
    std::uint64_t records() const { return m_records; }

    /// Writes what is still in the buffer and closes the file. Without this call the file may lack
    /// its end.
    /// \throws EventLogError if anything of the log could not be written.
    void close();

  private:
    static constexpr std::size_t kBuffer = std::size_t{1} << 18;
    static constexpr std::uint16_t kLongestEntry = 128;  ///< S3.15
    /// Bytes of a line beside names: an entry in hexadecimal, and all else.
    static constexpr std::size_t kLine = 2048;

    struct CloseFile {
        void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
    };

    void put(const Record& record);
    const std::string& source(std::uint8_t number);
    void flush();
    void fail(const std::string& what);

    std::string m_path;
    KindMask m_kinds;
    SourceName m_source_name;
    event_log::NameTable m_cqs;
    event_log::NameTable m_qps;
    event_log::NameTable m_eqs;
    event_log::NameTable m_srqs;
    std::array<std::string, 256> m_sources;  ///< `,"src":"...","ev":"`
    std::unique_ptr<std::FILE, CloseFile> m_file;
    std::vector<char> m_buffer;
    std::size_t m_used = 0;
    std::size_t m_room = 0;  ///< what a line may need
    std::uint64_t m_records = 0;
    std::string m_error;
};

}  // namespace cqsim::tb
