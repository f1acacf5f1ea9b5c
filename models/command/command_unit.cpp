// SPDX-License-Identifier: Apache-2.0
#include "models/command/command_unit.h"

#include <string>

namespace cqsim {

CommandUnit::CommandUnit(const sc_core::sc_module_name& module_name,
                         Timeline& timeline,
                         RecordStream& records,
                         const CommandConfig& config)
    : CommandUnitPorts(module_name),
      m_timeline(timeline),
      m_slot(timeline.attach(*this, Rank::Host)),
      m_records(records),
      m_source(records.intern(name())),
      m_config(config) {
    host_tsock.bind(static_cast<CommandForward&>(*this));
    cq_isock.bind(static_cast<CqCommandBackward&>(*this));
    qp_isock.bind(static_cast<QpCommandBackward&>(*this));
    event_isock.bind(static_cast<NoBackward<EventCommandProtocol>&>(*this));
}

CommandStatus CommandUnit::submit(std::uint32_t ticket,
                                  const Command& command,
                                  CommandAnswer& answer) {
    if (m_config.service == TimePs{}) {
        return carry_out(ticket, command, answer);
    }
    m_free_at = later_of(m_free_at, m_timeline.now()) + m_config.service;
    m_waiting.push({m_free_at, ticket, command});
    m_timeline.at(m_slot, m_waiting.front().at);
    return CommandStatus::Accepted;
}

void CommandUnit::due(TimePs now) {
    while (!m_waiting.empty() && m_waiting.front().at <= now) {
        const Waiting next = m_waiting.front();
        m_waiting.pop();
        CommandAnswer answer;
        if (carry_out(next.ticket, next.command, answer) == CommandStatus::Done) {
            host_tsock->command_done(next.ticket, answer);
        }
    }
    if (!m_waiting.empty()) {
        m_timeline.at(m_slot, m_waiting.front().at);
    }
}

CommandStatus CommandUnit::carry_out(std::uint32_t ticket,
                                     const Command& command,
                                     CommandAnswer& answer) {
    CommandRoute route(*cq_isock[0], *qp_isock[0], *event_isock[0], m_config);
    const CommandObject object = object_of(command);
    if (route.done(command, answer)) {
        observe_queried(command, answer);
        observe_refused(object, answer.result);
        return CommandStatus::Done;
    }
    if (!m_open.add(object, ticket)) {
        complain("/cqsim/command/accepted", object, "was accepted, but another one is open for it");
    }
    return CommandStatus::Accepted;
}

void CommandUnit::qp_command_done(Qpn qpn, const CommandAnswer& answer) {
    finish(m_open.qps.take(qpn), {kNoCq, qpn}, answer);
}

void CommandUnit::cq_command_done(Cqn cqn, const CommandAnswer& answer) {
    finish(m_open.cqs.take(cqn), {cqn}, answer);
}

void CommandUnit::finish(std::optional<std::uint32_t> ticket,
                         const CommandObject& object,
                         const CommandAnswer& answer) {
    if (!ticket) {
        complain("/cqsim/command/answer", object, "was answered, but none is open for it");
        return;
    }
    observe_refused(object, answer.result);
    host_tsock->command_done(*ticket, answer);
}

/// Counts and records a refusal; nothing for Ok.
void CommandUnit::observe_refused(const CommandObject& object, CommandResult result) {
    if (result == CommandResult::Ok) {
        return;
    }
    ++m_refused.at(static_cast<std::size_t>(result));
    if (Record* record = m_records.open(Kind::Refuse, m_source, m_timeline.now())) {
        describe_refused(*record, object, result);
    }
}

/// Of a query that was answered; nothing for other commands.
void CommandUnit::observe_queried(const Command& command, const CommandAnswer& answer) {
    const auto* query = std::get_if<QueryCq>(&command);
    if (query == nullptr || answer.result != CommandResult::Ok) {
        return;
    }
    if (Record* record = m_records.open(Kind::Query, m_source, m_timeline.now())) {
        describe_queried(*record, query->cqn, answer.cq);
    }
}

/// An owner that does not keep to the link.
void CommandUnit::complain(const char* id, const CommandObject& object, const char* what) const {
    const std::string named = object.cqn != kNoCq ? "CQ " + std::to_string(index_of(object.cqn))
                                                  : "QP " + std::to_string(index_of(object.qpn));
    const std::string text = std::string(name()) + ": a command for " + named + ' ' + what;
    SC_REPORT_ERROR(id, text.c_str());
}

}  // namespace cqsim
