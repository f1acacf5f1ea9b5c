// SPDX-License-Identifier: Apache-2.0
#include "models/overflow/overflow_checker.h"

#include "models/overflow/overflow_records.h"
#include "models/ring/doorbell_record.h"
#include "models/time/kernel_timeline.h"

#include <utility>

namespace cqsim {

OverflowChecker::OverflowChecker(const sc_core::sc_module_name& module_name,
                                 Timeline& timeline,
                                 RecordStream& records,
                                 OverflowRules rules)
    : OverflowCheckerPorts(module_name),
      m_timeline(timeline),
      m_slot(timeline.attach(*this, Rank::Memory)),
      m_records(records),
      m_source(records.intern(name())),
      m_rules(std::move(rules)) {
    slot_tsock.bind(static_cast<SlotForward&>(*this));
    command_tsock.bind(static_cast<CqCommandForward&>(*this));
    consumer_tsock.bind(static_cast<ConsumerForward&>(*this));
    qp_isock.bind(static_cast<NoBackward<QpReportProtocol>&>(*this));
    publish_isock.bind(static_cast<NoBackward<PublishProtocol>&>(*this));
    async_isock.bind(static_cast<NoBackward<AsyncProtocol>&>(*this));
    record_isock.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

CommandResult OverflowChecker::create_cq(const CreateCq& command) {
    const CommandResult result = m_rules.create(command);
    if (result == CommandResult::Ok) {
        if (Record* record = m_records.open(Kind::Create, m_source, m_timeline.now())) {
            describe_created(*record, command, m_rules.row(command.cqn));
        }
    }
    return result;
}

CommandStatus OverflowChecker::resize_cq(const ResizeCq& command, CommandAnswer& answer) {
    SlotAnswer end;
    answer.result = m_rules.resize(command, end);
    if (answer.result != CommandResult::Ok) {
        return CommandStatus::Done;
    }
    if (Record* record = m_records.open(Kind::Resize, m_source, m_timeline.now())) {
        describe_resized(*record, command, end, m_rules.resize_mode());
    }
    m_in_resize = &answer;
    slot_tsock->slot_answered(end);
    m_in_resize = nullptr;
    return m_rules.resizing(command.cqn) ? CommandStatus::Accepted : CommandStatus::Done;
}

CommandResult OverflowChecker::destroy_cq(Cqn cqn) {
    const CommandResult result = m_rules.destroy(cqn);
    if (result == CommandResult::Ok) {
        if (Record* record = m_records.open(Kind::Destroy, m_source, m_timeline.now())) {
            describe_destroyed(*record, cqn);
        }
    }
    return result;
}

SlotStatus OverflowChecker::request_slot(const SlotRequest& request, SlotAnswer& answer) {
    m_asked = request;
    if (decide(false, answer) != OverflowRules::Verdict::LooksFull) {
        return SlotStatus::Answered;
    }
    if (!read_record()) {
        return SlotStatus::Accepted;
    }
    decide(true, answer);
    return SlotStatus::Answered;
}

OverflowRules::Verdict OverflowChecker::decide(bool fresh, SlotAnswer& answer) {
    const OverflowRules::Verdict verdict = m_rules.request(m_asked, fresh, answer);
    switch (verdict) {
        case OverflowRules::Verdict::Granted:
            observe_slot(answer);
            break;
        case OverflowRules::Verdict::LooksFull:
            break;
        case OverflowRules::Verdict::Overrun:
            observe_overrun(answer);
            cq_failed(m_asked.cqn);                                  // S5.3b
            qp_isock->cq_unusable(m_asked.qpn, m_asked.generation);  // S5.3d
            break;
        case OverflowRules::Verdict::CqError:
            observe_overrun(answer);
            qp_isock->cq_unusable(m_asked.qpn, m_asked.generation);  // S5.3e
            break;
    }
    return verdict;
}

/// Reads the consumer index of the CQ that is asked for. \returns whether the data is there
/// already.
bool OverflowChecker::read_record() {
    m_read = &m_reads.take();
    m_read->acquire();
    set_request(*m_read,
                tlm::TLM_READ_COMMAND,
                m_rules.row(m_asked.cqn).record + doorbell_record::kConsumerIndex,
                m_read->bytes.data(),
                static_cast<std::uint32_t>(m_read->bytes.size()));
    m_owes_end_resp = false;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum status = record_isock->nb_transport_fw(*m_read, phase, delay);
    const bool responded =
        status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP);
    if (!responded) {
        return false;
    }
    m_owes_end_resp = status == tlm::TLM_UPDATED;
    if (delay != sc_core::SC_ZERO_TIME) {
        m_data_at = m_timeline.now() + TimePs{delay.value()};
        m_timeline.at(m_slot, m_data_at);
        return false;
    }
    record_arrived();
    return true;
}

tlm::tlm_sync_enum OverflowChecker::nb_transport_bw(tlm::tlm_generic_payload& /*payload*/,
                                                    tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_RESP) {
        // Decided when this call is over, at the same time stamp: it may come from inside the
        // request, and the decision may lead to the next one.
        m_data_at = m_timeline.now() + TimePs{delay.value()};
        m_timeline.at(m_slot, m_data_at);
        return tlm::TLM_COMPLETED;
    }
    if (phase == tlm::BEGIN_REQ || phase == tlm::END_RESP) {
        SC_REPORT_ERROR("/cqsim/overflow/record",
                        "a phase that no target of the base protocol may send");
    }
    return tlm::TLM_ACCEPTED;
}

