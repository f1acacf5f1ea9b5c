// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shims that answer late (design D1): they stand in a link, answer 'accepted' to everything, and
/// pass every call and every answer on after a fixed delay. With them a run shows that no block
/// hangs on an answer that comes at once.
///
/// There is a shim for each link on which an answer may be late by its protocol: completions
/// (pipeline to tap, tap to arbiter, arbiter to writer), slots and commits (writer to overflow
/// checker), and the two memory-mapped ones (entries, doorbell records). The others have no shim
/// since their calls have nothing to be late with: `lookup` of the QP table and the commands answer
/// by what they return and have no backward call; `entered`, `left`, `cq_unusable`, `qp_changed`
/// and the software's `polled` keep an owner's state true at the instant at which it is asked for
/// (P1). `hint` is passed on at once: it has no effect on results.
#pragma once

#include "models/protocol/completion_link.h"
#include "models/protocol/slot_link.h"
#include "models/rows/due_ring.h"
#include "models/time/timeline.h"

#include <systemc>
#include <tlm>

namespace cqsim {

/// Calls of one kind or another that are passed on later, in the order in which they came.
template <class Call>
class DelayLine : private TimedBlock {
  public:
    DelayLine(Timeline& timeline, TimePs delay)
        : m_timeline(timeline),
          m_slot(timeline.attach(*this, Rank::RxPipeline)),
          m_delay(delay) {}

  protected:
    void later(const Call& call) { later_by(call, TimePs{}); }
    void later_by(const Call& call, TimePs more) {
        m_last = later_of(m_last, m_timeline.now() + m_delay + more);
        m_calls.push(Timed{m_last, call});
        m_timeline.at(m_slot, m_calls.front().at);
    }
    virtual void pass_on(const Call& call) = 0;
    ~DelayLine() = default;

  private:
    struct Timed {
        TimePs at;
        Call call;
    };

    void due(TimePs now) override {
        while (!m_calls.empty() && m_calls.front().at <= now) {
            const Call call = m_calls.front().call;
            m_calls.pop();
            pass_on(call);
        }
        if (!m_calls.empty()) {
            m_timeline.at(m_slot, m_calls.front().at);
        }
    }

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    TimePs m_delay;
    TimePs m_last{};
    DueRing<Timed> m_calls;
};

struct CompletionCall {
    enum class What : std::uint8_t { Offer, OfferDone, Credit, Decline, Answer } what{};
    OfferReply reply;
    QueueKind queue{};
    Qpn qpn = kNoQp;
    CompletionAnswer answer;
};

class CompletionDelay final : public sc_core::sc_module,
                              private CompletionForward,
                              private CompletionBackward,
                              private DelayLine<CompletionCall> {
  public:
    CompletionTarget tsock{"tsock"};
    CompletionInitiator isock{"isock"};

    CompletionDelay(const sc_core::sc_module_name& module_name, Timeline& timeline, TimePs delay);

  private:
    OfferReply offer(Completion& completion) override;
    void decline(Qpn qpn, QueueKind queue) override;
    void hint(Qpn qpn, Cqn cqn) override { isock->hint(qpn, cqn); }
    void offer_done(const OfferReply& reply) override;
    void credit(Qpn qpn, QueueKind queue) override;
    void answered(const CompletionAnswer& answer) override;
    void pass_on(const CompletionCall& call) override;

    Completion m_offered{};
};

struct SlotCall {
    enum class What : std::uint8_t { Request, Answer, Commit } what{};
    bool ok = false;
    SlotTag tag = kNoTag;
    SlotRequest request;
    SlotAnswer answer;
};

class SlotDelay final : public sc_core::sc_module,
                        private SlotForward,
                        private SlotBackward,
                        private DelayLine<SlotCall> {
  public:
    SlotTarget tsock{"tsock"};
    SlotInitiator isock{"isock"};

    SlotDelay(const sc_core::sc_module_name& module_name, Timeline& timeline, TimePs delay);

  private:
    SlotStatus request_slot(const SlotRequest& request, SlotAnswer& answer) override;
    void commit(SlotTag tag, bool ok) override;
    void hint(Cqn cqn) override { isock->hint(cqn); }
    void slot_answered(const SlotAnswer& answer) override;
    void pass_on(const SlotCall& call) override;
};

struct DmaCall {
    enum class What : std::uint8_t { Request, EndRequest, Response, EndResponse } what{};
    bool owes_end_resp = false;  ///< a response that the target does not hold to be over yet
    tlm::tlm_generic_payload* payload = nullptr;
};

/// On the base protocol: turns every exchange into one of four phases on the initiator's side, and
/// ends on the target's side what the target has not ended itself. One response at a time.
class DmaDelay final : public sc_core::sc_module,
                       private tlm::tlm_fw_transport_if<>,
                       private tlm::tlm_bw_transport_if<>,
                       private DelayLine<DmaCall> {
  public:
    tlm::tlm_target_socket<> tsock{"tsock"};
    tlm::tlm_initiator_socket<> isock{"isock"};

    DmaDelay(const sc_core::sc_module_name& module_name, Timeline& timeline, TimePs delay);

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
    void pass_on(const DmaCall& call) override;
    void request(tlm::tlm_generic_payload& payload);
    void respond(const DmaCall& response);
    void end_response();

    DmaCall m_response;            ///< begun and not ended; no payload: none
    DueRing<DmaCall> m_responses;  ///< wait for their turn
};

}  // namespace cqsim
