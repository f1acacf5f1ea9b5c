// SPDX-License-Identifier: Apache-2.0
#include "tb/pipeline/shared_receive_queue.h"

namespace cqsim::tb {

SharedReceiveQueue::SharedReceiveQueue(std::uint32_t depth, bool refilled)
    : m_slots(depth),
      m_refilled(refilled) {
    for (std::uint32_t slot = 0; slot < depth; ++slot) {
        append(m_free, slot, Stage::Free);
    }
}

void SharedReceiveQueue::append(List& list, std::uint32_t slot, Stage stage) {
    const auto number = static_cast<std::uint16_t>(slot);
    if (list.count == 0) {
        list.head = number;
    } else {
        m_slots[list.tail].next = number;
    }
    list.tail = number;
    ++list.count;
    m_slots[slot].stage = stage;
}

std::uint32_t SharedReceiveQueue::take_first(List& list) {
    const std::uint16_t slot = list.head;
    list.head = m_slots[slot].next;
    --list.count;
    return slot;
}

std::uint32_t SharedReceiveQueue::post(const WorkRequest& request) {
    const std::uint32_t slot = take_first(m_free);
    m_slots[slot].request = request;
    append(m_waiting, slot, Stage::Waiting);
    ++m_posted;
    return slot;
}

std::uint32_t SharedReceiveQueue::take() {
    const std::uint32_t slot = take_first(m_waiting);
    m_slots[slot].stage = Stage::Taken;
    ++m_taken;
    return slot;
}

bool SharedReceiveQueue::give_back(std::uint32_t slot) {
    if (slot >= m_slots.size() || m_slots[slot].stage != Stage::Taken) {
        ++m_refused;
        return false;
    }
    append(m_free, slot, Stage::Free);
    ++m_returned;
    return true;
}

void SharedReceiveQueue::lose(std::uint32_t slot) {
    if (m_slots[slot].stage == Stage::Taken) {
        m_slots[slot].stage = Stage::Lost;
        ++m_lost;
    }
}

bool SharedReceiveQueue::passes_limit() {
    if (m_waiting.count >= m_limit) {
        return false;
    }
    m_limit = 0;
    return true;
}

Srqn SharedReceiveQueues::add(std::uint32_t depth, bool refilled) {
    m_queues.emplace_back(depth, refilled);
    return Srqn{static_cast<std::uint16_t>(m_queues.size())};
}

void SharedReceiveQueues::attach(Qpn qpn, Srqn srqn) {
    if (index_of(qpn) >= m_taker.size()) {
        m_taker.resize(std::size_t{index_of(qpn)} + 1);
    }
    Taker& taker = m_taker[index_of(qpn)];
    if (taker.srqn == srqn) {
        return;  // a new QP of the number
    }
    std::uint32_t room = 1;
    while (room < at(srqn).depth()) {
        room *= 2;
    }
    taker = {m_slot_of.size(), room - 1, srqn};
    m_slot_of.resize(m_slot_of.size() + room);
}

}  // namespace cqsim::tb