void OverflowChecker::due(TimePs now) {
    if (m_read == nullptr || m_data_at > now) {
        return;
    }
    m_data_at = kNever;
    record_arrived();
    SlotAnswer answer;
    decide(true, answer);
    slot_tsock->slot_answered(answer);
}

void OverflowChecker::record_arrived() {
    if (m_owes_end_resp) {
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        record_isock->nb_transport_fw(*m_read, phase, delay);
    }
    const bool ok = m_read->is_response_ok();
    const std::uint32_t consumer = doorbell_record::load(m_read->bytes.data());
    m_read->release();
    m_read = nullptr;
    if (!ok) {
        SC_REPORT_ERROR("/cqsim/overflow/record", "a doorbell record cannot be read");
        return;
    }
    if (!m_rules.consumer_read(m_asked.cqn, consumer)) {
        ++m_refused;
    }
}

void OverflowChecker::commit(SlotTag tag, bool ok) {
    const OverflowRules::Committed committed = m_rules.commit(tag, ok);
    if (committed.cq_error) {
        cq_failed(committed.cqn);
        if (committed.qpn != kNoQp) {  // not the end of a ring
            qp_isock->cq_unusable(committed.qpn, committed.generation);
        }
    }
    PublishedEntry published;
    while (m_rules.publish_next(committed.cqn, published)) {
        if (published.ends_ring) {
            ring_ended(published);
        } else {
            publish_isock->published(published);  // S6.14: within the commit (D2)
        }
    }
}

/// `failed`: the end of the ring cannot be read, nor anything behind it.
void OverflowChecker::ring_ended(const PublishedEntry& end) {
    const CommandResult result = end.failed ? CommandResult::Invalid : CommandResult::Ok;
    if (m_in_resize != nullptr) {
        m_in_resize->result = result;
    } else {
        command_tsock->cq_command_done(end.cqn, {result, 0});
    }
}

void OverflowChecker::observe_slot(const SlotAnswer& answer) {
    if (Record* record = m_records.open(Kind::Slot, m_source, m_timeline.now())) {
        describe_slot(*record, m_asked, answer, m_rules.in_use(m_asked.cqn));
    }
}

void OverflowChecker::observe_overrun(const SlotAnswer& answer) {
    if (Record* record = m_records.open(Kind::Overrun, m_source, m_timeline.now())) {
        describe_overrun(*record, m_asked, answer, m_rules.row(m_asked.cqn).consumer);
    }
}

/// At detection, before anything that hangs on it: no completion event follows (S6.16).
void OverflowChecker::cq_failed(Cqn cqn) {
    publish_isock->cq_failed(cqn);
    if (Record* record = m_records.open(Kind::Async, m_source, m_timeline.now())) {
        describe_cq_error(*record, cqn);
    }
    async_isock->raise({AsyncEvent::CqErr, cqn, kNoQp});
}

}  // namespace cqsim
