// SPDX-License-Identifier: Apache-2.0
#include "tb/system/setup.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

/// Whether messages come for this group: then its receive queues are kept filled.
bool receives(const Scenario& scenario, std::size_t group) {
    for (const Connection& connection : scenario.connection) {
        if (connection.fill && (connection.a.group == group || connection.b.group == group)) {
            return true;
        }
    }
    return std::any_of(
        scenario.traffic.begin(), scenario.traffic.end(), [group](const Traffic& traffic) {
            return traffic.qp == group && traffic.queue == QueueKind::Receive;
        });
}

Cqn member_cq(const CqGroup& group, std::uint32_t member) {
    return Cqn{group.first + member % group.count};
}

}  // namespace

Setup::Setup(const Scenario& scenario, Host& host, RingMap& map, Pipeline& tx, Pipeline& rx)
    : m_scenario(scenario),
      m_host(host),
      m_map(map),
      m_tx(tx),
      m_rx(rx) {
    for (std::size_t g = 0; g < scenario.qp.size(); ++g) {
        m_receives.push_back(receives(scenario, g));
    }
    m_up_to.resize(scenario.device.qps, QpState::Rts);
    host.driver().listen(*this);
}

void Setup::create_all() {
    m_host.driver().setting_up(true);
    for (const EqGroup& group : m_scenario.eq) {
        for (std::uint32_t i = 0; i < group.count; ++i) {
            m_host.driver().create_eq(kTag,
                                      Eqn{static_cast<std::uint16_t>(group.first + i)},
                                      group.kind,
                                      group.capacity,
                                      static_cast<std::uint16_t>(group.vector + i),
                                      group.handled);
        }
    }
    for (const CqGroup& group : m_scenario.cq) {
        for (std::uint32_t i = 0; group.at_start && i < group.count; ++i) {
            create_cq(kTag, Cqn{group.first + i});
        }
    }
    create_srqs();
    for (const QpGroup& group : m_scenario.qp) {
        for (std::uint32_t i = 0; i < group.count; ++i) {
            create_qp(kTag, Qpn{group.first + i}, QpState::Rts);
        }
    }
    m_host.driver().setting_up(false);
    m_at_start = false;
    if (m_host.driver().open() != 0) {
        SC_REPORT_ERROR("/cqsim/system/setup", "the device does not answer commands at once");
    }
}

/// They are numbered in this order, and stay for the whole run.
void Setup::create_srqs() {
    for (const SrqGroup& group : m_scenario.srq) {
        for (std::uint32_t i = 0; i < group.count; ++i) {
            const Srqn srqn = m_rx.create_srq(group.depth, group.kept_full);
            if (group.kept_full) {
                m_rx.fill_shared(srqn);
            }
            if (group.limit != 0) {
                m_rx.arm_limit(srqn, group.limit);
            }
        }
    }
}

void Setup::create_cq(std::uint32_t tag, Cqn cqn, const CqWish& wish) {
    const CqGroup& group = m_scenario.group_of(cqn);
    m_host.driver().create_cq(tag,
                              cqn,
                              {wish.depth ? slots_wished(*wish.depth) : group.slots,
                               wish.eqn.value_or(m_scenario.eqn_of(cqn)),
                               group.moderation,
                               group.flags()});
}

/// S4.2: at least the depth; one that there is not is asked for as it is.
std::uint32_t Setup::slots_wished(std::uint32_t depth) const {
    const OverflowConfig& overflow = m_scenario.device.overflow;
    if (depth == 0 || depth > overflow.max_depth) {
        return depth;
    }
    return slots_for(depth, overflow.owner, overflow.spare_slots);
}

QpCqs Setup::cqs_of(Qpn qpn) const {
    const QpGroup& group = m_scenario.group_of(qpn);
    const std::uint32_t member = index_of(qpn) - group.first;
    QpCqs cqs{member_cq(m_scenario.cq[group.send_cq], member),
              member_cq(m_scenario.cq[group.recv_cq], member)};
    if (group.type == QpType::XrcRecv && group.srq) {  // S2.11: the SRQ says where
        const SrqGroup& srq = m_scenario.srq[*group.srq];
        cqs.recv_cq = member_cq(m_scenario.cq[group.recv_cq], member % srq.count);
    }
    return cqs;
}

void Setup::create_qp(std::uint32_t tag, Qpn qpn, QpState up_to) {
    const QpGroup& group = m_scenario.group_of(qpn);
    const QpCqs cqs = cqs_of(qpn);
    CreateQp command;
    command.qpn = qpn;
    command.send_cq = cqs.send_cq;
    command.recv_cq = cqs.recv_cq;
    command.send_depth = group.send_depth;
    command.recv_depth = group.recv_depth;
    command.sq_sig_all = group.sq_sig_all;
    command.type = group.type;
    command.srqn = m_scenario.srqn_of(qpn);
    m_up_to[index_of(qpn)] = up_to;
    m_host.driver().create_qp(tag, command);
}

