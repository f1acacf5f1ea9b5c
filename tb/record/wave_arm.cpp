// SPDX-License-Identifier: Apache-2.0
#include "tb/record/wave_arm.h"

#include "tb/check/entry.h"

#include <string_view>

namespace cqsim::tb {
namespace {

constexpr std::array<std::string_view, 3> kArmText{"NONE", "NEXT", "SOLICITED"};
constexpr std::uint32_t kArmCountWidth = 16;

/// S6.2: of the kind that a CQ armed for solicited entries waits for.
bool is_solicited(const Record& record, CqeFormat format) {
    return static_cast<WcStatus>(record.state) != WcStatus::Success ||
           (record.bytes != nullptr && check::Entry::is_whole(record.b, format) &&
            check::Entry::at(record.bytes, record.b, format).solicited());
}

}  // namespace

ArmWaves::ArmWaves(VcdWriter& vcd, const WavePlan& plan)
    : m_vcd(vcd),
      m_places(plan.cq),
      m_rows(m_places.end()) {
    for (const WavePlan::Group& group : plan.cq) {
        if (group.members.empty()) {
            declare_group(group);
        }
        for (const WavePlan::Member& member : group.members) {
            declare_drawn(member);
        }
    }
}

void ArmWaves::declare_drawn(const WavePlan::Member& member) {
    m_vcd.open_scope(member.scope);
    Drawn waves;
    waves.armed = m_vcd.add_enum("armed", 2);
    waves.pending = m_vcd.add_wire("pending", kArmCountWidth);
    waves.timer = m_vcd.add_wire("timer", 1);
    waves.timer_ends_ps = m_vcd.add_wire("timer_ends_ps", VcdWriter::kMaxWidth);
    waves.count = m_vcd.add_wire("moderation_count", kArmCountWidth);
    waves.period_ps = m_vcd.add_wire("moderation_period_ps", 32);
    waves.events = m_vcd.add_wire("events", VcdWriter::kMaxWidth);
    m_vcd.close_scope();
    m_drawn.push_back(waves);
}

void ArmWaves::declare_group(const WavePlan::Group& group) {
    m_vcd.open_scope(group.scope);
    Group waves;
    waves.armed[1] = m_vcd.add_wire("armed_next", 32);
    waves.armed[2] = m_vcd.add_wire("armed_solicited", 32);
    waves.pending = m_vcd.add_wire("pending", VcdWriter::kMaxWidth);
    waves.timers = m_vcd.add_wire("timers", 32);
    m_vcd.close_scope();
    m_vcd.set(waves.armed[1], 0);
    m_vcd.set(waves.armed[2], 0);
    m_vcd.set(waves.pending, 0);
    m_vcd.set(waves.timers, 0);
    m_groups.push_back(waves);
}

ArmWaves::Row* ArmWaves::live_row(Cqn cqn) {
    return index_of(cqn) < m_rows.size() && m_rows[index_of(cqn)].is_live ? &m_rows[index_of(cqn)]
                                                                          : nullptr;
}

bool ArmWaves::create(const Record& record) {
    const WavePlaces::Place place = m_places[index_of(record.cqn)];
    if (!place.listed) {
        return false;
    }
    Row row;
    row.is_live = true;
    row.format = static_cast<CqeFormat>(record.state);
    change(record.cqn, row);
    show_moderation(record.cqn, row);
    return true;
}

bool ArmWaves::moderate(const Record& record) {
    Row* const found = live_row(record.cqn);
    if (found == nullptr) {
        return false;
    }
    Row row = *found;
    if (row.is_running) {
        // S4.9: entries that wait are reported by the new limits; an `event` says when.
        row.ends_ps += record.a - row.period_ps;
    }
    row.count = record.index;
    row.period_ps = record.a;
    change(record.cqn, row);
    show_moderation(record.cqn, row);
    return true;
}

bool ArmWaves::arm(const Record& record) {
    Row* const found = live_row(record.cqn);
    m_last_armed = kNoCq;
    if (found == nullptr) {
        return m_places[index_of(record.cqn)].listed;  // one that is gone: it will be refused
    }
    m_last_armed = record.cqn;
    m_before_arm = *found;
    if (found->is_failed) {
        return true;
    }
    Row row = *found;
    if (row.armed == ArmWave::None) {
        row.armed = static_cast<ArmKind>(record.state) == ArmKind::Solicited ? ArmWave::Solicited
                                                                             : ArmWave::Next;
    } else if (static_cast<ArmKind>(record.state) == ArmKind::Next) {
        row.armed = ArmWave::Next;  // S6.5: an arm is only ever widened
    }
    change(record.cqn, row);
    return true;
}

void ArmWaves::refuse_arm(Cqn cqn) {
    if (cqn != kNoCq && cqn == m_last_armed) {
        change(cqn, m_before_arm);
    }
    m_last_armed = kNoCq;
}

bool ArmWaves::visible(const Record& record) {
    Row* const found = live_row(record.cqn);
    if (found == nullptr) {
        return false;
    }
    if (found->armed == ArmWave::None ||
        (found->armed == ArmWave::Solicited && !is_solicited(record, found->format))) {
        return true;
    }
    Row row = *found;
    ++row.pending;
    if (row.pending == 1 && row.count > 1) {
        row.is_running = true;
        row.ends_ps = record.time_ps + row.period_ps;
    }
    change(record.cqn, row);
    return true;
}

bool ArmWaves::event(const Record& record) {
    Row* const found = live_row(record.cqn);
    if (found == nullptr) {
        return false;
    }
    Row row = *found;
    end_arm(row);
    ++row.events;
    row.is_reported = true;
    row.eqn = record.unit;
    change(record.cqn, row);
    return true;
}

void ArmWaves::error(Cqn cqn) {
    if (Row* const found = live_row(cqn)) {
        Row row = *found;
        end_arm(row);
        row.is_failed = true;
        row.is_reported = false;
        change(cqn, row);
    }
}

void ArmWaves::destroy(Cqn cqn) {
    if (live_row(cqn) != nullptr) {
        change(cqn, Row{});
    }
}

void ArmWaves::end_arm(Row& row) {
    row.armed = ArmWave::None;
    row.pending = 0;
    row.is_running = false;
}

bool ArmWaves::reported(Cqn cqn) const {
    return index_of(cqn) < m_rows.size() && m_rows[index_of(cqn)].is_reported;
}

void ArmWaves::answered(Cqn cqn) {
    if (index_of(cqn) < m_rows.size()) {
        m_rows[index_of(cqn)].is_reported = false;
    }
}

std::uint16_t ArmWaves::eqn(Cqn cqn) const {
    return index_of(cqn) < m_rows.size() ? m_rows[index_of(cqn)].eqn : kNoEqn;
}

void ArmWaves::change(Cqn cqn, const Row& row) {
    Row& target = m_rows[index_of(cqn)];
    const WavePlaces::Place place = m_places[index_of(cqn)];
    if (place.whole) {
        Group& group = m_groups[place.index];
        const auto add = [&group](const Row& of, std::uint32_t sign) {
            group.count_armed.at(static_cast<std::size_t>(of.armed)) += sign;
            group.count_timers += of.is_running ? sign : 0;
        };
        add(target, ~std::uint32_t{0});
        add(row, 1);
        group.count_pending += row.pending;
        group.count_pending -= target.pending;
        m_vcd.set(group.armed[1], group.count_armed[1]);
        m_vcd.set(group.armed[2], group.count_armed[2]);
        m_vcd.set(group.pending, group.count_pending);
        m_vcd.set(group.timers, group.count_timers);
        target = row;
        return;
    }
    target = row;
    const Drawn& waves = m_drawn[place.index];
    const auto armed = static_cast<std::size_t>(row.armed);
    m_vcd.set(waves.armed, armed, kArmText.at(armed));
    m_vcd.set(waves.pending, row.pending);
    m_vcd.set(waves.timer, row.is_running ? 1 : 0);
    if (row.is_running) {
        m_vcd.set(waves.timer_ends_ps, row.ends_ps);
    }
    m_vcd.set(waves.events, row.events);
}

void ArmWaves::show_moderation(Cqn cqn, const Row& row) {
    const WavePlaces::Place place = m_places[index_of(cqn)];
    if (!place.whole) {
        m_vcd.set(m_drawn[place.index].count, row.count);
        m_vcd.set(m_drawn[place.index].period_ps, row.period_ps);
    }
}

}  // namespace cqsim::tb
