// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/shims.h"

#include <utility>

namespace cqsim::tb::test {

CompletionShim::CompletionShim(const sc_core::sc_module_name& module_name, CompletionHooks hooks)
    : sc_module(module_name),
      m_hooks(std::move(hooks)) {
    tsock.bind(static_cast<CompletionForward&>(*this));
    isock.bind(static_cast<CompletionBackward&>(*this));
}

OfferReply CompletionShim::offer(Completion& completion) {
    Completion passed = completion;
    if (m_hooks.offered && !m_hooks.offered(passed)) {
        tsock->answered(answer_to(completion, Outcome::Granted));
        return {};
    }
    return isock->offer(passed);
}

void CompletionShim::answered(const CompletionAnswer& answer) {
    CompletionAnswer passed = answer;
    const unsigned times = m_hooks.answered ? m_hooks.answered(passed) : 1;
    for (unsigned i = 0; i < times; ++i) {
        tsock->answered(passed);
    }
}

SlotShim::SlotShim(const sc_core::sc_module_name& module_name, SlotHooks hooks)
    : sc_module(module_name),
      m_hooks(std::move(hooks)) {
    tsock.bind(static_cast<SlotForward&>(*this));
    isock.bind(static_cast<SlotBackward&>(*this));
}

SlotStatus SlotShim::request_slot(const SlotRequest& request, SlotAnswer& answer) {
    const SlotStatus status = isock->request_slot(request, answer);
    if (status == SlotStatus::Answered && m_hooks.answered) {
        m_hooks.answered(answer);
    }
    return status;
}

void SlotShim::slot_answered(const SlotAnswer& answer) {
    SlotAnswer passed = answer;
    if (m_hooks.answered) {
        m_hooks.answered(passed);
    }
    tsock->slot_answered(passed);
}

QpStateShim::QpStateShim(const sc_core::sc_module_name& module_name, const QpStateHooks& hooks)
    : sc_module(module_name),
      m_hooks(hooks) {
    tsock.bind(static_cast<QpStateForward&>(*this));
    isock.bind(static_cast<QpStateBackward&>(*this));
}

DmaShim::DmaShim(const sc_core::sc_module_name& module_name, DmaHooks hooks)
    : sc_module(module_name),
      m_hooks(std::move(hooks)) {
    tsock.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    isock.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

tlm::tlm_sync_enum DmaShim::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay) {
    WriteFate fate = WriteFate::Pass;
    if (phase == tlm::BEGIN_REQ && m_hooks.write) {
        fate = m_hooks.write(payload, isock);
    }
    if (fate == WriteFate::Swallow || fate == WriteFate::Postpone) {
        if (fate == WriteFate::Postpone) {
            m_postponed_address = payload.get_address();
            m_postponed.assign(payload.get_data_ptr(),
                               payload.get_data_ptr() + payload.get_data_length());
        }
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    if (fate == WriteFate::AfterNext) {
        payload.acquire();
        m_delayed = &payload;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    if (fate == WriteFate::LoseResponse) {
        m_unanswered = &payload;
    }
    const bool begins = phase == tlm::BEGIN_REQ;
    const tlm::tlm_sync_enum status = isock->nb_transport_fw(payload, phase, delay);
    if (fate == WriteFate::Twice) {
        write_again(payload);
    }
    if (begins && m_delayed != nullptr) {
        pass_delayed();
    }
    return status;
}

tlm::tlm_sync_enum DmaShim::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay) {
    if (&payload == m_unanswered) {
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::BEGIN_RESP && !m_postponed.empty()) {
        write(m_postponed_address, m_postponed.data(), static_cast<unsigned>(m_postponed.size()));
        m_postponed.clear();
    }
    return tsock->nb_transport_bw(payload, phase, delay);
}

void DmaShim::pass_delayed() {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    isock->nb_transport_fw(*m_delayed, phase, delay);
    m_delayed->release();
    m_delayed = nullptr;
}

void DmaShim::write_again(const tlm::tlm_generic_payload& payload) {
    write(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
}

void DmaShim::write(std::uint64_t address, unsigned char* data, unsigned length) {
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    isock->b_transport(payload, delay);
}

}  // namespace cqsim::tb::test
