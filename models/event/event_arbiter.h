// SPDX-License-Identifier: Apache-2.0
/// \file
/// The event arbiter: reports CQs and asynchronous events through event queues and interrupts.
#pragma once

#include "models/dma/dma_port.h"
#include "models/event/event_rules.h"
#include "models/observe/record_stream.h"
#include "models/protocol/event_link.h"
#include "models/time/timeline.h"

#include <systemc>

namespace cqsim {

/// The sockets of an event arbiter: what any replacement must have.
class EventArbiterPorts : public sc_core::sc_module {
  public:
    PublishTarget publish_tsock{"publish_tsock"};
    AsyncTarget async_tsock{"async_tsock"};
    NotifyTarget notify_tsock{"notify_tsock"};
    EventCommandTarget command_tsock{"command_tsock"};

    /// Entries of event queues and MSI-X writes; base protocol.
    virtual tlm::tlm_initiator_socket<>& dma_isock() = 0;

  protected:
    explicit EventArbiterPorts(const sc_core::sc_module_name& name)
        : sc_module(name) {}
};

/// An arm is compared within the call that publishes (S6.14). What is to be reported then waits for
/// the one path that forms entries: one each `eqe_service`, chosen after every arrival of the same
/// time stamp. An interrupt follows when its entry is in memory (S6.15).
///
/// Writes the records Event, Create of an event queue, Modify of a CQ's moderation, and Async for
/// DEVICE_FATAL. The Modify of a new CQ is written if it is moderated.
class EventArbiter final : public EventArbiterPorts,
                           private PublishForward,
                           private AsyncForward,
                           private NotifyForward,
                           private EventCommandForward,
                           private DmaListener,
                           private TimedBlock {
  public:
    EventArbiter(const sc_core::sc_module_name& module_name,
                 Timeline& timeline,
                 RecordStream& records,
                 EventRules rules);

    tlm::tlm_initiator_socket<>& dma_isock() override { return m_dma.isock; }
    const EventRules& rules() const { return m_rules; }

  private:
    void published(const PublishedEntry& entry) override;
    void cq_failed(Cqn cqn) override { m_rules.fail(cqn); }
    void hint(Cqn cqn) override { m_rules.arms().prefetch(cqn); }
    void raise(const AsyncReport& report) override;
    CommandResult arm(Cqn cqn, std::uint32_t consumer, ArmKind kind) override;
    CommandResult eq_consumer(Eqn eqn, std::uint32_t consumer, bool arms) override;
    CommandResult create_eq(const CreateEq& command) override;
    CommandResult may_attach_cq(const CreateCq& command) const override {
        return m_rules.may_attach(command);
    }
    CommandResult attach_cq(const CreateCq& command) override;
    CommandResult modify_cq(const ModifyCq& command) override;
    void query_events(Cqn cqn, CqContext& context) const override { m_rules.query(cqn, context); }
    void detach_cq(Cqn cqn) override { m_rules.detach(cqn); }
    void write_done(std::uint32_t cookie, bool ok) override;
    void can_send_again() override { ask(); }
    void due(TimePs now) override;

    void ask();
    void send(const EventRules::Action& action, TimePs now);
    void observe(const CqEvent& event);
    void observe_moderation(Cqn cqn, const Moderation& moderation);
    void observe_fatal(Eqn failed);

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    RecordStream& m_records;
    std::uint8_t m_source;
    DmaPort m_dma;
    EventRules m_rules;
};

}  // namespace cqsim
