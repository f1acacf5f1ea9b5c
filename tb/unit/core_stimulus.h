// SPDX-License-Identifier: Apache-2.0
/// \file
/// The random stimulus that both compositions of the block get, and what is compared of them.
#pragma once

#include "models/core/core.h"
#include "models/protocol/completion_link.h"

#include <catch2/catch.hpp>

#include <array>
#include <utility>
#include <vector>

namespace cqsim::test {

inline constexpr std::uint32_t kQps = 6;
inline constexpr std::uint32_t kCqs = 3;
inline constexpr std::uint32_t kDepth = 16;
inline constexpr std::uint32_t kIndexWidth = 6;  // wraps every 64 entries
inline constexpr std::uint64_t kStamp = 1000;    // ps between two groups of arrivals

/// What was decided for one completion.
struct Decision {
    std::uint64_t serial;
    Outcome outcome;
    std::uint32_t index;
    std::uint8_t owner;

    friend bool operator==(const Decision& l, const Decision& r) {
        return l.serial == r.serial && l.outcome == r.outcome && l.index == r.index &&
               l.owner == r.owner;
    }
};

/// What became free for who was not taken at once: the place of the held completion of a port, or
/// a credit of a work queue.
struct Room {
    QueueKind queue{};
    Qpn qpn = kNoQp;  ///< kNoQp: the held completion was taken

    friend bool operator==(const Room& l, const Room& r) {
        return l.queue == r.queue && l.qpn == r.qpn;
    }
};

/// Everything that is compared.
struct Trace {
    std::vector<Decision> decisions;
    std::vector<Room> rooms;
    std::vector<std::uint32_t> qps;  ///< of each QP, when a group has been offered: the state, and
                                     ///< in the bits above it the completions inside the block
    std::size_t held = 0;
    std::size_t no_credit = 0;
};

constexpr std::uint32_t qp_word(QpState state, std::uint32_t in_flight) {
    return in_flight << 8U | static_cast<std::uint32_t>(state);
}

/// Who waits in front of the block, as a pipeline keeps it: one that is held blocks its port, one
/// without credit its work queue; both are offered on at the next time stamp after they may. What
/// waits when its QP's life ends is offered all the same, for the block to cancel.
class Arrivals {
  public:
    /// `generation_of` gives the life that a QP is in.
    template <class GenerationOf>
    void add(const std::vector<Completion>& arrivals, GenerationOf generation_of) {
        for (Completion completion : arrivals) {
            completion.generation = generation_of(completion.qpn);
            m_waiting.push_back(completion);
        }
    }
    /// Offers everything that may be, in order. `offer` says what became of one.
    template <class Offer>
    void offer_all(Trace& trace, Offer offer) {
        std::vector<Completion> kept;
        for (const Completion& completion : m_waiting) {
            if (m_held[index_of(completion.queue)] || no_credit(completion.qpn, completion.queue)) {
                kept.push_back(completion);
                continue;
            }
            switch (offer(completion)) {
                case OfferStatus::Taken:
                    break;
                case OfferStatus::Held:
                    m_held[index_of(completion.queue)] = true;
                    ++trace.held;
                    break;
                case OfferStatus::NoCredit:
                    no_credit(completion.qpn, completion.queue) = true;
                    ++trace.no_credit;
                    kept.push_back(completion);
                    break;
            }
        }
        m_waiting = std::move(kept);
    }
    void room(const Room& room) {
        bool& blocked =
            room.qpn == kNoQp ? m_held[index_of(room.queue)] : no_credit(room.qpn, room.queue);
        CHECK(blocked);
        blocked = false;
    }

  private:
    bool& no_credit(Qpn qpn, QueueKind queue) {
        return m_no_credit[index_of(qpn) * 2 + index_of(queue)];
    }

    std::vector<Completion> m_waiting;
    std::array<bool, 2> m_held{};
    std::array<bool, std::size_t{kQps} * 2> m_no_credit{};
};

/// The arrivals of one time stamp; the life of a QP that ends in the same instant, after they are
/// offered and before they are decided; and what software consumes after them.
struct Group {
    std::vector<Completion> arrivals;
    std::uint32_t end_of = kQps;  ///< a QP that is reset, or destroyed and created again
    bool destroyed = false;
    std::uint32_t consume_from = 0;  ///< a CQ; kCqs: none
};

inline std::vector<Group> random_groups(std::uint64_t seed, std::uint32_t count) {
    RandomStream random(seed, "core_test");
    std::vector<Group> groups;
    std::uint64_t serial = 0;
    std::vector<std::uint32_t> wqe(std::size_t{kQps} * 2);
    for (std::uint32_t g = 0; g < count; ++g) {
        Group group;
        for (std::uint64_t i = random.below(6); i > 0; --i) {
            Completion completion;
            completion.serial = ++serial;
            completion.qpn = Qpn{static_cast<std::uint32_t>(random.below(kQps))};
            completion.queue = random.coin() ? QueueKind::Send : QueueKind::Receive;
            completion.wqe_index = wqe[index_of(completion.qpn) * 2 + index_of(completion.queue)]++;
            completion.signaled = random.below(3) != 0;
            completion.status = random.below(200) == 0 ? WcStatus::RetryExcErr : WcStatus::Success;
            completion.completed = TimePs{(g + 1) * kStamp};
            group.arrivals.push_back(completion);
        }
        if (random.below(10) == 0) {
            group.end_of = static_cast<std::uint32_t>(random.below(kQps));
            group.destroyed = random.coin();
        }
        group.consume_from = static_cast<std::uint32_t>(random.below(kCqs + 1));
        groups.push_back(group);
    }
    return groups;
}

inline ArbiterConfig arbiter_of(std::uint64_t seed) {
    ArbiterConfig config;
    config.policy = (seed & 1U) != 0 ? ArbiterPolicy::Fifo : ArbiterPolicy::RoundRobin;
    config.requester = static_cast<Requester>(seed / 2 % 3);
    config.tie_break = static_cast<TieBreak>(seed / 6 % 3);
    config.admission =
        (seed / 2 & 1U) != 0 ? AdmissionPolicy::Credits : AdmissionPolicy::SharedPool;
    config.depth = 2;
    config.credits = config.requester == Requester::Tap ? 2 : 1;
    return config;
}

inline constexpr std::array<QpState, 3> kBringUp{QpState::Init, QpState::Rtr, QpState::Rts};

inline CreateQp qp_of(std::uint32_t i) {
    CreateQp command;
    command.qpn = Qpn{i};
    command.send_cq = Cqn{i % kCqs};
    command.recv_cq = Cqn{(i + 1) % kCqs};
    command.sq_sig_all = i == 0;
    return command;
}

inline OverflowConfig overflow_config() {
    OverflowConfig config;
    config.index_width = kIndexWidth;
    return config;
}

}  // namespace cqsim::test
