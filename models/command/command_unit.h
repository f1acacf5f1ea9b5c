// SPDX-License-Identifier: Apache-2.0
/// \file
/// The command unit: takes commands of software and hands each to the owner of the state.
#pragma once

#include "models/command/command_config.h"
#include "models/command/command_rules.h"
#include "models/observe/record_stream.h"
#include "models/protocol/command_link.h"
#include "models/protocol/event_link.h"
#include "models/rows/due_ring.h"
#include "models/time/timeline.h"

#include <systemc>

#include <array>

namespace cqsim {

/// The sockets of a command unit: what any replacement must have.
class CommandUnitPorts : public sc_core::sc_module {
  public:
    CommandTarget host_tsock{"host_tsock"};
    CqCommandInitiator cq_isock{"cq_isock"};
    QpCommandInitiator qp_isock{"qp_isock"};
    EventCommandInitiator event_isock{"event_isock"};

  protected:
    explicit CommandUnitPorts(const sc_core::sc_module_name& name)
        : sc_module(name) {}
};

/// Carries commands out in the order in which they come, with a service time between them if the
/// configuration says so. The answer is that of the owner. Resets and destroys of QPs that the QP
/// table accepts, and resizes that the overflow checker accepts, are answered when they are; other
/// commands go on meanwhile.
class CommandUnit final : public CommandUnitPorts,
                          private CommandForward,
                          private CqCommandBackward,
                          private QpCommandBackward,
                          private NoBackward<EventCommandProtocol>,
                          private TimedBlock {
  public:
    CommandUnit(const sc_core::sc_module_name& module_name,
                Timeline& timeline,
                RecordStream& records,
                const CommandConfig& config);

    /// Commands that were answered with this; not for Ok.
    std::uint64_t refused(CommandResult result) const {
        return m_refused.at(static_cast<std::size_t>(result));
    }
    /// Commands without an answer so far.
    std::size_t open() const { return m_waiting.size() + m_open.size(); }

  private:
    static constexpr std::size_t kResults =
        static_cast<std::size_t>(CommandResult::Unsupported) + 1;  // the last that a device gives
    struct Waiting {
        TimePs at{};
        std::uint32_t ticket = 0;
        Command command;
    };

    CommandStatus submit(std::uint32_t ticket,
                         const Command& command,
                         CommandAnswer& answer) override;
    CommandStatus set_up(std::uint32_t ticket,
                         const Command& command,
                         CommandAnswer& answer) override {
        return carry_out(ticket, command, answer);
    }
    void qp_command_done(Qpn qpn, const CommandAnswer& answer) override;
    void cq_command_done(Cqn cqn, const CommandAnswer& answer) override;
    void due(TimePs now) override;

    CommandStatus carry_out(std::uint32_t ticket, const Command& command, CommandAnswer& answer);
    void observe_refused(const CommandObject& object, CommandResult result);
    void observe_queried(const Command& command, const CommandAnswer& answer);
    void finish(std::optional<std::uint32_t> ticket,
                const CommandObject& object,
                const CommandAnswer& answer);
    void complain(const char* id, const CommandObject& object, const char* what) const;

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    RecordStream& m_records;
    std::uint8_t m_source;
    const CommandConfig m_config;
    DueRing<Waiting> m_waiting;
    TimePs m_free_at{};  ///< when the newest of them has been carried out
    OpenTickets m_open;
    std::array<std::uint64_t, kResults> m_refused{};
};

}  // namespace cqsim
