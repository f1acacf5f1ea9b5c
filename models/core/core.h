// SPDX-License-Identifier: Apache-2.0
/// \file
/// The block without time: the rule objects of the modules, composed (P2).
///
/// Serves what has no use for a kernel: a reference model behind a C interface, an explorer of
/// states, a comparison with the timed engine. One completion at a time: what is offered is decided
/// when `step` is called, and its entry is in the ring when `step` returns.
#pragma once

#include "models/arbiter/arbiter_rules.h"
#include "models/cqe/native.h"
#include "models/overflow/overflow_rules.h"
#include "models/qp/qp_rules.h"

#include <optional>

namespace cqsim {

struct CoreConfig {
    std::uint32_t qps = 0;
    std::uint32_t cqs = 0;
    std::uint64_t seed = 1;
    ArbiterConfig arbiter;
    OverflowConfig overflow;
};

/// A copyable value: a copy goes on as the original would.
class Core {
  public:
    /// What became of an offer.
    enum class Offered : std::uint8_t {
        Suppressed,
        Taken,
        Held,      ///< a step that says `held_taken` follows; offer nothing on this queue kind
                   ///< before it
        NoCredit,  ///< not taken; a step that says `credit` follows for the work queue
        Cancelled  ///< it belongs to an earlier life of the QP's number
    };

    /// What one step did.
    struct Step {
        CompletionAnswer answer;
        SlotAnswer slot;        ///< granted: where `entry` goes
        native::Entry entry{};  ///< granted: its 64 bytes
        bool cq_err = false;    ///< raise CQ_ERR for the completion's CQ (S5.3b)
        QpRules::Effect qp;     ///< what that does to the QP (S5.3d, S5.3e)
        /// The reset or destroy of the QP that was open is done.
        bool life_over = false;
        Cqn cqn = kNoCq;

        /// The place that it left went to the completion held on this kind of queue.
        std::optional<QueueKind> held_taken;
        /// Or: this work queue, which got NoCredit, may be offered again.
        std::optional<WorkQueueId> credit;
    };

    explicit Core(const CoreConfig& config);

    CommandResult create_cq(const CreateCq& command) { return m_overflow.create(command); }
    CommandAnswer create_qp(const CreateQp& command) { return m_qps.create(command); }
    /// As the QP table answers. Of a life that ends: `done` says whether the command is done; if
    /// not, a step with `life_over` follows.
    QpRules::Answer modify_qp(const ModifyQp& command, bool& done);
    QpRules::Answer destroy_qp(Qpn qpn, bool& done);

    /// A pipeline ends a request with an error of its own: say so, and offer its completion.
    QpRules::Effect request_failed(Qpn qpn,
                                   std::uint16_t generation,
                                   QueueKind queue,
                                   WcStatus status) {
        return m_qps.request_failed(qpn, generation, queue, status);
    }
    /// A pipeline ends a request; `stamp` is any number that grows from one group of simultaneous
    /// arrivals to the next. One that is held counts as inside the block.
    Offered offer(const Completion& completion, std::uint64_t stamp);

    /// Serves the next completion; nothing when none waits.
    std::optional<Step> step();

    /// Software published this consumer index. False: no correct software writes it.
    bool consumer(Cqn cqn, std::uint32_t value) { return m_overflow.consumer_read(cqn, value); }

    const CqRow& cq(Cqn cqn) const { return m_overflow.row(cqn); }
    const QpRow& qp(Qpn qpn) const { return m_qps.row(qpn); }
    bool empty() const { return m_arbiter.empty(); }

    friend bool operator==(const Core& l, const Core& r) {
        return l.m_qps == r.m_qps && l.m_overflow == r.m_overflow && l.m_arbiter == r.m_arbiter;
    }
    std::uint64_t hash() const;

  private:
    void decide(const Completion& completion, Step& step);
    void make_room(const ArbiterRules::Room& room, Step& step);
    void refuse(const Completion& completion, OverflowRules::Verdict verdict, Step& step);
    void write(const Completion& completion, Step& step);

    QpRules m_qps;
    OverflowRules m_overflow;
    ArbiterRules m_arbiter;
};

}  // namespace cqsim
