// SPDX-License-Identifier: Apache-2.0
/// \file
/// Event logs in files, for tests.
#pragma once

#include "tb/record/event_log_writer.h"
#include "tb/unit/check_stream.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace cqsim::tb {

/// A file that is gone when the test is over.
class TemporaryFile {
  public:
    TemporaryFile() {
        std::string path = (std::filesystem::temp_directory_path() / "cqsim-XXXXXX").string();
        const int file = ::mkstemp(path.data());
        if (file < 0) {
            throw std::runtime_error("no temporary file");
        }
        ::close(file);
        m_path = path;
    }
    explicit TemporaryFile(const std::string& text)
        : TemporaryFile() {
        write(text);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        std::error_code error;
        std::filesystem::remove(m_path, error);
    }

    const std::string& path() const { return m_path; }
    void write(const std::string& text) const {
        std::ofstream(m_path, std::ios::binary | std::ios::trunc) << text;
    }
    std::string read() const {
        std::ifstream file(m_path, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }

  private:
    std::string m_path;
};

inline RunHeader rich_header() {
    RunHeader header;
    header.scenario = "rich";
    header.seed = 7;
    header.index_width = kRichIndexWidth;
    header.cq = {{"shared", 0, 1}, {"other", 1, 1}};
    header.qp = {{"victim", 0, 3}, {"bystander", 3, 1}};
    return header;
}

inline void write_log(const std::string& path,
                      const Trace& trace,
                      const RunHeader& header,
                      KindMask kinds = kAllKinds) {
    EventLogWriter writer(path, header, kinds, [](std::uint8_t) { return "nic"; });
    writer.observe({trace.records().data(), trace.records().size()});
    writer.close();
}

}  // namespace cqsim::tb
