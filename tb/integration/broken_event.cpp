// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/broken_event.h"

#include "tb/integration/checker_shim.h"

#include <utility>

namespace cqsim::tb::test {
namespace {

/// The library's event arbiter with a shim in each of its links.
class ShimmedEventArbiter final : public EventArbiterPorts,
                                  private PublishForward,
                                  private AsyncForward,
                                  private NotifyForward,
                                  private EventCommandForward,
                                  private NoBackward<PublishProtocol>,
                                  private NoBackward<AsyncProtocol>,
                                  private NoBackward<NotifyProtocol>,
                                  private NoBackward<EventCommandProtocol> {
  public:
    ShimmedEventArbiter(const sc_core::sc_module_name& module_name,
                        BlockContext& context,
                        EventHooks hooks)
        : EventArbiterPorts(module_name),
          m_hooks(std::move(hooks)),
          m_arbiter(EngineFactories::standard().event("event", context)),
          m_dma("dma", m_hooks.dma) {
        publish_tsock.bind(static_cast<PublishForward&>(*this));
        async_tsock.bind(static_cast<AsyncForward&>(*this));
        notify_tsock.bind(static_cast<NotifyForward&>(*this));
        command_tsock.bind(static_cast<EventCommandForward&>(*this));
        m_publish.bind(static_cast<NoBackward<PublishProtocol>&>(*this));
        m_async.bind(static_cast<NoBackward<AsyncProtocol>&>(*this));
        m_notify.bind(static_cast<NoBackward<NotifyProtocol>&>(*this));
        m_command.bind(static_cast<NoBackward<EventCommandProtocol>&>(*this));
        m_publish.bind(m_arbiter->publish_tsock);
        m_async.bind(m_arbiter->async_tsock);
        m_notify.bind(m_arbiter->notify_tsock);
        m_command.bind(m_arbiter->command_tsock);
        m_arbiter->dma_isock().bind(m_dma.tsock);
    }

    tlm::tlm_initiator_socket<>& dma_isock() override { return m_dma.isock; }

  private:
    void published(const PublishedEntry& entry) override {
        if (m_hooks.never_full) {
            empty_queues();
        }
        PublishedEntry passed = entry;
        const unsigned times = m_hooks.published ? m_hooks.published(passed) : 1;
        for (unsigned i = 0; i < times; ++i) {
            m_publish->published(passed);
        }
        if (m_hooks.rearms) {
            m_notify->arm(entry.cqn, entry.index + 1, ArmKind::Next);
        }
    }
    void cq_failed(Cqn cqn) override {
        if (!m_hooks.deaf_to_failures) {
            m_publish->cq_failed(cqn);
        }
    }
    void hint(Cqn cqn) override { m_publish->hint(cqn); }
    void raise(const AsyncReport& report) override {
        AsyncReport passed = report;
        const unsigned times = m_hooks.raised ? m_hooks.raised(passed) : 1;
        for (unsigned i = 0; i < times; ++i) {
            m_async->raise(passed);
        }
    }
    CommandResult arm(Cqn cqn, std::uint32_t consumer, ArmKind kind) override {
        const unsigned times = m_hooks.armed ? m_hooks.armed(cqn, consumer, kind) : 1;
        return times == 0 ? CommandResult::Ok : m_notify->arm(cqn, consumer, kind);
    }
    CommandResult eq_consumer(Eqn eqn, std::uint32_t consumer, bool arms) override {
        return m_notify->eq_consumer(eqn, consumer, arms);
    }
    CommandResult create_eq(const CreateEq& command) override {
        return m_command->create_eq(command);
    }
    CommandResult may_attach_cq(const CreateCq& command) const override {
        return m_command->may_attach_cq(command);
    }
    CommandResult attach_cq(const CreateCq& command) override {
        CreateCq passed = command;
        if (m_hooks.attached && m_hooks.attached(passed) == 0) {
            return CommandResult::Ok;
        }
        const CommandResult result = m_command->attach_cq(passed);
        if (m_hooks.armed_at_birth && result == CommandResult::Ok && command.eqn != kNoEqn) {
            m_notify->arm(command.cqn, 0, ArmKind::Next);
        }
        return result;
    }
    CommandResult modify_cq(const ModifyCq& command) override {
        return m_command->modify_cq(command);
    }
    void query_events(Cqn cqn, CqContext& context) const override {
        m_command->query_events(cqn, context);
    }
    /// As if software had read all that is in them.
    void empty_queues() {
        const EventQueues& queues = dynamic_cast<EventArbiter&>(*m_arbiter).rules().queues();
        for (std::uint16_t eqn = 0; queues.exists(std::uint32_t{eqn}); ++eqn) {
            m_notify->eq_consumer(Eqn{eqn}, queues[Eqn{eqn}].in_memory, false);
        }
    }
    void detach_cq(Cqn cqn) override {
        if (!m_hooks.keeps_dead_cqs) {
            m_command->detach_cq(cqn);
        }
    }

    EventHooks m_hooks;
    std::unique_ptr<EventArbiterPorts> m_arbiter;
    DmaShim m_dma;
    PublishInitiator m_publish{"publish_isock"};
    AsyncInitiator m_async{"async_isock"};
    NotifyInitiator m_notify{"notify_isock"};
    EventCommandInitiator m_command{"command_isock"};
};

/// The library's overflow checker, which publishes too early.
class EagerOverflow final : public CheckerShim,
                            private PublishForward,
                            private NoBackward<PublishProtocol> {
  public:
    EagerOverflow(const sc_core::sc_module_name& module_name, BlockContext& context)
        : CheckerShim(module_name, context) {
        m_published.bind(static_cast<PublishForward&>(*this));
        checker().publish_isock.bind(m_published);
        publish_isock.bind(static_cast<NoBackward<PublishProtocol>&>(*this));
    }

  private:
    SlotStatus request_slot(const SlotRequest& request, SlotAnswer& answer) override {
        m_asked = request;
        const SlotStatus status = CheckerShim::request_slot(request, answer);
        if (status == SlotStatus::Answered) {
            publish(answer);
        }
        return status;
    }
    void slot_answered(const SlotAnswer& answer) override {
        publish(answer);
        CheckerShim::slot_answered(answer);
    }
    void published(const PublishedEntry& /*entry*/) override {}
    void cq_failed(Cqn cqn) override { publish_isock->cq_failed(cqn); }
    /// Of both links: the writer asks for it, and the checker inside passes it on.
    void hint(Cqn cqn) override { publish_isock->hint(cqn); }

    void publish(const SlotAnswer& answer) {
        if (answer.granted()) {
            publish_isock->published(
                {m_asked.cqn, answer.index, m_asked.solicited, m_asked.failed});
        }
    }

    PublishTarget m_published{"published_tsock"};
    SlotRequest m_asked{};
};

}  // namespace

EngineFactories broken_event(const EventHooks& hooks) {
    EngineFactories factories = EngineFactories::standard();
    factories.event = [hooks](const char* name, BlockContext& context) {
        return std::make_unique<ShimmedEventArbiter>(name, context, hooks);
    };
    return factories;
}

EngineFactories eager_publication() {
    EngineFactories factories = EngineFactories::standard();
    factories.overflow = [](const char* name, BlockContext& context) {
        return std::make_unique<EagerOverflow>(name, context);
    };
    return factories;
}

}  // namespace cqsim::tb::test