/// A monitor must know the new ring before the device writes into it.
void Setup::giving(const Command& command) {
    if (const auto* resize = std::get_if<ResizeCq>(&command);
        resize != nullptr && resize->ring_address != 0) {
        const OverflowConfig& overflow = m_scenario.device.overflow;
        m_map.expect(resize->cqn,
                     resize->ring_address,
                     resize->depth,
                     overflow.resize.value_or(ResizeMode::Marker));
    }
}

void Setup::resize_cq(std::uint32_t tag, Cqn cqn, std::uint32_t depth) {
    m_host.driver().resize_cq(tag, cqn, slots_wished(depth));
}

void Setup::answered(std::uint32_t tag, const Command& command, const CommandAnswer& answer) {
    if (const auto* resize = std::get_if<ResizeCq>(&command);
        resize != nullptr && answer.result != CommandResult::Ok &&
        answer.result != CommandResult::TimedOut) {
        m_map.forget(resize->ring_address);
    }
    if (answer.result == CommandResult::Ok) {
        if (const auto* eq = std::get_if<CreateEq>(&command)) {
            m_map.add_eq(eq->eqn, eq->ring_address, eq->depth);
        } else if (const auto* cq = std::get_if<CreateCq>(&command)) {
            if (m_host.rings().has_ring(cq->cqn)) {
                cq_created(*cq);
            }
        } else if (const auto* qp = std::get_if<CreateQp>(&command)) {
            qp_created(*qp, answer.generation);
        } else if (const auto* modified = std::get_if<ModifyQp>(&command)) {
            qp_modified(*modified);
        }
    } else if (tag == kTag && m_at_start) {  // later a step may have come between
        refused(command);
    }
    if (tag != kTag && tag != Driver::kLateTag && m_steps != nullptr) {
        m_steps->answered(tag, command, answer);
    }
}

void Setup::refused(const Command& command) const {
    if (const auto* eq = std::get_if<CreateEq>(&command)) {
        SC_REPORT_ERROR("/cqsim/system/create_eq", m_scenario.eq_name(eq->eqn).c_str());
    } else if (const auto* cq = std::get_if<CreateCq>(&command)) {
        SC_REPORT_ERROR("/cqsim/system/create_cq", m_scenario.cq_name(cq->cqn).c_str());
    } else if (const auto* qp = std::get_if<CreateQp>(&command)) {
        SC_REPORT_ERROR("/cqsim/system/create_qp", m_scenario.qp_name(qp->qpn).c_str());
    } else if (const auto* modified = std::get_if<ModifyQp>(&command)) {
        SC_REPORT_ERROR("/cqsim/system/modify_qp", m_scenario.qp_name(modified->qpn).c_str());
    }
}

void Setup::cq_created(const CreateCq& command) {
    const Cqn cqn = command.cqn;
    const RingPlace& place = m_host.driver().ring(cqn);
    m_map.add(
        cqn,
        {place.ring, place.record, place.depth, place.first_index, command.format, command.flags});
    const CqGroup& group = m_scenario.group_of(cqn);
    const auto loop = std::find_if(
        m_scenario.host.begin(), m_scenario.host.end(), [&](const HostLoop& candidate) {
            return m_scenario.cq[candidate.cq].first == group.first;
        });
    if (loop == m_scenario.host.end()) {
        return;
    }
    // The members of a group take turns within the interval.
    const TimePs offset{loop->interval.ps / group.count * (index_of(cqn) - group.first)};
    const TimePs first = loop->start + offset;
    switch (loop->mode) {
        case HostMode::Poll:
            m_host.poll_loop().serve(cqn, {loop->batch, loop->interval, first});
            break;
        case HostMode::Event:
            m_host.event_loop().serve(cqn,
                                      {loop->batch, loop->interval, first, loop->arm, loop->order});
            break;
        case HostMode::Script:
            m_host.rings().reserve(loop->batch);
            break;
    }
}

void Setup::qp_created(const CreateQp& command, std::uint16_t generation) {
    m_tx.create_queue(command.qpn, command.send_depth, generation, command.type, command.send_cq);
    if (command.srqn != kNoSrq) {
        m_rx.create_shared_queue(command.qpn, command.srqn, generation, command.type);
    } else {
        m_rx.create_queue(command.qpn, command.recv_depth, generation, command.type);
    }
    for (const QpState state : {QpState::Init, QpState::Rtr, QpState::Rts}) {
        if (state <= m_up_to[index_of(command.qpn)]) {
            m_host.driver().modify_qp(kTag, {command.qpn, state, false}, cqs_of(command.qpn));
        }
    }
}

void Setup::qp_modified(const ModifyQp& command) {
    const QpGroup& group = m_scenario.group_of(command.qpn);
    if (command.state == QpState::Init &&
        m_receives[static_cast<std::size_t>(&group - m_scenario.qp.data())]) {
        m_rx.fill(command.qpn);
    }
}

}  // namespace cqsim::tb
