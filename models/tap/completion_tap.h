// SPDX-License-Identifier: Apache-2.0
/// \file
/// The two completion taps: where a pipeline ends and the block begins.
#pragma once

#include "models/observe/record_stream.h"
#include "models/protocol/completion_link.h"
#include "models/protocol/qp_link.h"
#include "models/tap/tap_records.h"
#include "models/tap/tap_rules.h"
#include "models/time/timeline.h"

#include <systemc>

#include <string>

namespace cqsim {

/// The sockets of a tap: what any replacement must have.
class CompletionTapPorts : public sc_core::sc_module {
  public:
    CompletionTarget pipeline_tsock{"pipeline_tsock"};
    CompletionInitiator arbiter_isock{"arbiter_isock"};
    QpAdmitInitiator qp_isock{"qp_isock"};

  protected:
    explicit CompletionTapPorts(const sc_core::sc_module_name& name)
        : sc_module(name) {}
};

/// A tap: looks up where the QP reports to, stamps the CQ number, and passes on what `Rule` says is
/// reported; answers the rest `suppressed` at once, and what belongs to an earlier life of the QP's
/// number `cancelled` (D3). Takes no time and holds no completion of its own but the one that the
/// arbiter holds.
template <class Rule>
class CompletionTap final : public CompletionTapPorts,
                            private CompletionForward,
                            private CompletionBackward,
                            private NoBackward<QpAdmitProtocol> {
  public:
    CompletionTap(const sc_core::sc_module_name& module_name,
                  Timeline& timeline,
                  RecordStream& records)
        : CompletionTapPorts(module_name),
          m_timeline(timeline),
          m_records(records),
          m_source(records.intern(name())) {
        pipeline_tsock.bind(static_cast<CompletionForward&>(*this));
        arbiter_isock.bind(static_cast<CompletionBackward&>(*this));
        qp_isock.bind(static_cast<NoBackward<QpAdmitProtocol>&>(*this));
    }

    std::uint64_t reported() const { return m_reported; }
    std::uint64_t suppressed() const { return m_suppressed; }

  private:
    OfferReply offer(Completion& completion) override {
        const Admission admission = qp_isock->lookup(completion.qpn, completion.queue);
        if (completion.generation != admission.generation) {
            pipeline_tsock->answered(answer_to(completion, Outcome::Cancelled));
            return {};
        }
        completion.cqn = admission.cqn;
        if (!Rule::reports(completion, admission.sq_sig_all)) {
            suppress(completion);
            return {};
        }
        const OfferReply reply = arbiter_isock->offer(completion);
        if (reply.status == OfferStatus::Taken) {
            admit(completion);
        } else if (reply.status == OfferStatus::Held) {
            qp_isock->entered(completion);
            m_held = completion;
        }
        return reply;
    }

    void decline(Qpn qpn, QueueKind queue) override { arbiter_isock->decline(qpn, queue); }
    void hint(Qpn qpn, Cqn /*cqn*/) override {
        arbiter_isock->hint(qpn, qp_isock->lookup(qpn, Rule::kQueue).cqn);
    }

    void offer_done(const OfferReply& reply) override {
        if (reply.status == OfferStatus::Taken) {
            ++m_reported;
        }
        pipeline_tsock->offer_done(reply);
        if (reply.status == OfferStatus::NoCredit) {
            qp_isock->turned_away(m_held);
        }
    }
    void credit(Qpn qpn, QueueKind queue) override { pipeline_tsock->credit(qpn, queue); }
    void answered(const CompletionAnswer& answer) override { pipeline_tsock->answered(answer); }

    void admit(const Completion& completion) {
        ++m_reported;
        qp_isock->entered(completion);
    }

    void suppress(const Completion& completion) {
        ++m_suppressed;
        if (Record* record = m_records.open(Kind::Suppress, m_source, m_timeline.now())) {
            describe_ended(*record, completion);
        }
        pipeline_tsock->answered(answer_to(completion, Outcome::Suppressed));
    }

    Timeline& m_timeline;
    RecordStream& m_records;
    std::uint8_t m_source;
    std::uint64_t m_reported = 0;
    std::uint64_t m_suppressed = 0;
    Completion m_held{};
};

using TxCompletionTap = CompletionTap<TxTapRule>;
using RxCompletionTap = CompletionTap<RxTapRule>;

}  // namespace cqsim
