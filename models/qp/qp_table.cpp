// SPDX-License-Identifier: Apache-2.0
#include "models/qp/qp_table.h"

#include "models/qp/qp_records.h"

#include <utility>

namespace cqsim {

QpTable::QpTable(const sc_core::sc_module_name& module_name,
                 Timeline& timeline,
                 RecordStream& records,
                 QpRules rules,
                 TimePs answers_take)
    : QpTablePorts(module_name),
      m_timeline(timeline),
      m_records(records),
      m_source(records.intern(name())),
      m_rules(std::move(rules)),
      m_answers_take(answers_take),
      m_slot(timeline.attach(*this, Rank::Event)) {
    admit_tsock.bind(static_cast<QpAdmitForward&>(*this));
    report_tsock.bind(static_cast<QpReportForward&>(*this));
    command_tsock.bind(static_cast<QpCommandForward&>(*this));
    tx_isock.bind(static_cast<QpStateBackward&>(*this));
    rx_isock.bind(static_cast<QpStateBackward&>(*this));
    async_isock.bind(static_cast<NoBackward<AsyncProtocol>&>(*this));
}

/// The event first: it tells why (D6).
void QpTable::violated(Qpn qpn, std::uint16_t generation, AsyncEvent event) {
    const QpRules::Effect effect = m_rules.violated(qpn, generation);
    if (effect.told) {
        raise(qpn, event);
        apply(qpn, effect);
    }
}

void QpTable::drained(Qpn qpn, std::uint16_t generation) {
    if (m_rules.drained(qpn, generation)) {
        raise(qpn, AsyncEvent::SqDrained);
    }
}

void QpTable::last_wqe_ended(Qpn qpn, std::uint16_t generation) {
    if (m_rules.last_wqe_ended(qpn, generation)) {
        raise(qpn, AsyncEvent::QpLastWqeReached);
    }
}

void QpTable::srq_limit_reached(Srqn srqn) {
    if (Record* record = m_records.open(Kind::Async, m_source, m_timeline.now())) {
        describe_limit_reached(*record, srqn);
    }
    async_isock->raise({AsyncEvent::SrqLimitReached, kNoCq, kNoQp, srqn});
}

/// Cause before effect (D6): what the queues still do in the state that is left comes before the
/// record of the change, what the new one makes them do after it.
void QpTable::apply(Qpn qpn, const QpRules::Effect& effect) {
    const bool leaves_first = effect.after == QpState::Reset ||
                              (effect.before == QpState::Sqe && effect.after == QpState::Rts);
    if (effect.told && leaves_first) {
        tell(qpn, effect);
    }
    if (effect.changed()) {
        observe_state(qpn, effect);
    }
    if (effect.qp_fatal) {
        raise(qpn, AsyncEvent::QpFatal);
    }
    if (effect.told && !leaves_first) {
        tell(qpn, effect);
    }
}

/// K18: the queue that waits hears it first, for the other one may be through at once.
void QpTable::tell(Qpn qpn, const QpRules::Effect& effect) {
    const QpChange change = m_rules.change(qpn, effect);
    if (change.turn(QueueKind::Receive) == FlushTurn::Waits) {
        rx_isock->qp_changed(change);
        tx_isock->qp_changed(change);
    } else {
        tx_isock->qp_changed(change);
        rx_isock->qp_changed(change);
    }
}

CommandAnswer QpTable::create_qp(const CreateQp& command) {
    const CommandAnswer answer = m_rules.create(command);
    if (answer.result != CommandResult::Ok) {
        return answer;
    }
    if (Record* record = m_records.open(Kind::Create, m_source, m_timeline.now())) {
        describe_created(*record, command, answer.generation);
    }
    return answer;
}

CommandStatus QpTable::modify_qp(const ModifyQp& command, CommandAnswer& answer) {
    const QpRules::Answer decided = m_rules.modify(command);
    answer = {decided.result, decided.generation};
    if (Record* record = m_records.open(Kind::Modify, m_source, m_timeline.now())) {
        describe_asked(*record, command, decided);
    }
    if (decided.ends_life) {
        return begin_end_of_life(command.qpn, decided, answer);
    }
    apply(command.qpn, decided.effect);
    return CommandStatus::Done;
}

CommandStatus QpTable::destroy_qp(const DestroyQp& command, CommandAnswer& answer) {
    const QpRules::Answer decided = m_rules.destroy(command.qpn);
    answer = {decided.result, decided.generation};
    return decided.ends_life ? begin_end_of_life(command.qpn, decided, answer)
                             : CommandStatus::Done;
}

CommandStatus QpTable::begin_end_of_life(Qpn qpn,
                                         const QpRules::Answer& decided,
                                         CommandAnswer& answer) {
    observe_end_of_life(qpn, decided.generation, DestroyPhase::Begun);
    apply(qpn, decided.effect);
    if (!m_rules.life_is_empty(qpn)) {
        return CommandStatus::Accepted;
    }
    if (m_answers_take != TimePs{}) {
        await_answers(qpn);
        return CommandStatus::Accepted;
    }
    m_rules.finish_life(qpn);
    answer = life_over(qpn);
    return CommandStatus::Done;
}

/// The last completion of a life, or of a send queue that drains, has left: what follows waits
/// until the answers have come to the pipelines.
void QpTable::last_left(Qpn qpn) {
    if (m_answers_take == TimePs{}) {
        all_answered(qpn);
    } else {
        await_answers(qpn);
    }
}

void QpTable::await_answers(Qpn qpn) {
    m_endings.push({m_timeline.now() + m_answers_take, qpn});
    m_timeline.at(m_slot, m_endings.front().at);
}

/// Of a drain that becomes an end of the life, the last answers are those that the end waits for.
bool QpTable::awaits_answers(Qpn qpn) const {
    for (std::size_t i = 0; i < m_endings.size(); ++i) {
        if (m_endings.peek(i).qpn == qpn) {
            return true;
        }
    }
    return false;
}

void QpTable::all_answered(Qpn qpn) {
    if (m_rules.finish_life(qpn)) {
        command_tsock->qp_command_done(qpn, life_over(qpn));
    } else if (m_rules.may_be_drained(qpn)) {  // S2.23: whether all has ended, the pipeline knows
        const QpState state = m_rules.row(qpn).state();
        tell(qpn, {true, false, false, state, state});
    }
}

void QpTable::due(TimePs now) {
    while (!m_endings.empty() && m_endings.front().at <= now) {
        const Qpn qpn = m_endings.front().qpn;
        m_endings.pop();
        if (!awaits_answers(qpn)) {
            all_answered(qpn);
        }
    }
    if (!m_endings.empty()) {
        m_timeline.at(m_slot, m_endings.front().at);
    }
}

/// Nothing of the last life is in flight any more.
CommandAnswer QpTable::life_over(Qpn qpn) {
    const std::uint16_t generation = m_rules.row(qpn).generation;
    observe_end_of_life(qpn, QpRules::before(generation), DestroyPhase::Done);
    return {CommandResult::Ok, generation};
}

void QpTable::raise(Qpn qpn, AsyncEvent event) {
    if (Record* record = m_records.open(Kind::Async, m_source, m_timeline.now())) {
        describe_async(*record, qpn, m_rules.row(qpn).generation, event);
    }
    async_isock->raise({event, kNoCq, qpn});
}

void QpTable::observe_state(Qpn qpn, const QpRules::Effect& effect) {
    if (Record* record = m_records.open(Kind::QpState, m_source, m_timeline.now())) {
        describe_state(*record, qpn, m_rules.row(qpn).generation, effect);
    }
}

void QpTable::observe_end_of_life(Qpn qpn, std::uint16_t generation, DestroyPhase phase) {
    if (Record* record = m_records.open(Kind::Destroy, m_source, m_timeline.now())) {
        describe_end_of_life(*record, qpn, generation, phase);
    }
}

}  // namespace cqsim
