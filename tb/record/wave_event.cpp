// SPDX-License-Identifier: Apache-2.0
#include "tb/record/wave_event.h"

#include "models/verbs/verbs.h"

namespace cqsim::tb {
namespace {

VcdText open_with_notes(VcdWriter& vcd) {
    vcd.open_scope("event_arbiter");
    return vcd.add_text("notes");
}

}  // namespace

EventWaves::EventWaves(VcdWriter& vcd, const WavePlan& plan)
    : m_notes(open_with_notes(vcd)),
      m_eqs(vcd, plan),
      m_arms(vcd, plan) {
    vcd.close_scope();
}

bool EventWaves::take(const Record& record) {
    switch (record.kind) {
        case Kind::Create:
            return create(record);
        case Kind::Modify:
            return record.cqn == kNoCq || m_arms.moderate(record);
        case Kind::CqeVisible:
            return m_arms.visible(record);
        case Kind::Arm:
            return m_arms.arm(record);
        case Kind::Event:
            return event(record);
        case Kind::Eqe:
            return entry(record);
        case Kind::Irq:
            m_eqs.interrupt(record);
            return true;
        case Kind::Ack:
            return m_eqs.ack(record);
        case Kind::Async:
            async(record);
            return true;
        case Kind::Destroy:
            destroy(record);
            return true;
        case Kind::Refuse:
            refuse(record);
            return true;
        default:
            return true;
    }
}

bool EventWaves::create(const Record& record) {
    if (record.cqn != kNoCq) {
        return m_arms.create(record);
    }
    return record.qpn != kNoQp || (record.flags & kShared) != 0 || m_eqs.create(record);
}

bool EventWaves::event(const Record& record) {
    const bool is_first = !m_arms.reported(record.cqn);
    if (!m_arms.event(record)) {
        return false;
    }
    if (is_first) {
        m_eqs.wait(record.unit);  // else it shares the entry that is still to come
    }
    return true;
}

bool EventWaves::entry(const Record& record) {
    if (record.state == kCompletionEqe) {
        wait_no_more(record.cqn);
    } else {
        m_eqs.wait_no_more(record.unit);
    }
    return m_eqs.entry(record);
}

void EventWaves::async(const Record& record) {
    const auto what = static_cast<AsyncEvent>(record.state);
    if (what == AsyncEvent::DeviceFatal) {
        m_eqs.device_fatal(record.unit);
    } else if (what == AsyncEvent::CqErr) {
        wait_no_more(record.cqn);  // S6.16
        m_arms.error(record.cqn);
    }
    m_eqs.wait(m_eqs.async_eqn());
}

void EventWaves::destroy(const Record& record) {
    if (record.cqn != kNoCq && static_cast<DestroyPhase>(record.state) == DestroyPhase::Done) {
        wait_no_more(record.cqn);
        m_arms.destroy(record.cqn);
    }
}

void EventWaves::refuse(const Record& record) {
    if (record.index == 0) {
        return;  // a command
    }
    if (record.cqn != kNoCq) {
        m_arms.refuse_arm(record.cqn);
    } else {
        m_eqs.refuse_ack(record.unit);
    }
}

void EventWaves::wait_no_more(Cqn cqn) {
    if (m_arms.reported(cqn)) {
        m_arms.answered(cqn);
        m_eqs.wait_no_more(m_arms.eqn(cqn));
    }
}

}  // namespace cqsim::tb
