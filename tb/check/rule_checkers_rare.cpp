// SPDX-License-Identifier: Apache-2.0
// The side of RuleCheckers that hands on the kinds of records of which there are few.
#include "tb/check/rule_checkers.h"

#include <algorithm>

namespace cqsim::tb::check {
namespace {

constexpr std::uint32_t kCqArm = 0x20;  // the register of the BAR, by its documentation

constexpr KindMask kEventKinds = mask_of(Kind::Arm) | mask_of(Kind::Event) | mask_of(Kind::Eqe) |
                                 mask_of(Kind::Irq) | mask_of(Kind::Ack) | mask_of(Kind::Refuse);
constexpr KindMask kLifeKinds =
    mask_of(Kind::Modify) | mask_of(Kind::Destroy) | mask_of(Kind::Sweep);
// Of devices and software that have them.
constexpr KindMask kOptionalKinds = mask_of(Kind::Resize) | mask_of(Kind::Query) |
                                    mask_of(Kind::UndefinedRead) | mask_of(Kind::Drain) |
                                    mask_of(Kind::Packet);

}  // namespace

KindMask RuleCheckers::needed_kinds() {
    return kinds() & ~kOptionalKinds;
}

KindMask RuleCheckers::kinds() {
    KindMask kinds = kEventKinds | kLifeKinds | kOptionalKinds;
    for (const Kind kind : {Kind::Post,
                            Kind::Complete,
                            Kind::Suppress,
                            Kind::Request,
                            Kind::Grant,
                            Kind::Slot,
                            Kind::Overrun,
                            Kind::CqeWrite,
                            Kind::CqeVisible,
                            Kind::Poll,
                            Kind::Ci,
                            Kind::Async,
                            Kind::QpState,
                            Kind::Flush,
                            Kind::Create,
                            Kind::UndefinedRead,
                            Kind::Outcome,
                            Kind::End}) {
        kinds |= mask_of(kind);
    }
    return kinds;
}

Record RuleCheckers::at_slot(const Record& record) {
    Record whole = record;
    whole.a -= Entry::kBytes;
    return whole;
}

void RuleCheckers::check_rare(const Record& record) {
    switch (record.kind) {
        case Kind::Overrun:
            check_refusal(record);
            break;
        case Kind::Async:
            check_async(record);
            break;
        case Kind::QpState:
            m_flush_order.on_qp_state(record);
            m_queues.on_qp_state(record, m_lives.ends(record.qpn));
            m_errors.on_qp_state(record);
            m_lives.on_qp_state(record);
            m_srqs.on_qp_state(record);
            m_types.on_qp_state(record);
            m_wire.on_qp_state(record);
            break;
        case Kind::Flush:
            m_queues.on_flush(record);
            m_errors.on_flush(record);
            m_lives.on_flush(record);
            break;
        case Kind::Create:
            create(record);
            break;
        case Kind::Resize:
            m_rings.on_resize(record);
            m_lives.on_resize(record);
            m_events.on_resize(record);
            break;
        case Kind::Query:
            m_rings.on_query(record);
            m_events.on_query(record);
            break;
        case Kind::Drain:
            m_drains.on_drained(record);
            break;
        case Kind::UndefinedRead:
            m_content.on_undefined_read(record);
            break;
        case Kind::Packet:
            m_wire.on_packet(record);
            break;
        case Kind::End:
            end(record);
            break;
        default:
            if ((mask_of(record.kind) & kEventKinds) != 0) {
                check_event(record);
            } else {
                check_life(record);
            }
            break;
    }
}

void RuleCheckers::create(const Record& record) {
    if (record.cqn != kNoCq) {
        m_rings.on_create(record);
        m_events.on_create(record);
        m_faults.on_create(record);
        m_lives.on_create(record);
    } else if (record.qpn != kNoQp) {
        m_queues.on_create(record);
        m_content.on_create(record);
        m_credits.on_create(record);
        m_errors.on_create(record);
        m_types.on_create(record);
        m_lives.on_create(record);
        m_wire.on_create(record);
        m_srqs.on_create(record);
    } else if ((record.flags & kShared) != 0) {
        m_srqs.on_create(record);
    } else {
        m_eqs.on_create(record);
    }
}

void RuleCheckers::check_async(const Record& record) {
    m_eqs.on_async(record);
    m_lives.on_async(record);
    m_wire.on_async(record);
    m_srqs.on_async(record);
    switch (static_cast<AsyncEvent>(record.state)) {
        case AsyncEvent::CqErr:
            if (m_rings.on_cq_error_event(record)) {
                m_failed_write.push_back(record.cqn);
            }
            m_events.on_cq_error(record);
            m_faults.on_cq_error(record);
            break;
        case AsyncEvent::QpFatal:
            m_errors.on_fatal(record, failed_write_of(record.qpn));
            m_faults.on_fatal(record);
            break;
        default:
            break;
    }
}

// S5.3d: one QP for each failed write; the others only when they use the CQ (S5.3e).
bool RuleCheckers::failed_write_of(Qpn qpn) {
    const auto cq = std::find_if(m_failed_write.begin(), m_failed_write.end(), [&](Cqn cqn) {
        return m_queues.reports_to(qpn, cqn);
    });
    if (cq == m_failed_write.end()) {
        return false;
    }
    m_failed_write.erase(cq);
    return true;
}

void RuleCheckers::check_event(const Record& record) {
    switch (record.kind) {
        case Kind::Arm:
            m_events.on_arm(record);
            break;
        case Kind::Event:
            m_events.on_event(record);
            m_eqs.on_event(record);
            break;
        case Kind::Eqe:
            if (record.bytes == nullptr || record.b != EventEntry::kBytes) {
                no_bytes(record);
            } else {
                check_event_entry(record, EventEntry::at(record.bytes));
            }
            break;
        case Kind::Irq:
            m_eqs.on_interrupt(record);
            break;
        case Kind::Ack:
            m_eqs.on_ack(record);
            break;
        case Kind::Refuse:
            check_refused_command(record);
            break;
        default:
            break;
    }
}

void RuleCheckers::check_event_entry(const Record& record, const EventEntry& entry) {
    if (m_eqs.before_earlier_ones(record)) {
        m_held.push_back({record, entry});
        return;
    }
    if (m_eqs.on_entry(record, entry)) {
        m_events.on_entry(record);
    }
    if (!m_held.empty()) {
        check_held(record);
    }
}

void RuleCheckers::check_refused_command(const Record& record) {
    if (record.index == 0) {
        m_lives.on_refused(record);  // a command: nothing was said before
        return;
    }
    if (record.cqn != kNoCq) {
        if (record.index == kCqArm) {  // of a consumer index, its `ci` has told what is wrong
            m_events.on_refused_arm(record);
        }
    } else {
        m_eqs.on_refused_ack(record.unit);
    }
}

void RuleCheckers::check_life(const Record& record) {
    const bool of_cq = record.cqn != kNoCq;
    if (record.kind == Kind::Modify) {
        if ((record.flags & kShared) != 0) {
            m_srqs.on_modify(record);
        } else if (of_cq) {
            m_events.on_modify(record);
        } else {
            m_lives.on_modify(record);
            m_types.on_modify(record);
        }
    } else if (record.kind == Kind::Destroy && of_cq) {
        m_lives.on_destroy_cq(record);
        m_events.on_destroy(record);
        if (static_cast<DestroyPhase>(record.state) == DestroyPhase::Done) {
            m_rings.on_gone(record);
            m_held.erase(std::remove_if(m_held.begin(),
                                        m_held.end(),
                                        [&](const Held& held) {
                                            return held.record.kind == Kind::CqeVisible &&
                                                   held.record.cqn == record.cqn;
                                        }),
                         m_held.end());
            m_failed_write.erase(
                std::remove(m_failed_write.begin(), m_failed_write.end(), record.cqn),
                m_failed_write.end());
        }
    } else if (record.kind == Kind::Destroy) {
        const LifeChecker::End end = m_lives.on_destroy_qp(record, m_rings.grants());
        if (end != LifeChecker::End::Nothing) {
            m_queues.on_life_end(record, end == LifeChecker::End::Qp);
            m_errors.on_life_end(record);
            m_srqs.on_life_end(record);
            m_types.on_life_end(record);
            m_credits.on_life_end(record);
            m_drains.on_life_end(record);
            m_wire.on_life_end(record);
        }
    }
}

void RuleCheckers::check_refusal(const Record& record) {
    const bool claimed = m_queues.on_overrun(record);
    if (claimed) {
        m_decisions.add(record);
    }
    m_rings.on_overrun(record, claimed);
    if (!m_lives.ends(record.qpn)) {  // D3: a life that is over goes to no state any more
        m_errors.on_overrun(record);
        m_types.on_refused(record);
    }
    m_faults.on_overrun(record);
}

void RuleCheckers::finish() {
    m_findings.checked(Rule::RecordContract);
    if (!m_ended) {
        m_findings.fail(Rule::RecordContract,
                        m_now_ps,
                        "run",
                        "the records stop without one that ends the run");
    }
    m_rings.finish(m_now_ps, m_idle);
    m_errors.finish(m_now_ps, m_idle);
    m_lives.finish(m_now_ps, m_idle);
    m_wire.finish(m_now_ps, m_idle);
    m_srqs.finish(m_now_ps, m_idle);
}

}  // namespace cqsim::tb::check
