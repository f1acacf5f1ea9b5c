// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/broken_commands.h"

#include <algorithm>

namespace cqsim::tb::test {
namespace {

/// The library's command unit, between shims that know one fault.
class ShimmedCommands final : public CommandUnitPorts,
                              private CommandForward,
                              private CommandBackward,
                              private QpCommandForward,
                              private QpCommandBackward,
                              private EventCommandForward,
                              private NoBackward<EventCommandProtocol> {
  public:
    ShimmedCommands(const sc_core::sc_module_name& module_name,
                    BlockContext& context,
                    const CommandFault& fault)
        : CommandUnitPorts(module_name),
          m_fault(fault),
          m_eqs(context.config.event.eqs),
          m_max_depth(context.config.overflow.max_depth),
          m_unit(EngineFactories::standard().command("command", context)) {
        host_tsock.bind(static_cast<CommandForward&>(*this));
        m_host_isock.bind(static_cast<CommandBackward&>(*this));
        m_host_isock.bind(m_unit->host_tsock);
        m_unit->cq_isock.bind(cq_isock);
        m_qp_tsock.bind(static_cast<QpCommandForward&>(*this));
        m_unit->qp_isock.bind(m_qp_tsock);
        qp_isock.bind(static_cast<QpCommandBackward&>(*this));
        m_event_tsock.bind(static_cast<EventCommandForward&>(*this));
        m_unit->event_isock.bind(m_event_tsock);
        event_isock.bind(static_cast<NoBackward<EventCommandProtocol>&>(*this));
    }

  private:
    CommandStatus submit(std::uint32_t ticket,
                         const Command& command,
                         CommandAnswer& answer) override {
        return answered(m_host_isock->submit(ticket, taken_for(command), answer), answer);
    }
    CommandStatus set_up(std::uint32_t ticket,
                         const Command& command,
                         CommandAnswer& answer) override {
        return answered(m_host_isock->set_up(ticket, command, answer), answer);
    }
    Command taken_for(const Command& command) const {
        Command taken = command;
        if (auto* created = std::get_if<CreateCq>(&taken)) {
            if (m_fault.folds_eqns && created->eqn != kNoEqn) {
                created->eqn = static_cast<std::uint16_t>(created->eqn % m_eqs);
            }
            if (m_fault.clamps_depths) {
                created->depth = std::clamp(created->depth, 1U, m_max_depth);
            }
        }
        return taken;
    }
    CommandStatus answered(CommandStatus status, CommandAnswer& answer) const {
        if (m_fault.accepts_all && status == CommandStatus::Done) {
            answer.result = CommandResult::Ok;
        }
        return status;
    }
    void command_done(std::uint32_t ticket, const CommandAnswer& answer) override {
        host_tsock->command_done(ticket, answer);
    }

    CommandAnswer create_qp(const CreateQp& command) override {
        return qp_isock->create_qp(command);
    }
    CommandStatus modify_qp(const ModifyQp& command, CommandAnswer& answer) override {
        return acknowledge(qp_isock->modify_qp(command, answer));
    }
    CommandStatus destroy_qp(const DestroyQp& command, CommandAnswer& answer) override {
        return acknowledge(qp_isock->destroy_qp(command, answer));
    }
    CommandStatus acknowledge(CommandStatus status) const {
        return m_fault.acknowledges_early ? CommandStatus::Done : status;
    }
    std::uint32_t work_queues_on(Cqn cqn) const override {
        return m_fault.destroys_used_cqs ? 0 : qp_isock->work_queues_on(cqn);
    }
    void qp_command_done(Qpn qpn, const CommandAnswer& answer) override {
        if (!m_fault.acknowledges_early) {
            m_qp_tsock->qp_command_done(qpn, answer);
        }
    }

    CommandResult create_eq(const CreateEq& command) override {
        return event_isock->create_eq(command);
    }
    CommandResult may_attach_cq(const CreateCq& command) const override {
        return event_isock->may_attach_cq(command);
    }
    CommandResult attach_cq(const CreateCq& command) override {
        return event_isock->attach_cq(command);
    }
    CommandResult modify_cq(const ModifyCq& command) override {
        return event_isock->modify_cq(command);
    }
    void query_events(Cqn cqn, CqContext& context) const override {
        event_isock->query_events(cqn, context);
    }
    void detach_cq(Cqn cqn) override {
        if (!m_fault.keeps_arms) {
            event_isock->detach_cq(cqn);
        }
    }

    CommandFault m_fault;
    std::uint32_t m_eqs;
    std::uint32_t m_max_depth;
    std::unique_ptr<CommandUnitPorts> m_unit;
    CommandInitiator m_host_isock{"unit_isock"};
    QpCommandTarget m_qp_tsock{"unit_qp_tsock"};
    EventCommandTarget m_event_tsock{"unit_event_tsock"};
};

}  // namespace

EngineFactories broken_commands(const CommandFault& fault) {
    EngineFactories factories = EngineFactories::standard();
    factories.command = [fault](const char* name, BlockContext& context) {
        return std::make_unique<ShimmedCommands>(name, context, fault);
    };
    return factories;
}

}  // namespace cqsim::tb::test
