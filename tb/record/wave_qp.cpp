// SPDX-License-Identifier: Apache-2.0
#include "tb/record/wave_qp.h"

#include <algorithm>
#include <string_view>

namespace cqsim::tb {
namespace {

constexpr std::array<std::string_view, 7> kCountNames{
    "reset", "init", "rtr", "rts", "sqd", "sqe", "err"};
constexpr std::uint32_t kStateWidth = 3;

}  // namespace

QpWaves::QpWaves(VcdWriter& vcd, const WavePlan& plan)
    : m_vcd(vcd) {
    m_vcd.open_scope("qp_table");
    m_notes = m_vcd.add_text("notes");
    for (const WavePlan::Group& planned : plan.qp) {
        Group group;
        group.first = planned.first;
        group.count = planned.count;
        m_state.resize(std::max<std::size_t>(m_state.size(), group.first + group.count), kNoState);
        m_vcd.open_scope(planned.scope);
        for (std::uint32_t state = 0; state < kStates; ++state) {
            group.in_state.at(state) = m_vcd.add_wire(kCountNames.at(state), 32);
            m_vcd.set(group.in_state.at(state), 0);
        }
        m_vcd.close_scope();
        for (const WavePlan::Member& member : planned.members) {
            m_vcd.open_scope(member.scope);
            group.members.push_back(m_vcd.add_enum("state", kStateWidth));
            m_vcd.close_scope();
        }
        m_groups.push_back(std::move(group));
    }
    m_vcd.close_scope();
    m_reports_to.resize(m_state.size(), {kNoCq, kNoCq});
    m_resets.resize(m_state.size());
}

bool QpWaves::create(const Record& record) {
    if (!change(record.qpn, QpState::Reset)) {
        return false;
    }
    m_reports_to[index_of(record.qpn)] = {Cqn{static_cast<std::uint32_t>(record.a)},
                                          Cqn{static_cast<std::uint32_t>(record.serial)}};
    return true;
}

Cqn QpWaves::cq_of(Qpn qpn, QueueKind queue) const {
    const std::uint32_t number = index_of(qpn);
    return number < m_reports_to.size() ? m_reports_to[number].at(index_of(queue)) : kNoCq;
}

bool QpWaves::change(Qpn qpn, QpState state) {
    const auto value = static_cast<std::uint8_t>(state);
    return value < kStates && move(qpn, value);
}

void QpWaves::modify(const Record& record) {
    if (record.qpn != kNoQp && index_of(record.qpn) < m_resets.size() && record.a == 0 &&
        static_cast<QpState>(record.state) == QpState::Reset) {
        m_resets[index_of(record.qpn)] = true;
    }
}

bool QpWaves::destroy(const Record& record) {
    if (static_cast<DestroyPhase>(record.state) == DestroyPhase::Begun) {
        return true;
    }
    if (resets(record.qpn)) {
        m_resets[index_of(record.qpn)] = false;
        return true;
    }
    return move(record.qpn, kNoState);
}

QpWaves::Group* QpWaves::group_of(std::uint32_t qpn) {
    const auto after = std::upper_bound(
        m_groups.begin(), m_groups.end(), qpn, [](std::uint32_t number, const Group& group) {
            return number < group.first;
        });
    if (after == m_groups.begin()) {
        return nullptr;
    }
    Group& group = *(after - 1);
    return qpn - group.first < group.count ? &group : nullptr;
}

bool QpWaves::move(Qpn qpn, std::uint8_t state) {
    const std::uint32_t number = index_of(qpn);
    Group* const group = group_of(number);
    if (group == nullptr) {
        return false;
    }
    std::uint8_t& now = m_state[number];
    if (now != kNoState) {
        m_vcd.set(group->in_state.at(now), --group->counts.at(now));
    }
    now = state;
    if (state != kNoState) {
        m_vcd.set(group->in_state.at(state), ++group->counts.at(state));
    }
    if (!group->members.empty()) {
        m_vcd.set(group->members[number - group->first],
                  state,
                  state == kNoState ? "NONE" : name(static_cast<QpState>(state)));
    }
    return true;
}

}  // namespace cqsim::tb
