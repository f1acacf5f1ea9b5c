// SPDX-License-Identifier: Apache-2.0
#include "models/event/event_arbiter.h"

#include "models/event/event_records.h"

#include <utility>

namespace cqsim {

EventArbiter::EventArbiter(const sc_core::sc_module_name& module_name,
                           Timeline& timeline,
                           RecordStream& records,
                           EventRules rules)
    : EventArbiterPorts(module_name),
      m_timeline(timeline),
      m_slot(timeline.attach(*this, Rank::Event)),
      m_records(records),
      m_source(records.intern(name())),
      m_dma("dma_isock", timeline, *this),
      m_rules(std::move(rules)) {
    publish_tsock.bind(static_cast<PublishForward&>(*this));
    async_tsock.bind(static_cast<AsyncForward&>(*this));
    notify_tsock.bind(static_cast<NotifyForward&>(*this));
    command_tsock.bind(static_cast<EventCommandForward&>(*this));
}

void EventArbiter::published(const PublishedEntry& entry) {
    if (!m_rules.note(entry)) {
        return;
    }
    CqEvent event;
    if (m_rules.count(entry, m_timeline.now(), event)) {
        observe(event);
    }
    ask();
}

void EventArbiter::raise(const AsyncReport& report) {
    m_rules.raise(report);
    ask();
}

CommandResult EventArbiter::arm(Cqn cqn, std::uint32_t consumer, ArmKind kind) {
    CqEvent event;
    bool fired = false;
    const CommandResult result = m_rules.arm(cqn, consumer, kind, fired, event);
    if (fired) {
        observe(event);
        ask();
    }
    return result;
}

CommandResult EventArbiter::eq_consumer(Eqn eqn, std::uint32_t consumer, bool arms) {
    const CommandResult result = m_rules.eq_consumer(eqn, consumer, arms);
    ask();
    return result;
}

CommandResult EventArbiter::create_eq(const CreateEq& command) {
    const CommandResult result = m_rules.create_eq(command);
    if (result == CommandResult::Ok) {
        if (Record* record = m_records.open(Kind::Create, m_source, m_timeline.now())) {
            describe_created(*record, command);
        }
    }
    return result;
}

CommandResult EventArbiter::attach_cq(const CreateCq& command) {
    const CommandResult result = m_rules.attach(command);
    if (result == CommandResult::Ok && command.eqn != kNoEqn && command.moderation.on()) {
        observe_moderation(command.cqn, command.moderation);
    }
    return result;
}

CommandResult EventArbiter::modify_cq(const ModifyCq& command) {
    CqEvent event;
    bool fired = false;
    const CommandResult result = m_rules.modify(command, m_timeline.now(), fired, event);
    if (result == CommandResult::Ok) {
        observe_moderation(command.cqn, command.moderation);
    }
    if (fired) {
        observe(event);
    }
    ask();
    return result;
}

void EventArbiter::write_done(std::uint32_t cookie, bool ok) {
    m_rules.landed(cookie, ok);
    ask();
}

/// Decisions are made in `due`: after all that arrives at the same time.
void EventArbiter::ask() {
    if (m_dma.can_send()) {
        m_timeline.at(m_slot, m_rules.wake_at());
    } else {
        m_timeline.at(m_slot, m_rules.arms().next_due());
    }
}

void EventArbiter::due(TimePs now) {
    CqEvent event;
    while (m_rules.expire(now, event)) {
        observe(event);
    }
    while (m_dma.can_send()) {
        const EventRules::Action action = m_rules.next(now);
        if (action.what == EventRules::Action::What::Nothing) {
            break;
        }
        send(action, now);
    }
    ask();
}

void EventArbiter::send(const EventRules::Action& action, TimePs now) {
    if (action.what == EventRules::Action::What::DeviceFatal) {
        observe_fatal(action.write.eqn);
        return;
    }
    const std::uint32_t length = EventRules::encode(action, m_dma.buffer());
    m_dma.send(action.write.address, length, action.write.place, action.at - now);
}

void EventArbiter::observe(const CqEvent& event) {
    if (Record* record = m_records.open(Kind::Event, m_source, m_timeline.now())) {
        describe_event(*record, event);
    }
}

void EventArbiter::observe_moderation(Cqn cqn, const Moderation& moderation) {
    if (Record* record = m_records.open(Kind::Modify, m_source, m_timeline.now())) {
        describe_moderation(*record, cqn, moderation);
    }
}

void EventArbiter::observe_fatal(Eqn failed) {
    if (Record* record = m_records.open(Kind::Async, m_source, m_timeline.now())) {
        describe_device_fatal(*record, failed);
    }
}

}  // namespace cqsim
