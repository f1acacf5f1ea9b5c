// SPDX-License-Identifier: Apache-2.0
/// \file
/// The completion arbiter: the entry to the one serialized path.
#pragma once

#include "models/arbiter/arbiter_rules.h"
#include "models/observe/record_stream.h"
#include "models/protocol/completion_link.h"
#include "models/time/timeline.h"

#include <systemc>

namespace cqsim {

/// The sockets of an arbiter: what any replacement must have.
class CompletionArbiterPorts : public sc_core::sc_module {
  public:
    CompletionTarget tx_tsock{"tx_tsock"};
    CompletionTarget rx_tsock{"rx_tsock"};
    CompletionInitiator writer_isock{"writer_isock"};

  protected:
    explicit CompletionArbiterPorts(const sc_core::sc_module_name& name)
        : sc_module(name) {}
};

/// Collects the completions of a time stamp from both taps, then offers them to the writer in the
/// order of `ArbiterRules`, one whenever the writer is ready. Itself takes no time.
class CompletionArbiter final : public CompletionArbiterPorts,
                                private CompletionBackward,
                                private TimedBlock {
  public:
    CompletionArbiter(const sc_core::sc_module_name& module_name,
                      Timeline& timeline,
                      RecordStream& records,
                      ArbiterRules rules);

    std::uint64_t grants() const { return m_grants; }
    /// Completions that wait inside.
    std::uint32_t queued() const { return m_rules.inside(); }

  private:
    /// One input: knows which port it is.
    class Input final : public CompletionForward {
      public:
        Input(CompletionArbiter& arbiter, ArbiterPort port)
            : m_arbiter(arbiter),
              m_port(port) {}
        OfferReply offer(Completion& completion) override {
            return m_arbiter.arrive(m_port, completion);
        }
        void decline(Qpn qpn, QueueKind /*queue*/) override { m_arbiter.decline(m_port, qpn); }
        void hint(Qpn qpn, Cqn cqn) override { m_arbiter.hint(qpn, cqn); }

      private:
        CompletionArbiter& m_arbiter;
        ArbiterPort m_port;
    };

    OfferReply arrive(ArbiterPort port, const Completion& completion);
    void decline(ArbiterPort port, Qpn qpn) { make_room(m_rules.decline(port, qpn)); }
    void hint(Qpn qpn, Cqn cqn);

    void offer_done(const OfferReply& reply) override;
    void credit(Qpn qpn, QueueKind queue) override;
    void answered(const CompletionAnswer& answer) override;

    void due(TimePs now) override;
    void grant(EntryId entry, TimePs now);
    void make_room(const ArbiterRules::Room& room);
    Record& observe(Kind kind, const Completion& completion, std::uint32_t queued);
    CompletionTarget& port_socket(ArbiterPort port) {
        return port == ArbiterPort::Tx ? tx_tsock : rx_tsock;
    }

    Timeline& m_timeline;
    Timeline::Slot m_slot;
    RecordStream& m_records;
    std::uint8_t m_source;
    Input m_tx{*this, ArbiterPort::Tx};
    Input m_rx{*this, ArbiterPort::Rx};

    ArbiterRules m_rules;
    TimePs m_ready_at{};          ///< the writer looks at nothing before this
    bool m_writer_holds = false;  ///< the writer holds one: wait for `offer_done`
    std::uint64_t m_grants = 0;
};

}  // namespace cqsim
