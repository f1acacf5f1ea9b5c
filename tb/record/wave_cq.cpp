// SPDX-License-Identifier: Apache-2.0
#include "tb/record/wave_cq.h"

#include "models/cqe/defined_fields.h"
#include "tb/check/entry.h"
#include "tb/check/owner.h"
#include "tb/record/event_log_check.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace cqsim::tb {
namespace {

constexpr std::uint32_t kCountWidth = 32;

std::uint32_t mask_for(std::uint32_t width) {
    return width >= 32 ? 0xFFFF'FFFFU : (1U << width) - 1;
}

}  // namespace

CqWaves::CqWaves(VcdWriter& vcd, const WavePlan& plan, const RunHeader& header)
    : m_vcd(vcd),
      m_index_mask(mask_for(header.index_width)),
      m_scheme(checker_settings(header).owner_scheme()),
      m_unused(checker_settings(header).unused_slots()),
      m_send_length(header.send_byte_len == "length") {
    m_vcd.open_scope("overflow");
    m_notes = m_vcd.add_text("notes");
    const WavePlaces places(plan.cq);
    m_rows.resize(places.end());
    for (std::uint32_t number = 0; number < m_rows.size(); ++number) {
        m_rows[number].place = places[number];
    }
    for (const WavePlan::Group& group : plan.cq) {
        if (group.members.empty()) {
            declare_group(group);
        }
        for (const WavePlan::Member& member : group.members) {
            declare_drawn(member, header.index_width);
        }
    }
    m_vcd.close_scope();
}

void CqWaves::declare_drawn(const WavePlan::Member& member, std::uint32_t index_width) {
    m_vcd.open_scope(member.scope);
    Drawn waves{};
    waves.depth = m_vcd.add_wire("depth", kCountWidth);
    waves.reserved = m_vcd.add_wire("reserved_index", index_width);
    waves.published = m_vcd.add_wire("published_index", index_width);
    waves.polled = m_vcd.add_wire("polled_index", index_width);
    waves.consumed = m_vcd.add_wire("consumer_index", index_width);
    waves.occupancy = m_vcd.add_wire("occupancy", index_width);
    waves.owner = m_vcd.add_wire("owner", m_scheme == OwnerScheme::Generation ? 3 : 1);
    waves.state = m_vcd.add_enum("state", 2);
    waves.entry_status = m_vcd.add_enum("entry_status", 8);
    waves.entry_opcode = m_vcd.add_enum("entry_opcode", 8);
    waves.entry_byte_len = m_vcd.add_wire("entry_byte_len", 32);
    m_vcd.close_scope();
    m_drawn.push_back(std::move(waves));
}

void CqWaves::declare_group(const WavePlan::Group& group) {
    m_vcd.open_scope(group.scope);
    Group waves{};
    waves.occupancy_max = m_vcd.add_wire("occupancy_max", kCountWidth);
    waves.occupancy_total = m_vcd.add_wire("occupancy_total", VcdWriter::kMaxWidth);
    waves.full = m_vcd.add_wire("full", kCountWidth);
    waves.error = m_vcd.add_wire("error", kCountWidth);
    m_vcd.close_scope();
    m_vcd.set(waves.occupancy_max, 0);
    m_vcd.set(waves.occupancy_total, 0);
    m_vcd.set(waves.full, 0);
    m_vcd.set(waves.error, 0);
    waves.at.assign(1, 0);
    m_groups.push_back(std::move(waves));
}

CqWaves::Row* CqWaves::row(Cqn cqn) {
    const std::uint32_t number = index_of(cqn);
    if (number >= m_rows.size() || !m_rows[number].place.listed) {
        return nullptr;
    }
    return &m_rows[number];
}

CqWaves::Row* CqWaves::live_row(Cqn cqn) {
    Row* const found = row(cqn);
    return found != nullptr && found->depth > 0 ? found : nullptr;
}

CqWaves::Drawn* CqWaves::drawn(const Row& row) {
    return row.place.whole ? nullptr : &m_drawn[row.place.index];
}

bool CqWaves::create(const Record& record) {
    Row* const found = row(record.cqn);
    if (found == nullptr || record.index == 0) {
        return false;
    }
    destroy(record.cqn);
    const auto first = static_cast<std::uint32_t>(record.wr_id) & m_index_mask;
    found->depth = record.index;
    found->reserved = found->published = found->polled = found->consumed = first;
    found->format = static_cast<CqeFormat>(record.state);
    found->collapsed = (record.flags & kCollapsed) != 0;
    found->ignores_overrun = (record.flags & kIgnoreOverrun) != 0;
    found->is_replaced = false;
    found->published_slot = found->polled_slot =
        further(*found, check::first_slot(m_scheme, first, found->depth), 0);
    if (Drawn* const waves = drawn(*found)) {
        waves->early.clear();
        m_vcd.set(waves->depth, found->depth);
        m_vcd.set(waves->reserved, first);
        m_vcd.set(waves->published, first);
        m_vcd.set(waves->polled, first);
        m_vcd.set(waves->consumed, first);
        m_vcd.set(waves->owner,
                  check::owners(m_scheme).at(check::first_lap(m_scheme, first, found->depth)));
    } else {
        ++m_groups[found->place.index].at[0];
        found->counted = 0;
    }
    change_state(*found, QueueWaveState::Ok);
    refresh(*found);
    return true;
}

