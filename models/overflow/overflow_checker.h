// SPDX-License-Identifier: Apache-2.0
/// \file
/// The overflow checker: owner of the CQ contexts; grants slots or declares overrun.
#pragma once

#include "models/observe/record_stream.h"
#include "models/overflow/overflow_rules.h"
#include "models/protocol/command_link.h"
#include "models/protocol/consumer_link.h"
#include "models/protocol/event_link.h"
#include "models/protocol/payload_pool.h"
#include "models/protocol/qp_link.h"
#include "models/protocol/slot_link.h"
#include "models/time/timeline.h"

#include <systemc>
#include <tlm>

#include <array>

namespace cqsim {

/// The sockets of an overflow checker: what any replacement must have.
class OverflowCheckerPorts : public sc_core::sc_module {
  public:
    SlotTarget slot_tsock{"slot_tsock"};
    CqCommandTarget command_tsock{"command_tsock"};
    ConsumerTarget consumer_tsock{"consumer_tsock"};
    QpReportInitiator qp_isock{"qp_isock"};
    PublishInitiator publish_isock{"publish_isock"};
    AsyncInitiator async_isock{"async_isock"};

    /// Reads of doorbell records in host memory; base protocol.
    tlm::tlm_initiator_socket<> record_isock{"record_isock"};

  protected:
    explicit OverflowCheckerPorts(const sc_core::sc_module_name& name)
        : sc_module(name) {}
};

/// Answers at once, unless the CQ looks full by the consumer index as last read: then it reads the
/// doorbell record first (K20), and the answer comes when the data does. Of a device whose software
/// writes consumer indices into the BAR, every answer comes at once.
class OverflowChecker final : public OverflowCheckerPorts,
                              private SlotForward,
                              private CqCommandForward,
                              private ConsumerForward,
                              private NoBackward<QpReportProtocol>,
                              private NoBackward<PublishProtocol>,
                              private NoBackward<AsyncProtocol>,
                              private tlm::tlm_bw_transport_if<>,
                              private TimedBlock {
  public:
    OverflowChecker(const sc_core::sc_module_name& module_name,
                    Timeline& timeline,
                    RecordStream& records,
                    OverflowRules rules);

    const CqRow& context(Cqn cqn) const { return m_rules.row(cqn); }
    /// Consumer indices, on whichever path, that no correct software writes.
    std::uint64_t refused_consumer_indices() const { return m_refused; }

  private:
    SlotStatus request_slot(const SlotRequest& request, SlotAnswer& answer) override;
    void commit(SlotTag tag, bool ok) override;
    void hint(Cqn cqn) override {
        m_rules.prefetch(cqn);
        publish_isock->hint(cqn);
    }
    CommandResult create_cq(const CreateCq& command) override;
    CommandStatus resize_cq(const ResizeCq& command, CommandAnswer& answer) override;
    CommandResult destroy_cq(Cqn cqn) override;
    CommandResult query_cq(Cqn cqn, CqContext& context) const override {
        return m_rules.query(cqn, context);
    }
    CommandResult consumer_written(Cqn cqn, std::uint32_t consumer) override {
        return noted(m_rules.consumer_written(cqn, consumer));
    }
    CommandResult credit_written(Cqn cqn, std::uint32_t increment) override {
        return noted(m_rules.credit_written(cqn, increment));
    }
    CommandResult noted(CommandResult result) {
        m_refused += result == CommandResult::Invalid ? 1 : 0;
        return result;
    }
    bool has_cq(Cqn cqn) const override { return m_rules.exists(cqn); }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    void due(TimePs now) override;

    bool read_record();
    void record_arrived();
    OverflowRules::Verdict decide(bool fresh, SlotAnswer& answer);
    void observe_slot(const SlotAnswer& answer);
    void observe_overrun(const SlotAnswer& answer);
    void cq_failed(Cqn cqn);
    void ring_ended(const PublishedEntry& end);

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    RecordStream& m_records;
    std::uint8_t m_source;
    OverflowRules m_rules;
    SlotRequest m_asked{};      ///< the request that is being decided
    TimePs m_data_at = kNever;  ///< a response with an annotated delay
    bool m_owes_end_resp = false;
    struct Read : tlm::tlm_generic_payload {
        std::array<unsigned char, 4> bytes{};
    };
    PayloadPool<Read> m_reads;
    Read* m_read = nullptr;  ///< the one that is under way
    std::uint64_t m_refused = 0;
    CommandAnswer* m_in_resize = nullptr;  ///< inside `resize_cq`: what has happened goes there
};

}  // namespace cqsim
