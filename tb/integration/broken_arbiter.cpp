// SPDX-License-Identifier: Apache-2.0
#include "tb/integration/broken_arbiter.h"

#include <deque>

namespace cqsim::tb::test {
namespace {

class BrokenArbiter final : public CompletionArbiterPorts,
                            private CompletionForward,
                            private CompletionBackward,
                            private TimedBlock {
  public:
    BrokenArbiter(const sc_core::sc_module_name& module_name,
                  const BlockContext& context,
                  ArbiterOrder order)
        : CompletionArbiterPorts(module_name),
          m_timeline(context.timeline),
          m_slot(context.timeline.attach(*this, Rank::Arbiter)),
          m_records(context.records),
          m_source(context.records.intern(name())),
          m_order(order) {
        tx_tsock.bind(static_cast<CompletionForward&>(*this));
        rx_tsock.bind(static_cast<CompletionForward&>(*this));
        writer_isock.bind(static_cast<CompletionBackward&>(*this));
    }

  private:
    OfferReply offer(Completion& completion) override {
        observe(Kind::Request, completion);
        m_waiting.push_back(completion);
        if (m_order == ArbiterOrder::Arrival) {
            pass_on();
        } else if (!m_writer_holds) {
            m_timeline.at(m_slot, later_of(m_timeline.now(), m_ready_at));
        }
        return {};
    }
    void decline(Qpn /*qpn*/, QueueKind /*queue*/) override {}
    void hint(Qpn /*qpn*/, Cqn /*cqn*/) override {}
    void offer_done(const OfferReply& reply) override {
        m_writer_holds = false;
        m_ready_at = reply.ready_at;
        m_timeline.at(m_slot, later_of(m_timeline.now(), m_ready_at));
    }
    void credit(Qpn /*qpn*/, QueueKind /*queue*/) override {}
    void answered(const CompletionAnswer& answer) override {
        CompletionTarget& socket = answer.queue == QueueKind::Send ? tx_tsock : rx_tsock;
        socket->answered(answer);
    }
    void due(TimePs /*now*/) override { pass_on(); }

    void pass_on() {
        while (!m_writer_holds && !m_waiting.empty()) {
            if (m_order == ArbiterOrder::NewestFirst && m_timeline.now() < m_ready_at) {
                m_timeline.at(m_slot, m_ready_at);
                return;
            }
            grant_one();
        }
    }

    void grant_one() {
        Completion next;
        if (m_order == ArbiterOrder::NewestFirst) {
            next = m_waiting.back();
            m_waiting.pop_back();
        } else {
            next = m_waiting.front();
            m_waiting.pop_front();
        }
        observe(Kind::Grant, next);
        const OfferReply reply = writer_isock->offer(next);
        m_writer_holds = reply.status == OfferStatus::Held;
        m_ready_at = reply.ready_at;
    }

    void observe(Kind kind, const Completion& completion) {
        if (Record* record = m_records.open(kind, m_source, m_timeline.now())) {
            record->cqn = completion.cqn;
            record->qpn = completion.qpn;
            record->generation = completion.generation;
            record->queue = completion.queue;
            record->serial = completion.serial;
            record->a = m_waiting.size();
        }
    }

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    RecordStream& m_records;
    std::uint8_t m_source;
    ArbiterOrder m_order;
    std::deque<Completion> m_waiting;
    TimePs m_ready_at{};
    bool m_writer_holds = false;
};

}  // namespace

std::unique_ptr<CompletionArbiterPorts> make_broken_arbiter(const char* name,
                                                            const BlockContext& context,
                                                            ArbiterOrder order) {
    return std::make_unique<BrokenArbiter>(name, context, order);
}

}  // namespace cqsim::tb::test
