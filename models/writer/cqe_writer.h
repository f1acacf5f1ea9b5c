// SPDX-License-Identifier: Apache-2.0
/// \file
/// The CQE writer: forms entries and writes them into the rings, several in flight.
#pragma once

#include "models/dma/dma_port.h"
#include "models/protocol/completion_link.h"
#include "models/protocol/qp_link.h"
#include "models/protocol/slot_link.h"
#include "models/time/timeline.h"
#include "models/writer/undefined_fill.h"
#include "models/writer/writer_rules.h"

#include <systemc>

namespace cqsim {

/// The sockets of a writer: what any replacement must have.
class CqeWriterPorts : public sc_core::sc_module {
  public:
    CompletionTarget arbiter_tsock{"arbiter_tsock"};
    SlotInitiator slot_isock{"slot_isock"};
    QpReportInitiator qp_isock{"qp_isock"};

    /// To host memory; base protocol.
    virtual tlm::tlm_initiator_socket<>& dma_isock() = 0;

  protected:
    explicit CqeWriterPorts(const sc_core::sc_module_name& name)
        : sc_module(name) {}
};

/// For each completion: asks the overflow checker for a slot, forms the entry (`service`), writes
/// it with the owner bit in its last byte (S3.6), and commits the slot when the write is in memory.
///
/// Timing: one entry each `service`; up to `writes_in_flight` writes not yet in memory. With a full
/// window, an open slot request or an open DMA request the next completion is held. A completion of
/// a QP that was reset or destroyed meanwhile is dropped when its turn comes (D3); one that has
/// been granted a slot is written all the same (S7.1). Entries that end rings are written in their
/// turn (S4.7, S4.8).
class CqeWriter final : public CqeWriterPorts,
                        private CompletionForward,
                        private SlotBackward,
                        private NoBackward<QpReportProtocol>,
                        private DmaListener {
  public:
    CqeWriter(const sc_core::sc_module_name& module_name,
              Timeline& timeline,
              WriterRules rules,
              const UndefinedFill& fill);

    tlm::tlm_initiator_socket<>& dma_isock() override { return m_dma.isock; }
    std::uint32_t in_flight() const { return m_rules.in_flight(); }

  private:
    OfferReply offer(Completion& completion) override;
    void decline(Qpn qpn, QueueKind queue) override;
    void hint(Qpn qpn, Cqn cqn) override;
    void slot_answered(const SlotAnswer& answer) override;
    void write_done(std::uint32_t cookie, bool ok) override;
    void can_send_again() override { take_held(); }

    bool busy() {
        return m_waits_for_slot || !m_answered.empty() || m_rules.window_full() ||
               !m_dma.can_send();
    }
    void take(const Completion& completion);
    bool drop_if_dead(const Completion& completion);
    void leave(const Completion& completion, Outcome outcome, LostCause cause);
    void start(const Completion& completion);
    void finish(const Completion& completion, const SlotAnswer& answer);
    void end_ring(const SlotAnswer& end);
    void write_answered();
    void take_held();

    Timeline& m_timeline;
    DmaPort m_dma;
    WriterRules m_rules;
    UndefinedFill m_fill;
    Completion m_asking{};  ///< waits for its slot
    bool m_waits_for_slot = false;
    /// Answers that came while nothing could be written, oldest first: that of `m_asking`, and ends
    /// of rings. Empty unless rings are replaced.
    std::vector<SlotAnswer> m_answered;
    Completion m_held{};  ///< the one that the arbiter may not repeat
    bool m_holds = false;
};

}  // namespace cqsim
