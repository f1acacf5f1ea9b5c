// SPDX-License-Identifier: Apache-2.0
#include "tb/check/eq_checker.h"

#include <algorithm>
#include <utility>

namespace cqsim::tb::check {

EqChecker::EqChecker(const Settings& settings, Findings& findings)
    : m_findings(findings),
      m_drops(settings.eq_overflow != "back_pressure"),
      m_relaxed(!settings.writes_in_order()) {
}

void EqChecker::on_create(const Record& record) {
    m_findings.checked(Rule::RecordContract);
    if (record.unit == kNoEqn || record.index == 0 || record.b < EventEntry::kBytes ||
        record.serial > UINT16_MAX || row_of(record.unit) != nullptr) {
        m_findings.fail(Rule::RecordContract,
                        record.time_ps,
                        Eqn{record.unit},
                        "impossible event queue, or one created before: depth ",
                        record.index,
                        ", stride ",
                        record.b,
                        ", vector ",
                        record.serial);
        return;
    }
    m_rows.grow(std::size_t{record.unit} + 1);
    Row& row = m_rows[record.unit];
    row.ring = record.a;
    row.depth = record.index;
    row.stride = record.b;
    row.vector = static_cast<std::uint16_t>(record.serial);
    row.flags = kKnown;
    if (m_first_of_vector.size() <= row.vector) {
        m_first_of_vector.resize(std::size_t{row.vector} + 1);
    }
    row.next_of_vector = m_first_of_vector[row.vector];
    m_first_of_vector[row.vector] = static_cast<std::uint16_t>(record.unit + 1);
    if (static_cast<EqKind>(record.state) == EqKind::Async) {
        row.flags |= kAsync;
        m_async_eq = record.unit;
    }
}

bool EqChecker::excused(std::uint16_t eqn) const {
    if (eqn >= m_rows.size()) {
        return false;
    }
    const Row& row = m_rows[eqn];
    const bool waits = !m_drops && row.depth != 0 && row.written - row.read >= row.depth;
    return waits || (row.flags & kFatal) != 0;
}

void EqChecker::raise(Row& row) const {
    ++row.raised;
    if (m_drops && row.raised - row.read > row.depth) {
        row.flags |= kOverflows;
    }
}

void EqChecker::on_event(const Record& record) {
    if (Row* row = row_of(record.unit)) {
        raise(*row);
    }
}

void EqChecker::on_device_fatal(const Record& record) {
    m_findings.checked(Rule::EqFault);
    if (record.unit != kNoEqn) {
        Row* row = row_of(record.unit);
        if (row == nullptr || (row->flags & kFatal) != 0 || row->raised == row->written) {
            m_findings.fail(Rule::EqFault,
                            record.time_ps,
                            Eqn{record.unit},
                            "is in error (DEVICE_FATAL), but ",
                            row == nullptr               ? "no record creates it"
                            : (row->flags & kFatal) != 0 ? "was so before"
                                                         : "every event of it has its entry");
        }
        if (row != nullptr) {  // what was said of it now is not said again at the end
            row->flags |= row->raised == row->written ? kFatal | kOverflows : kFatal;
        }
        return;
    }
    // Of a log that does not say which: a queue that overflowed, or else one that misses an entry.
    for (const Flag sign : {kOverflows, Flag{0}}) {
        bool found = false;
        for (std::uint32_t eqn = 0; eqn < m_rows.size(); ++eqn) {
            Row& row = m_rows[eqn];
            if ((row.flags & (kKnown | kFatal)) == kKnown && row.raised != row.written &&
                (row.flags & sign) == sign) {
                row.flags |= kFatal;
                found = true;
            }
        }
        if (found) {
            return;
        }
    }
    m_findings.fail(Rule::EqFault,
                    record.time_ps,
                    "run",
                    "DEVICE_FATAL is raised, but every event has its entry");
}

void EqChecker::owe(Row& row) {
    row.flags &= static_cast<Flag>(~kArmed);
    m_findings.checked(Rule::InterruptPerArm);
    ++(row.owed != 0 ? row.spare : row.owed);
}

void EqChecker::check_place(const Row& row, const Record& record, const EventEntry& entry) {
    m_findings.checked(Rule::EqPlace);
    const std::uint32_t slot = row.written % row.depth;
    const std::uint32_t owner = row.written / row.depth % 2;
    if (record.index != slot || record.a != row.ring + std::uint64_t{slot} * row.stride ||
        entry.owner != owner || ((record.flags & kOwner) != 0 ? 1U : 0U) != owner) {
        m_findings.fail(Rule::EqPlace,
                        record.time_ps,
                        Eqn{record.unit},
                        "entry ",
                        row.written,
                        " is in slot ",
                        record.index,
                        " at ",
                        hex(record.a),
                        " with owner bit ",
                        int{entry.owner},
                        "; it belongs in slot ",
                        slot,
                        " with owner bit ",
                        owner);
    }
}

bool EqChecker::before_earlier_ones(const Record& record) const {
    if (!m_relaxed || record.unit >= m_rows.size()) {
        return false;
    }
    const Row& row = m_rows[record.unit];
    if ((row.flags & kKnown) == 0 || record.index >= row.depth) {
        return false;
    }
    const std::uint32_t ahead = (record.index + row.depth - row.written % row.depth) % row.depth;
    return ahead != 0 && ahead < row.depth - (row.written - row.read);
}

bool EqChecker::on_entry(const Record& record, const EventEntry& entry) {
    Row* row = row_of(record.unit);
    if (row == nullptr) {
        m_findings.fail(Rule::RecordContract,
                        record.time_ps,
                        Eqn{record.unit},
                        "has an entry, but no record creates it");
        return false;
    }
    check_place(*row, record, entry);
    m_findings.checked(Rule::EqOverwrite);
    if (row->written - row->read >= row->depth) {
        m_findings.fail(Rule::EqOverwrite,
                        record.time_ps,
                        Eqn{record.unit},
                        "entry ",
                        row->written,
                        " is written over one that was not read: software has read ",
                        row->read,
                        " of a ring of ",
                        row->depth);
    }
    ++row->written;
    if ((row->flags & kFatal) == 0 && row->raised - row->read <= row->depth) {
        row->flags &= static_cast<Flag>(~kOverflows);  // software made room in time
    }
    if ((row->flags & kArmed) != 0) {
        owe(*row);
    }
    const bool completion = entry.type == kCompletionEqe;
    if (entry.type != record.state || entry.cqn != record.cqn || entry.qpn != record.qpn ||
        entry.srqn != ((record.flags & kShared) != 0 ? record.serial : 0) || !entry.rest_is_zero) {
        m_findings.fail(Rule::RecordContract,
                        record.time_ps,
                        Eqn{record.unit},
                        "the bytes of entry ",
                        row->written - 1,
                        " are not what the record says, or are not zero where they should be");
    }
    if (completion == ((row->flags & kAsync) != 0)) {
        m_findings.checked(Rule::EntryPerEvent);
        m_findings.fail(Rule::EntryPerEvent,
                        record.time_ps,
                        Eqn{record.unit},
                        completion ? "is for asynchronous events and has a completion event"
                                   : "is for completion events and has an asynchronous one");
        return completion;
    }
    if (!completion) {
        async_entry(record, entry);
    }
    return completion;
}

void EqChecker::async_entry(const Record& record, const EventEntry& entry) {
    m_findings.checked(Rule::EntryPerEvent);
    const auto event = static_cast<AsyncEvent>(entry.type - 1);
    const auto found = std::find_if(m_async.begin(), m_async.end(), [&](const Waiting& waiting) {
        return waiting.event == event && waiting.cqn == entry.cqn && waiting.qpn == entry.qpn &&
               waiting.srqn == entry.srqn;
    });
    if (found == m_async.end()) {
        m_findings.fail(Rule::EventAfterEntry,
                        record.time_ps,
                        Eqn{record.unit},
                        "has an entry for ",
                        name(event),
                        ", which was not raised");
        return;
    }
    if (found != m_async.begin() && excused(record.unit)) {
        m_async.erase(m_async.begin(), found + 1);  // those before were dropped
        return;
    }
    if (found != m_async.begin()) {
        m_findings.fail(Rule::EntryPerEvent,
                        record.time_ps,
                        Eqn{record.unit},
                        "tells of ",
                        name(event),
                        " before ",
                        name(m_async.front().event),
                        ", which was raised earlier");
    }
    m_async.erase(found);
}

void EqChecker::on_async(const Record& record) {
    if (static_cast<AsyncEvent>(record.state) == AsyncEvent::DeviceFatal) {
        on_device_fatal(record);
    }
    if (m_async_eq != kNoEqn) {
        raise(m_rows[m_async_eq]);
        const std::uint32_t srqn = (record.flags & kShared) != 0 ? record.unit : 0;
        m_async.push_back({static_cast<AsyncEvent>(record.state), record.cqn, record.qpn, srqn});
    }
}

void EqChecker::on_ack(const Record& record) {
    Row* row = row_of(record.unit);
    m_last_acked = kNoEqn;
    if (row == nullptr || record.index - row->read > row->written - row->read) {
        return;  // no correct software: it will be refused
    }
    m_last_acked = record.unit;
    m_before_ack = *row;
    row->read = record.index;
    if (row->read == row->written) {  // nothing is missed if they do not come any more
        row->spare += std::exchange(row->owed, 0);
    }
    if ((record.flags & kArms) == 0) {
        return;
    }
    m_findings.checked(Rule::InterruptPerArm);
    if (row->read != row->written) {
        owe(*row);
        return;
    }
    row->flags |= kArmed;
}

void EqChecker::on_refused_ack(std::uint16_t eqn) {
    if (m_last_acked == eqn && eqn != kNoEqn) {
        Row& row = m_rows[eqn];
        row.read = m_before_ack.read;
        if (row.written == m_before_ack.written) {  // else what the entries since caused stands
            row.owed = m_before_ack.owed;
            row.spare = m_before_ack.spare;
            row.flags = static_cast<Flag>((row.flags & ~kArmed) | (m_before_ack.flags & kArmed));
        }
    }
    m_last_acked = kNoEqn;
}

void EqChecker::on_interrupt(const Record& record) {
    m_findings.checked(Rule::InterruptPerArm);
    m_findings.checked(Rule::EventAfterEntry);
    Row* armed = nullptr;
    Row* spare = nullptr;
    std::uint16_t next =
        record.unit < m_first_of_vector.size() ? m_first_of_vector[record.unit] : 0;
    while (next != 0) {
        Row& row = m_rows[next - 1U];
        if (row.owed != 0) {
            --row.owed;
            return;
        }
        armed = (row.flags & kArmed) != 0 ? &row : armed;
        spare = row.spare != 0 ? &row : spare;
        next = row.next_of_vector;
    }
    if (spare != nullptr) {
        --spare->spare;
        return;
    }
    if (armed != nullptr) {
        armed->flags &= static_cast<Flag>(~kArmed);
        m_findings.fail(Rule::EventAfterEntry,
                        record.time_ps,
                        "run",
                        "vector ",
                        record.unit,
                        " interrupts before any entry of its event queue is visible");
        return;
    }
    m_findings.fail(Rule::InterruptPerArm,
                    record.time_ps,
                    "run",
                    "vector ",
                    record.unit,
                    " interrupts, but no event queue of it is armed");
}

void EqChecker::finish(std::uint64_t time_ps, bool over) {
    if (!over) {
        return;
    }
    for (std::uint32_t eqn = 0; eqn < m_rows.size(); ++eqn) {
        const Row& row = m_rows[eqn];
        if (row.owed != 0) {
            m_findings.fail(Rule::InterruptPerArm,
                            time_ps,
                            Eqn{static_cast<std::uint16_t>(eqn)},
                            "was armed with entries to read, and vector ",
                            row.vector,
                            " did not interrupt");
        }
        if ((row.flags & (kFatal | kOverflows)) == kFatal && row.raised == row.written) {
            m_findings.fail(Rule::EqFault,
                            time_ps,
                            Eqn{static_cast<std::uint16_t>(eqn)},
                            "is in error (DEVICE_FATAL), but it had room, and none of its ",
                            row.raised,
                            " events misses its entry");
        }
    }
    if (!m_async.empty() && !excused(static_cast<std::uint16_t>(m_async_eq))) {
        m_findings.fail(Rule::EntryPerEvent,
                        time_ps,
                        Eqn{static_cast<std::uint16_t>(m_async_eq)},
                        m_async.size(),
                        " asynchronous events got no entry, the first of them ",
                        name(m_async.front().event));
    }
}

}  // namespace cqsim::tb::check
