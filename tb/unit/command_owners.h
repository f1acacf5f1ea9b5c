// SPDX-License-Identifier: Apache-2.0
/// \file
/// Owners of CQs, QPs and event queues that answer as a test says, and note what they are asked.
#pragma once

#include "models/protocol/command.h"

#include <set>
#include <string>
#include <vector>

namespace cqsim::test {

/// What the command unit finds behind its three links.
class Owners {
  public:
    CommandResult create_cq(const CreateCq& command) {
        note("create_cq", index_of(command.cqn));
        return cq_created;
    }
    CommandStatus resize_cq(const ResizeCq& command, CommandAnswer& answer) {
        note("resize_cq", index_of(command.cqn));
        answer = cq_answer;
        return cq_status;
    }
    CommandResult destroy_cq(Cqn cqn) {
        note("destroy_cq", index_of(cqn));
        return cq_destroyed;
    }
    CommandResult query_cq(Cqn cqn, CqContext& context) const {
        note("query_cq", index_of(cqn));
        context.state = CqState::Ok;
        context.producer = 7;
        return cq_queried;
    }
    bool has_cq(Cqn cqn) const { return cqs.count(cqn) != 0; }

    CommandAnswer create_qp(const CreateQp& command) {
        note("create_qp", index_of(command.qpn));
        return qp_created;
    }
    CommandStatus modify_qp(const ModifyQp& command, CommandAnswer& answer) {
        note("modify_qp", index_of(command.qpn));
        answer = qp_answer;
        return qp_status;
    }
    CommandStatus destroy_qp(const DestroyQp& command, CommandAnswer& answer) {
        note("destroy_qp", index_of(command.qpn));
        answer = qp_answer;
        return qp_status;
    }
    std::uint32_t work_queues_on(Cqn /*cqn*/) const { return work_queues; }

    CommandResult create_eq(const CreateEq& command) {
        note("create_eq", static_cast<std::uint32_t>(command.eqn));
        return eq_created;
    }
    CommandResult may_attach_cq(const CreateCq& /*command*/) const { return cq_attachable; }
    CommandResult attach_cq(const CreateCq& command) {
        note("attach_cq", index_of(command.cqn));
        return cq_attached;
    }
    CommandResult modify_cq(const ModifyCq& command) {
        note("modify_cq", index_of(command.cqn));
        return cq_modified;
    }
    void query_events(Cqn cqn, CqContext& context) const {
        note("query_events", index_of(cqn));
        context.eqn = 5;
    }
    void detach_cq(Cqn cqn) { note("detach_cq", index_of(cqn)); }

    mutable std::vector<std::string> calls;  ///< "create_cq 3", in order
    std::set<Cqn> cqs;                       ///< those that exist
    std::uint32_t work_queues = 0;           ///< on any CQ
    CommandResult cq_created = CommandResult::Ok;
    CommandAnswer cq_answer{};
    CommandStatus cq_status = CommandStatus::Done;
    CommandResult cq_destroyed = CommandResult::Ok;
    CommandResult cq_attachable = CommandResult::Ok;
    CommandResult cq_attached = CommandResult::Ok;
    CommandResult cq_queried = CommandResult::Ok;
    CommandResult cq_modified = CommandResult::Ok;
    CommandResult eq_created = CommandResult::Ok;
    CommandAnswer qp_created;
    CommandAnswer qp_answer;  ///< to a modify or a destroy
    CommandStatus qp_status = CommandStatus::Done;

  private:
    void note(const char* call, std::uint32_t id) const {
        calls.push_back(std::string(call) + ' ' + std::to_string(id));
    }
};

using Calls = std::vector<std::string>;

inline CreateEq create_eq(std::uint16_t eqn) {
    CreateEq command;
    command.eqn = Eqn{eqn};
    return command;
}
inline CreateCq create_cq(std::uint32_t cqn) {
    CreateCq command;
    command.cqn = Cqn{cqn};
    return command;
}
inline CreateQp create_qp(std::uint32_t qpn, std::uint32_t send_cq, std::uint32_t recv_cq) {
    CreateQp command;
    command.qpn = Qpn{qpn};
    command.send_cq = Cqn{send_cq};
    command.recv_cq = Cqn{recv_cq};
    return command;
}

}  // namespace cqsim::test
