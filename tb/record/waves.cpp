// SPDX-License-Identifier: Apache-2.0
#include "tb/record/waves.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace cqsim::tb {
namespace {

constexpr std::uint32_t kTotalWidth = 64;

std::optional<EventWaves> declare_events(VcdWriter& vcd, const WavePlan& plan) {
    if (plan.eq.empty()) {
        return std::nullopt;
    }
    return EventWaves(vcd, plan);
}

}  // namespace

WaveSubscriber::WaveSubscriber(const RunHeader& header, std::string path)
    : WaveSubscriber(header, WavePlan(header), std::move(path)) {
}

WaveSubscriber::WaveSubscriber(const RunHeader& header, const WavePlan& plan, std::string path)
    : m_names(header),
      m_story(plan),
      m_vcd(std::move(path)),
      m_notes(declare_notes(m_vcd)),
      m_notable(m_vcd.add_text("notable")),
      m_tap(declare_tap(m_vcd)),
      m_arbiter(declare_arbiter(m_vcd)),
      m_writer(declare_writer(m_vcd)),
      m_cqs(m_vcd, plan, header),
      m_qps(m_vcd, plan),
      m_events(declare_events(m_vcd, plan)),
      m_answers(declare_answers(m_vcd)) {
}

VcdText WaveSubscriber::declare_notes(VcdWriter& vcd) {
    vcd.open_scope("cqsim");
    vcd.open_scope("engine");
    return vcd.add_text("notes");
}

WaveSubscriber::Tap WaveSubscriber::declare_tap(VcdWriter& vcd) {
    vcd.open_scope("tx_tap");
    Tap tap;
    tap.suppressed = vcd.add_wire("suppressed", kTotalWidth);
    tap.notes = vcd.add_text("notes");
    vcd.close_scope();
    vcd.set(tap.suppressed, 0);
    return tap;
}

WaveSubscriber::Arbiter WaveSubscriber::declare_arbiter(VcdWriter& vcd) {
    vcd.open_scope("arbiter");
    Arbiter arbiter;
    arbiter.queue_length = vcd.add_wire("queue_length", 32);
    arbiter.grants = vcd.add_wire("grants", kTotalWidth);
    arbiter.granted_qpn = vcd.add_wire("granted_qpn", kIdBits);
    arbiter.granted_cqn = vcd.add_wire("granted_cqn", kIdBits);
    arbiter.granted_queue = vcd.add_enum("granted_queue", 1);
    arbiter.granted_qp = vcd.add_text("granted_qp");
    arbiter.granted_cq = vcd.add_text("granted_cq");
    arbiter.wait_ps = vcd.add_wire("wait_ps", kTotalWidth);
    vcd.close_scope();
    vcd.set(arbiter.queue_length, 0);
    vcd.set(arbiter.grants, 0);
    return arbiter;
}

WaveSubscriber::Writer WaveSubscriber::declare_writer(VcdWriter& vcd) {
    vcd.open_scope("writer");
    Writer writer;
    writer.in_flight = vcd.add_wire("writes_in_flight", 32);
    writer.writes = vcd.add_wire("writes", kTotalWidth);
    writer.status = vcd.add_enum("entry_status", 8);
    writer.qp = vcd.add_text("entry_qp");
    writer.cq = vcd.add_text("entry_cq");
    writer.notes = vcd.add_text("notes");
    vcd.close_scope();
    vcd.set(writer.in_flight, 0);
    vcd.set(writer.writes, 0);
    return writer;
}

WaveSubscriber::Answers WaveSubscriber::declare_answers(VcdWriter& vcd) {
    constexpr std::array<const char*, 4> kNames{"suppressed", "granted", "lost", "cancelled"};
    vcd.open_scope("answers");
    Answers answers;
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        answers.wires.at(i) = vcd.add_wire(kNames.at(i), kTotalWidth);
        vcd.set(answers.wires.at(i), 0);
    }
    vcd.close_scope();
    return answers;
}

void WaveSubscriber::observe(const RecordBatch& batch) {
    if (m_is_closed || !m_error.empty()) {
        return;
    }
    try {
        for (const Record& record : batch) {
            if (!m_failed.empty()) {
                tell_failures(record.time_ps);
            }
            m_vcd.advance(record.time_ps);
            take(record);
        }
    } catch (const std::exception& error) {
        m_error = error.what();
    }
}

void WaveSubscriber::take(const Record& record) {
    const bool is_reset = record.kind == Kind::Destroy && m_qps.resets(record.qpn);
    const bool is_listed = update(record);
    if (!(!m_events || m_events->take(record)) || !is_listed) {
        ++m_unlisted;
    }
    const WaveNote note = wave_note(record, m_names, is_reset);
    if (m_story.takes(record, note)) {
        m_vcd.join(m_notable, note.text);
    }
    if (note.text.empty()) {
        return;
    }
    if (!note.is_local) {
        m_vcd.join(m_notes, note.text);
    }
    if (note.track != NoteTrack::None) {
        m_vcd.join(track(note.track), note.text);
    }
}

VcdText WaveSubscriber::track(NoteTrack track) const {
    switch (track) {
        case NoteTrack::Writer:
            return m_writer.notes;
        case NoteTrack::Overflow:
            return m_cqs.notes();
        case NoteTrack::Qp:
            return m_qps.notes();
        case NoteTrack::Event:
            return m_events ? m_events->notes() : m_notes;
        case NoteTrack::None:
            break;
    }
    return m_notes;
}

void WaveSubscriber::fail(std::uint64_t time_ps, const std::string& rule, const std::string& text) {
    m_failed.push_back({time_ps, rule, text});
}

