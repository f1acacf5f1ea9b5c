// SPDX-License-Identifier: Apache-2.0
/// \file
/// Who carries out which command, and what must hold before (S4, S7). No time, no SystemC.
#pragma once

#include "models/command/command_config.h"
#include "models/protocol/command.h"
#include "models/rows/hash.h"

#include <map>
#include <optional>

namespace cqsim {

/// Hands a command on to the owners of the state: what has the functions of CqCommandForward,
/// QpCommandForward and EventCommandForward.
template <class Cqs, class Qps, class Events>
class CommandRoute {
  public:
    CommandRoute(Cqs& cqs, Qps& qps, Events& events, const CommandConfig& config)
        : m_cqs(cqs),
          m_qps(qps),
          m_events(events),
          m_config(config) {}

    /// \returns whether `answer` is filled in; if not, an owner has accepted the command, and
    /// its answer follows. Every result but Ok means that nothing is left of the command.
    bool done(const Command& command, CommandAnswer& answer) {
        return std::visit([&](const auto& what) { return carry_out(what, answer); }, command);
    }

  private:
    bool carry_out(const CreateEq& command, CommandAnswer& answer) {
        answer.result = m_events.create_eq(command);
        return true;
    }

    /// S4.2: what cannot be is refused before anything is made.
    bool carry_out(const CreateCq& command, CommandAnswer& answer) {
        if ((command.flags & ~kKnownCqFlags) != 0) {
            answer.result = CommandResult::Unsupported;
            return true;
        }
        answer.result = m_events.may_attach_cq(command);
        if (answer.result == CommandResult::Ok) {
            answer.result = m_cqs.create_cq(command);
        }
        if (answer.result == CommandResult::Ok) {
            answer.result = m_events.attach_cq(command);
            if (answer.result != CommandResult::Ok) {
                m_cqs.destroy_cq(command.cqn);
            }
        }
        return true;
    }

    bool carry_out(const ModifyCq& command, CommandAnswer& answer) {
        answer.result = m_events.modify_cq(command);
        return true;
    }

    bool carry_out(const ResizeCq& command, CommandAnswer& answer) {
        return m_cqs.resize_cq(command, answer) == CommandStatus::Done;
    }

    bool carry_out(const QueryCq& command, CommandAnswer& answer) {
        answer.result = m_cqs.query_cq(command.cqn, answer.cq);
        if (answer.result == CommandResult::Ok) {
            m_events.query_events(command.cqn, answer.cq);
        }
        return true;
    }

    /// S4.12: the CQ may be armed, and entries that nobody has polled vanish with it.
    bool carry_out(const DestroyCq& command, CommandAnswer& answer) {
        if (!m_cqs.has_cq(command.cqn)) {
            answer.result = CommandResult::NoEntry;
        } else if (m_qps.work_queues_on(command.cqn) != 0) {
            answer.result = m_config.in_use;  // S4.11, K16
        } else {
            answer.result = m_cqs.destroy_cq(command.cqn);
            if (answer.result == CommandResult::Ok) {
                m_events.detach_cq(command.cqn);
            }
        }
        return true;
    }

    bool carry_out(const CreateQp& command, CommandAnswer& answer) {
        if (m_cqs.has_cq(command.send_cq) && m_cqs.has_cq(command.recv_cq)) {
            answer = m_qps.create_qp(command);
        } else {
            answer.result = CommandResult::Invalid;
        }
        return true;
    }

    bool carry_out(const ModifyQp& command, CommandAnswer& answer) {
        return m_qps.modify_qp(command, answer) == CommandStatus::Done;
    }

    bool carry_out(const DestroyQp& command, CommandAnswer& answer) {
        return m_qps.destroy_qp(command, answer) == CommandStatus::Done;
    }

    Cqs& m_cqs;
    Qps& m_qps;
    Events& m_events;
    const CommandConfig& m_config;
};

/// What a command names: for the record of its refusal.
struct CommandObject {
    Cqn cqn = kNoCq;
    Qpn qpn = kNoQp;
    std::uint16_t eqn = 0;
};

inline CommandObject object_of(const Command& command) {
    struct Visitor {
        CommandObject operator()(const CreateEq& named) const {
            return {kNoCq, kNoQp, static_cast<std::uint16_t>(named.eqn)};
        }
        CommandObject operator()(const CreateCq& named) const { return {named.cqn}; }
        CommandObject operator()(const ModifyCq& named) const { return {named.cqn}; }
        CommandObject operator()(const ResizeCq& named) const { return {named.cqn}; }
        CommandObject operator()(const QueryCq& named) const { return {named.cqn}; }
        CommandObject operator()(const DestroyCq& named) const { return {named.cqn}; }
        CommandObject operator()(const CreateQp& named) const { return {kNoCq, named.qpn}; }
        CommandObject operator()(const ModifyQp& named) const { return {kNoCq, named.qpn}; }
        CommandObject operator()(const DestroyQp& named) const { return {kNoCq, named.qpn}; }
    };
    return std::visit(Visitor{}, command);
}

/// The fields of Kind::Refuse of a command.
inline void describe_refused(Record& record, const CommandObject& object, CommandResult result) {
    record.cqn = object.cqn;
    record.qpn = object.qpn;
    record.unit = object.eqn;
    record.state = static_cast<std::uint8_t>(result);
}

/// The fields of Kind::Query.
inline void describe_queried(Record& record, Cqn cqn, const CqContext& context) {
    record.cqn = cqn;
    record.index = context.producer;
    record.a = context.consumer;
    record.wr_id = context.depth;
    record.state = static_cast<std::uint8_t>(context.state);
    record.b = static_cast<std::uint16_t>(context.armed);
}

/// The tickets of commands that an owner has accepted: at most one for an object.
template <class Id>
class OpenCommands {
  public:
    /// False: one is open for this object already.
    bool add(Id id, std::uint32_t ticket) { return m_tickets.emplace(id, ticket).second; }

    /// The ticket of the command that is done; nothing when none is open for the object.
    std::optional<std::uint32_t> take(Id id) {
        const auto found = m_tickets.find(id);
        if (found == m_tickets.end()) {
            return std::nullopt;
        }
        const std::uint32_t ticket = found->second;
        m_tickets.erase(found);
        return ticket;
    }

    std::size_t size() const { return m_tickets.size(); }

    friend bool operator==(const OpenCommands& l, const OpenCommands& r) {
        return l.m_tickets == r.m_tickets;
    }
    std::uint64_t hash() const {
        Hasher hasher;
        for (const auto& [id, ticket] : m_tickets) {
            hasher.add(id);
            hasher.add(ticket);
        }
        return hasher.value();
    }

  private:
    std::map<Id, std::uint32_t> m_tickets;
};

/// Of both kinds of objects.
struct OpenTickets {
    OpenCommands<Qpn> qps;
    OpenCommands<Cqn> cqs;

    /// False: one is open for the object already.
    bool add(const CommandObject& object, std::uint32_t ticket) {
        return object.cqn != kNoCq ? cqs.add(object.cqn, ticket) : qps.add(object.qpn, ticket);
    }
    std::size_t size() const { return qps.size() + cqs.size(); }

    friend bool operator==(const OpenTickets& l, const OpenTickets& r) {
        return l.qps == r.qps && l.cqs == r.cqs;
    }
    std::uint64_t hash() const {
        Hasher hasher;
        hasher.add(qps.hash());
        hasher.add(cqs.hash());
        return hasher.value();
    }
};

}  // namespace cqsim
