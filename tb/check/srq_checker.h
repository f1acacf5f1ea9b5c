// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shared receive queues: who takes a request, how it ends, when its slot is used again; and the
/// events that go with them. S2.11, S2.26, S5.9.
#pragma once

#include "tb/check/rules.h"

#include <deque>
#include <vector>

namespace cqsim::tb::check {

/// Follows each slot of each SRQ from the post to the next one, and each QP that is on an SRQ.
class SrqChecker {
  public:
    explicit SrqChecker(Findings& findings)
        : m_findings(findings) {}

    /// Whether there is any SRQ: without one nothing else needs to be called.
    bool any() const { return !m_srqs.empty(); }

    /// Of an SRQ, or of a QP.
    void on_create(const Record& record);
    /// Software posts to an SRQ, or a message takes a request for its QP.
    void on_post(const Record& record);
    /// A receive request ended.
    void on_complete(const Record& record);
    void on_outcome(const Record& record);
    /// Software read the entry of a receive: `wqe` as the entry says.
    void on_poll(const Record& record, std::uint32_t wqe);
    void on_qp_state(const Record& record);
    void on_async(const Record& record);
    /// The limit of an SRQ is armed.
    void on_modify(const Record& record);
    /// A life of the QP is over.
    void on_life_end(const Record& record);
    /// `idle`: the run ended with nothing in flight.
    void finish(std::uint64_t time_ps, bool idle);

  private:
    enum class Stage : std::uint8_t {
        Free,     ///< software may post into it
        Waiting,  ///< posted
        Taken,    ///< by a QP
        Ended,    ///< and software has not seen it yet
        Lost,     ///< and software never will (S5.3f)
    };
    struct Slot {
        std::uint64_t serial = 0;
        Qpn taker = kNoQp;
        std::uint16_t generation = 0;  ///< of the taker's life
        Stage stage = Stage::Free;
    };
    struct Srq {
        std::vector<Slot> slots;
        std::deque<std::uint32_t> waiting;  ///< slots in the order of their posts
        std::uint32_t limit = 0;            ///< armed; 0: none
        bool passed = false;                ///< and passed: the event is due
    };
    /// A QP that is, or was, on an SRQ.
    struct Qp {
        std::uint16_t srqn = 0;  ///< 0: it is on none
        bool in_error = false;
        bool last_raised = false;
        std::uint32_t open = 0;  ///< requests that it has taken and that have not ended
    };

    Srq* srq_at(std::uint32_t srqn) {
        return srqn == 0 || srqn > m_srqs.size() || m_srqs[srqn - 1].slots.empty()
                   ? nullptr
                   : &m_srqs[srqn - 1];
    }
    Qp* qp_at(Qpn qpn) {
        const std::size_t index = index_of(qpn);
        return index < m_qps.size() && m_qps[index].srqn != 0 ? &m_qps[index] : nullptr;
    }
    static Slot* slot_at(Srq* srq, std::uint32_t slot) {
        return srq != nullptr && slot < srq->slots.size() ? &srq->slots[slot] : nullptr;
    }
    void create_qp(const Record& record);
    void post(const Record& record);
    void take(const Record& record);
    void on_last_wqe(const Record& record);
    void on_limit(const Record& record);

    Findings& m_findings;
    std::vector<Srq> m_srqs;  ///< by number, from 1; without slots: not created
    std::vector<Qp> m_qps;    ///< by number
};

}  // namespace cqsim::tb::check
