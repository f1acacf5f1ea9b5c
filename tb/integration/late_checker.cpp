// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/late_checker.h"

#include "models/engine/link_delay.h"
#include "tb/integration/checker_shim.h"

namespace cqsim::tb::test {
namespace {

/// Keeps the answers back.
class LateChecker final : public CheckerShim, private DelayLine<SlotAnswer> {
  public:
    LateChecker(const sc_core::sc_module_name& module_name, BlockContext& context, TimePs delay)
        : CheckerShim(module_name, context),
          DelayLine(context.timeline, delay) {
        checker().publish_isock.bind(publish_isock);
    }

  private:
    SlotStatus request_slot(const SlotRequest& request, SlotAnswer& /*answer*/) override {
        SlotAnswer answer;
        if (CheckerShim::request_slot(request, answer) == SlotStatus::Answered) {
            later(answer);
        }
        return SlotStatus::Accepted;
    }
    void slot_answered(const SlotAnswer& answer) override { later(answer); }
    void pass_on(const SlotAnswer& answer) override { CheckerShim::slot_answered(answer); }
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