bool CqWaves::destroy(Cqn cqn) {
    Row* const found = live_row(cqn);
    if (found == nullptr) {
        return false;
    }
    found->consumed = found->reserved;
    refresh(*found);
    change_state(*found, QueueWaveState::None);
    if (drawn(*found) == nullptr) {
        --m_groups[found->place.index].at[0];
    }
    found->depth = 0;
    return true;
}

bool CqWaves::resize(const Record& record) {
    Row* const found = live_row(record.cqn);
    if (found == nullptr || record.index == 0) {
        return false;
    }
    found->is_replaced = true;
    found->new_depth = record.index;
    found->new_first = static_cast<std::uint32_t>(record.wr_id + 1) & m_index_mask;
    found->new_slot = static_cast<ResizeMode>(record.state) == ResizeMode::CutOff
                          ? 0
                          : found->new_first % found->new_depth;
    found->reserved = found->new_first;
    if (Drawn* const waves = drawn(*found)) {
        m_vcd.set(waves->reserved, found->reserved);
    }
    refresh(*found);
    return true;
}

/// Software is behind the entry that ended the old ring.
void CqWaves::leave_old_ring(Row& row) const {
    const std::uint32_t behind = (row.polled - row.new_first) & m_index_mask;
    if (row.is_replaced && behind <= m_index_mask / 2) {
        row.is_replaced = false;
        row.polled_slot = further(row, row.new_slot, behind);
    }
}

bool CqWaves::slot(const Record& record) {
    Row* const found = live_row(record.cqn);
    if (found == nullptr) {
        return false;
    }
    found->reserved = (record.index + 1) & m_index_mask;
    if (Drawn* const waves = drawn(*found)) {
        m_vcd.set(waves->reserved, found->reserved);
        m_vcd.set(waves->owner, record.state);
    }
    refresh(*found);
    return true;
}

bool CqWaves::visible(const Record& record) {
    Row* const found = live_row(record.cqn);
    if (found == nullptr) {
        return false;
    }
    if (Drawn* const waves = drawn(*found)) {
        advance_published(*found, *waves, record.index);
        show_entry(*found, *waves, record);
    }
    return true;
}

/// S1.2, S1.3: what the entry does not define is drawn as undefined, whatever its bytes are.
void CqWaves::show_entry(const Row& row, const Drawn& waves, const Record& record) {
    const auto status = static_cast<WcStatus>(record.state);
    m_vcd.set(waves.entry_status, record.state, name(status));
    WcFieldSet defined;
    check::Entry entry;
    std::optional<WcOpcode> opcode;
    if (record.bytes != nullptr && check::Entry::is_whole(record.b, row.format)) {
        entry = check::Entry::at(record.bytes, record.b, row.format);
        opcode = entry.opcode();
        WcShape shape{status, record.queue, opcode.value_or(WcOpcode::Send)};
        shape.send_length = m_send_length;
        defined = defined_fields(shape);
    }
    if (defined.has(WcField::Opcode) && opcode) {
        m_vcd.set(waves.entry_opcode, static_cast<std::uint8_t>(*opcode), name(*opcode));
    } else {
        m_vcd.set_undefined(waves.entry_opcode);
    }
    if (defined.has(WcField::ByteLen)) {
        m_vcd.set(waves.entry_byte_len, entry.byte_len());
    } else {
        m_vcd.set_undefined(waves.entry_byte_len);
    }
}

/// Published is the prefix without a hole, however the memory ordered the writes.
void CqWaves::advance_published(Row& row, Drawn& waves, std::uint32_t slot) {
    if (slot != row.published_slot) {
        waves.early.push_back(slot);
        return;
    }
    const auto advance = [&] {
        row.published = (row.published + 1) & m_index_mask;
        row.published_slot = further(row, row.published_slot, 1);
        if (row.is_replaced && row.published == row.new_first) {
            row.depth = row.new_depth;
            row.published_slot = row.new_slot;
            m_vcd.set(waves.depth, row.depth);
        }
    };
    advance();
    while (!waves.early.empty()) {
        const auto next = std::find(waves.early.begin(), waves.early.end(), row.published_slot);
        if (next == waves.early.end()) {
            break;
        }
        waves.early.erase(next);
        advance();
    }
    m_vcd.set(waves.published, row.published);
}

