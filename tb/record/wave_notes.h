// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a record tells a person, in words and with the rule's number of spec.md.
#pragma once

#include "models/observe/record.h"
#include "tb/record/run_header.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cqsim::tb {

/// The names of a header, at hand for the objects that come first.
class WaveNames {
  public:
    explicit WaveNames(RunHeader header);

    /// As RunHeader's. The reference holds until the next call of the same function.
    const std::string& cq(Cqn cqn);
    const std::string& qp(Qpn qpn);
    std::string eq(Eqn eqn) const { return m_header.eq_name(eqn); }
    std::string srq(Srqn srqn) const { return m_header.srq_name(srqn); }
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
enum class NoteTrack : std::uint8_t { None, Writer, Overflow, Qp, Event };

/// Whether a note belongs to what a person wants to know of a run first.
enum class NoteWeight : std::uint8_t {
    Routine,        ///< it does not
    FirstOfRun,     ///< the first of its kind in the run does: how it goes when nothing is wrong
    FirstOfGroup,   ///< the first of its kind in a group of QPs or CQs does
    FirstOfMoment,  ///< the first of its kind about an object at a time does
    Always,
};

struct WaveNote {
    NoteTrack track = NoteTrack::None;
    NoteWeight weight = NoteWeight::Routine;
    bool is_local = false;   ///< on its module's track alone
    std::string_view label;  ///< of a marker in the viewer: a word; empty: no marker
    std::string text;        ///< empty: the record is no news
};

/// `is_reset`: what a destroy of a QP ends is its life, not the QP.
WaveNote wave_note(const Record& record, WaveNames& names, bool is_reset = false);

}  // namespace cqsim::tb
