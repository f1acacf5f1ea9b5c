// SPDX-License-Identifier: Apache-2.0
#include "models/core/core.h"

#include "models/tap/tap_rules.h"

namespace cqsim {

Core::Core(const CoreConfig& config)
    : m_qps(Rows<QpRow>(config.qps), config.cqs),
      m_overflow(config.overflow, Rows<CqRow>(config.cqs)),
      m_arbiter(
          config.arbiter, config.qps, config.cqs, config.seed, Rows<RequesterRow>(config.qps)) {
}

Core::Offered Core::offer(const Completion& completion, std::uint64_t stamp, bool& failed) {
    const Admission admission = m_qps.lookup(completion.qpn, completion.queue);
    const bool reports = completion.queue == QueueKind::Send
                             ? TxTapRule::reports(completion, admission.sq_sig_all)
                             : RxTapRule::reports(completion, admission.sq_sig_all);
    failed = false;
    if (!reports) {
        return Offered::Suppressed;
    }
    Completion stamped = completion;
    stamped.cqn = admission.cqn;
    stamped.generation = admission.generation;
    const ArbiterPort port =
        completion.queue == QueueKind::Send ? ArbiterPort::Tx : ArbiterPort::Rx;
    switch (m_arbiter.offer(port, stamped, TimePs{stamp})) {
        case ArbiterRules::Offer::NoCredit:
            return Offered::NoCredit;
        case ArbiterRules::Offer::Held:
            return Offered::Held;
        case ArbiterRules::Offer::Taken:
            break;
    }
    failed = enter(stamped);
    return Offered::Taken;
}

/// \returns whether its QP has just gone to ERR by it.
bool Core::enter(const Completion& completion) {
    return m_qps.entered(completion.qpn, completion.status).to_err;
}

std::optional<Core::Step> Core::step() {
    if (m_arbiter.empty()) {
        return std::nullopt;
    }
    const EntryId entry = m_arbiter.next();
    const Completion completion = m_arbiter.completion(entry);
    Step step;
    step.cqn = completion.cqn;
    // The consumer index is always fresh here: who publishes it calls `consumer`.
    const OverflowRules::Verdict verdict =
        m_overflow.request(slot_request_for(completion), true, step.slot);
    if (verdict == OverflowRules::Verdict::Granted) {
        write(completion, step);
    } else {
        refuse(completion, verdict, step);
    }
    m_qps.left(completion.qpn);
    make_room(m_arbiter.release(entry), step);  // after the decision, as the arbiter's module does
    return step;
}

void Core::make_room(const ArbiterRules::Room& room, Step& step) {
    if (room.held_taken) {
        const Completion& taken = m_arbiter.completion(room.entry);
        step.held_taken = taken.queue;
        step.held_failed = enter(taken);
    } else if (room.credit) {
        step.credit = room.work_queue;
    }
}

void Core::write(const Completion& completion, Step& step) {
    native::encode(completion, step.slot.owner, step.entry.data());
    m_overflow.commit(step.slot.tag, true);
    OverflowRules::Published published;
    while (m_overflow.publish_next(completion.cqn, published)) {
    }
    step.answer = answer_to(completion, Outcome::Granted);
}

void Core::refuse(const Completion& completion, OverflowRules::Verdict verdict, Step& step) {
    step.cq_err = verdict == OverflowRules::Verdict::Overrun;
    const QpRules::Effect effect = m_qps.cq_unusable(completion.qpn, completion.generation);
    step.to_err = effect.to_err;
    step.qp_fatal = effect.qp_fatal;
    step.answer = answer_to(completion, Outcome::Lost, step.slot.cause);
}

std::uint64_t Core::hash() const {
    Hasher hasher;
    hasher.add(m_qps.hash());
    hasher.add(m_overflow.hash());
    hasher.add(m_arbiter.hash());
    return hasher.value();
}

}  // namespace cqsim
