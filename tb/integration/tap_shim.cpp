// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/tap_shim.h"

#include <memory>
#include <utility>

namespace cqsim::tb::test {
namespace {

/// The library's tap with a shim on the side of the pipeline and one on that of the QP table.
class ShimmedTap final : public CompletionTapPorts,
                         private CompletionForward,
                         private CompletionBackward,
                         private QpAdmitForward,
                         private NoBackward<QpAdmitProtocol> {
  public:
    ShimmedTap(const sc_core::sc_module_name& module_name,
               const EngineFactories::Factory<CompletionTapPorts>& tap,
               BlockContext& context,
               TapHooks hooks)
        : CompletionTapPorts(module_name),
          m_tap(tap("tap", context)),
          m_hooks(std::move(hooks)) {
        pipeline_tsock.bind(static_cast<CompletionForward&>(*this));
        m_to_tap.bind(static_cast<CompletionBackward&>(*this));
        m_to_tap.bind(m_tap->pipeline_tsock);
        m_tap->arbiter_isock.bind(arbiter_isock);
        m_from_tap.bind(static_cast<QpAdmitForward&>(*this));
        m_tap->qp_isock.bind(m_from_tap);
        qp_isock.bind(static_cast<NoBackward<QpAdmitProtocol>&>(*this));
    }

  private:
    OfferReply offer(Completion& completion) override {
        if (!m_hooks.offered) {
            return m_to_tap->offer(completion);
        }
        std::vector<Completion> passed = m_hooks.offered(completion);
        if (passed.size() == 1) {
            return m_to_tap->offer(passed.front());
        }
        for (Completion& one : passed) {
            if (m_to_tap->offer(one).status != OfferStatus::Taken) {
                SC_REPORT_ERROR(name(), "a completion in the place of another is not taken");
            }
        }
        return {};
    }
    void decline(Qpn qpn, QueueKind queue) override { m_to_tap->decline(qpn, queue); }
    void hint(Qpn qpn, Cqn cqn) override { m_to_tap->hint(qpn, cqn); }
    void offer_done(const OfferReply& reply) override { pipeline_tsock->offer_done(reply); }
    void credit(Qpn qpn, QueueKind queue) override { pipeline_tsock->credit(qpn, queue); }
    void answered(const CompletionAnswer& answer) override {
        const unsigned times = m_hooks.answered ? m_hooks.answered(answer) : 1;
        for (unsigned i = 0; i < times; ++i) {
            pipeline_tsock->answered(answer);
        }
    }
    Admission lookup(Qpn qpn, QueueKind queue) const override {
        const QpAdmitForward& table = *m_table.operator->();
        Admission admission = table.lookup(qpn, queue);
        if (m_hooks.looked_up) {
            m_hooks.looked_up(table, qpn, queue, admission);
        }
        return admission;
    }
    void entered(const Completion& completion) override { qp_isock->entered(completion); }
    void turned_away(const Completion& completion) override { qp_isock->turned_away(completion); }

    std::unique_ptr<CompletionTapPorts> m_tap;
    TapHooks m_hooks;
    CompletionInitiator m_to_tap{"to_tap"};
    QpAdmitTarget m_from_tap{"from_tap"};
    QpAdmitInitiator& m_table = qp_isock;  ///< as `lookup`, which changes nothing, needs it
};

}  // namespace

EngineFactories spoiled_tap(QueueKind queue, const TapHooks& hooks) {
    EngineFactories factories = EngineFactories::standard();
    if (queue == QueueKind::Send) {
        factories.tx_tap = [hooks](const char* name, BlockContext& context) {
            return std::make_unique<ShimmedTap>(
                name, EngineFactories::standard().tx_tap, context, hooks);
        };
    } else {
        factories.rx_tap = [hooks](const char* name, BlockContext& context) {
            return std::make_unique<ShimmedTap>(
                name, EngineFactories::standard().rx_tap, context, hooks);
        };
    }
    return factories;
}

}  // namespace cqsim::tb::test
