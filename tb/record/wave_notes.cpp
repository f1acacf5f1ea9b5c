// SPDX-License-Identifier: Apache-2.0
#include "tb/record/wave_notes.h"

#include "models/verbs/verbs.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace cqsim::tb {
namespace {

std::string text(std::string_view view) {
    return std::string(view);
}

/// An error of its own, not the consequence of another (S2.19).
bool is_first_error(WcStatus status) {
    return status != WcStatus::Success && status != WcStatus::WrFlushErr;
}

std::string note_of_complete(const Record& record, WaveNames& names) {
    const auto status = static_cast<WcStatus>(record.state);
    if (!is_first_error(status)) {
        return {};
    }
    std::string note = names.work_queue(record) + " #" + std::to_string(record.index) +
                       " fails: " + text(name(status));
    if (record.queue == QueueKind::Send && (record.flags & kSignaled) == 0) {
        note += ", unsignaled";
    }
    return note;
}

std::string note_of_write(const Record& record, WaveNames& names) {
    const auto status = static_cast<WcStatus>(record.state);
    if (!is_first_error(status)) {
        return {};
    }
    const char* const rule = record.queue == QueueKind::Send ? "S2.2 failed send reported: QP "
                                                             : "S2.9 failed receive reported: QP ";
    return rule + names.qp(record.qpn) + " " + text(name(status)) + " in cq " +
           names.cq(record.cqn);
}

std::string note_of_overrun(const Record& record, WaveNames& names) {
    const std::string cq = "cq " + names.cq(record.cqn);
    const std::string loser = names.work_queue(record);
    switch (static_cast<LostCause>(record.state)) {
        case LostCause::Overrun:
            return "S5.3a overrun " + cq + ", " + loser;
        case LostCause::CqError:
            return "S5.3c " + cq + " in error takes no entry, " + loser;
        case LostCause::WriteFailed:
            return "S5.3j write into " + cq + " failed, " + loser;
        case LostCause::None:
            break;
    }
    return "no slot in " + cq + ", " + loser;
}

std::string note_of_async(const Record& record, WaveNames& names) {
    const auto event = static_cast<AsyncEvent>(record.state);
    const std::string rule = event == AsyncEvent::CqErr     ? "S5.3b "
                             : event == AsyncEvent::QpFatal ? "S5.3d "
                                                            : "S5.9 ";
    const std::string object =
        record.cqn != kNoCq ? " cq " + names.cq(record.cqn) : " QP " + names.qp(record.qpn);
    return rule + text(name(event)) + object;
}

std::string note_of_qp_state(const Record& record, WaveNames& names) {
    const auto state = static_cast<QpState>(record.state);
    const bool is_bring_up = state == QpState::Reset || state == QpState::Init ||
                             state == QpState::Rtr || state == QpState::Rts;
    if (is_bring_up) {
        return {};
    }
    const std::string rule = state == QpState::Sqe   ? "S2.22 "
                             : state == QpState::Sqd ? "S2.23 "
                                                     : "";
    return rule + "QP " + names.qp(record.qpn) + " " + text(name(static_cast<QpState>(record.a))) +
           " to " + text(name(state));
}

std::string note_of_outcome(const Record& record, WaveNames& names) {
    // A loss by overrun or in a CQ in error has its note from the overflow checker.
    const auto outcome = static_cast<Outcome>(record.state);
    if (outcome == Outcome::Cancelled) {
        return "S7.3 cancelled, destroyed: " + names.work_queue(record) + " #" +
               std::to_string(record.index);
    }
    if (outcome == Outcome::Lost && static_cast<LostCause>(record.a) == LostCause::WriteFailed) {
        return "S5.3j ring write failed, lost: " + names.work_queue(record) + " #" +
               std::to_string(record.index);
    }
    return {};
}

std::string note_of_end(const Record& record) {
    switch (static_cast<EndReason>(record.state)) {
        case EndReason::Idle:
            return "end of run: idle";
        case EndReason::End:
            return "end of run: its time is over";
        case EndReason::Stalled:
            return "end of run: stalled, " + std::to_string(record.a) + " sends and " +
                   std::to_string(record.serial) + " receives without an answer";
    }
    return "end of run";
}

template <class Id, class Name>
std::vector<std::string> first_names(const std::vector<NamedRange>& ranges,
                                     std::uint32_t limit,
                                     const Name& name) {
    std::uint32_t end = 0;
    for (const NamedRange& range : ranges) {
        const std::uint32_t first = std::min(range.first, limit);
        end = std::max(end, first + std::min(range.count, limit - first));
    }
    std::vector<std::string> names;
    names.reserve(end);
    for (std::uint32_t number = 0; number < end; ++number) {
        names.push_back(name(Id{number}));
    }
    return names;
}

}  // namespace

WaveNames::WaveNames(RunHeader header)
    : m_header(std::move(header)),
      m_cq(first_names<Cqn>(m_header.cq, kKept, [this](Cqn cqn) { return m_header.cq_name(cqn); })),
      m_qp(
          first_names<Qpn>(m_header.qp, kKept, [this](Qpn qpn) { return m_header.qp_name(qpn); })) {
}

const std::string& WaveNames::cq(Cqn cqn) {
    if (index_of(cqn) < m_cq.size()) {
        return m_cq[index_of(cqn)];
    }
    return m_other_cq = m_header.cq_name(cqn);
}

const std::string& WaveNames::qp(Qpn qpn) {
    if (index_of(qpn) < m_qp.size()) {
        return m_qp[index_of(qpn)];
    }
    return m_other_qp = m_header.qp_name(qpn);
}

std::string WaveNames::work_queue(const Record& record) {
    return "QP " + qp(record.qpn) + " " + text(name(record.queue));
}

WaveNote wave_note(const Record& record, WaveNames& names) {
    switch (record.kind) {
        case Kind::Complete:
            return {NoteTrack::None, note_of_complete(record, names)};
        case Kind::CqeWrite:
            return {NoteTrack::Writer, note_of_write(record, names)};
        case Kind::Overrun: {
            // S5.3c follows again and again: it must not hide the overrun itself.
            const bool is_first = static_cast<LostCause>(record.state) == LostCause::Overrun;
            return {is_first ? NoteTrack::Overflow : NoteTrack::None,
                    note_of_overrun(record, names)};
        }
        case Kind::Async:
            return {record.cqn != kNoCq ? NoteTrack::Overflow : NoteTrack::Qp,
                    note_of_async(record, names)};
        case Kind::QpState:
            return {NoteTrack::Qp, note_of_qp_state(record, names)};
        case Kind::Flush:
            return {NoteTrack::Qp,
                    "S2.18 flush of " + names.work_queue(record) + ": " + std::to_string(record.a) +
                        " from #" + std::to_string(record.index)};
        case Kind::Outcome:
            return {NoteTrack::Writer, note_of_outcome(record, names)};
        case Kind::End:
            return {NoteTrack::None, note_of_end(record)};
        default:
            return {};
    }
}

}  // namespace cqsim::tb
