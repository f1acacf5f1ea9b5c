// SPDX-License-Identifier: Apache-2.0
#include "models/event/event_queues.h"

namespace cqsim {
namespace {

constexpr std::uint8_t kOpen = 0;
constexpr std::uint8_t kOk = 1;
constexpr std::uint8_t kFailed = 2;

constexpr bool is_power_of_two(std::uint32_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

}  // namespace

EventQueues::EventQueues(const EventConfig& config)
    : m_msix(config.msix_address),
      m_vectors(config.vectors),
      m_queues(config.eqs),
      m_window(config.writes_in_flight) {
}

CommandResult EventQueues::create(const CreateEq& command) {
    const auto number = static_cast<std::uint16_t>(command.eqn);
    const bool is_async = command.kind == EqKind::Async;
    if (number >= m_queues.size() || exists(command.eqn) || command.vector >= m_vectors ||
        !is_power_of_two(command.depth) || command.depth > EventConfig::kMaxEqDepth ||
        command.ring_address % eqe::kBytes != 0 || (is_async && m_aeq != kNoEqn)) {
        return CommandResult::Invalid;
    }
    EventQueue& queue = m_queues[number];
    queue.ring = command.ring_address;
    queue.depth = command.depth;
    queue.vector = command.vector;
    queue.kind = command.kind;
    if (is_async) {
        m_aeq = number;
    }
    return CommandResult::Ok;
}

CommandResult EventQueues::consume(Eqn eqn, std::uint32_t consumer, bool arms) {
    if (!exists(eqn)) {
        return CommandResult::NoEntry;
    }
    EventQueue& queue = (*this)[eqn];
    // An entry may be read before the answer to its write is here: `producer` is the limit.
    if (queue.producer - consumer > queue.producer - queue.consumer) {
        return CommandResult::Invalid;
    }
    queue.consumer = consumer;
    if (arms) {
        queue.armed = true;
        interrupt_if_due(eqn);
    }
    return CommandResult::Ok;
}

EventQueues::Write EventQueues::write(Eqn eqn, const eqe::Decoded& event) {
    EventQueue& queue = (*this)[eqn];
    Write write;
    const std::uint32_t slot = queue.producer & (queue.depth - 1);
    write.address = queue.ring + std::uint64_t{slot} * eqe::kBytes;
    write.owner = (queue.producer & queue.depth) != 0 ? 1 : 0;  // S3.5; a power of two
    write.event = event;
    write.eqn = eqn;
    write.place = launch(eqn, true);
    ++queue.producer;
    return write;
}

bool EventQueues::interrupt(Write& write) {
    if (m_interrupts.empty()) {
        return false;
    }
    const Eqn eqn = m_interrupts.front();
    m_interrupts.pop();
    write = Write{};
    write.eqn = eqn;
    write.vector = (*this)[eqn].vector;
    write.address = m_msix + std::uint64_t{write.vector} * EventConfig::kMsixBytes;
    write.place = launch(eqn, false);
    return true;
}

std::uint32_t EventQueues::launch(Eqn eqn, bool is_entry) {
    const auto size = static_cast<std::uint32_t>(m_window.size());
    const std::uint32_t next = m_head + m_in_flight;
    const std::uint32_t place = next < size ? next : next - size;
    m_window[place] = Flight{eqn, static_cast<std::uint8_t>(is_entry ? 1 : 0), kOpen};
    ++m_in_flight;
    return place;
}

void EventQueues::landed(std::uint32_t place, bool ok) {
    m_window[place].state = ok ? kOk : kFailed;
    while (m_in_flight != 0 && m_window[m_head].state != kOpen) {
        const Flight flight = m_window[m_head];
        m_window[m_head] = Flight{};
        m_head = m_head + 1 == m_window.size() ? 0 : m_head + 1;
        --m_in_flight;
        retire(flight);
    }
}

void EventQueues::retire(const Flight& flight) {
    const bool ok = flight.state == kOk;
    if (flight.is_entry == 0) {
        m_lost_interrupts += ok ? 0 : 1;
        return;
    }
    EventQueue& queue = (*this)[flight.eqn];
    if (!ok) {
        queue.hole = true;
        fail(flight.eqn);  // S6.23: WRITE_FAILURE
    }
    if (queue.hole) {
        ++queue.dropped;
        return;
    }
    ++queue.in_memory;
    interrupt_if_due(flight.eqn);
}

/// S6.15, S6.22: once per arm, for an entry that is in memory and that software has not read.
void EventQueues::interrupt_if_due(Eqn eqn) {
    EventQueue& queue = (*this)[eqn];
    const std::uint32_t unread = queue.in_memory - queue.consumer;
    if (queue.armed && unread != 0 && unread <= queue.depth) {
        queue.armed = false;
        m_interrupts.push(eqn);
    }
}

void EventQueues::fail(Eqn eqn) {
    EventQueue& queue = (*this)[eqn];
    if (!queue.error) {
        queue.error = true;
        m_failed.push(eqn);
    }
}

bool EventQueues::take_failed(Eqn& eqn) {
    if (m_failed.empty()) {
        return false;
    }
    eqn = m_failed.front();
    m_failed.pop();
    return true;
}

std::size_t EventQueues::waiting() const {
    std::size_t sum = 0;
    for (const EventQueue& queue : m_queues) {
        sum += queue.waiting.size();
    }
    return sum;
}

}  // namespace cqsim
