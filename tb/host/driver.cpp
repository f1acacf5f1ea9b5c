// SPDX-License-Identifier: Apache-2.0
#include "tb/host/driver.h"

#include "models/ring/doorbell_record.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cqsim::tb {

Driver::Driver(Timeline& timeline,
               const DriverConfig& config,
               HostMemory& bytes,
               CommandInitiator& commands,
               RingReader& rings,
               EqReader& queues,
               PollLoop& polls,
               EventLoop& events)
    : m_timeline(timeline),
      m_slot(timeline.attach(*this, Rank::Host)),
      m_config(config),
      m_bytes(bytes),
      m_commands(commands),
      m_rings(rings),
      m_queues(queues),
      m_polls(polls),
      m_events(events),
      m_rings_made(config.cqs) {
    commands.bind(static_cast<CommandBackward&>(*this));
}

void Driver::create_eq(std::uint32_t tag,
                       Eqn eqn,
                       EqKind kind,
                       std::uint32_t depth,
                       std::uint16_t vector,
                       bool handled) {
    const std::uint64_t bytes = std::uint64_t{depth} * eqe::kBytes;
    const std::uint64_t ring = m_bytes.allocate(bytes);
    std::byte* slots = m_bytes.at(ring, bytes);
    for (std::uint32_t slot = 0; slot < depth; ++slot) {  // S3.5
        slots[std::size_t{slot} * eqe::kBytes + eqe::kOwnByte] = eqe::kInvalidOwn;
    }
    give(tag, CreateEq{eqn, kind, ring, depth, vector}, {}, handled);
}

void Driver::create_cq(std::uint32_t tag, Cqn cqn, const CqAttributes& attributes) {
    RingPlace place;
    place.depth = attributes.slots;
    place.first_index = m_config.first_index;
    place.index_width = m_config.index_width;
    place.format = m_config.format;
    place.scheme = m_config.owner;
    place.flags = attributes.flags;
    if (place.depth != 0 && place.depth <= m_config.max_depth) {
        lay_out(cqn, place);
    }
    give({0,
          tag,
          CreateCq{cqn,
                   place.ring,
                   place.record,
                   place.depth,
                   attributes.eqn,
                   attributes.moderation,
                   place.format,
                   place.flags},
          {},
          false,
          place,
          {}});
}

/// A ring and a doorbell record, preset. Those of an earlier CQ of the number serve again when it
/// is gone and they are as large.
void Driver::lay_out(Cqn cqn, RingPlace& place) {
    if (m_records == 0) {
        m_records = m_bytes.allocate(std::uint64_t{m_config.cqs} * doorbell_record::kBytes);
    }
    const RingPlace& made = m_rings_made[index_of(cqn)];
    const bool in_use = m_rings.has_ring(cqn);
    place.ring = !in_use && made.depth == place.depth ? made.ring : m_bytes.allocate(place.bytes());
    place.record = in_use ? m_bytes.allocate(doorbell_record::kBytes)
                          : m_records + std::uint64_t{index_of(cqn)} * doorbell_record::kBytes;
    preset(place, place.first_owner());
    doorbell_record::store(
        reinterpret_cast<unsigned char*>(m_bytes.at(place.record, doorbell_record::kBytes)),
        place.first_index);
}

/// So that no slot holds an entry of the first lap, whatever the memory was used for (S3.3, S3.4).
/// A collapsed CQ says 'nothing done' in its counter as well (case 4).
void Driver::preset(const RingPlace& place, std::uint8_t first_owner) {
    std::byte* slots = m_bytes.at(place.ring, place.bytes());
    if (place.collapsed()) {
        std::memset(slots, 0xFF, place.bytes());
        return;
    }
    const std::byte own = owner::preset(place.scheme, first_owner);
    for (std::uint64_t end = place.stride(); end <= place.bytes(); end += place.stride()) {
        slots[end - 1] = own;
    }
}

void Driver::resize_cq(std::uint32_t tag, Cqn cqn, std::uint32_t slots) {
    ResizeCq command;
    command.cqn = cqn;
    command.depth = slots;
    RingPlace place;
    if (m_rings.has_ring(cqn) && slots != 0 && slots <= m_config.max_depth) {
        place = ring(cqn);
        place.depth = slots;
        place.ring = m_bytes.allocate(place.bytes());
        preset(place, owner::of_lap(place.scheme, 0));
        command.ring_address = place.ring;
        m_rings.publish(cqn);  // what the command says is no news
        command.consumer = m_rings.consumer(cqn);
        m_rings.expect_ring(cqn, place, m_config.resize);  // entries may come before the answer
    }
    give({0, tag, command, {}, false, place, {}});
}

void Driver::resized(const ResizeCq& command, const RingPlace& place, CommandResult result) {
    if (result == CommandResult::TimedOut) {
        m_rings.doubt_ring(command.cqn, command.ring_address);
    } else if (result != CommandResult::Ok) {
        m_rings.forget_ring(command.cqn, command.ring_address);
    } else if (m_rings.has_ring(command.cqn)) {
        RingPlace& made = m_rings_made[index_of(command.cqn)];
        made.ring = place.ring;
        made.depth = place.depth;
        m_rings.finish_resize(command.cqn, command.ring_address);
        m_polls.entry_visible(command.cqn);
        m_events.look_again(command.cqn);
    }
}

void Driver::destroy_cq(std::uint32_t tag, Cqn cqn) {
    if (m_events.unacknowledged(cqn) != 0) {
        m_held.push_back({tag, cqn});
        return;
    }
    give(tag, DestroyCq{cqn}, {});
}

