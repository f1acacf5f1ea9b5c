// SPDX-License-Identifier: Apache-2.0
#include "models/qp/qp_rules.h"

namespace cqsim {

CommandAnswer QpRules::create(const CreateQp& command) {
    if (index_of(command.qpn) >= m_rows.size() || index_of(command.send_cq) >= m_cqs ||
        index_of(command.recv_cq) >= m_cqs) {
        return {CommandResult::Invalid, 0};
    }
    QpRow& row = m_rows[index_of(command.qpn)];
    if ((row.flags & QpRow::kExists) != 0) {
        return {CommandResult::Invalid, 0};
    }
    const auto generation = static_cast<std::uint16_t>(row.generation + 1);
    row = QpRow{command.send_cq, command.recv_cq, 0, generation, QpState::Rts, QpRow::kExists};
    if (command.sq_sig_all) {
        row.flags |= QpRow::kSqSigAll;
    }
    return {CommandResult::Ok, generation};
}

QpRules::Effect QpRules::fail(QpRow& row) {
    Effect effect;
    if (row.state != QpState::Err) {
        effect.to_err = true;
        effect.before = row.state;
        row.state = QpState::Err;
    }
    return effect;
}

QpRules::Effect QpRules::cq_unusable(Qpn qpn, std::uint16_t generation) {
    QpRow& row = m_rows[index_of(qpn)];
    if (row.generation != generation) {
        return {};
    }
    Effect effect = fail(row);
    if ((row.flags & QpRow::kFatalRaised) == 0) {
        row.flags |= QpRow::kFatalRaised;
        effect.qp_fatal = true;
    }
    return effect;
}

}  // namespace cqsim
