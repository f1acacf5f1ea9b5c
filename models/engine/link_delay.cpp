// SPDX-License-Identifier: Apache-2.0
#include "models/engine/link_delay.h"

#include <utility>

namespace cqsim {

CompletionDelay::CompletionDelay(const sc_core::sc_module_name& module_name,
                                 Timeline& timeline,
                                 TimePs delay)
    : sc_module(module_name),
      DelayLine(timeline, delay) {
    tsock.bind(static_cast<CompletionForward&>(*this));
    isock.bind(static_cast<CompletionBackward&>(*this));
}

OfferReply CompletionDelay::offer(Completion& completion) {
    m_offered = completion;
    CompletionCall call;
    call.what = CompletionCall::What::Offer;
    later(call);
    return {OfferStatus::Held, {}};
}

void CompletionDelay::decline(Qpn qpn, QueueKind queue) {
    CompletionCall call;
    call.what = CompletionCall::What::Decline;
    call.qpn = qpn;
    call.queue = queue;
    later(call);
}

void CompletionDelay::offer_done(const OfferReply& reply) {
    CompletionCall call;
    call.what = CompletionCall::What::OfferDone;
    call.reply = reply;
    later(call);
}

void CompletionDelay::credit(Qpn qpn, QueueKind queue) {
    CompletionCall call;
    call.what = CompletionCall::What::Credit;
    call.qpn = qpn;
    call.queue = queue;
    later(call);
}

void CompletionDelay::answered(const CompletionAnswer& answer) {
    CompletionCall call;
    call.what = CompletionCall::What::Answer;
    call.answer = answer;
    later(call);
}

void CompletionDelay::pass_on(const CompletionCall& call) {
    switch (call.what) {
        case CompletionCall::What::Offer: {
            const OfferReply reply = isock->offer(m_offered);
            if (reply.status != OfferStatus::Held) {
                offer_done(reply);
            }
            break;
        }
        case CompletionCall::What::OfferDone:
            tsock->offer_done(call.reply);
            break;
        case CompletionCall::What::Credit:
            tsock->credit(call.qpn, call.queue);
            break;
        case CompletionCall::What::Decline:
            isock->decline(call.qpn, call.queue);
            break;
        case CompletionCall::What::Answer:
            tsock->answered(call.answer);
            break;
    }
}

SlotDelay::SlotDelay(const sc_core::sc_module_name& module_name, Timeline& timeline, TimePs delay)
    : sc_module(module_name),
      DelayLine(timeline, delay) {
    tsock.bind(static_cast<SlotForward&>(*this));
    isock.bind(static_cast<SlotBackward&>(*this));
}

SlotStatus SlotDelay::request_slot(const SlotRequest& request, SlotAnswer& /*answer*/) {
    SlotCall call;
    call.what = SlotCall::What::Request;
    call.request = request;
    later(call);
    return SlotStatus::Accepted;
}

void SlotDelay::commit(SlotTag tag, bool ok) {
    SlotCall call;
    call.what = SlotCall::What::Commit;
    call.tag = tag;
    call.ok = ok;
    later(call);
}

void SlotDelay::slot_answered(const SlotAnswer& answer) {
    SlotCall call;
    call.what = SlotCall::What::Answer;
    call.answer = answer;
    later(call);
}

void SlotDelay::pass_on(const SlotCall& call) {
    switch (call.what) {
        case SlotCall::What::Request: {
            SlotAnswer answer;
            if (isock->request_slot(call.request, answer) == SlotStatus::Answered) {
                slot_answered(answer);
            }
            break;
        }
        case SlotCall::What::Commit:
            isock->commit(call.tag, call.ok);
            break;
        case SlotCall::What::Answer:
            tsock->slot_answered(call.answer);
            break;
    }
}

DmaDelay::DmaDelay(const sc_core::sc_module_name& module_name, Timeline& timeline, TimePs delay)
    : sc_module(module_name),
      DelayLine(timeline, delay) {
    tsock.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    isock.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

tlm::tlm_sync_enum DmaDelay::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                             tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
        payload.acquire();
        later_by({DmaCall::What::Request, false, &payload}, TimePs{delay.value()});
    } else if (phase == tlm::END_RESP && m_response.payload == &payload) {
        later_by({DmaCall::What::EndResponse, false, &payload}, TimePs{delay.value()});
        return tlm::TLM_COMPLETED;
    } else if (phase <= tlm::END_RESP) {
        SC_REPORT_ERROR("/cqsim/link_delay/dma",
                        "a phase that an initiator of the base protocol may not send now");
    }
    return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum DmaDelay::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                             tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
        later_by({DmaCall::What::EndRequest, false, &payload}, TimePs{delay.value()});
    } else if (phase == tlm::BEGIN_RESP) {
        later_by({DmaCall::What::Response, true, &payload}, TimePs{delay.value()});
    } else if (phase <= tlm::END_RESP) {
        SC_REPORT_ERROR("/cqsim/link_delay/dma",
                        "a phase that no target of the base protocol may send");
    }
    return tlm::TLM_ACCEPTED;
}

void DmaDelay::pass_on(const DmaCall& call) {
    switch (call.what) {
        case DmaCall::What::Request:
            request(*call.payload);
            break;
        case DmaCall::What::EndRequest: {
            tlm::tlm_phase phase = tlm::END_REQ;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            tsock->nb_transport_bw(*call.payload, phase, delay);
            break;
        }
        case DmaCall::What::Response:
            if (m_response.payload == nullptr) {
                respond(call);
            } else {
                m_responses.push(call);  // one response at a time
            }
            break;
        case DmaCall::What::EndResponse:
            end_response();
            break;
    }
}

void DmaDelay::request(tlm::tlm_generic_payload& payload) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum status = isock->nb_transport_fw(payload, phase, delay);
    const TimePs annotated{delay.value()};
    if (status == tlm::TLM_COMPLETED) {  // no phase of this transfer may follow on that side
        later({DmaCall::What::EndRequest, false, &payload});
        later_by({DmaCall::What::Response, false, &payload}, annotated);
    } else if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
        later_by({DmaCall::What::EndRequest, false, &payload}, annotated);
    } else if (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
        later_by({DmaCall::What::EndRequest, false, &payload}, annotated);
        later_by({DmaCall::What::Response, true, &payload}, annotated);
    }
}

void DmaDelay::respond(const DmaCall& response) {
    m_response = response;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum status = tsock->nb_transport_bw(*response.payload, phase, delay);
    if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
        later_by({DmaCall::What::EndResponse, false, response.payload}, TimePs{delay.value()});
    }
}

void DmaDelay::end_response() {
    const DmaCall ended = std::exchange(m_response, {});
    if (ended.owes_end_resp) {
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        isock->nb_transport_fw(*ended.payload, phase, delay);
    }
    ended.payload->release();
    if (m_response.payload == nullptr && !m_responses.empty()) {
        const DmaCall next = m_responses.front();
        m_responses.pop();
        respond(next);
    }
}

}  // namespace cqsim
