// SPDX-License-Identifier: Apache-2.0
#include "tb/record/wave_notes.h"

#include "models/observe/record_names.h"
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
    std::string note = "S2.19 " + names.work_queue(record) + " #" + std::to_string(record.index) +
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
    if (event == AsyncEvent::DeviceFatal) {
        return "S6.24 DEVICE_FATAL: an event did not get into its event queue, which takes no more";
    }
    const std::string rule = event == AsyncEvent::CqErr              ? "S5.3b "
                             : event == AsyncEvent::QpFatal          ? "S5.3d "
                             : event == AsyncEvent::QpLastWqeReached ? "S2.26 "
                                                                     : "S5.9 ";
    const std::string object = record.cqn != kNoCq   ? " cq " + names.cq(record.cqn)
                               : record.qpn != kNoQp ? " QP " + names.qp(record.qpn)
                                                     : " SRQ " + names.srq(Srqn{record.unit});
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

/// "S7.3 destroy of QP carol begins: ..."
std::string note_of_destroy(const Record& record, WaveNames& names, bool is_reset) {
    const bool begins = static_cast<DestroyPhase>(record.state) == DestroyPhase::Begun;
    if (record.cqn != kNoCq) {
        return "S4.12 destroy of cq " + names.cq(record.cqn) +
               (begins ? " begins" : " is acknowledged");
    }
    return std::string(is_reset ? "S7.3 reset of QP " : "S7.3 destroy of QP ") +
           names.qp(record.qpn) +
           (begins ? " begins: what it has outstanding gets no entry"
                   : " is acknowledged: nothing of that life is in flight");
}

std::string note_of_create(const Record& record, WaveNames& names) {
    if (record.time_ps == 0) {
        return {};  // the run's own objects
    }
    if (record.cqn != kNoCq) {
        return "cq " + names.cq(record.cqn) + " is created";
    }
    if (record.qpn != kNoQp) {
        return "QP " + names.qp(record.qpn) + " is created";
    }
    return ((record.flags & kShared) != 0 ? "SRQ " + names.srq(Srqn{record.unit})
                                          : "eq " + names.eq(Eqn{record.unit})) +
           " is created";
}

std::string note_of_refuse(const Record& record, WaveNames& names) {
    const auto result = static_cast<CommandResult>(record.state);
    const std::string object = record.cqn != kNoCq   ? "cq " + names.cq(record.cqn)
                               : record.qpn != kNoQp ? "QP " + names.qp(record.qpn)
                                                     : "eq " + names.eq(Eqn{record.unit});
    const std::string asked = record.index == 0 ? "a command for " : "a doorbell of ";
    return (result == CommandResult::Busy ? "S4.11 " : "") + asked + object +
           " is refused: " + text(name(result));
}

