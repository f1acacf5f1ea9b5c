// SPDX-License-Identifier: Apache-2.0
/// \file
/// Software before a command unit, and owners behind it that answer as a test says.
#pragma once

#include "models/command/command_unit.h"
#include "tb/unit/agenda.h"
#include "tb/unit/command_owners.h"
#include "tb/unit/record_list.h"

#include <ostream>

namespace cqsim::test {

/// A command's answer, as software sees it.
struct Answered {
    TimePs at{};
    std::uint32_t ticket = 0;
    CommandResult result{};
    std::uint16_t generation = 0;
    bool later = true;  ///< by `command_done`, not within `submit`

    friend bool operator==(const Answered& l, const Answered& r) {
        return l.at == r.at && l.ticket == r.ticket && l.result == r.result &&
               l.generation == r.generation && l.later == r.later;
    }
    friend std::ostream& operator<<(std::ostream& out, const Answered& answered) {
        return out << '#' << answered.ticket << " at " << answered.at.ps << " result "
                   << static_cast<unsigned>(answered.result) << " generation "
                   << answered.generation << (answered.later ? " later" : "");
    }
};

/// Submits commands and keeps the answers in their order.
class CommandHost final : private CommandBackward {
  public:
    CommandHost(const char* name, Timeline& timeline)
        : isock(name),
          m_timeline(timeline) {
        isock.bind(static_cast<CommandBackward&>(*this));
    }

    void submit(std::uint32_t ticket, const Command& command) {
        CommandAnswer answer;
        if (isock->submit(ticket, command, answer) == CommandStatus::Done) {
            note(ticket, answer, false);
        }
    }

    /// As part of what is there when the run begins.
    void set_up(std::uint32_t ticket, const Command& command) {
        CommandAnswer answer;
        if (isock->set_up(ticket, command, answer) == CommandStatus::Done) {
            note(ticket, answer, false);
        }
    }

    CommandInitiator isock;
    CqContext context;  ///< of the last answer
    std::vector<Answered> answers;

  private:
    void command_done(std::uint32_t ticket, const CommandAnswer& answer) override {
        note(ticket, answer, true);
    }
    void note(std::uint32_t ticket, const CommandAnswer& answer, bool later) {
        context = answer.cq;
        answers.push_back({m_timeline.now(), ticket, answer.result, answer.generation, later});
    }

    Timeline& m_timeline;
};

/// The QP table and the event arbiter as `owners` play them.
class QpAndEventOwners : private QpCommandForward, private EventCommandForward {
  public:
    QpAndEventOwners() {
        qp_tsock.bind(static_cast<QpCommandForward&>(*this));
        event_tsock.bind(static_cast<EventCommandForward&>(*this));
    }

    Owners owners;
    QpCommandTarget qp_tsock{"qp_tsock"};
    EventCommandTarget event_tsock{"event_tsock"};

  private:
    CommandAnswer create_qp(const CreateQp& command) override { return owners.create_qp(command); }
    CommandStatus modify_qp(const ModifyQp& command, CommandAnswer& answer) override {
        return owners.modify_qp(command, answer);
    }
    CommandStatus destroy_qp(const DestroyQp& command, CommandAnswer& answer) override {
        return owners.destroy_qp(command, answer);
    }
    std::uint32_t work_queues_on(Cqn cqn) const override { return owners.work_queues_on(cqn); }
    CommandResult create_eq(const CreateEq& command) override { return owners.create_eq(command); }
    CommandResult may_attach_cq(const CreateCq& command) const override {
        return owners.may_attach_cq(command);
    }
    CommandResult attach_cq(const CreateCq& command) override { return owners.attach_cq(command); }
    CommandResult modify_cq(const ModifyCq& command) override { return owners.modify_cq(command); }
    void query_events(Cqn cqn, CqContext& context) const override {
        owners.query_events(cqn, context);
    }
    void detach_cq(Cqn cqn) override { owners.detach_cq(cqn); }
};

/// What both benches of the command unit have.
class CommandBenchBase : public sc_core::sc_module {
  public:
    CommandBenchBase(const sc_core::sc_module_name& module_name, const CommandConfig& config)
        : sc_module(module_name),
          unit("unit", timeline, records, config) {
        host.isock.bind(unit.host_tsock);
        unit.qp_isock.bind(behind.qp_tsock);
        unit.event_isock.bind(behind.event_tsock);
    }

    KernelTimeline timeline{"timeline"};
    Agenda agenda{timeline, Rank::Script};
    RecordStream records;
    CommandUnit unit;
    CommandHost host{"host", timeline};
    QpAndEventOwners behind;
    Owners& owners = behind.owners;
};

}  // namespace cqsim::test
