// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a record tells a person, in words and with the rule's number of spec.md.
#pragma once

#include "models/observe/record.h"
#include "tb/record/run_header.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cqsim::tb {

/// The names of a header, at hand for the objects that come first.
class WaveNames {
  public:
    explicit WaveNames(RunHeader header);

    /// As RunHeader's. The reference holds until the next call of the same function.
    const std::string& cq(Cqn cqn);
    const std::string& qp(Qpn qpn);
    /// "QP victim[3] send"
    std::string work_queue(const Record& record);

  private:
    static constexpr std::uint32_t kKept = 4096;

    RunHeader m_header;
    std::vector<std::string> m_cq;
    std::vector<std::string> m_qp;
    std::string m_other_cq;
    std::string m_other_qp;
};

/// Which module's track carries a note, beside the one that carries all.
enum class NoteTrack : std::uint8_t { None, Writer, Overflow, Qp };

struct WaveNote {
    NoteTrack track = NoteTrack::None;
    std::string text;  ///< empty: the record is no news
};

WaveNote wave_note(const Record& record, WaveNames& names);

}  // namespace cqsim::tb
