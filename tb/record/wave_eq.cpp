// SPDX-License-Identifier: Apache-2.0
#include "tb/record/wave_eq.h"

#include <array>
#include <string>
#include <string_view>

namespace cqsim::tb {
namespace {

constexpr std::uint32_t kWidth = 32;

}  // namespace

EqWaves::EqWaves(VcdWriter& vcd, const WavePlan& plan)
    : m_vcd(vcd),
      m_waiting(vcd.add_wire("waiting", kWidth)),
      m_interrupts(vcd.add_wire("interrupts", VcdWriter::kMaxWidth)),
      m_places(plan.eq),
      m_rows(m_places.end()) {
    m_vcd.set(m_waiting, 0);
    m_vcd.set(m_interrupts, 0);
    for (const WavePlan::Group& group : plan.eq) {
        if (group.members.empty()) {
            declare_group(group);
        }
        for (const WavePlan::Member& member : group.members) {
            declare_drawn(member);
        }
    }
    declare_vectors(plan.vectors);
}

void EqWaves::declare_drawn(const WavePlan::Member& member) {
    m_vcd.open_scope(member.scope);
    Drawn waves;
    waves.depth = m_vcd.add_wire("depth", kWidth);
    waves.vector = m_vcd.add_wire("vector", 16);
    waves.produced = m_vcd.add_wire("producer_index", kWidth);
    waves.consumed = m_vcd.add_wire("consumer_index", kWidth);
    waves.occupancy = m_vcd.add_wire("occupancy", kWidth);
    waves.waiting = m_vcd.add_wire("waiting", kWidth);
    waves.armed = m_vcd.add_wire("armed", 1);
    waves.state = m_vcd.add_enum("state", 2);
    m_vcd.close_scope();
    m_drawn.push_back(waves);
}

void EqWaves::declare_group(const WavePlan::Group& group) {
    m_vcd.open_scope(group.scope);
    Group waves;
    waves.occupancy = m_vcd.add_wire("occupancy_total", VcdWriter::kMaxWidth);
    waves.waiting = m_vcd.add_wire("waiting", kWidth);
    waves.full = m_vcd.add_wire("full", kWidth);
    waves.error = m_vcd.add_wire("error", kWidth);
    m_vcd.close_scope();
    for (const VcdWire wire : {waves.occupancy, waves.waiting, waves.full, waves.error}) {
        m_vcd.set(wire, 0);
    }
    m_groups.push_back(waves);
}

void EqWaves::declare_vectors(std::uint32_t count) {
    for (std::uint32_t vector = 0; vector < count; ++vector) {
        m_vcd.open_scope("vector_" + std::to_string(vector));
        Vector waves;
        waves.irq = m_vcd.add_pulse("irq");
        waves.interrupts = m_vcd.add_wire("interrupts", VcdWriter::kMaxWidth);
        m_vcd.close_scope();
        m_vcd.set(waves.interrupts, 0);
        m_vectors.push_back(waves);
    }
}

EqWaves::Row* EqWaves::live_row(std::uint16_t eqn) {
    return eqn < m_rows.size() && m_rows[eqn].depth != 0 ? &m_rows[eqn] : nullptr;
}

bool EqWaves::create(const Record& record) {
    const WavePlaces::Place place = m_places[record.unit];
    if (!place.listed || record.index == 0) {
        return false;
    }
    Row row;
    row.depth = record.index;
    row.vector = static_cast<std::uint32_t>(record.serial);
    row.state = QueueWaveState::Ok;
    if (static_cast<EqKind>(record.state) == EqKind::Async) {
        m_async_eqn = record.unit;
    }
    change(record.unit, row);
    if (!place.whole) {
        m_vcd.set(m_drawn[place.index].depth, row.depth);
        m_vcd.set(m_drawn[place.index].vector, row.vector);
    }
    return true;
}

bool EqWaves::entry(const Record& record) {
    Row* const found = live_row(record.unit);
    if (found == nullptr) {
        return false;
    }
    Row row = *found;
    ++row.produced;
    row.is_armed = false;  // S6.22: if it was armed it interrupts, once
    change(record.unit, row);
    return true;
}

bool EqWaves::ack(const Record& record) {
    Row* const found = live_row(record.unit);
    m_last_acked = kNoEqn;
    if (found == nullptr) {
        return m_places[record.unit].listed;  // not there yet: it will be refused
    }
    m_last_acked = record.unit;
    m_before_ack = *found;
    Row row = *found;
    row.consumed = record.index;
    row.is_armed = (row.is_armed || (record.flags & kArms) != 0) && row.occupancy() == 0;
    change(record.unit, row);
    return true;
}

void EqWaves::refuse_ack(std::uint16_t eqn) {
    if (eqn != kNoEqn && eqn == m_last_acked) {
        change(eqn, m_before_ack);
    }
    m_last_acked = kNoEqn;
}

void EqWaves::interrupt(const Record& record) {
    m_vcd.set(m_interrupts, ++m_count_interrupts);
    if (record.unit < m_vectors.size()) {
        Vector& vector = m_vectors[record.unit];
        m_vcd.strike(vector.irq);
        m_vcd.set(vector.interrupts, ++vector.count);
    }
}

std::uint16_t EqWaves::fullest() const {
    const Row* fullest = nullptr;
    std::int64_t least_room = 0;
    for (const Row& row : m_rows) {
        const std::int64_t taken = std::int64_t{row.occupancy()} + row.waiting;
        const std::int64_t room = row.depth - taken;
        if (row.depth != 0 && row.state != QueueWaveState::Error && room <= 0 &&
            (fullest == nullptr || room < least_room)) {
            fullest = &row;
            least_room = room;
        }
    }
    return fullest == nullptr ? kNoEqn : static_cast<std::uint16_t>(fullest - m_rows.data());
}

void EqWaves::device_fatal(std::uint16_t eqn) {
    const std::uint16_t failed = eqn == kNoEqn ? fullest() : eqn;
    if (const Row* const found = live_row(failed)) {
        Row row = *found;
        row.state = QueueWaveState::Error;
        row.waiting = 0;
        change(failed, row);
    }
}

void EqWaves::wait(std::uint16_t eqn) {
    if (Row* const found = live_row(eqn);
        found != nullptr && found->state != QueueWaveState::Error) {
        Row row = *found;
        ++row.waiting;
        change(eqn, row);
    }
}

void EqWaves::wait_no_more(std::uint16_t eqn) {
    if (Row* const found = live_row(eqn); found != nullptr && found->waiting != 0) {
        Row row = *found;
        --row.waiting;
        change(eqn, row);
    }
}

void EqWaves::change(std::uint16_t eqn, Row row) {
    Row& target = m_rows[eqn];
    if (row.state != QueueWaveState::Error) {
        row.state = row.occupancy() >= row.depth ? QueueWaveState::Full : QueueWaveState::Ok;
    }
    m_count_waiting += row.waiting;
    m_count_waiting -= target.waiting;
    m_vcd.set(m_waiting, m_count_waiting);
    const WavePlaces::Place place = m_places[eqn];
    if (place.whole) {
        Group& group = m_groups[place.index];
        const auto is = [](QueueWaveState a, QueueWaveState b) { return a == b ? 1U : 0U; };
        group.count_occupancy += row.occupancy();
        group.count_occupancy -= target.occupancy();
        group.count_waiting += row.waiting - target.waiting;
        group.count_full +=
            is(row.state, QueueWaveState::Full) - is(target.state, QueueWaveState::Full);
        group.count_error +=
            is(row.state, QueueWaveState::Error) - is(target.state, QueueWaveState::Error);
        m_vcd.set(group.occupancy, group.count_occupancy);
        m_vcd.set(group.waiting, group.count_waiting);
        m_vcd.set(group.full, group.count_full);
        m_vcd.set(group.error, group.count_error);
        target = row;
        return;
    }
    target = row;
    const Drawn& waves = m_drawn[place.index];
    m_vcd.set(waves.produced, row.produced);
    m_vcd.set(waves.consumed, row.consumed);
    m_vcd.set(waves.occupancy, row.occupancy());
    m_vcd.set(waves.waiting, row.waiting);
    m_vcd.set(waves.armed, row.is_armed ? 1 : 0);
    const auto state = static_cast<std::size_t>(row.state);
    m_vcd.set(waves.state, state, kQueueStateText.at(state));
}

}  // namespace cqsim::tb
