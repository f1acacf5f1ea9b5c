// SPDX-License-Identifier: Apache-2.0
#include "models/doorbell/doorbell_unit.h"

#include "models/doorbell/doorbell_records.h"

#include <string>

namespace cqsim {
namespace {

tlm::tlm_response_status response_of(BusAnswer answer) {
    switch (answer) {
        case BusAnswer::Ok:
            return tlm::TLM_OK_RESPONSE;
        case BusAnswer::AddressError:
            return tlm::TLM_ADDRESS_ERROR_RESPONSE;
        case BusAnswer::CommandError:
            return tlm::TLM_COMMAND_ERROR_RESPONSE;
        case BusAnswer::BurstError:
            return tlm::TLM_BURST_ERROR_RESPONSE;
        case BusAnswer::ByteEnableError:
            break;
    }
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
}

}  // namespace

DoorbellUnit::DoorbellUnit(const sc_core::sc_module_name& module_name,
                           Timeline& timeline,
                           RecordStream& records,
                           const DoorbellConfig& config)
    : DoorbellUnitPorts(module_name),
      m_timeline(timeline),
      m_slot(timeline.attach(*this, Rank::Host)),
      m_records(records),
      m_source(records.intern(name())),
      m_config(config) {
    mmio_tsock.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    notify_isock.bind(static_cast<NoBackward<NotifyProtocol>&>(*this));
    consumer_isock.bind(static_cast<NoBackward<ConsumerProtocol>&>(*this));
}

void DoorbellUnit::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    BarAccess access;
    access.address = payload.get_address();
    access.data = payload.get_data_ptr();
    access.bytes = payload.get_data_length();
    access.streaming_width = payload.get_streaming_width();
    access.write = payload.is_write();
    access.byte_enables = payload.get_byte_enable_ptr() != nullptr;
    const Doorbell doorbell = decode(access, m_config);
    payload.set_response_status(response_of(doorbell.bus));
    if (doorbell.what == Doorbell::What::Nothing) {
        return;
    }
    const TimePs now = m_timeline.now();
    const TimePs at = now + TimePs{delay.value()};
    if (at == now && m_delayed.empty()) {
        act(doorbell);
        return;
    }
    m_delayed.push({at, doorbell});  // behind a later one: then it waits for that
    m_timeline.at(m_slot, m_delayed.front().at);
}

tlm::tlm_sync_enum DoorbellUnit::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                 tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
        b_transport(payload, delay);
        return tlm::TLM_COMPLETED;
    }
    if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP || phase == tlm::END_RESP) {
        SC_REPORT_ERROR("/cqsim/doorbell/phase",
                        (std::string(name()) + " completes a request in its BEGIN_REQ; no other " +
                         "phase of the base protocol follows")
                            .c_str());
    }
    return tlm::TLM_ACCEPTED;  // phases that one need not know are ignored
}

void DoorbellUnit::due(TimePs now) {
    while (!m_delayed.empty() && m_delayed.front().at <= now) {
        const Doorbell doorbell = m_delayed.front().doorbell;
        m_delayed.pop();
        act(doorbell);
    }
    if (!m_delayed.empty()) {
        m_timeline.at(m_slot, m_delayed.front().at);
    }
}

void DoorbellUnit::act(const Doorbell& doorbell) {
    if (doorbell.refusal != DoorbellRefusal::None) {
        refuse(doorbell, doorbell.refusal, CommandResult::Invalid);
        return;
    }
    CommandResult result{};
    switch (doorbell.what) {
        case Doorbell::What::ArmCq:
            result = notify_isock->arm(doorbell.cqn, doorbell.consumer, doorbell.kind);
            refuse(doorbell, refusal_of_arm(result), result);
            break;
        case Doorbell::What::CqConsumer:
            result = consumer_isock->consumer_written(doorbell.cqn, doorbell.consumer);
            refuse(doorbell, refusal_of_consumer(result), result);
            break;
        case Doorbell::What::CqCredit:
            result = consumer_isock->credit_written(doorbell.cqn, doorbell.consumer);
            refuse(doorbell, refusal_of_consumer(result), result);
            break;
        case Doorbell::What::EqConsumer:
            result = notify_isock->eq_consumer(doorbell.eqn, doorbell.consumer, doorbell.arms);
            refuse(doorbell, refusal_of_eq_consumer(result), result);
            break;
        case Doorbell::What::Nothing:
            break;
    }
}

/// Counts and records a write that had no effect; nothing if it had one.
void DoorbellUnit::refuse(const Doorbell& doorbell, DoorbellRefusal refusal, CommandResult result) {
    if (refusal == DoorbellRefusal::None) {
        return;
    }
    ++m_refused.at(static_cast<std::size_t>(refusal));
    if (Record* record = m_records.open(Kind::Refuse, m_source, m_timeline.now())) {
        describe_refused(*record, doorbell, result);
    }
}

}  // namespace cqsim