std::string note_of_event(const Record& record, WaveNames& names) {
    const auto cause = static_cast<EventCause>(record.state);
    const std::string rule = cause == EventCause::Break   ? "S4.10 "
                             : cause == EventCause::Entry ? "S6.1 "
                                                          : "S4.9 ";
    return rule + "cq " + names.cq(record.cqn) + " reports " + std::to_string(record.a) +
           " entries to eq " + names.eq(Eqn{record.unit}) + ": " + text(name(cause));
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

std::string text_of(const Record& record, WaveNames& names, bool is_reset) {
    switch (record.kind) {
        case Kind::Complete:
            return note_of_complete(record, names);
        case Kind::CqeWrite:
            return note_of_write(record, names);
        case Kind::Overrun:
            return note_of_overrun(record, names);
        case Kind::Async:
            return note_of_async(record, names);
        case Kind::QpState:
            return note_of_qp_state(record, names);
        case Kind::Flush:
            return "S2.18 flush of " + names.work_queue(record) + ": " + std::to_string(record.a) +
                   " from #" + std::to_string(record.index);
        case Kind::Create:
            return note_of_create(record, names);
        case Kind::Destroy:
            return note_of_destroy(record, names, is_reset);
        case Kind::Sweep:
            return "S7.7 software sweeps cq " + names.cq(record.cqn) + ": slot " +
                   std::to_string(record.index);
        case Kind::Resize:
            return "S4.6 cq " + names.cq(record.cqn) + " gets a ring of " +
                   std::to_string(record.index) + ": entry " + std::to_string(record.wr_id) +
                   " ends the old one";
        case Kind::UndefinedRead:
            return "S1.2 software uses an undefined field of slot " + std::to_string(record.index) +
                   " of cq " + names.cq(record.cqn);
        case Kind::Refuse:
            return note_of_refuse(record, names);
        case Kind::Arm:
            return "S6.2 cq " + names.cq(record.cqn) +
                   " is armed: " + text(name(static_cast<ArmKind>(record.state)));
        case Kind::Event:
            return note_of_event(record, names);
        case Kind::Eqe:
            return "S6.15 eq " + names.eq(Eqn{record.unit}) +
                   " has an entry: " + text(eqe_name(record.state));
        case Kind::Irq:
            return "S6.22 vector " + std::to_string(record.unit) + " interrupts";
        case Kind::Outcome:
            return note_of_outcome(record, names);
        case Kind::Drain:
            return "S7.6 drain of qp " + names.qp(record.qpn) + ": " +
                   text(name(static_cast<CommandResult>(record.state)));
        case Kind::End:
            return note_of_end(record);
        default:
            return {};
    }
}

/// Where the note goes, without its text.
WaveNote place_of(const Record& record, bool is_reset) {
    const bool is_of_cq = record.cqn != kNoCq;
    const bool is_of_qp = record.qpn != kNoQp;
    switch (record.kind) {
        case Kind::Complete:
            return {NoteTrack::None, NoteWeight::FirstOfGroup, false, "fails", {}};
        case Kind::CqeWrite:
        case Kind::Outcome:
            return {NoteTrack::Writer, NoteWeight::Routine, false, {}, {}};
        case Kind::Overrun:
            // S5.3c follows again and again: it must not hide the overrun itself.
            if (static_cast<LostCause>(record.state) != LostCause::Overrun) {
                return {NoteTrack::None, NoteWeight::FirstOfGroup, false, {}, {}};
            }
            return {NoteTrack::Overflow, NoteWeight::Always, false, "overrun", {}};
        case Kind::Async:
            if (is_of_qp) {
                return {NoteTrack::Qp, NoteWeight::FirstOfGroup, false, {}, {}};
            }
            if ((record.flags & kShared) != 0) {
                return {NoteTrack::Qp, NoteWeight::Always, false, "srq_limit", {}};
            }
            return {is_of_cq ? NoteTrack::Overflow : NoteTrack::Event,
                    NoteWeight::Always,
                    false,
                    is_of_cq ? std::string_view{} : "DEVICE_FATAL",
                    {}};
        case Kind::QpState:
            return {NoteTrack::Qp, NoteWeight::Routine, false, {}, {}};
        case Kind::Flush:
            return {NoteTrack::Qp, NoteWeight::FirstOfGroup, false, {}, {}};
        case Kind::Create:
            return {is_of_qp ? NoteTrack::Qp : NoteTrack::None,
                    NoteWeight::FirstOfMoment,
                    false,
                    "created",
                    {}};
        case Kind::Destroy: {
            const bool begins = static_cast<DestroyPhase>(record.state) == DestroyPhase::Begun;
            return {is_of_cq ? NoteTrack::Overflow : NoteTrack::Qp,
                    NoteWeight::Always,
                    false,
                    !begins    ? "done"
                    : is_reset ? "reset"
                               : "destroy",
                    {}};
        }
        case Kind::Drain:
            return {NoteTrack::Qp, NoteWeight::Always, false, "drained", {}};
        case Kind::Sweep:
            return {NoteTrack::None, NoteWeight::FirstOfMoment, false, "sweep", {}};
        case Kind::Resize:
            return {NoteTrack::Overflow, NoteWeight::Always, false, "resize", {}};
        case Kind::UndefinedRead:
            return {NoteTrack::None, NoteWeight::FirstOfMoment, false, "undefined", {}};
        case Kind::Refuse:
            return {NoteTrack::None, NoteWeight::FirstOfMoment, false, "refused", {}};
        case Kind::Arm:
            return {NoteTrack::Event, NoteWeight::FirstOfRun, true, "armed", {}};
        case Kind::Event:
            return {NoteTrack::Event, NoteWeight::FirstOfRun, true, "event", {}};
        case Kind::Eqe:
            return {NoteTrack::Event, NoteWeight::FirstOfRun, true, "entry", {}};
        case Kind::Irq:
            return {NoteTrack::Event, NoteWeight::FirstOfRun, true, "irq", {}};
        case Kind::End:
            return {NoteTrack::None, NoteWeight::Always, false, {}, {}};
        default:
            return {};
    }
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

WaveNote wave_note(const Record& record, WaveNames& names, bool is_reset) {
    WaveNote note = place_of(record, is_reset);
    note.text = text_of(record, names, is_reset);
    return note;
}

}  // namespace cqsim::tb
