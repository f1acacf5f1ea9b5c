// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shared receive queues (S2.11, S2.26). No SystemC.
#pragma once

#include "tb/pipeline/work_queue.h"

#include <cstdint>
#include <vector>

namespace cqsim::tb {

/// Receive requests that several QPs draw from. They are taken in the order in which they were
/// posted; their slots come back in any order, as entries of CQs name them (S2.11).
///
/// Software posts a request into a free slot; a message takes it for its QP, and it is that QP's
/// until it ends; software gives the slot back when it has seen the end. A slot is in one of these
/// stages at a time, so that nothing is taken, or given back, twice.
class SharedReceiveQueue {
  public:
    static constexpr std::uint32_t kMaxDepth = 32768;

    /// `depth`: slots, 1 .. kMaxDepth. `refilled`: software posts again what it gets back.
    explicit SharedReceiveQueue(std::uint32_t depth, bool refilled = true);

    bool full() const { return m_free.count == 0; }
    /// Nothing is posted that was not taken.
    bool empty() const { return m_waiting.count == 0; }
    bool refilled() const { return m_refilled; }

    /// It must not be full. \returns the slot: the one that was given back longest ago.
    std::uint32_t post(const WorkRequest& request);
    /// It must not be empty. \returns the slot of the oldest request that was not taken.
    std::uint32_t take();
    /// The slot that `take` would give. It must not be empty.
    std::uint32_t next() const { return m_waiting.head; }
    /// Of a slot that is not free.
    WorkRequest& request(std::uint32_t slot) { return m_slots[slot].request; }
    /// Software gives the slot of a taken request back. \returns false, and does nothing, if there
    /// is no taken request in it: a slot number that names another work queue, or a repetition.
    bool give_back(std::uint32_t slot);
    /// The end of the taken request is not reported (S5.3f): software does not get the slot back.
    void lose(std::uint32_t slot);

    /// S5.9: arms the limit; 0: none.
    void arm(std::uint32_t limit) { m_limit = limit; }
    /// After `take`: whether fewer requests are left than the limit. Then it is not armed any more.
    bool passes_limit();

    std::uint32_t depth() const { return static_cast<std::uint32_t>(m_slots.size()); }
    std::uint32_t waiting() const { return m_waiting.count; }  ///< posted and not taken
    std::uint32_t free() const { return m_free.count; }
    std::uint32_t lost() const { return m_lost; }
    /// Slots of requests that were taken and whose ends software has not seen.
    std::uint32_t held() const { return depth() - waiting() - free() - lost(); }

    // Of the whole run.
    std::uint64_t posted() const { return m_posted; }
    std::uint64_t taken() const { return m_taken; }
    std::uint64_t returned() const { return m_returned; }
    /// Slots that were given back without having been taken.
    std::uint64_t refused() const { return m_refused; }

  private:
    enum class Stage : std::uint8_t { Free, Waiting, Taken, Lost };
    struct Slot {
        WorkRequest request;
        std::uint16_t next = 0;  ///< in the list of its stage
        Stage stage = Stage::Free;
    };
    /// First in, first out.
    struct List {
        std::uint16_t head = 0;
        std::uint16_t tail = 0;
        std::uint32_t count = 0;
    };

    void append(List& list, std::uint32_t slot, Stage stage);
    std::uint32_t take_first(List& list);

    std::vector<Slot> m_slots;
    List m_free;
    List m_waiting;
    std::uint32_t m_limit = 0;
    std::uint32_t m_lost = 0;
    std::uint64_t m_posted = 0;
    std::uint64_t m_taken = 0;
    std::uint64_t m_returned = 0;
    std::uint64_t m_refused = 0;
    bool m_refilled;
};

/// All SRQs, which QP draws from which, and the slots of the requests that QPs have taken.
class SharedReceiveQueues {
  public:
    Srqn add(std::uint32_t depth, bool refilled);
    /// The QP's receives take requests of this SRQ. A number stays with its SRQ for ever.
    void attach(Qpn qpn, Srqn srqn);

    std::uint32_t count() const { return static_cast<std::uint32_t>(m_queues.size()); }
    SharedReceiveQueue& at(Srqn srqn) { return m_queues[index_of(srqn) - 1]; }
    const SharedReceiveQueue& at(Srqn srqn) const { return m_queues[index_of(srqn) - 1]; }

    /// kNoSrq: the QP has a receive queue of its own.
    Srqn number_of(Qpn qpn) const {
        return index_of(qpn) < m_taker.size() ? m_taker[index_of(qpn)].srqn : kNoSrq;
    }
    bool has(Qpn qpn) const { return number_of(qpn) != kNoSrq; }

    /// The QP's request of that free-running index has come from this slot.
    void note_slot(Qpn qpn, std::uint32_t wqe_index, std::uint32_t slot) {
        m_slot_of[place(qpn, wqe_index)] = static_cast<std::uint16_t>(slot);
    }
    std::uint32_t slot_of(Qpn qpn, std::uint32_t wqe_index) const {
        return m_slot_of[place(qpn, wqe_index)];
    }

  private:
    /// What is kept of a QP on an SRQ.
    struct Taker {
        std::size_t first = 0;  ///< of its slot numbers, one for each request that it may hold
        std::uint32_t mask = 0;
        Srqn srqn = kNoSrq;
    };
    std::size_t place(Qpn qpn, std::uint32_t wqe_index) const {
        const Taker& taker = m_taker[index_of(qpn)];
        return taker.first + (wqe_index & taker.mask);
    }

    std::vector<SharedReceiveQueue> m_queues;
    std::vector<Taker> m_taker;            ///< by QP; empty while no QP is on an SRQ
    std::vector<std::uint16_t> m_slot_of;  ///< by place
};

/// What the test software writes into the wr_id of a request of an SRQ.
constexpr std::uint64_t wr_id_of(Srqn srqn, std::uint32_t slot) {
    constexpr std::uint64_t kOfSrq = 2;  // where a QP's request has its QueueKind
    return kOfSrq << 60U | std::uint64_t{index_of(srqn)} << 32U | slot;
}

}  // namespace cqsim::tb
