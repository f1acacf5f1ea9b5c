// SPDX-License-Identifier: Apache-2.0
// The composition's side towards software: commands, doorbells, event queues.
#include "models/core/core.h"
#include "models/doorbell/doorbell_records.h"
#include "models/event/event_records.h"
#include "models/overflow/overflow_records.h"
#include "models/qp/qp_records.h"

namespace cqsim {

/// The owners of the state as the route of commands sees them.
class Core::Owners {
  public:
    Owners(Core& core, CoreOutput& out)
        : m_core(core),
          m_out(out) {}

    CommandResult create_cq(const CreateCq& command) {
        const CommandResult result = m_core.m_overflow.create(command);
        if (result == CommandResult::Ok) {
            describe_created(
                m_core.observe(Kind::Create, m_out), command, m_core.m_overflow.row(command.cqn));
        }
        return result;
    }
    CommandStatus resize_cq(const ResizeCq& command, CommandAnswer& answer) {
        SlotAnswer end;
        const std::uint64_t ring =
            has_cq(command.cqn) ? m_core.m_overflow.row(command.cqn).ring : 0;
        answer.result = m_core.m_overflow.resize(command, end);
        if (answer.result != CommandResult::Ok) {
            return CommandStatus::Done;
        }
        describe_resized(
            m_core.observe(Kind::Resize, m_out), command, end, m_core.m_overflow.resize_mode());
        m_core.end_ring(command.cqn, ring, end, m_out);
        return CommandStatus::Accepted;
    }
    CommandResult destroy_cq(Cqn cqn) {
        const CommandResult result = m_core.m_overflow.destroy(cqn);
        if (result == CommandResult::Ok) {
            describe_destroyed(m_core.observe(Kind::Destroy, m_out), cqn);
        }
        return result;
    }
    CommandResult query_cq(Cqn cqn, CqContext& context) const {
        return m_core.m_overflow.query(cqn, context);
    }
    bool has_cq(Cqn cqn) const { return m_core.m_overflow.exists(cqn); }

    CommandResult create_eq(const CreateEq& command) {
        const CommandResult result = m_core.m_events.create_eq(command);
        if (result == CommandResult::Ok) {
            describe_created(m_core.observe(Kind::Create, m_out), command);
        }
        return result;
    }
    CommandResult may_attach_cq(const CreateCq& command) const {
        return m_core.m_events.may_attach(command);
    }
    CommandResult attach_cq(const CreateCq& command) {
        const CommandResult result = m_core.m_events.attach(command);
        if (result == CommandResult::Ok && command.eqn != kNoEqn && command.moderation.on()) {
            describe_moderation(
                m_core.observe(Kind::Modify, m_out), command.cqn, command.moderation);
        }
        return result;
    }
    CommandResult modify_cq(const ModifyCq& command) {
        CqEvent event;
        bool fired = false;
        const CommandResult result = m_core.m_events.modify(command, m_core.m_now, fired, event);
        if (result == CommandResult::Ok) {
            describe_moderation(
                m_core.observe(Kind::Modify, m_out), command.cqn, command.moderation);
        }
        m_core.observe_event(fired, event, m_out);
        return result;
    }
    void query_events(Cqn cqn, CqContext& context) const { m_core.m_events.query(cqn, context); }
    void detach_cq(Cqn cqn) { m_core.m_events.detach(cqn); }

    CommandAnswer create_qp(const CreateQp& command) {
        const CommandAnswer answer = m_core.m_qps.create(command);
        if (answer.result == CommandResult::Ok) {
            describe_created(m_core.observe(Kind::Create, m_out), command, answer.generation);
        }
        return answer;
    }
    CommandStatus modify_qp(const ModifyQp& command, CommandAnswer& answer) {
        const QpRules::Answer decided = m_core.m_qps.modify(command);
        answer = {decided.result, decided.generation};
        describe_asked(m_core.observe(Kind::Modify, m_out), command, decided);
        if (decided.ends_life) {
            return m_core.begin_end_of_life(command.qpn, decided, answer, m_out);
        }
        m_core.apply(command.qpn, decided.effect, m_out);
        return CommandStatus::Done;
    }
    CommandStatus destroy_qp(const DestroyQp& command, CommandAnswer& answer) {
        const QpRules::Answer decided = m_core.m_qps.destroy(command.qpn);
        answer = {decided.result, decided.generation};
        return decided.ends_life ? m_core.begin_end_of_life(command.qpn, decided, answer, m_out)
                                 : CommandStatus::Done;
    }
    std::uint32_t work_queues_on(Cqn cqn) const { return m_core.m_qps.work_queues_on(cqn); }

