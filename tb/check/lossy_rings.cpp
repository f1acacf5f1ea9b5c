// SPDX-License-Identifier: Apache-2.0
#include "tb/check/lossy_rings.h"

#include <algorithm>

namespace cqsim::tb::check {

LossyRings::LossyRings(const Settings& settings, Findings& findings)
    : m_findings(findings),
      m_mask(settings.index_mask()),
      m_scheme(settings.owner_scheme()),
      m_owners(owners(m_scheme)),
      m_owner_bits(owner_bits(m_scheme)),
      m_unused(settings.unused_slots()),
      m_in_order(settings.writes_in_order()),
      m_ci_register(settings.consumer_register()) {
}

void LossyRings::add(const Record& create) {
    Ring& ring = m_rings[index_of(create.cqn)] = Ring{};
    ring.address = create.a;
    ring.doorbell = create.serial;
    ring.depth = create.index;
    ring.stride = create.b;
    ring.first_index = static_cast<std::uint32_t>(create.wr_id);
    ring.first_place =
        first_slot(m_scheme, ring.first_index, ring.depth) +
        std::uint64_t{first_lap(m_scheme, ring.first_index, ring.depth)} * ring.depth;
    ring.collapsed = (create.flags & kCollapsed) != 0;
    ring.shown.resize(ring.collapsed ? 1 : ring.depth);
}

bool LossyRings::well_placed(const Ring& ring, const Record& record) const {
    m_findings.checked(Rule::SlotPlace);
    if (record.index < ring.shown.size() &&
        record.a == ring.address + std::uint64_t{record.index} * ring.stride) {
        return true;
    }
    m_findings.fail(Rule::SlotPlace,
                    record.time_ps,
                    record.cqn,
                    "slot ",
                    record.index,
                    ring.collapsed ? " of a collapsed ring of " : " of ",
                    ring.shown.size(),
                    " at address ",
                    hex(record.a),
                    "; the ring is at ",
                    hex(ring.address),
                    " with stride ",
                    ring.stride);
    return false;
}

void LossyRings::check_owner(const Ring& ring,
                             const Record& record,
                             std::uint8_t owner,
                             std::uint64_t count) const {
    m_findings.checked(Rule::OwnerBit);
    const std::uint8_t wanted = m_owners.at(ring.lap_of(count));
    if (owner != wanted) {
        m_findings.fail(Rule::OwnerBit,
                        record.time_ps,
                        record.cqn,
                        "the entry of index ",
                        index_at(ring, count),
                        " has owner value ",
                        int{owner},
                        "; its lap asks for ",
                        int{wanted});
    }
}

bool LossyRings::repeats_last_slot(const Record& record) const {
    const auto ring = m_rings.find(index_of(record.cqn));
    return ring != m_rings.end() && ring->second.granted != 0 &&
           record.index == index_at(ring->second, ring->second.granted - 1);
}

void LossyRings::on_slot(const Record& record, std::uint32_t token) {
    Ring& ring = ring_of(record);
    m_findings.checked(Rule::FreeRunning);
    const std::uint32_t expected = index_at(ring, ring.granted);
    if (record.index != expected) {
        m_findings.fail(Rule::FreeRunning,
                        record.time_ps,
                        record.cqn,
                        "a slot of index ",
                        record.index,
                        " was given; the next index is ",
                        expected);
        ring.first_index += record.index - expected;
    }
    check_owner(ring, record, record.state, ring.granted);
    if (ring.granted - ring.released >= ring.depth - m_unused) {
        m_findings.checked(Rule::IgnoreOverrun);
    }
    ring.tokens.push_back(token);
    ++ring.granted;
}

std::uint32_t LossyRings::on_write(const Record& record, const Entry& entry) {
    Ring& ring = ring_of(record);
    if (!well_placed(ring, record)) {
        return 0;
    }
    m_findings.checked(Rule::EntryOrder);
    const std::uint64_t count = ring.written;
    if (record.index != ring.slot_of(count)) {
        m_findings.fail(Rule::EntryOrder,
                        record.time_ps,
                        record.cqn,
                        "slot ",
                        record.index,
                        " becomes written; the next one is slot ",
                        ring.slot_of(count));
        return 0;
    }
    std::uint32_t token = 0;
    if (ring.tokens.empty()) {
        m_findings.fail(Rule::FreeRunning,
                        record.time_ps,
                        record.cqn,
                        "slot ",
                        record.index,
                        " was written, but not given to any completion");
        ++ring.granted;
    } else {
        token = ring.tokens.front();
        ring.tokens.pop_front();
    }
    check_owner(ring, record, entry.owner(m_owner_bits), count);
    ring.pending.push_back({count, entry.digest()});
    ++ring.written;
    return token;
}

/// The write that is now visible: by its bytes if writes overtake each other, else the oldest one,
/// or a later one if those before it failed.
std::size_t LossyRings::pending_of(const Ring& ring,
                                   const Record& record,
                                   const Entry& entry) const {
    const std::uint64_t digest = entry.digest();
    const auto found =
        std::find_if(ring.pending.begin(), ring.pending.end(), [&](const Pending& pending) {
            return pending.digest == digest && ring.slot_of(pending.count) == record.index;
        });
    const auto at = static_cast<std::size_t>(found - ring.pending.begin());
    if (found == ring.pending.end()) {
        m_findings.fail(Rule::WholeEntry,
                        record.time_ps,
                        record.cqn,
                        "slot ",
                        record.index,
                        " shows other bytes than were written");
    } else if (at != 0 && m_in_order && !ring.write_failed) {
        m_findings.fail(Rule::EntryOrder,
                        record.time_ps,
                        record.cqn,
                        "slot ",
                        record.index,
                        " becomes visible; the next one is slot ",
                        ring.slot_of(ring.pending.front().count));
    }
    return at;
}

bool LossyRings::on_visible(const Record& record, const Entry& entry) {
    Ring& ring = ring_of(record);
    m_findings.checked(Rule::WholeEntry);
    if (!well_placed(ring, record)) {
        return false;
    }
    const std::size_t at = pending_of(ring, record, entry);
    if (at == ring.pending.size()) {
        return false;
    }
    const Pending pending = ring.pending[at];
    ring.pending.erase(ring.pending.begin() + static_cast<std::ptrdiff_t>(at));
    Shown& shown = ring.shown[record.index];
    if (shown.count != kNothing && !shown.read) {
        m_findings.checked(Rule::IgnoreOverrun);  // it is lost, and nobody is told
    }
    if (shown.count != pending.count) {  // else it was polled early
        show(ring, shown, pending);
    }
    return true;
}

void LossyRings::show(Ring& ring, Shown& shown, const Pending& pending) {
    shown = {pending.count, pending.digest, false};
    ring.visible = std::max(ring.visible, pending.count + 1);
}

/// In relaxed memory all bytes of an entry may be there before its write is over (S3.6).
void LossyRings::show_early(Ring& ring, const Record& record, const Entry& entry) {
    const std::uint64_t digest = entry.digest();
    for (const Pending& pending : ring.pending) {
        if (pending.digest == digest && ring.slot_of(pending.count) == record.index) {
            show(ring, ring.shown[record.index], pending);
            return;
        }
    }
}

bool LossyRings::on_poll(const Record& record, const Entry& entry) {
    Ring& ring = ring_of(record);
    m_findings.checked(Rule::PollOrder);
    if (!well_placed(ring, record)) {
        return false;
    }
    m_findings.checked(Rule::SlotReuse);
    Shown& shown = ring.shown[record.index];
    if (!m_in_order && (shown.count == kNothing || shown.digest != entry.digest())) {
        show_early(ring, record, entry);
    }
    if (shown.count == kNothing) {
        m_findings.fail(Rule::WholeEntry,
                        record.time_ps,
                        record.cqn,
                        "slot ",
                        record.index,
                        " was polled, but no entry was visible in it");
        return false;
    }
    if (shown.digest != entry.digest()) {
        m_findings.fail(Rule::SlotReuse,
                        record.time_ps,
                        record.cqn,
                        "slot ",
                        record.index,
                        " was polled with other bytes than were written");
        return false;
    }
    // Software may skip what was overwritten, or what it likes; it does not go back.
    if (shown.read || shown.count < ring.polled) {
        m_findings.fail(Rule::PollOrder,
                        record.time_ps,
                        record.cqn,
                        "the entry of index ",
                        index_at(ring, shown.count),
                        " is polled ",
                        shown.read ? "a second time" : "after newer ones");
    }
    shown.read = true;
    ring.polled = std::max(ring.polled, shown.count + 1);
    return true;
}

void LossyRings::on_ci(const Record& record) {
    Ring& ring = ring_of(record);
    m_findings.checked(Rule::ConsumerIndex);
    const std::uint32_t advance = (record.index - index_at(ring, ring.released)) & m_mask;
    const std::uint64_t place = m_ci_register == 0 ? ring.doorbell : m_ci_register;
    if (record.a == place && record.index <= m_mask && advance <= ring.visible - ring.released) {
        ring.released += advance;
        return;
    }
    m_findings.fail(Rule::ConsumerIndex,
                    record.time_ps,
                    record.cqn,
                    "consumer index ",
                    record.index,
                    " published at ",
                    hex(record.a),
                    "; the last one was ",
                    index_at(ring, ring.released),
                    ", entries are visible up to ",
                    index_at(ring, ring.visible),
                    m_ci_register == 0 ? ", and the doorbell record is at "
                                       : ", and the register of the BAR is ",
                    hex(place));
}

void LossyRings::on_sweep(const Record& record, const Entry& entry) {
    Ring& ring = ring_of(record);
    m_findings.checked(Rule::Compaction);
    if (!well_placed(ring, record)) {
        return;
    }
    // Which entries there are only the device knows: nothing tells what has to be kept.
    ring.shown[record.index].digest = entry.digest();
}

void LossyRings::on_overrun(const Record& record) {
    Ring& ring = ring_of(record);
    const auto cause = static_cast<LostCause>(record.state);
    if (cause == LostCause::WriteFailed || (cause == LostCause::CqError && ring.in_error)) {
        ring.in_error = true;
        return;
    }
    m_findings.checked(Rule::IgnoreOverrun);
    m_findings.fail(Rule::IgnoreOverrun,
                    record.time_ps,
                    record.cqn,
                    "ignores overruns and refused an entry, at index ",
                    record.index);
}

bool LossyRings::on_cq_error_event(const Record& record) {
    Ring& ring = ring_of(record);
    if (ring.in_error) {
        m_findings.checked(Rule::IgnoreOverrun);
        m_findings.fail(Rule::IgnoreOverrun,
                        record.time_ps,
                        record.cqn,
                        "ignores overruns and raised CQ_ERR a second time");
    } else if (!ring.write_failed) {
        ring.unexplained_ps = record.time_ps;
    }
    const bool first = !ring.write_failed;
    ring.write_failed = ring.in_error = true;
    return first;
}

void LossyRings::on_write_failed(Cqn cqn) {
    Ring& ring = m_rings.at(index_of(cqn));
    ring.write_failed = true;
    ring.unexplained_ps.reset();
}

/// S5.3j: the entry whose write failed never becomes visible.
void LossyRings::settle_error(Cqn cqn, const Ring& ring) const {
    if (ring.unexplained_ps && ring.pending.empty() && ring.tokens.empty()) {
        m_findings.checked(Rule::IgnoreOverrun);
        m_findings.fail(Rule::IgnoreOverrun,
                        *ring.unexplained_ps,
                        cqn,
                        "ignores overruns and raised CQ_ERR, and no write failed");
    }
}

void LossyRings::remove(const Record& record) {
    settle_error(record.cqn, ring_of(record));
    m_rings.erase(index_of(record.cqn));
}

void LossyRings::finish(std::uint64_t time_ps, bool idle) const {
    for (const auto& [cqn, ring] : m_rings) {
        settle_error(Cqn{cqn}, ring);
        if (!idle || ring.write_failed) {
            continue;
        }
        if (!ring.tokens.empty()) {
            m_findings.fail(Rule::EntryOrder,
                            time_ps,
                            Cqn{cqn},
                            ring.tokens.size(),
                            " slots were given and never written");
        }
        if (!ring.pending.empty()) {
            m_findings.fail(Rule::WholeEntry,
                            time_ps,
                            Cqn{cqn},
                            ring.pending.size(),
                            " entries were written and never visible");
        }
    }
}

}  // namespace cqsim::tb::check
