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

QpRules::Answer Core::modify_qp(const ModifyQp& command, bool& done) {
    const QpRules::Answer answer = m_qps.modify(command);
    done = !answer.ends_life || m_qps.finish_life(command.qpn);
    return answer;
}

QpRules::Answer Core::destroy_qp(Qpn qpn, bool& done) {
    const QpRules::Answer answer = m_qps.destroy(qpn);
    done = !answer.ends_life || m_qps.finish_life(qpn);
    return answer;
}

Core::Offered Core::offer(const Completion& completion, std::uint64_t stamp) {
    const Admission admission = m_qps.lookup(completion.qpn, completion.queue);
    if (completion.generation != admission.generation) {
        return Offered::Cancelled;
    }
    const bool reports = completion.queue == QueueKind::Send
                             ? TxTapRule::reports(completion, admission.sq_sig_all)
                             : RxTapRule::reports(completion, admission.sq_sig_all);
    if (!reports) {
        return Offered::Suppressed;
    }
    Completion stamped = completion;
    stamped.cqn = admission.cqn;
    const ArbiterPort port =
        completion.queue == QueueKind::Send ? ArbiterPort::Tx : ArbiterPort::Rx;
    const ArbiterRules::Offer offered = m_arbiter.offer(port, stamped, TimePs{stamp});
    if (offered == ArbiterRules::Offer::NoCredit) {
        return Offered::NoCredit;
    }
    m_qps.entered(stamped.qpn, stamped.queue);
    return offered == ArbiterRules::Offer::Held ? Offered::Held : Offered::Taken;
}

std::optional<Core::Step> Core::step() {
    if (m_arbiter.empty()) {
        return std::nullopt;
    }
    const EntryId entry = m_arbiter.next();
    const Completion completion = m_arbiter.completion(entry);
    Step step;
    step.cqn = completion.cqn;
    if (m_qps.live(completion.qpn, completion.generation)) {
        decide(completion, step);
    } else {
        step.answer = answer_to(completion, Outcome::Cancelled);  // D3
    }
    m_qps.left(completion.qpn, completion.queue);
    step.life_over = m_qps.finish_life(completion.qpn);
    make_room(m_arbiter.release(entry), step);  // after the decision, as the arbiter's module does
    return step;
}

void Core::decide(const Completion& completion, Step& step) {
    // The consumer index is always fresh here: who publishes it calls `consumer`.
    const OverflowRules::Verdict verdict =
        m_overflow.request(slot_request_for(completion), true, step.slot);
    if (verdict == OverflowRules::Verdict::Granted) {
        write(completion, step);
    } else {
        refuse(completion, verdict, step);
    }
}

void Core::make_room(const ArbiterRules::Room& room, Step& step) {
    if (room.held_taken) {
        step.held_taken = m_arbiter.completion(room.entry).queue;
    } else if (room.credit) {
        step.credit = room.work_queue;
    }
}

void Core::write(const Completion& completion, Step& step) {
    native::encode(completion, step.slot.owner, step.entry.data());
    m_overflow.commit(step.slot.tag, true);
    PublishedEntry published;
    while (m_overflow.publish_next(completion.cqn, published)) {
    }
    step.answer = answer_to(completion, Outcome::Granted);
}

void Core::refuse(const Completion& completion, OverflowRules::Verdict verdict, Step& step) {
    step.cq_err = verdict == OverflowRules::Verdict::Overrun;
    step.qp = m_qps.cq_unusable(completion.qpn, completion.generation);
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