void WaveSubscriber::tell_failures(std::uint64_t until_ps) {
    for (; !m_failed.empty() && m_failed.front().time_ps <= until_ps; m_failed.pop_front()) {
        const Failed& failed = m_failed.front();
        m_vcd.advance(std::max(failed.time_ps, m_vcd.now()));
        const std::string note = "FAIL " + failed.rule + " " + failed.text;
        m_vcd.join(m_notes, note);
        m_vcd.join(m_notable, note);
        m_story.fails(m_vcd.now(), failed.rule);
    }
}

bool WaveSubscriber::update(const Record& record) {
    switch (record.kind) {
        case Kind::Suppress:
            suppress(record);
            return true;
        case Kind::Request:
            m_vcd.set(m_arbiter.queue_length, record.a);
            return true;
        case Kind::Grant:
            grant(record);
            return true;
        case Kind::Slot:
            return m_cqs.slot(record);
        case Kind::CqeWrite:
            return write(record);
        case Kind::CqeVisible:
            return visible(record);
        case Kind::Poll:
            return m_cqs.polled(record.cqn, record.index);
        case Kind::Ci:
            return consumer_index(record);
        case Kind::Overrun:
            return static_cast<LostCause>(record.state) == LostCause::Overrun ||
                   m_cqs.error(record.cqn);
        case Kind::Async:
            return static_cast<AsyncEvent>(record.state) != AsyncEvent::CqErr ||
                   m_cqs.error(record.cqn);
        case Kind::QpState:
            return m_qps.change(record.qpn, static_cast<QpState>(record.state));
        case Kind::Create:
            return record.cqn != kNoCq   ? m_cqs.create(record)
                   : record.qpn != kNoQp ? m_qps.create(record)
                                         : (record.flags & kShared) != 0 || m_events.has_value();
        case Kind::Resize:
            return m_cqs.resize(record);
        case Kind::Destroy:
            return record.cqn != kNoCq ? destroy_cq(record) : m_qps.destroy(record);
        case Kind::Modify:
            m_qps.modify(record);
            return true;
        case Kind::Outcome:
            outcome(record);
            return true;
        default:
            return true;
    }
}

void WaveSubscriber::suppress(const Record& record) {
    m_vcd.set(m_tap.suppressed, ++m_tap.count);
    m_vcd.join(m_tap.notes,
               "S2.1 QP " + m_names.qp(record.qpn) + " #" + std::to_string(record.index) +
                   ": unsignaled send suppressed");
}

void WaveSubscriber::grant(const Record& record) {
    m_vcd.set(m_arbiter.queue_length, record.a);
    m_vcd.set(m_arbiter.grants, ++m_arbiter.count);
    m_vcd.set(m_arbiter.granted_qpn, index_of(record.qpn));
    m_vcd.set(m_arbiter.granted_cqn, index_of(record.cqn));
    m_vcd.set(m_arbiter.granted_queue, index_of(record.queue), name(record.queue));
    m_vcd.set(m_arbiter.granted_qp, m_names.qp(record.qpn));
    m_vcd.set(m_arbiter.granted_cq, m_names.cq(record.cqn));
    m_vcd.set(m_arbiter.wait_ps, record.wr_id);
}

bool WaveSubscriber::write(const Record& record) {
    const bool is_listed = m_cqs.write_begins(record.cqn);
    m_vcd.set(m_writer.in_flight, m_cqs.writes_in_flight());
    m_vcd.set(m_writer.writes, ++m_writer.count);
    m_vcd.set(m_writer.status, record.state, name(static_cast<WcStatus>(record.state)));
    m_vcd.set(m_writer.qp, m_names.qp(record.qpn));
    m_vcd.set(m_writer.cq, m_names.cq(record.cqn));
    return is_listed;
}

bool WaveSubscriber::visible(const Record& record) {
    const bool is_listed = m_cqs.write_ends(record.cqn);
    m_vcd.set(m_writer.in_flight, m_cqs.writes_in_flight());
    return m_cqs.visible(record) && is_listed;
}

bool WaveSubscriber::consumer_index(const Record& record) {
    if (!m_cqs.consumed(record.cqn, record.index)) {
        return false;
    }
    if (m_cqs.is_overtaken(record.cqn)) {
        m_vcd.join(m_notes,
                   "S3.1 consumer index " + std::to_string(record.index) + " of cq " +
                       m_names.cq(record.cqn) + " is past the producer index");
    }
    return true;
}

bool WaveSubscriber::destroy_cq(const Record& record) {
    return static_cast<DestroyPhase>(record.state) == DestroyPhase::Begun ||
           m_cqs.destroy(record.cqn);
}

void WaveSubscriber::outcome(const Record& record) {
    if (record.state < m_answers.counts.size()) {
        const std::size_t i = record.state;
        m_vcd.set(m_answers.wires.at(i), ++m_answers.counts.at(i));
    }
    if (static_cast<Outcome>(record.state) == Outcome::Lost &&
        static_cast<LostCause>(record.a) == LostCause::WriteFailed) {
        // A write that failed never becomes visible.
        m_cqs.write_ends(m_qps.cq_of(record.qpn, record.queue));
        m_vcd.set(m_writer.in_flight, m_cqs.writes_in_flight());
    }
}

void WaveSubscriber::close(std::uint64_t end_ps) {
    if (std::exchange(m_is_closed, true)) {
        return;
    }
    if (m_error.empty()) {
        const std::uint64_t end = std::max(end_ps, m_vcd.now());
        tell_failures(end);
        m_vcd.advance(end);
        m_vcd.close();
    } else if (!m_vcd.failed()) {
        m_vcd.close();
    }
    if (!m_error.empty()) {
        throw VcdError(m_error);
    }
}

}  // namespace cqsim::tb
