// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/broken_checker.h"

#include "models/cqe/native.h"
#include "models/ring/doorbell_record.h"

#include <array>
#include <vector>

namespace cqsim::tb::test {
namespace {

/// One CQ, in free-running counts that never wrap.
struct Cq {
    std::uint64_t ring = 0;
    std::uint64_t record = 0;
    std::uint64_t granted = 0;   ///< counts from the first index
    std::uint64_t consumed = 0;  ///< likewise, as last read
    std::uint32_t depth = 0;
    bool in_error = false;
};

class BrokenChecker final : public OverflowCheckerPorts,
                            private SlotForward,
                            private CqCommandForward,
                            private ConsumerForward,
                            private NoBackward<QpReportProtocol>,
                            private NoBackward<PublishProtocol>,
                            private NoBackward<AsyncProtocol>,
                            private tlm::tlm_bw_transport_if<> {
  public:
    BrokenChecker(const sc_core::sc_module_name& module_name,
                  const BlockContext& context,
                  CheckerFault fault)
        : OverflowCheckerPorts(module_name),
          m_timeline(context.timeline),
          m_records(context.records),
          m_source(context.records.intern(name())),
          m_fault(fault),
          m_qps(context.config.qps),
          m_first(context.config.overflow.first_index),
          m_mask((std::uint64_t{1} << context.config.overflow.index_width) - 1),
          m_cqs(context.config.cqs) {
        slot_tsock.bind(static_cast<SlotForward&>(*this));
        command_tsock.bind(static_cast<CqCommandForward&>(*this));
        consumer_tsock.bind(static_cast<ConsumerForward&>(*this));
        qp_isock.bind(static_cast<NoBackward<QpReportProtocol>&>(*this));
        publish_isock.bind(static_cast<NoBackward<PublishProtocol>&>(*this));
        async_isock.bind(static_cast<NoBackward<AsyncProtocol>&>(*this));
        record_isock.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    }

  private:
    // It knows doorbell records alone.
    CommandResult consumer_written(Cqn /*cqn*/, std::uint32_t /*consumer*/) override {
        return CommandResult::Unsupported;
    }
    CommandResult credit_written(Cqn /*cqn*/, std::uint32_t /*increment*/) override {
        return CommandResult::Unsupported;
    }
    SlotStatus request_slot(const SlotRequest& request, SlotAnswer& answer) override {
        Cq& cq = m_cqs[index_of(request.cqn)];
        const bool sticky = cq.in_error && m_fault != CheckerFault::Recovers;
        if (sticky || full(cq)) {
            refuse(request, cq, answer);
        } else {
            grant(request, cq, answer);
        }
        return SlotStatus::Answered;
    }
    void commit(SlotTag /*tag*/, bool /*ok*/) override {}
    void hint(Cqn /*cqn*/) override {}
    CommandResult create_cq(const CreateCq& command) override;
    CommandStatus resize_cq(const ResizeCq& /*command*/, CommandAnswer& answer) override {
        answer.result = CommandResult::Unsupported;
        return CommandStatus::Done;
    }
    CommandResult destroy_cq(Cqn /*cqn*/) override { return CommandResult::Busy; }
    CommandResult query_cq(Cqn /*cqn*/, CqContext& /*context*/) const override {
        return CommandResult::NoEntry;
    }
    bool has_cq(Cqn cqn) const override { return index_of(cqn) < m_cqs.size(); }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& /*payload*/,
                                       tlm::tlm_phase& /*phase*/,
                                       sc_core::sc_time& /*delay*/) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    bool full(Cq& cq);
    void read_record(Cq& cq);
    void grant(const SlotRequest& request, Cq& cq, SlotAnswer& answer);
    void refuse(const SlotRequest& request, Cq& cq, SlotAnswer& answer);
    void fail_qps(const SlotRequest& request, bool first);
    void raise_cq_err(Cqn cqn);
    Record* open(Kind kind, const SlotRequest& request);

