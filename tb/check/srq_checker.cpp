// SPDX-License-Identifier: Apache-2.0
#include "tb/check/srq_checker.h"

#include "models/verbs/verbs.h"

#include <algorithm>
#include <cstring>

namespace cqsim::tb::check {
namespace {

std::string called(std::uint32_t srqn) {
    return "srq." + std::to_string(srqn);
}

}  // namespace

void SrqChecker::on_create(const Record& record) {
    if (record.qpn != kNoQp) {
        create_qp(record);
        return;
    }
    m_findings.checked(Rule::RecordContract);
    if (record.unit == 0 || record.index == 0 || srq_at(record.unit) != nullptr) {
        m_findings.fail(Rule::RecordContract,
                        record.time_ps,
                        called(record.unit).c_str(),
                        "impossible SRQ, or one created before: depth ",
                        record.index);
        return;
    }
    if (record.unit > m_srqs.size()) {
        m_srqs.resize(record.unit);
    }
    m_srqs[record.unit - 1].slots.resize(record.index);
}

void SrqChecker::create_qp(const Record& record) {
    const std::size_t index = index_of(record.qpn);
    const bool on_srq = (record.flags & kShared) != 0;
    if (index >= kMaxIds || (!on_srq && index >= m_qps.size())) {
        return;
    }
    if (index >= m_qps.size()) {
        m_qps.resize(index + 1);
    }
    m_qps[index] = Qp{};
    m_qps[index].srqn = on_srq ? record.unit : std::uint16_t{0};
}

void SrqChecker::on_post(const Record& record) {
    m_findings.checked(Rule::SharedRequest);
    if (slot_at(srq_at(record.unit), record.index) == nullptr) {
        m_findings.fail(Rule::RecordContract,
                        record.time_ps,
                        called(record.unit).c_str(),
                        "slot ",
                        record.index,
                        " is posted or taken, but there is no such SRQ or slot");
    } else if (record.qpn == kNoQp) {
        post(record);
    } else {
        take(record);
    }
}

void SrqChecker::post(const Record& record) {
    Srq& srq = *srq_at(record.unit);
    Slot& slot = srq.slots[record.index];
    if (slot.stage != Stage::Free) {
        m_findings.fail(Rule::SharedRequest,
                        record.time_ps,
                        called(record.unit).c_str(),
                        "slot ",
                        record.index,
                        " is posted again, but its last request ",
                        slot.stage == Stage::Waiting ? "was not taken yet"
                        : slot.stage == Stage::Taken ? "has not ended"
                        : slot.stage == Stage::Lost  ? "is lost: software cannot have seen its end"
                                                     : "has ended and software has not seen it");
        srq.waiting.erase(std::remove(srq.waiting.begin(), srq.waiting.end(), record.index),
                          srq.waiting.end());
    }
    slot = {record.serial, kNoQp, 0, Stage::Waiting};
    srq.waiting.push_back(record.index);
}

void SrqChecker::take(const Record& record) {
    Srq& srq = *srq_at(record.unit);
    Slot& slot = srq.slots[record.index];
    Qp* qp = qp_at(record.qpn);
    if (qp == nullptr || qp->srqn != record.unit || slot.stage != Stage::Waiting ||
        slot.serial != record.serial || srq.waiting.front() != record.index) {
        m_findings.fail(Rule::SharedRequest,
                        record.time_ps,
                        record.qpn,
                        "takes slot ",
                        record.index,
                        " (serial ",
                        record.serial,
                        ") of SRQ ",
                        record.unit,
                        qp == nullptr || qp->srqn != record.unit ? ", which is not its SRQ"
                        : slot.stage != Stage::Waiting           ? ", in which no request waits"
                        : slot.serial != record.serial ? ", in which another request waits"
                                                       : ", in which not the oldest request waits");
    }
    if (slot.stage == Stage::Waiting) {
        srq.waiting.erase(std::find(srq.waiting.begin(), srq.waiting.end(), record.index));
    }
    slot = {record.serial, record.qpn, record.generation, Stage::Taken};
    srq.passed = srq.passed || srq.waiting.size() < srq.limit;
    if (qp == nullptr) {
        return;
    }
    ++qp->open;
    m_findings.checked(Rule::LastWqe);
    if (qp->in_error) {
        m_findings.fail(Rule::LastWqe,
                        record.time_ps,
                        record.qpn,
                        "takes slot ",
                        record.index,
                        " of its SRQ, but it is in ERR");
    }
}

void SrqChecker::on_complete(const Record& record) {
    Qp* qp = qp_at(record.qpn);
    if (qp == nullptr) {
        return;  // a receive queue of its own
    }
    m_findings.checked(Rule::SharedRequest);
    Slot* slot = slot_at(srq_at(qp->srqn), record.index);
    const bool flushed = (record.flags & kFlushed) != 0;
    if (slot == nullptr || slot->stage != Stage::Taken || slot->taker != record.qpn ||
        slot->serial != record.serial) {
        m_findings.fail(flushed ? Rule::LastWqe : Rule::SharedRequest,
                        record.time_ps,
                        record.qpn,
                        flushed ? "flushes" : "ends",
                        " the request in slot ",
                        record.index,
                        " of its SRQ (serial ",
                        record.serial,
                        "), which it has not taken");
        return;
    }
    std::uint32_t srqn = qp->srqn;
    if (record.bytes != nullptr) {
        std::memcpy(&srqn, record.bytes + offsetof(CompletionDetails, srqn), sizeof srqn);
    }
    if (srqn != qp->srqn) {
        m_findings.fail(Rule::SharedRequest,
                        record.time_ps,
                        record.qpn,
                        "slot ",
                        record.index,
                        " ends as one of SRQ ",
                        srqn,
                        ", but the QP is on SRQ ",
                        qp->srqn);
    }
    slot->stage = Stage::Ended;
    --qp->open;
    if (qp->last_raised) {
        m_findings.fail(Rule::LastWqe,
                        record.time_ps,
                        record.qpn,
                        "slot ",
                        record.index,
                        " of its SRQ ends after QP_LAST_WQE_REACHED");
    }
}

void SrqChecker::on_outcome(const Record& record) {
    Qp* qp = qp_at(record.qpn);
    Slot* slot = qp == nullptr ? nullptr : slot_at(srq_at(qp->srqn), record.index);
    if (slot == nullptr || slot->taker != record.qpn || slot->serial != record.serial) {
        return;  // of what QueueChecker knows is wrong
    }
    const auto outcome = static_cast<Outcome>(record.state);
    if (outcome == Outcome::Cancelled) {
        qp->open -= slot->stage == Stage::Taken ? 1 : 0;
        slot->stage = Stage::Free;
    } else if (outcome == Outcome::Lost) {
        slot->stage = Stage::Lost;
    }
}

void SrqChecker::on_poll(const Record& record, std::uint32_t wqe) {
    const Qp* qp = qp_at(record.qpn);
    Slot* slot = qp == nullptr ? nullptr : slot_at(srq_at(qp->srqn), wqe);
    if (slot != nullptr && slot->stage == Stage::Ended && slot->taker == record.qpn) {
        slot->stage = Stage::Free;
    }
}

void SrqChecker::on_qp_state(const Record& record) {
    if (Qp* qp = qp_at(record.qpn)) {
        qp->in_error = static_cast<QpState>(record.state) == QpState::Err;
    }
}

void SrqChecker::on_async(const Record& record) {
    if (static_cast<AsyncEvent>(record.state) == AsyncEvent::QpLastWqeReached) {
        on_last_wqe(record);
    } else if (static_cast<AsyncEvent>(record.state) == AsyncEvent::SrqLimitReached) {
        on_limit(record);
    }
}

void SrqChecker::on_last_wqe(const Record& record) {
    m_findings.checked(Rule::LastWqe);
    Qp* qp = qp_at(record.qpn);
    if (qp == nullptr || !qp->in_error || qp->last_raised || qp->open != 0) {
        m_findings.fail(Rule::LastWqe,
                        record.time_ps,
                        record.qpn,
                        "QP_LAST_WQE_REACHED, but ",
                        qp == nullptr     ? "it is on no SRQ"
                        : !qp->in_error   ? "it is not in ERR"
                        : qp->last_raised ? "that was said before"
                                          : "requests that it has taken have not ended");
    }
    if (qp != nullptr) {
        qp->last_raised = true;
    }
}

void SrqChecker::on_modify(const Record& record) {
    if (Srq* srq = srq_at(record.unit)) {
        srq->limit = record.index;
    }
}

void SrqChecker::on_limit(const Record& record) {
    m_findings.checked(Rule::SrqLimit);
    Srq* srq = (record.flags & kShared) != 0 ? srq_at(record.unit) : nullptr;
    if (srq == nullptr || !srq->passed) {
        m_findings.fail(Rule::SrqLimit,
                        record.time_ps,
                        called(record.unit).c_str(),
                        "SRQ_LIMIT_REACHED, but no message has left fewer requests than a limit "
                        "that is armed");
    }
    if (srq != nullptr) {
        srq->limit = 0;
        srq->passed = false;
    }
}

/// S7.7, S7.1: entries that the life leaves in a ring are swept out, or stepped over; either way
/// their slots come back.
void SrqChecker::on_life_end(const Record& record) {
    Qp* qp = qp_at(record.qpn);
    Srq* srq = qp == nullptr ? nullptr : srq_at(qp->srqn);
    if (srq == nullptr) {
        return;
    }
    for (Slot& slot : srq->slots) {
        if (slot.stage == Stage::Ended && slot.taker == record.qpn &&
            slot.generation == record.generation) {
            slot.stage = Stage::Free;
        }
    }
    qp->in_error = false;
    qp->last_raised = false;
    qp->open = 0;
}

void SrqChecker::finish(std::uint64_t time_ps, bool idle) {
    for (std::uint32_t srqn = 1; srqn <= m_srqs.size(); ++srqn) {
        const Srq& srq = m_srqs[srqn - 1];
        if (srq.passed) {
            m_findings.fail(Rule::SrqLimit,
                            time_ps,
                            called(srqn).c_str(),
                            "was left with fewer requests than the armed limit of ",
                            srq.limit,
                            ", and never raised SRQ_LIMIT_REACHED");
        }
        for (std::size_t slot = 0; idle && slot < srq.slots.size(); ++slot) {
            if (srq.slots[slot].stage == Stage::Taken) {
                m_findings.fail(Rule::SharedRequest,
                                time_ps,
                                srq.slots[slot].taker,
                                "has taken slot ",
                                slot,
                                " of SRQ ",
                                srqn,
                                ", and it never ended");
            }
        }
    }
    for (std::uint32_t qpn = 0; idle && qpn < m_qps.size(); ++qpn) {
        const Qp& qp = m_qps[qpn];
        if (qp.srqn != 0 && qp.in_error && !qp.last_raised) {
            m_findings.fail(Rule::LastWqe,
                            time_ps,
                            Qpn{qpn},
                            "is on an SRQ and in ERR, and never raised QP_LAST_WQE_REACHED");
        }
    }
}

}  // namespace cqsim::tb::check