  private:
    Core& m_core;
    CoreOutput& m_out;
};

CommandStatus Core::submit(std::uint32_t ticket,
                           const Command& command,
                           CommandAnswer& answer,
                           CoreOutput& out) {
    Owners owners(*this, out);
    CommandRoute route(owners, owners, owners, m_command);
    const CommandObject object = object_of(command);
    if (!route.done(command, answer)) {
        m_open.add(object, ticket);
        return CommandStatus::Accepted;
    }
    if (answer.result != CommandResult::Ok) {
        describe_refused(observe(Kind::Refuse, out), object, answer.result);
    } else if (const auto* query = std::get_if<QueryCq>(&command)) {
        describe_queried(observe(Kind::Query, out), query->cqn, answer.cq);
    }
    return CommandStatus::Done;
}

void Core::request_failed(
    Qpn qpn, std::uint16_t generation, QueueKind queue, WcStatus status, CoreOutput& out) {
    apply(qpn, m_qps.request_failed(qpn, generation, queue, status), out);
}

void Core::drained(Qpn qpn, std::uint16_t generation, CoreOutput& out) {
    if (m_qps.drained(qpn, generation)) {
        raise(qpn, AsyncEvent::SqDrained, out);
    }
}

void Core::last_wqe_ended(Qpn qpn, std::uint16_t generation, CoreOutput& out) {
    if (m_qps.last_wqe_ended(qpn, generation)) {
        raise(qpn, AsyncEvent::QpLastWqeReached, out);
    }
}

void Core::srq_limit_reached(Srqn srqn, CoreOutput& out) {
    describe_limit_reached(observe(Kind::Async, out), srqn);
    m_events.raise({AsyncEvent::SrqLimitReached, kNoCq, kNoQp, srqn});
}

void Core::flushed(Qpn qpn, std::uint16_t generation, QueueKind queue, CoreOutput& out) {
    apply(qpn, m_qps.flushed(qpn, generation, queue), out);
}

void Core::apply(Qpn qpn, const QpRules::Effect& effect, CoreOutput& out) {
    if (!effect.told && !effect.qp_fatal) {
        return;  // nothing, maybe to a QP whose number is out of range
    }
    const std::uint16_t generation = m_qps.row(qpn).generation;
    if (effect.changed()) {
        describe_state(observe(Kind::QpState, out), qpn, generation, effect);
    }
    if (effect.qp_fatal) {
        raise(qpn, AsyncEvent::QpFatal, out);
    }
    if (effect.told) {
        out.qp_states.push_back(m_qps.change(qpn, effect));
    }
}

void Core::raise(Qpn qpn, AsyncEvent event, CoreOutput& out) {
    describe_async(observe(Kind::Async, out), qpn, m_qps.row(qpn).generation, event);
    m_events.raise({event, kNoCq, qpn});
}

CommandStatus Core::begin_end_of_life(Qpn qpn,
                                      const QpRules::Answer& decided,
                                      CommandAnswer& answer,
                                      CoreOutput& out) {
    describe_end_of_life(observe(Kind::Destroy, out), qpn, decided.generation, DestroyPhase::Begun);
    apply(qpn, decided.effect, out);
    if (!m_qps.finish_life(qpn)) {
        return CommandStatus::Accepted;
    }
    answer = life_over(qpn, out);
    return CommandStatus::Done;
}

CommandAnswer Core::life_over(Qpn qpn, CoreOutput& out) const {
    const std::uint16_t generation = m_qps.row(qpn).generation;
    describe_end_of_life(
        observe(Kind::Destroy, out), qpn, QpRules::before(generation), DestroyPhase::Done);
    return {CommandResult::Ok, generation};
}

BusAnswer Core::access_bar(const BarAccess& access, CoreOutput& out) {
    const Doorbell doorbell = decode(access, m_doorbell);
    if (doorbell.what == Doorbell::What::ArmCq) {
        Record& record = observe(Kind::Arm, out);
        record.cqn = doorbell.cqn;
        record.index = doorbell.consumer;
        record.state = static_cast<std::uint8_t>(doorbell.kind);
    } else if (doorbell.what == Doorbell::What::CqConsumer ||
               doorbell.what == Doorbell::What::CqCredit) {
        observe_consumer(doorbell, out);
    } else if (doorbell.what == Doorbell::What::EqConsumer) {
        Record& record = observe(Kind::Ack, out);
        record.unit = static_cast<std::uint16_t>(doorbell.eqn);
        record.index = doorbell.consumer;
        record.flags = doorbell.arms ? kArms : 0;
    }
    if (doorbell.what != Doorbell::What::Nothing) {
        const CommandResult result =
            doorbell.refusal == DoorbellRefusal::None ? act(doorbell, out) : CommandResult::Invalid;
        if (result != CommandResult::Ok) {
            describe_refused(observe(Kind::Refuse, out), doorbell, result);
        }
    }
    return doorbell.bus;
}

/// Of a CQ number that there is not, only the refusal tells.
void Core::observe_consumer(const Doorbell& doorbell, CoreOutput& out) const {
    const bool credit = doorbell.what == Doorbell::What::CqCredit;
    if (index_of(doorbell.cqn) >= m_overflow.size()) {
        return;
    }
    Record& record = observe(Kind::Ci, out);
    record.cqn = doorbell.cqn;
    record.index = credit ? (m_overflow.row(doorbell.cqn).consumer + doorbell.consumer) &
                                index_mask(m_doorbell.index_width)
                          : doorbell.consumer;
    record.a = doorbell.offset;
}

CommandResult Core::act(const Doorbell& doorbell, CoreOutput& out) {
    if (doorbell.what == Doorbell::What::EqConsumer) {
        return m_events.eq_consumer(doorbell.eqn, doorbell.consumer, doorbell.arms);
    }
    if (doorbell.what != Doorbell::What::ArmCq) {
        const CommandResult result =
            doorbell.what == Doorbell::What::CqCredit
                ? m_overflow.credit_written(doorbell.cqn, doorbell.consumer)
                : m_overflow.consumer_written(doorbell.cqn, doorbell.consumer);
        m_refused_consumer_indices += result == CommandResult::Invalid ? 1 : 0;
        return result;
    }
    CqEvent event;
    bool fired = false;
    const CommandResult result =
        m_events.arm(doorbell.cqn, doorbell.consumer, doorbell.kind, fired, event);
    observe_event(fired, event, out);
    return result;
}

bool Core::report(CoreOutput& out) {
    CqEvent event;
    if (m_events.expire(m_now, event)) {
        observe_event(true, event, out);
        return true;
    }
    const EventRules::Action action = m_events.next(m_now);
    if (action.what == EventRules::Action::What::Nothing) {
        return false;
    }
    send(action, out);
    return true;
}

void Core::observe_event(bool fired, const CqEvent& event, CoreOutput& out) const {
    if (fired) {
        describe_event(observe(Kind::Event, out), event);
    }
}

void Core::send(const EventRules::Action& action, CoreOutput& out) {
    const EventQueues::Write& write = action.write;
    if (action.what == EventRules::Action::What::DeviceFatal) {
        describe_device_fatal(observe(Kind::Async, out), write.eqn);
        return;
    }
    Flight flight;
    flight.what = Flight::What::OfEventQueue;
    flight.write.address = write.address;
    flight.write.length = EventRules::encode(action, flight.write.bytes.data());
    flight.token = write.place;
    flight.seen.a = write.address;
    if (action.what == EventRules::Action::What::WriteEntry) {
        flight.seen.kind = Kind::Eqe;
        flight.seen.unit = static_cast<std::uint16_t>(write.eqn);
        flight.seen.index = static_cast<std::uint32_t>(
            (write.address - m_events.queues()[write.eqn].ring) / eqe::kBytes);
        flight.seen.b = eqe::kBytes;
        flight.seen.state = write.event.type;
        flight.seen.cqn = write.event.cqn;
        flight.seen.qpn = write.event.qpn;
        flight.seen.flags = write.owner != 0 ? kOwner : 0;
        if (write.event.srqn != kNoSrq) {
            flight.seen.flags |= kShared;
            flight.seen.serial = index_of(write.event.srqn);
        }
    } else {
        flight.seen.kind = Kind::Irq;
        flight.seen.unit = write.vector;
        flight.seen.index = write.vector;
    }
    m_flights.push(flight);
}

}  // namespace cqsim