bool CqWaves::polled(Cqn cqn, std::uint32_t slot) {
    Row* const found = live_row(cqn);
    if (found == nullptr) {
        return false;
    }
    Drawn* const waves = drawn(*found);
    // A second look at the same entry moves nothing.
    if (waves != nullptr && (slot == found->polled_slot || found->is_replaced)) {
        found->polled = (found->polled + 1) & m_index_mask;
        found->polled_slot = further(*found, slot, 1);
        leave_old_ring(*found);
        m_vcd.set(waves->polled, found->polled);
    }
    return true;
}

bool CqWaves::consumed(Cqn cqn, std::uint32_t index) {
    Row* const found = live_row(cqn);
    if (found == nullptr) {
        return false;
    }
    found->consumed = index & m_index_mask;
    if (Drawn* const waves = drawn(*found)) {
        m_vcd.set(waves->consumed, found->consumed);
        // A sweep gives back entries that were never read (S7.7): the next to read is behind them.
        const std::uint32_t readable = (found->published - found->polled) & m_index_mask;
        if (((found->consumed - found->polled) & m_index_mask) <= readable) {
            found->polled_slot = further(
                *found, found->polled_slot, (found->consumed - found->polled) & m_index_mask);
            found->polled = found->consumed;
            leave_old_ring(*found);
            m_vcd.set(waves->polled, found->polled);
        }
    }
    refresh(*found);
    return true;
}

bool CqWaves::error(Cqn cqn) {
    Row* const found = live_row(cqn);
    if (found == nullptr) {
        return false;
    }
    change_state(*found, QueueWaveState::Error);
    return true;
}

bool CqWaves::write_begins(Cqn cqn) {
    ++m_writes_in_flight;
    Row* const found = row(cqn);
    if (found != nullptr) {
        ++found->writes;
    }
    return found != nullptr;
}

bool CqWaves::write_ends(Cqn cqn) {
    Row* const found = row(cqn);
    if (found != nullptr && found->writes > 0) {
        --found->writes;
        --m_writes_in_flight;
    }
    return found != nullptr;
}

std::uint32_t CqWaves::occupancy(Cqn cqn) const {
    const Row& row = m_rows.at(index_of(cqn));
    return (row.reserved - row.consumed) & m_index_mask;
}

bool CqWaves::is_overtaken(Cqn cqn) const {
    const Row& row = m_rows.at(index_of(cqn));
    return !row.ignores_overrun && occupancy(cqn) > row.depth;
}

void CqWaves::refresh(Row& row) {
    const std::uint32_t occupancy = (row.reserved - row.consumed) & m_index_mask;
    if (Drawn* const waves = drawn(row)) {
        m_vcd.set(waves->occupancy, occupancy);
    } else {
        // A consumer index past the producer index must not inflate the group: it counts as full.
        count(m_groups[row.place.index], row, std::min(occupancy, row.depth));
    }
    if (row.state != QueueWaveState::Error) {
        change_state(row,
                     occupancy + m_unused >= row.depth ? QueueWaveState::Full : QueueWaveState::Ok);
    }
}

void CqWaves::change_state(Row& row, QueueWaveState state) {
    const QueueWaveState before = row.state;
    row.state = state;
    if (Drawn* const waves = drawn(row)) {
        const auto value = static_cast<std::uint8_t>(state);
        m_vcd.set(waves->state, value, kQueueStateText.at(value));
        return;
    }
    Group& group = m_groups[row.place.index];
    const auto is = [](QueueWaveState a, QueueWaveState b) { return a == b ? 1U : 0U; };
    group.count_full += is(state, QueueWaveState::Full) - is(before, QueueWaveState::Full);
    group.count_error += is(state, QueueWaveState::Error) - is(before, QueueWaveState::Error);
    m_vcd.set(group.full, group.count_full);
    m_vcd.set(group.error, group.count_error);
}

void CqWaves::count(Group& group, Row& row, std::uint32_t occupancy) {
    --group.at[row.counted];
    if (occupancy >= group.at.size()) {
        group.at.resize(std::size_t{occupancy} + 1);
    }
    ++group.at[occupancy];
    group.total += occupancy;
    group.total -= row.counted;
    row.counted = occupancy;
    group.max = std::max(group.max, occupancy);
    while (group.max > 0 && group.at[group.max] == 0) {
        --group.max;
    }
    m_vcd.set(group.occupancy_max, group.max);
    m_vcd.set(group.occupancy_total, group.total);
}

}  // namespace cqsim::tb