void Driver::acknowledged(Cqn cqn) {
    const auto held =
        std::find_if(m_held.begin(), m_held.end(), [cqn](const Held& h) { return h.cqn == cqn; });
    if (held != m_held.end() && m_events.unacknowledged(cqn) == 0) {
        const std::uint32_t tag = held->tag;
        m_held.erase(held);
        give(tag, DestroyCq{cqn}, {});
    }
}

void Driver::modify_qp(std::uint32_t tag, const ModifyQp& command, const QpCqs& cqs) {
    if (command.state == QpState::Reset && m_config.stale == StalePolicy::CompactEarly) {
        sweep_out(command.qpn, cqs);
    }
    give(tag, command, cqs);
}

void Driver::destroy_qp(std::uint32_t tag, Qpn qpn, const QpCqs& cqs) {
    if (m_config.stale == StalePolicy::CompactEarly) {
        sweep_out(qpn, cqs);
    }
    give(tag, DestroyQp{qpn}, cqs);
}

void Driver::give(Open command) {
    command.ticket = m_ticket++;
    CommandAnswer answer;
    if (m_listener != nullptr) {
        m_listener->giving(command.command);
    }
    if (!std::exchange(m_loses_next, false)) {
        const CommandStatus status =
            m_setting_up ? m_commands->set_up(command.ticket, command.command, answer)
                         : m_commands->submit(command.ticket, command.command, answer);
        if (status == CommandStatus::Done) {
            finish(command, answer);
            return;
        }
    }
    command.deadline = m_timeline.now() + m_config.command_timeout;
    m_timeline.at(m_slot, command.deadline);
    m_open.push_back(command);
}

void Driver::command_done(std::uint32_t ticket, const CommandAnswer& answer) {
    m_answers.push_back({ticket, answer});
    m_timeline.at(m_slot, m_timeline.now());
}

/// An answer at the last moment is in time.
void Driver::due(TimePs now) {
    for (const Answer& answer : std::exchange(m_answers, {})) {
        arrived(answer);
    }
    while (gives_up_at() <= now) {
        m_given_up.push_back(m_open.front());
        m_open.erase(m_open.begin());
        give_up(m_given_up.back());
    }
    m_timeline.at(m_slot, gives_up_at());
}

void Driver::give_up(const Open& command) {
    if (const auto* resize = std::get_if<ResizeCq>(&command.command)) {
        resized(*resize, command.place, CommandResult::TimedOut);  // maybe carried out all the same
    }
    if (m_listener != nullptr) {
        CommandAnswer answer;
        answer.result = CommandResult::TimedOut;
        m_listener->answered(command.tag, command.command, answer);
    }
}

void Driver::arrived(const Answer& answer) {
    for (std::vector<Open>* commands : {&m_open, &m_given_up}) {
        const auto found = std::find_if(commands->begin(), commands->end(), [&](const Open& o) {
            return o.ticket == answer.ticket;
        });
        if (found != commands->end()) {
            Open done = *found;
            commands->erase(found);
            done.tag = commands == &m_open ? done.tag : kLateTag;
            finish(done, answer.answer);
            return;
        }
    }
    SC_REPORT_ERROR("/cqsim/host/command", "an answer to a command that is not open");
}

void Driver::finish(const Open& done, const CommandAnswer& answer) {
    if (const auto* resize = std::get_if<ResizeCq>(&done.command)) {
        resized(*resize, done.place, answer.result);
    }
    if (answer.result == CommandResult::Ok) {
        if (const auto* eq = std::get_if<CreateEq>(&done.command)) {
            m_queues.add(eq->eqn, {eq->ring_address, eq->depth, eq->vector});
            if (done.handled) {
                m_events.handle(eq->eqn);
            }
        } else if (const auto* created = std::get_if<CreateCq>(&done.command)) {
            if (created->ring_address != 0) {  // else a device has taken what there is not
                m_rings_made[index_of(created->cqn)] = done.place;
                m_rings.add_ring(created->cqn, done.place);
            }
        } else if (const auto* destroyed = std::get_if<DestroyCq>(&done.command)) {
            m_polls.leave(destroyed->cqn);
            m_events.leave(destroyed->cqn);
            m_rings.remove_ring(destroyed->cqn);
        } else if (const auto* modified = std::get_if<ModifyQp>(&done.command)) {
            if (modified->state == QpState::Reset) {
                life_ended(modified->qpn, done.cqs);
            }
        } else if (const auto* gone = std::get_if<DestroyQp>(&done.command)) {
            life_ended(gone->qpn, done.cqs);
        }
    }
    if (m_listener != nullptr) {
        m_listener->answered(done.tag, done.command, answer);
    }
}

/// The device writes no more of this life (D3): what lies in the rings is all there will be.
void Driver::life_ended(Qpn qpn, const QpCqs& cqs) {
    switch (m_config.stale) {
        case StalePolicy::None:
            m_rings.leave_stale(cqs.recv_cq, qpn);
            m_rings.leave_stale(cqs.send_cq, qpn);
            break;
        case StalePolicy::Compact:
            sweep_out(qpn, cqs);
            break;
        case StalePolicy::CompactEarly:
            break;
    }
}

/// S7.7: the receive side first, the other only if it is another.
void Driver::sweep_out(Qpn qpn, const QpCqs& cqs) {
    m_rings.sweep_out(cqs.recv_cq, qpn);
    if (cqs.send_cq != cqs.recv_cq) {
        m_rings.sweep_out(cqs.send_cq, qpn);
    }
}

}  // namespace cqsim::tb
