// SPDX-License-Identifier: Apache-2.0
/// \file
/// Who goes next through the one serialized path (S8.1, S8.2, K22; design D3). No time, no SystemC.
#pragma once

#include "models/arbiter/arbiter_config.h"
#include "models/protocol/completion.h"
#include "models/random/random.h"
#include "models/rows/rows.h"

#include <array>
#include <cstring>
#include <vector>

namespace cqsim {

/// The two inputs of the arbiter: a tap each.
enum class ArbiterPort : std::uint8_t { Tx = 0, Rx = 1 };

/// An index into the entry array; kNone: no entry.
using EntryId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xFFFF'FFFFU;

/// One competitor's FIFO. 16 bytes.
struct RequesterRow {
    EntryId head = kNone;
    EntryId tail = kNone;
    std::uint32_t next_active = kNone;  ///< in the ring of competitors that have something to offer
    std::uint32_t admitted = 0;         ///< entries inside, for credits

    friend bool operator==(const RequesterRow& l, const RequesterRow& r) {
        return l.head == r.head && l.tail == r.tail && l.next_active == r.next_active &&
               l.admitted == r.admitted;
    }
};

/// A work queue that was refused for want of credit.
struct WorkQueueId {
    Qpn qpn = kNoQp;
    QueueKind queue = QueueKind::Send;
};

/// The bounded input and the order of service.
///
/// Completions that arrive at one time stamp are staged per port and enter the FIFOs together, the
/// ports in the order of `tie_break` (P6). Every policy takes heads of per-requester FIFOs, so
/// order inside a work queue is arrival order (S3.10).
class ArbiterRules {
  public:
    enum class Offer : std::uint8_t { Taken, Held, NoCredit };

    /// What a completion that left makes room for: at most one of the two.
    struct Room {
        bool held_taken = false;  ///< the completion held on `port` is now inside, as `entry`
        EntryId entry = kNone;
        ArbiterPort port{};
        bool credit = false;  ///< `work_queue`, refused earlier on `port`, may be offered again
        WorkQueueId work_queue;
    };

    /// `qp_rows` has a row per QP, or may be empty when the requester is not the QP.
    ArbiterRules(const ArbiterConfig& config,
                 std::uint32_t qps,
                 std::uint32_t cqs,
                 std::uint64_t seed,
                 Rows<RequesterRow> qp_rows);

    /// A completion arrives on a port at `now`.
    Offer offer(ArbiterPort port, const Completion& completion, TimePs now);

    /// The next to be served; not when `empty()`. Call at the end of a time stamp's arrivals.
    EntryId next() {
        if (m_staged[0].head != kNone || m_staged[1].head != kNone) {
            settle();
        }
        return choose();
    }
    /// The entry that `next` gave is gone; its room goes to whoever waited for it. Call once for
    /// each `next`; others may be offered in between.
    Room release(EntryId entry);
    /// The work queue to which `release` gave a credit has nothing to offer any more: the credit
    /// goes to whoever waits next for the same requester.
    Room decline(ArbiterPort port, Qpn qpn);

    bool empty() const { return m_inside == 0; }
    std::uint32_t inside() const { return m_inside; }
    Completion& completion(EntryId entry) { return m_entries[entry].completion; }
    TimePs arrived(EntryId entry) const { return m_entries[entry].arrived; }
    /// The row of a QP's requester will be needed soon.
    [[gnu::always_inline]] void prefetch(Qpn qpn) const {
        if (m_config.requester == Requester::Qp) {
            m_requesters.prefetch(index_of(qpn));
        }
    }

  private:
    struct Entry {
        Completion completion;
        TimePs arrived{};
        EntryId next = kNone;
        ArbiterPort port{};
        std::uint8_t reserved[3] = {};

        friend bool operator==(const Entry& l, const Entry& r) {
            return std::memcmp(&l, &r, sizeof l) == 0;
        }
    };
    struct List {
        std::uint32_t head = kNone;
        std::uint32_t tail = kNone;

        friend bool operator==(List l, List r) { return l.head == r.head && l.tail == r.tail; }
    };
    /// One port's completion that found the pool full.
    struct Held {
        Completion completion;
        TimePs since{};
        std::uint64_t holds = 0;  ///< 1: the port is blocked by it

        friend bool operator==(const Held& l, const Held& r) {
            return l.completion == r.completion && l.since == r.since && l.holds == r.holds;
        }
    };

    auto state() const {
        return std::tie(m_config,
                        m_random,
                        m_requesters,
                        m_fifo,
                        m_active,
                        m_entries,
                        m_free,
                        m_inside,
                        m_staged[0],
                        m_staged[1],
                        m_staged_at,
                        m_held[0],
                        m_held[1],
                        m_waiting,
                        m_waiting_next,
                        m_waits);
    }

    std::uint32_t requester_of(const Completion& completion) const;
    RequesterRow& service_row(std::uint32_t requester);
    EntryId store(ArbiterPort port, const Completion& completion, TimePs now);
    void stage(ArbiterPort port, EntryId entry);
    void enter(EntryId entry);
    void activate(std::uint32_t requester);
    void settle();
    void settle(ArbiterPort port);
    EntryId choose();
    Offer refuse(ArbiterPort port, const Completion& completion, std::uint32_t requester);
    Room return_credit(std::uint32_t requester);
    Room give_credit(std::uint32_t requester);
    Room take_held(ArbiterPort served);
    static std::uint32_t waiting_key(ArbiterPort port, Qpn qpn);

    ArbiterConfig m_config;
    RandomStream m_random;
    Rows<RequesterRow> m_requesters;
    RequesterRow m_fifo;  ///< the single queue of policy fifo
    List m_active;        ///< requesters with entries, in the order of service
    std::vector<Entry> m_entries;
    EntryId m_free = kNone;
    std::uint32_t m_inside = 0;
    std::array<List, 2> m_staged;
    TimePs m_staged_at{};
    std::array<Held, 2> m_held{};
    std::vector<List> m_waiting;  ///< per requester: work queues without credit
    /// Per {qpn, port}: who waits behind it; once it has a credit, of which requester.
    std::vector<std::uint32_t> m_waiting_next;
    std::vector<std::uint8_t> m_waits;  ///< per {qpn, port}

  public:
    friend bool operator==(const ArbiterRules& l, const ArbiterRules& r) {
        return l.state() == r.state();
    }
    std::uint64_t hash() const { return hash_of(state()); }
};

}  // namespace cqsim
