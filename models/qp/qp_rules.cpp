// SPDX-License-Identifier: Apache-2.0
#include "models/qp/qp_rules.h"

namespace cqsim {
namespace {

void clear(QpRow& row, unsigned flags) {
    row.flags = static_cast<std::uint8_t>(row.flags & ~flags);
}

}  // namespace

CommandAnswer QpRules::create(const CreateQp& command) {
    if (index_of(command.qpn) >= m_rows.size() ||
        index_of(command.send_cq) >= m_work_queues.size() ||
        index_of(command.recv_cq) >= m_work_queues.size() || !is_qp_type(command.type)) {
        return {CommandResult::Invalid, 0};
    }
    QpRow& row = m_rows[index_of(command.qpn)];
    if (row.exists()) {
        return {CommandResult::Invalid, 0};
    }
    // The destroy of the last QP of this number has begun the generation that is used now.
    const std::uint16_t generation = row.generation == 0 ? after(0) : row.generation;
    row = QpRow{};
    row.send_cq = command.send_cq;
    row.recv_cq = command.recv_cq;
    row.generation = generation;
    row.set(QpState::Reset, command.type);
    row.flags = QpRow::kExists;
    if (command.sq_sig_all) {
        row.flags |= QpRow::kSqSigAll;
    }
    if (command.srqn != kNoSrq) {
        row.flags |= QpRow::kHasSrq;
    }
    ++m_work_queues[index_of(command.send_cq)];
    ++m_work_queues[index_of(command.recv_cq)];
    return {CommandResult::Ok, generation};
}

QpRules::Answer QpRules::refuse_unless_idle(Qpn qpn) const {
    Answer answer;
    if (index_of(qpn) >= m_rows.size() || !row(qpn).exists()) {
        answer.result = CommandResult::NoEntry;
        return answer;
    }
    answer.generation = row(qpn).generation;
    if (row(qpn).dying()) {
        answer.result = CommandResult::Busy;
    }
    return answer;
}

QpRules::Answer QpRules::modify(const ModifyQp& command) {
    Answer answer = refuse_unless_idle(command.qpn);
    if (answer.result != CommandResult::Ok) {
        return answer;
    }
    QpRow& row = m_rows[index_of(command.qpn)];
    if (!may_modify(row.state(), command.state, m_config.reset_from)) {
        answer.result = CommandResult::Invalid;
        return answer;
    }
    if (command.state == QpState::Reset) {
        answer.ends_life = true;
        answer.effect = begin_next_life(row, QpRow::kResetting);
        return answer;
    }
    answer.effect = enter(row, command.state);
    if (command.state == QpState::Sqd && command.sqd_notify) {
        row.flags |= QpRow::kNotify;
    }
    return answer;
}

QpRules::Answer QpRules::destroy(Qpn qpn) {
    Answer answer = refuse_unless_idle(qpn);
    if (answer.result == CommandResult::Ok) {
        answer.ends_life = true;
        answer.effect = begin_next_life(m_rows[index_of(qpn)], QpRow::kDestroying);
    }
    return answer;
}

QpRules::Effect QpRules::enter(QpRow& row, QpState state) {
    Effect effect;
    effect.told = true;
    effect.before = row.state();
    effect.after = state;
    row.set_state(state);
    clear(row, QpRow::kNotify);
    return effect;
}

QpRules::Effect QpRules::begin_next_life(QpRow& row, std::uint8_t how) {
    const Effect effect = enter(row, QpState::Reset);
    row.generation = after(row.generation);
    clear(row, QpRow::kFatalRaised | QpRow::kLastWqe);
    row.flags |= how;
    return effect;
}

bool QpRules::end_life(QpRow& row) {
    if ((row.flags & QpRow::kDestroying) != 0) {
        --m_work_queues[index_of(row.send_cq)];
        --m_work_queues[index_of(row.recv_cq)];
        row.flags = 0;
    }
    clear(row, QpRow::kResetting);
    return true;
}

QpRules::Effect QpRules::request_failed(Qpn qpn,
                                        std::uint16_t generation,
                                        QueueKind queue,
                                        WcStatus status) {
    QpRow& row = m_rows[index_of(qpn)];
    if (row.generation != generation) {
        return {};
    }
    const QpState after = state_after(row.state(), row.type(), queue, status);
    return after == row.state() ? Effect{} : enter(row, after);
}

QpRules::Effect QpRules::violated(Qpn qpn, std::uint16_t generation) {
    QpRow& row = m_rows[index_of(qpn)];
    const bool fails = row.generation == generation && row.state() != QpState::Err;
    return fails ? enter(row, QpState::Err) : Effect{};
}

QpRules::Effect QpRules::cq_unusable(Qpn qpn, std::uint16_t generation) {
    QpRow& row = m_rows[index_of(qpn)];
    if (row.generation != generation) {
        return {};
    }
    Effect effect = row.state() == QpState::Err ? Effect{} : enter(row, QpState::Err);
    if ((row.flags & QpRow::kFatalRaised) == 0) {
        row.flags |= QpRow::kFatalRaised;
        effect.qp_fatal = true;
    }
    return effect;
}

bool QpRules::drained(Qpn qpn, std::uint16_t generation) {
    QpRow& row = m_rows[index_of(qpn)];
    if (row.generation != generation || !may_be_drained(qpn)) {
        return false;
    }
    clear(row, QpRow::kNotify);
    return true;
}

bool QpRules::last_wqe_ended(Qpn qpn, std::uint16_t generation) {
    QpRow& row = m_rows[index_of(qpn)];
    if (row.generation != generation || row.state() != QpState::Err ||
        (row.flags & (QpRow::kHasSrq | QpRow::kLastWqe)) != QpRow::kHasSrq) {
        return false;
    }
    row.flags |= QpRow::kLastWqe;
    return true;
}

QpRules::Effect QpRules::flushed(Qpn qpn, std::uint16_t generation, QueueKind queue) const {
    const QpRow& found = row(qpn);
    Effect effect;
    if (found.generation != generation || found.state() != QpState::Err ||
        m_config.flush_order == FlushOrder::Interleaved || !flushes_first(queue)) {
        return effect;
    }
    effect.told = true;
    effect.second_goes = true;
    effect.before = effect.after = QpState::Err;
    return effect;
}

FlushTurn QpRules::turn(QueueKind queue, const Effect& effect) const {
    if (m_config.flush_order == FlushOrder::Interleaved || effect.after != QpState::Err) {
        return FlushTurn::Free;
    }
    const bool first = flushes_first(queue);
    if (effect.second_goes) {
        return first ? FlushTurn::Free : FlushTurn::Goes;
    }
    if (!effect.changed()) {
        return FlushTurn::Free;
    }
    return first ? FlushTurn::First : FlushTurn::Waits;
}

QpChange QpRules::change(Qpn qpn, const Effect& effect) const {
    return {qpn,
            row(qpn).generation,
            effect.before,
            effect.after,
            {turn(QueueKind::Send, effect), turn(QueueKind::Receive, effect)}};
}

}  // namespace cqsim
