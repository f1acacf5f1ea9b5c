// SPDX-License-Identifier: Apache-2.0
#include "models/qp/qp_table.h"

#include <utility>

namespace cqsim {

QpTable::QpTable(const sc_core::sc_module_name& module_name,
                 Timeline& timeline,
                 RecordStream& records,
                 QpRules rules)
    : QpTablePorts(module_name),
      m_timeline(timeline),
      m_records(records),
      m_source(records.intern(name())),
      m_rules(std::move(rules)) {
    admit_tsock.bind(static_cast<QpAdmitForward&>(*this));
    report_tsock.bind(static_cast<QpReportForward&>(*this));
    command_tsock.bind(static_cast<QpCommandForward&>(*this));
    tx_isock.bind(static_cast<NoBackward<QpStateProtocol>&>(*this));
    rx_isock.bind(static_cast<NoBackward<QpStateProtocol>&>(*this));
}

void QpTable::entered(const Completion& completion) {
    const QpRules::Effect effect = m_rules.entered(completion.qpn, completion.status);
    if (effect.to_err) {
        apply(completion.qpn, effect);
    }
}

void QpTable::cq_unusable(Qpn qpn, std::uint16_t generation) {
    apply(qpn, m_rules.cq_unusable(qpn, generation));
}

void QpTable::apply(Qpn qpn, const QpRules::Effect& effect) {
    const TimePs now = m_timeline.now();
    if (effect.to_err) {
        if (Record* record = m_records.open(Kind::QpState, m_source, now)) {
            record->qpn = qpn;
            record->generation = m_rules.row(qpn).generation;
            record->state = static_cast<std::uint8_t>(QpState::Err);
            record->a = static_cast<std::uint64_t>(effect.before);
        }
    }
    if (effect.qp_fatal) {
        if (Record* record = m_records.open(Kind::Async, m_source, now)) {
            record->qpn = qpn;
            record->generation = m_rules.row(qpn).generation;
            record->state = static_cast<std::uint8_t>(AsyncEvent::QpFatal);
        }
    }
    if (effect.to_err) {  // S2.18: both queues flush
        tx_isock->qp_failed(qpn);
        rx_isock->qp_failed(qpn);
    }
}

CommandAnswer QpTable::create_qp(const CreateQp& command) {
    const CommandAnswer created = m_rules.create(command);
    if (created.result == CommandResult::Ok) {
        if (Record* record = m_records.open(Kind::Create, m_source, m_timeline.now())) {
            record->qpn = command.qpn;
            record->generation = created.generation;
            record->a = index_of(command.send_cq);
            record->serial = index_of(command.recv_cq);
            record->index = command.send_depth;
            record->wr_id = command.recv_depth;
            record->flags = command.sq_sig_all ? kSigAll : 0;
            record->state = static_cast<std::uint8_t>(command.type);
        }
    }
    return created;
}

CommandStatus QpTable::modify_qp(const ModifyQp& command, CommandAnswer& answer) {
    const bool exists = index_of(command.qpn) < m_rules.size() &&
                        (m_rules.row(command.qpn).flags & QpRow::kExists) != 0;
    answer.result = !exists                           ? CommandResult::NoEntry
                    : command.state == QpState::Reset ? CommandResult::Invalid
                                                      : CommandResult::Ok;
    return CommandStatus::Done;
}

CommandStatus QpTable::destroy_qp(const DestroyQp& /*command*/, CommandAnswer& answer) {
    answer.result = CommandResult::Invalid;
    return CommandStatus::Done;
}

std::uint32_t QpTable::work_queues_on(Cqn /*cqn*/) const {
    return 0;
}

}  // namespace cqsim
