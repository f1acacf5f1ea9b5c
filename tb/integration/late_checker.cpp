// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/late_checker.h"

#include "models/engine/link_delay.h"

namespace cqsim::tb::test {
namespace {

/// The library's overflow checker behind a link that keeps its answers back.
class LateChecker final : public OverflowCheckerPorts,
                          private SlotForward,
                          private SlotBackward,
                          private DelayLine<SlotAnswer> {
  public:
    LateChecker(const sc_core::sc_module_name& module_name, BlockContext& context, TimePs delay)
        : OverflowCheckerPorts(module_name),
          DelayLine(context.timeline, delay),
          m_checker(EngineFactories::standard().overflow("checker", context)) {
        slot_tsock.bind(static_cast<SlotForward&>(*this));
        m_slot_isock.bind(static_cast<SlotBackward&>(*this));
        m_slot_isock.bind(m_checker->slot_tsock);
        command_tsock.bind(m_checker->command_tsock);
        m_checker->qp_isock.bind(qp_isock);
        m_checker->publish_isock.bind(publish_isock);
        m_checker->async_isock.bind(async_isock);
        m_checker->record_isock.bind(record_isock);
    }

  private:
    SlotStatus request_slot(const SlotRequest& request, SlotAnswer& /*answer*/) override {
        SlotAnswer answer;
        if (m_slot_isock->request_slot(request, answer) == SlotStatus::Answered) {
            later(answer);
        }
        return SlotStatus::Accepted;
    }
    void commit(SlotTag tag, bool ok) override { m_slot_isock->commit(tag, ok); }
    void hint(Cqn cqn) override { m_slot_isock->hint(cqn); }
    void slot_answered(const SlotAnswer& answer) override { later(answer); }
    void pass_on(const SlotAnswer& answer) override { slot_tsock->slot_answered(answer); }

    std::unique_ptr<OverflowCheckerPorts> m_checker;
    SlotInitiator m_slot_isock{"checker_isock"};
};

}  // namespace

EngineFactories late_checker(TimePs delay) {
    EngineFactories factories = EngineFactories::standard();
    factories.overflow = [delay](const char* name, BlockContext& context) {
        return std::make_unique<LateChecker>(name, context, delay);
    };
    return factories;
}

}  // namespace cqsim::tb::test
