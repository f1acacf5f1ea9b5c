// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/engine/cq_event_engine.h"

namespace cqsim::tb::test {

/// The library's overflow checker inside another, which stands in its link to the writer. As it is,
/// it passes all on. `publish_isock` of the one inside is left for the derived class to bind.
class CheckerShim : public OverflowCheckerPorts, protected SlotForward, protected SlotBackward {
  protected:
    CheckerShim(const sc_core::sc_module_name& module_name, BlockContext& context)
        : OverflowCheckerPorts(module_name),
          m_checker(EngineFactories::standard().overflow("checker", context)) {
        slot_tsock.bind(static_cast<SlotForward&>(*this));
        m_slots.bind(static_cast<SlotBackward&>(*this));
        m_slots.bind(m_checker->slot_tsock);
        command_tsock.bind(m_checker->command_tsock);
        consumer_tsock.bind(m_checker->consumer_tsock);
        m_checker->qp_isock.bind(qp_isock);
        m_checker->async_isock.bind(async_isock);
        m_checker->record_isock.bind(record_isock);
    }

    OverflowCheckerPorts& checker() { return *m_checker; }

    SlotStatus request_slot(const SlotRequest& request, SlotAnswer& answer) override {
        return m_slots->request_slot(request, answer);
    }
    void commit(SlotTag tag, bool ok) override { m_slots->commit(tag, ok); }
    void hint(Cqn cqn) override { m_slots->hint(cqn); }
    void slot_answered(const SlotAnswer& answer) override { slot_tsock->slot_answered(answer); }

  private:
    std::unique_ptr<OverflowCheckerPorts> m_checker;
    SlotInitiator m_slots{"slots_isock"};
};

}  // namespace cqsim::tb::test
