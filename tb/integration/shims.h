// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shims that stand in a link and pass everything on at once; a hook may spoil what passes. An
/// empty hook spoils nothing.
#pragma once

#include "models/protocol/completion_link.h"
#include "models/protocol/qp_link.h"
#include "models/protocol/slot_link.h"

#include <systemc>
#include <tlm>

#include <functional>
#include <optional>
#include <vector>

namespace cqsim::tb::test {

struct CompletionHooks {
    /// Sees a completion that is offered. False: it goes no further, and is answered 'granted'.
    std::function<bool(Completion&)> offered;
    /// Sees an answer. \returns how often it is passed on.
    std::function<unsigned(CompletionAnswer&)> answered;
};

class CompletionShim final : public sc_core::sc_module,
                             private CompletionForward,
                             private CompletionBackward {
  public:
    CompletionTarget tsock{"tsock"};
    CompletionInitiator isock{"isock"};

    CompletionShim(const sc_core::sc_module_name& module_name, CompletionHooks hooks);

  private:
    OfferReply offer(Completion& completion) override;
    void decline(Qpn qpn, QueueKind queue) override { isock->decline(qpn, queue); }
    void hint(Qpn qpn, Cqn cqn) override { isock->hint(qpn, cqn); }
    void offer_done(const OfferReply& reply) override { tsock->offer_done(reply); }
    void credit(Qpn qpn, QueueKind queue) override { tsock->credit(qpn, queue); }
    void answered(const CompletionAnswer& answer) override;

    CompletionHooks m_hooks;
};

struct SlotHooks {
    /// Sees the answer to a request.
    std::function<void(SlotAnswer&)> answered;
};

class SlotShim final : public sc_core::sc_module, private SlotForward, private SlotBackward {
  public:
    SlotTarget tsock{"tsock"};
    SlotInitiator isock{"isock"};

    SlotShim(const sc_core::sc_module_name& module_name, SlotHooks hooks);

  private:
    SlotStatus request_slot(const SlotRequest& request, SlotAnswer& answer) override;
    void commit(SlotTag tag, bool ok) override { isock->commit(tag, ok); }
    void hint(Cqn cqn) override { isock->hint(cqn); }
    void slot_answered(const SlotAnswer& answer) override;

    SlotHooks m_hooks;
};

/// When a QP on an SRQ is said to have ended all that it has taken (S2.26).
enum class LastWqeSaid : std::uint8_t {
    Behind,  ///< as it should be
    Never,
    AtOnce,  ///< when it goes to ERR
};

/// What a link between the QP table and a pipeline does not pass on, or passes on wrongly.
struct QpStateHooks {
    std::optional<QpState> forgets{};  ///< to the pipeline: that the QP went to this state
    bool forgets_failures = false;     ///< from the pipeline: that a request failed
    LastWqeSaid last_wqe = LastWqeSaid::Behind;
    unsigned limit_events = 1;     ///< from the pipeline: for each limit of an SRQ that is passed
    bool forgets_flushed = false;  ///< from the pipeline: that the first queue is through
    bool ignores_turns = false;    ///< to the pipeline: that it is to wait for the other queue
    bool drained_at_once = false;  ///< from the pipeline, in SQD: too early (S2.23)
    /// To the pipeline, in ERR: it flushes what it holds, and then takes requests and leaves them.
    std::optional<QpState> leaves_later_ones{};
};

class QpStateShim final : public sc_core::sc_module,
                          private QpStateForward,
                          private QpStateBackward {
  public:
    QpStateTarget tsock{"tsock"};
    QpStateInitiator isock{"isock"};

    QpStateShim(const sc_core::sc_module_name& module_name, const QpStateHooks& hooks);

  private:
    void qp_changed(const QpChange& change) override {
        if (m_hooks.forgets == change.after) {
            return;
        }
        QpChange passed = change;
        if (m_hooks.ignores_turns) {
            passed.turns = {};
        }
        isock->qp_changed(passed);
        if (m_hooks.drained_at_once && change.after == QpState::Sqd) {
            tsock->drained(change.qpn, change.generation);
        }
        if (m_hooks.last_wqe == LastWqeSaid::AtOnce && change.after == QpState::Err) {
            tsock->last_wqe_ended(change.qpn, change.generation);
        }
        if (m_hooks.leaves_later_ones && change.after == QpState::Err) {
            passed.after = *m_hooks.leaves_later_ones;
            passed.turns = {};
            isock->qp_changed(passed);
        }
    }
    void request_failed(Qpn qpn,
                        std::uint16_t generation,
                        QueueKind queue,
                        WcStatus status) override {
        if (!m_hooks.forgets_failures) {
            tsock->request_failed(qpn, generation, queue, status);
        }
    }
    void violated(Qpn qpn, std::uint16_t generation, AsyncEvent event) override {
        tsock->violated(qpn, generation, event);
    }
    void drained(Qpn qpn, std::uint16_t generation) override { tsock->drained(qpn, generation); }
    void last_wqe_ended(Qpn qpn, std::uint16_t generation) override {
        if (m_hooks.last_wqe == LastWqeSaid::Behind) {
            tsock->last_wqe_ended(qpn, generation);
        }
    }
    void srq_limit_reached(Srqn srqn) override {
        for (unsigned i = 0; i < m_hooks.limit_events; ++i) {
            tsock->srq_limit_reached(srqn);
        }
    }
    void flushed(Qpn qpn, std::uint16_t generation, QueueKind queue) override {
        if (!m_hooks.forgets_flushed) {
            tsock->flushed(qpn, generation, queue);
        }
    }

    QpStateHooks m_hooks;
};

/// What becomes of a write.
enum class WriteFate : std::uint8_t {
    Pass,
    Swallow,  ///< answered OK, and never done
    Twice,
    AfterNext,     ///< accepted, and passed on behind the write that follows
    Postpone,      ///< answered OK, and done behind the write that follows
    LoseResponse,  ///< done, but the response is not passed on
};

struct DmaHooks {
    /// Sees a write's payload before it goes out. With the socket it may do more, by
    /// `transport_dbg`.
    std::function<WriteFate(tlm::tlm_generic_payload&, tlm::tlm_initiator_socket<>&)> write;
};

class DmaShim final : public sc_core::sc_module,
                      private tlm::tlm_fw_transport_if<>,
                      private tlm::tlm_bw_transport_if<> {
  public:
    tlm::tlm_target_socket<> tsock{"tsock"};
    tlm::tlm_initiator_socket<> isock{"isock"};

    DmaShim(const sc_core::sc_module_name& module_name, DmaHooks hooks);

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload,
                                       tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
        isock->b_transport(payload, delay);
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
        return isock->transport_dbg(payload);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    void write_again(const tlm::tlm_generic_payload& payload);
    void write(std::uint64_t address, unsigned char* data, unsigned length);
    void pass_delayed();

    DmaHooks m_hooks;
    tlm::tlm_generic_payload* m_delayed = nullptr;
    const tlm::tlm_generic_payload* m_unanswered = nullptr;
    std::uint64_t m_postponed_address = 0;
    std::vector<unsigned char> m_postponed;  ///< empty: none
};

}  // namespace cqsim::tb::test
