// SPDX-License-Identifier: Apache-2.0
// The side of LegalStream that arms, reports and interrupts, and ends lives.
#include "tb/unit/check_stream.h"

#include <cstring>

namespace cqsim::tb {
namespace {

constexpr std::uint64_t kEqRings = 0x2000'0000;
constexpr std::uint64_t kVectors = 0x8000'0000;
constexpr std::uint32_t kCqArm = 0x20;
constexpr std::uint16_t kEqStride = 64;

}  // namespace

void LegalStream::create_eqs() {
    const auto eqs = static_cast<std::uint16_t>(m_eq.size());
    for (std::uint16_t eqn = 0; eqn < eqs; ++eqn) {
        Record create = record(Kind::Create);
        create.unit = eqn;
        create.a = kEqRings + std::uint64_t{eqn} * 4096;
        create.index = m_options.eq_depth;
        create.b = kEqStride;
        create.serial = eqn;
        create.state =
            static_cast<std::uint8_t>(eqn == m_options.eqs ? EqKind::Async : EqKind::Completion);
        emit(create);
    }
}

void LegalStream::arm(std::uint32_t cq, ArmKind kind) {
    Record arm = record(Kind::Arm);
    arm.cqn = Cqn{cq};
    arm.index = narrow(m_cq[cq].polled);
    arm.state = static_cast<std::uint8_t>(kind);
    emit(arm);
}

void LegalStream::arm_behind(std::uint32_t cq, std::uint32_t behind) {
    Record arm = record(Kind::Arm);
    arm.cqn = Cqn{cq};
    arm.index = narrow(m_cq[cq].polled - behind);
    emit(arm);
}

void LegalStream::refuse_arm(std::uint32_t cq) {
    Record refuse = record(Kind::Refuse);
    refuse.cqn = Cqn{cq};
    refuse.index = kCqArm;
    refuse.state = static_cast<std::uint8_t>(CommandResult::Invalid);
    emit(refuse);
}

void LegalStream::moderate(std::uint32_t cq, std::uint32_t count, std::uint64_t period_ps) {
    Record modify = record(Kind::Modify);
    modify.cqn = Cqn{cq};
    modify.index = count;
    modify.a = period_ps;
    emit(modify);
}

void LegalStream::event(std::uint32_t cq, EventCause cause, std::uint32_t entries) {
    Record event = record(Kind::Event);
    event.cqn = Cqn{cq};
    event.unit = eqn_of(cq);
    event.index = narrow(m_cq[cq].visible - 1);
    event.state = static_cast<std::uint8_t>(cause);
    event.a = entries;
    emit(event);
}

void LegalStream::emit_entry(std::uint16_t eqn, EqeType type, Cqn cqn, Qpn qpn) {
    m_now += kStepPs;
    Eq& eq = m_eq[eqn];
    const std::uint32_t slot = eq.written % m_options.eq_depth;
    const std::uint32_t owner = eq.written / m_options.eq_depth % 2;
    ++eq.written;
    Entry bytes{};
    const std::uint32_t cq_number = index_of(cqn);
    const std::uint32_t qp_number = index_of(qpn);
    bytes[0] = static_cast<std::byte>(type);
    std::memcpy(bytes.data() + 4, &cq_number, 4);
    std::memcpy(bytes.data() + 8, &qp_number, 4);
    bytes[63] = static_cast<std::byte>(owner);
    Record eqe = record(Kind::Eqe);
    eqe.unit = eqn;
    eqe.index = slot;
    eqe.a = kEqRings + std::uint64_t{eqn} * 4096 + std::uint64_t{slot} * kEqStride;
    eqe.b = kEntry;
    eqe.bytes = bytes.data();
    eqe.state = type;
    eqe.cqn = cqn;
    eqe.qpn = qpn;
    eqe.flags = owner != 0 ? kOwner : 0;
    emit(eqe);
}

void LegalStream::tell(std::uint32_t cq) {
    emit_entry(eqn_of(cq), kCompletionEqe, Cqn{cq}, kNoQp);
}

void LegalStream::tell_async(AsyncEvent event, Cqn cqn, Qpn qpn) {
    emit_entry(m_options.eqs, static_cast<EqeType>(1 + static_cast<unsigned>(event)), cqn, qpn);
}

void LegalStream::device_fatal(std::uint16_t eqn) {
    Record async = record(Kind::Async);
    async.state = static_cast<std::uint8_t>(AsyncEvent::DeviceFatal);
    async.unit = eqn;
    emit(async);
}

void LegalStream::interrupt(std::uint16_t vector) {
    m_now += kStepPs;
    Record irq = record(Kind::Irq);
    irq.unit = vector;
    irq.a = kVectors + std::uint64_t{vector} * 4;
    irq.index = vector;
    emit(irq);
}

void LegalStream::ack(std::uint16_t eqn, bool arms, std::uint32_t unread) {
    Eq& eq = m_eq[eqn];
    eq.read = eq.written - unread;
    Record ack = record(Kind::Ack);
    ack.unit = eqn;
    ack.index = eq.read;
    ack.flags = arms ? kArms : 0;
    emit(ack);
}

void LegalStream::modify(std::uint32_t qp, QpState state, std::uint8_t flags) {
    m_now += kStepPs;
    Record modify = record(Kind::Modify);
    modify.qpn = qpn(qp);
    modify.generation = m_qp[qp].generation;
    modify.state = static_cast<std::uint8_t>(state);
    modify.a = static_cast<std::uint64_t>(CommandResult::Ok);
    modify.flags = flags;
    emit(modify);
}

void LegalStream::state(std::uint32_t qp, QpState state) {
    Record change = record(Kind::QpState);
    change.qpn = qpn(qp);
    change.generation = m_qp[qp].generation;
    change.state = static_cast<std::uint8_t>(state);
    change.a = static_cast<std::uint64_t>(m_qp[qp].state);
    m_qp[qp].state = state;
    emit(change);
}

void LegalStream::raise(AsyncEvent event, std::uint32_t qp) {
    Record async = record(Kind::Async);
    async.qpn = qpn(qp);
    async.state = static_cast<std::uint8_t>(event);
    emit(async);
}

void LegalStream::drained(std::uint32_t qp, CommandResult result) {
    Record drain = record(Kind::Drain);
    drain.qpn = qpn(qp);
    drain.state = static_cast<std::uint8_t>(result);
    emit(drain);
}

void LegalStream::destroy_qp(std::uint32_t qp, DestroyPhase phase) {
    // An end begins at the time of the command, which may have a record of its own.
    m_now += phase == DestroyPhase::Done ? kStepPs : 0;
    Record destroy = record(Kind::Destroy);
    destroy.qpn = qpn(qp);
    destroy.generation = m_qp[qp].generation;
    destroy.state = static_cast<std::uint8_t>(phase);
    emit(destroy);
}

void LegalStream::cancel(std::uint32_t qp) {
    for (const QueueKind queue : {QueueKind::Send, QueueKind::Receive}) {
        Queue& open = m_qp[qp].queue.at(index_of(queue));
        for (; open.completed != open.posted; ++open.completed) {
            Record outcome = of_queue(Kind::Outcome, qp, queue, open.completed);
            outcome.state = static_cast<std::uint8_t>(Outcome::Cancelled);
            emit(outcome);
        }
    }
}

void LegalStream::destroy_cq(std::uint32_t cq, DestroyPhase phase) {
    m_now += kStepPs;
    Record destroy = record(Kind::Destroy);
    destroy.cqn = Cqn{cq};
    destroy.state = static_cast<std::uint8_t>(phase);
    emit(destroy);
}

void LegalStream::query_cq(std::uint32_t cq) {
    m_now += kStepPs;
    Record query = record(Kind::Query);
    query.cqn = Cqn{cq};
    query.state = static_cast<std::uint8_t>(CqState::Ok);
    query.index = m_cq[cq].visible;
    query.a = m_cq[cq].polled;
    query.wr_id = m_options.depth;
    emit(query);
}

// S7.7, step by step.
void LegalStream::sweep(std::uint32_t cqn, std::uint32_t qp) {
    m_now += kStepPs;
    Cq& cq = m_cq[cqn];
    std::uint32_t freed = 0;
    for (std::uint32_t p = cq.visible; p-- != cq.polled;) {
        const Entry& entry = cq.memory[slot_of(cq, p)];
        std::uint32_t number = 0;
        std::memcpy(&number, entry.data() + 8, 4);
        if (number == qp) {
            ++freed;
        } else if (freed != 0) {
            Entry& target = cq.memory[slot_of(cq, p + freed)];
            target = entry;
            target[63] = (entry[63] & std::byte{0xFE}) | std::byte{owner_of(cq, p + freed)};
            Record sweep = record(Kind::Sweep);
            describe_entry(sweep, cqn, p + freed);
            emit(sweep);
        }
    }
    cq.polled += freed;
    poll(cqn, 0);
}

Trace event_trace() {
    Trace trace;
    LegalStream::Options options;
    options.qps = 2;
    options.eqs = 1;
    LegalStream stream(options, trace.sink());
    const auto send = [&stream] {
        stream.post(0, QueueKind::Send, true);
        stream.complete(0, QueueKind::Send);
    };
    const auto receive = [&stream] {  // every second one is solicited
        stream.post(1, QueueKind::Receive, false);
        stream.complete(1, QueueKind::Receive);
    };
    const auto handle = [&stream] {
        stream.tell(0);
        stream.interrupt(0);
        stream.poll(0, 8);
        stream.ack(0, true);
    };
    stream.ack(0, true);
    stream.ack(1, true);
    send();  // before the first arm
    stream.arm(0);
    send();
    stream.event(0, EventCause::Entry, 1);
    handle();
    send();  // fired: not armed
    stream.arm(0, ArmKind::Solicited);
    send();
    receive();
    receive();
    stream.event(0, EventCause::Entry, 3);
    handle();
    stream.arm(0, ArmKind::Solicited);
    stream.arm(0, ArmKind::Next);
    send();
    stream.event(0, EventCause::Entry, 1);
    handle();
    stream.arm(0, ArmKind::Next);
    stream.arm(0, ArmKind::Solicited);
    send();
    stream.event(0, EventCause::Entry, 1);
    handle();
    stream.moderate(0, 2, 1000);
    stream.arm(0);
    send();
    send();
    stream.event(0, EventCause::Count, 2);
    handle();
    stream.arm(0);
    send();
    stream.wait(1000);
    stream.event(0, EventCause::Period, 1);
    handle();
    stream.arm(0);
    receive();
    receive();  // index 3
    stream.event(0, EventCause::Count, 2);
    handle();
    stream.moderate(0, 3, 1000);
    stream.arm(0);
    receive();
    receive();  // index 5: solicited, the second of three
    stream.event(0, EventCause::Break, 2);
    handle();
    stream.moderate(0, 0, 0);
    stream.arm(0);
    send();
    stream.event(0, EventCause::Entry, 1);  // whose entry cannot be written
    stream.device_fatal(0);
    stream.tell_async(AsyncEvent::DeviceFatal, kNoCq, kNoQp);
    stream.interrupt(1);
    stream.poll(0, 8);
    for (std::uint32_t i = 0; i < 9; ++i) {  // overruns
        send();
    }
    stream.tell_async(AsyncEvent::CqErr, Cqn{0}, kNoQp);
    stream.tell_async(AsyncEvent::QpFatal, kNoCq, LegalStream::qpn(0));
    stream.ack(1, true);
    stream.arm(0);
    stream.refuse_arm(0);
    stream.poll(0, 8);
    stream.end();
    return trace;
}

Trace life_trace() {
    Trace trace;
    LegalStream::Options options;
    options.qps = 3;
    options.type = QpType::Uc;  // which has SQE
    LegalStream stream(options, trace.sink());
    for (std::uint32_t qp = 0; qp < 3; ++qp) {
        stream.state(qp, QpState::Reset);
        stream.state(qp, QpState::Init);
        stream.post(qp, QueueKind::Receive, false);
        stream.state(qp, QpState::Rtr);
        stream.state(qp, QpState::Rts);
        stream.post(qp, QueueKind::Send, true);
        stream.post(qp, QueueKind::Send, true);
    }
    // QP 0: SQD with a send in progress, then destroyed with entries in the ring.
    stream.modify(0, QpState::Sqd, kNotifies);
    stream.state(0, QpState::Sqd);
    stream.complete(0, QueueKind::Send);
    stream.raise(AsyncEvent::SqDrained, 0);
    stream.modify(0, QpState::Rts);
    stream.state(0, QpState::Rts);
    stream.complete(1, QueueKind::Send);
    stream.complete(0, QueueKind::Send);
    stream.complete(1, QueueKind::Receive);
    stream.post(0, QueueKind::Send, true);
    stream.destroy_qp(0, DestroyPhase::Begun);
    stream.cancel(0);
    stream.destroy_qp(0, DestroyPhase::Done);
    stream.sweep(0, 0);
    stream.poll(0, 8);
    stream.next_life(0);
    stream.create_qp(0);
    stream.post(0, QueueKind::Send, true);
    stream.complete(0, QueueKind::Send);
    // QP 2: SQE and back.
    stream.complete(2, QueueKind::Send, WcStatus::LocQpOpErr);
    stream.state(2, QpState::Sqe);
    stream.flush(2, QueueKind::Send);
    stream.complete(2, QueueKind::Receive);
    stream.state(2, QpState::Rts);
    stream.poll(0, 8);
    // QP 1: reset with an entry in the ring that stays, then a second life.
    stream.complete(1, QueueKind::Send);
    stream.post(1, QueueKind::Receive, false);
    stream.modify(1, QpState::Reset);
    stream.destroy_qp(1, DestroyPhase::Begun);
    stream.cancel(1);
    stream.state(1, QpState::Reset);
    stream.destroy_qp(1, DestroyPhase::Done);
    stream.next_life(1);
    stream.state(1, QpState::Init);
    stream.post(1, QueueKind::Receive, false);
    stream.poll(0, 8);
    stream.state(1, QpState::Rtr);
    stream.complete(1, QueueKind::Receive);
    stream.poll(0, 8);
    for (const std::uint32_t qp : {0U, 1U, 2U}) {
        stream.destroy_qp(qp, DestroyPhase::Begun);
        stream.destroy_qp(qp, DestroyPhase::Done);
    }
    stream.query_cq(0);
    stream.destroy_cq(0, DestroyPhase::Begun);
    stream.destroy_cq(0, DestroyPhase::Done);
    stream.create_cq(0);
    stream.end();
    return trace;
}

}  // namespace cqsim::tb