    Timeline& m_timeline;
    RecordStream& m_records;
    std::uint8_t m_source;
    CheckerFault m_fault;
    std::uint32_t m_qps;
    std::uint64_t m_first;
    std::uint64_t m_mask;
    std::vector<Cq> m_cqs;
};

CommandResult BrokenChecker::create_cq(const CreateCq& command) {
    Cq& cq = m_cqs[index_of(command.cqn)];
    cq.ring = command.ring_address;
    cq.record = command.doorbell_record_address;
    cq.depth = command.depth;
    cq.granted = cq.consumed = m_first;
    if (Record* record = m_records.open(Kind::Create, m_source, m_timeline.now())) {
        record->cqn = command.cqn;
        record->unit = command.eqn;
        record->a = cq.ring;
        record->serial = cq.record;
        record->index = cq.depth;
        record->b = native::kStride;
        record->wr_id = m_first;
        record->unit = command.eqn;
    }
    return CommandResult::Ok;
}

bool BrokenChecker::full(Cq& cq) {
    const std::uint32_t room = cq.depth - (m_fault == CheckerFault::FullTooEarly ? 1 : 0);
    if (m_fault == CheckerFault::NeverFull) {
        return false;
    }
    if (cq.granted - cq.consumed >= room && m_fault != CheckerFault::StaleIndex) {
        read_record(cq);
    }
    return cq.granted - cq.consumed >= room;
}

void BrokenChecker::read_record(Cq& cq) {
    std::array<unsigned char, 4> bytes{};
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(cq.record + doorbell_record::kConsumerIndex);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(static_cast<unsigned>(bytes.size()));
    payload.set_streaming_width(static_cast<unsigned>(bytes.size()));
    record_isock->transport_dbg(payload);
    cq.consumed += (doorbell_record::load(bytes.data()) - cq.consumed) & m_mask;
}

void BrokenChecker::grant(const SlotRequest& request, Cq& cq, SlotAnswer& answer) {
    std::uint64_t at = cq.granted;
    const std::uint64_t given = at - m_first;
    if (m_fault == CheckerFault::SkipsIndex && given == 2) {
        ++at;
    }
    std::uint64_t slot = at % cq.depth;
    std::uint64_t lap = at / cq.depth;
    if (m_fault == CheckerFault::OwnerStuck) {
        lap = m_first / cq.depth;
    } else if (m_fault == CheckerFault::OwnerLate && slot == 0 && given != 0) {
        --lap;
    } else if (m_fault == CheckerFault::SwapsSlots) {
        slot ^= 1U;
    }
    answer.tag = 0;
    answer.address = cq.ring + slot * native::kStride;
    answer.index = static_cast<std::uint32_t>(at & m_mask);
    answer.owner = static_cast<std::uint8_t>(lap & 1U);
    answer.cause = LostCause::None;
    ++cq.granted;
    if (Record* record = open(Kind::Slot, request)) {
        record->index = answer.index;
        record->state = answer.owner;
        record->a = request.completed.ps;
        record->b = static_cast<std::uint16_t>(cq.granted - cq.consumed);
    }
}

void BrokenChecker::refuse(const SlotRequest& request, Cq& cq, SlotAnswer& answer) {
    const bool first = !cq.in_error;
    const bool full_now = first || m_fault == CheckerFault::Recovers;
    cq.in_error = true;
    answer.tag = kNoTag;
    answer.cause = full_now ? LostCause::Overrun : LostCause::CqError;
    if (Record* record = open(Kind::Overrun, request)) {
        record->index = static_cast<std::uint32_t>(cq.granted & m_mask);
        record->state = static_cast<std::uint8_t>(answer.cause);
        record->a = cq.consumed & m_mask;
    }
    if ((first && m_fault != CheckerFault::NoErr) || m_fault == CheckerFault::ErrPerAttempt) {
        raise_cq_err(request.cqn);
    }
    fail_qps(request, first);
}

void BrokenChecker::fail_qps(const SlotRequest& request, bool first) {
    if (m_fault == CheckerFault::FailsNoQp) {
        return;
    }
    qp_isock->cq_unusable(request.qpn, request.generation);
    for (std::uint32_t qpn = 0; first && m_fault == CheckerFault::FailsAllQps && qpn < m_qps;
         ++qpn) {
        qp_isock->cq_unusable(Qpn{qpn}, request.generation);
    }
}

void BrokenChecker::raise_cq_err(Cqn cqn) {
    if (Record* record = m_records.open(Kind::Async, m_source, m_timeline.now())) {
        record->cqn = cqn;
        record->state = static_cast<std::uint8_t>(AsyncEvent::CqErr);
    }
}

Record* BrokenChecker::open(Kind kind, const SlotRequest& request) {
    Record* record = m_records.open(kind, m_source, m_timeline.now());
    if (record != nullptr) {
        record->cqn = request.cqn;
        record->qpn = request.qpn;
        record->generation = request.generation;
        record->queue = request.queue;
        record->serial = request.serial;
    }
    return record;
}

}  // namespace

std::unique_ptr<OverflowCheckerPorts> make_broken_checker(const char* name,
                                                          const BlockContext& context,
                                                          CheckerFault fault) {
    return std::make_unique<BrokenChecker>(name, context, fault);
}

}  // namespace cqsim::tb::test
