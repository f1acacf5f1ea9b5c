// SPDX-License-Identifier: Apache-2.0
#include "tb/system/qp_steps.h"

namespace cqsim::tb {
namespace {

Cqn member_cq(const CqGroup& group, std::uint32_t member) {
    return Cqn{group.first + member % group.count};
}

std::string why_not(CommandResult result, const char* invalid) {
    switch (result) {
        case CommandResult::Ok:
            break;
        case CommandResult::NoEntry:
            return "it does not exist";
        case CommandResult::NoMemory:
            return "there is no number left";
        case CommandResult::Busy:
            return "it is being reset or destroyed";
        case CommandResult::Invalid:
            return invalid;
    }
    return {};
}

}  // namespace

QpSteps::QpSteps(const Scenario& scenario, Pipeline& tx, Pipeline& rx)
    : m_scenario(scenario),
      m_tx(tx),
      m_rx(rx),
      m_receives(scenario.qp.size()) {
    isock.bind(static_cast<QpCommandBackward&>(*this));
    for (const Traffic& traffic : scenario.traffic) {
        if (traffic.queue == QueueKind::Receive) {
            m_receives[traffic.qp] = true;
        }
    }
}

CreateQp QpSteps::command_of(Qpn qpn) const {
    const QpGroup& group = m_scenario.group_of(qpn);
    const std::uint32_t member = index_of(qpn) - group.first;
    CreateQp command;
    command.qpn = qpn;
    command.send_cq = member_cq(m_scenario.cq[group.send_cq], member);
    command.recv_cq = member_cq(m_scenario.cq[group.recv_cq], member);
    command.send_depth = group.send_depth;
    command.recv_depth = group.recv_depth;
    command.sq_sig_all = group.sq_sig_all;
    command.type = group.type;
    return command;
}

bool QpSteps::receives(const QpGroup& group) const {
    return m_receives[static_cast<std::size_t>(&group - m_scenario.qp.data())];
}

void QpSteps::create_all() {
    for (const QpGroup& group : m_scenario.qp) {
        for (std::uint32_t i = 0; i < group.count; ++i) {
            const Qpn qpn{group.first + i};
            const std::string failure = create(qpn, QpState::Rts);
            if (!failure.empty()) {
                SC_REPORT_ERROR("/cqsim/system/create_qp",
                                (m_scenario.qp_name(qpn) + ": " + failure).c_str());
            }
        }
    }
}

std::string QpSteps::create(Qpn qpn, QpState up_to) {
    const CreateQp command = command_of(qpn);
    const CommandAnswer answer = isock->create_qp(command);
    if (answer.result != CommandResult::Ok) {
        return why_not(answer.result, "it exists, or is still being destroyed");
    }
    m_tx.create_queue(qpn, command.send_depth, answer.generation);
    m_rx.create_queue(qpn, command.recv_depth, answer.generation);
    for (const QpState state : {QpState::Init, QpState::Rtr, QpState::Rts}) {
        if (state > up_to) {
            break;
        }
        const std::string failure = modify(qpn, state, false);
        if (!failure.empty()) {
            return failure;
        }
    }
    return {};
}

std::string QpSteps::modify(Qpn qpn, QpState state, bool sqd_notify) {
    CommandAnswer answer;
    if (isock->modify_qp({qpn, state, sqd_notify}, answer) == CommandStatus::Accepted) {
        ++m_open;
        return {};
    }
    if (answer.result == CommandResult::Ok && state == QpState::Init &&
        receives(m_scenario.group_of(qpn))) {
        m_rx.fill(qpn);
    }
    return why_not(answer.result, "its state allows no such transition (S2.22 to S2.24)");
}

std::string QpSteps::destroy(Qpn qpn) {
    CommandAnswer answer;
    if (isock->destroy_qp({qpn}, answer) == CommandStatus::Accepted) {
        ++m_open;
        return {};
    }
    return why_not(answer.result, "");
}

void QpSteps::qp_command_done(Qpn /*qpn*/, const CommandAnswer& /*answer*/) {
    --m_open;
}

}  // namespace cqsim::tb
