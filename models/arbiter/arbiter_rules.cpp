// SPDX-License-Identifier: Apache-2.0
#include "models/arbiter/arbiter_rules.h"

#include <utility>

namespace cqsim {
namespace {

constexpr std::size_t index_of(ArbiterPort port) {
    return static_cast<std::size_t>(port);
}

constexpr ArbiterPort other(ArbiterPort port) {
    return port == ArbiterPort::Tx ? ArbiterPort::Rx : ArbiterPort::Tx;
}

Rows<RequesterRow> requester_rows(const ArbiterConfig& config,
                                  std::uint32_t cqs,
                                  Rows<RequesterRow> qp_rows) {
    switch (config.requester) {
        case Requester::Qp:
            return qp_rows;
        case Requester::Cq:
            return Rows<RequesterRow>(cqs);
        case Requester::Tap:
            break;
    }
    return Rows<RequesterRow>(2);
}

}  // namespace

ArbiterRules::ArbiterRules(const ArbiterConfig& config,
                           std::uint32_t qps,
                           std::uint32_t cqs,
                           std::uint64_t seed,
                           Rows<RequesterRow> qp_rows)
    : m_config(config),
      m_random(seed, "completion_arbiter"),
      m_requesters(requester_rows(config, cqs, std::move(qp_rows))) {
    if (m_config.admission == AdmissionPolicy::Credits) {
        m_waiting.resize(m_requesters.size());
        m_waiting_next.resize(std::size_t{qps} * 2, kNone);
        m_waits.resize(std::size_t{qps} * 2);
    }
}

std::uint32_t ArbiterRules::requester_of(const Completion& completion) const {
    switch (m_config.requester) {
        case Requester::Qp:
            return cqsim::index_of(completion.qpn);
        case Requester::Cq:
            return cqsim::index_of(completion.cqn);
        case Requester::Tap:
            break;
    }
    return cqsim::index_of(completion.queue);
}

std::uint32_t ArbiterRules::waiting_key(ArbiterPort port, Qpn qpn) {
    return cqsim::index_of(qpn) * 2 + static_cast<std::uint32_t>(port);
}

RequesterRow& ArbiterRules::service_row(std::uint32_t requester) {
    return m_config.policy == ArbiterPolicy::Fifo ? m_fifo : m_requesters[requester];
}

ArbiterRules::Offer ArbiterRules::offer(ArbiterPort port,
                                        const Completion& completion,
                                        TimePs now) {
    if (m_staged_at != now) {
        settle();
        m_staged_at = now;
    }
    if (m_config.admission == AdmissionPolicy::Credits) {
        const std::uint32_t requester = requester_of(completion);
        RequesterRow& row = m_requesters[requester];
        if (row.admitted == m_config.credits) {
            return refuse(port, completion, requester);
        }
        ++row.admitted;
    } else if (m_inside == m_config.depth) {
        m_held[index_of(port)] = Held{completion, now, 1};
        return Offer::Held;
    }
    const EntryId entry = store(port, completion, now);
    stage(port, entry);
    return Offer::Taken;
}

/// Puts an entry behind the arrivals of its port at this time stamp.
void ArbiterRules::stage(ArbiterPort port, EntryId entry) {
    List& staged = m_staged[index_of(port)];
    if (staged.head == kNone) {
        staged.head = entry;
    } else {
        m_entries[staged.tail].next = entry;
    }
    staged.tail = entry;
}

EntryId ArbiterRules::store(ArbiterPort port, const Completion& completion, TimePs now) {
    EntryId entry = m_free;
    if (entry == kNone) {
        entry = static_cast<EntryId>(m_entries.size());
        m_entries.emplace_back();
    } else {
        m_free = m_entries[entry].next;
    }
    Entry& fresh = m_entries[entry];
    fresh.completion = completion;
    fresh.arrived = now;
    fresh.next = kNone;
    fresh.port = port;
    ++m_inside;
    return entry;
}

/// Puts an entry at the end of its requester's FIFO, and the requester among the active ones.
void ArbiterRules::enter(EntryId entry) {
    m_entries[entry].next = kNone;
    const std::uint32_t requester = requester_of(m_entries[entry].completion);
    RequesterRow& row = service_row(requester);
    if (row.head != kNone) {
        m_entries[row.tail].next = entry;
        row.tail = entry;
        return;
    }
    row.head = entry;
    row.tail = entry;
    if (m_config.policy == ArbiterPolicy::Fifo) {
        return;
    }
    activate(requester);
}

/// Puts a requester that has something to offer at the end of the round.
void ArbiterRules::activate(std::uint32_t requester) {
    m_requesters[requester].next_active = kNone;
    if (m_active.head == kNone) {
        m_active.head = requester;
    } else {
        m_requesters[m_active.tail].next_active = requester;
    }
    m_active.tail = requester;
}

/// The arrivals of one time stamp enter the FIFOs, one port after the other (P6).
void ArbiterRules::settle() {
    const bool tx = m_staged[index_of(ArbiterPort::Tx)].head != kNone;
    const bool rx = m_staged[index_of(ArbiterPort::Rx)].head != kNone;
    if (tx && rx) {
        const bool rx_first = m_config.tie_break == TieBreak::RxFirst ||
                              (m_config.tie_break == TieBreak::Seeded && m_random.coin());
        settle(rx_first ? ArbiterPort::Rx : ArbiterPort::Tx);
        settle(rx_first ? ArbiterPort::Tx : ArbiterPort::Rx);
    } else if (tx || rx) {
        settle(tx ? ArbiterPort::Tx : ArbiterPort::Rx);
    }
}

void ArbiterRules::settle(ArbiterPort port) {
    List& staged = m_staged[index_of(port)];
    for (EntryId entry = staged.head; entry != kNone;) {
        const EntryId following = m_entries[entry].next;
        enter(entry);
        entry = following;
    }
    staged = List{};
}

/// The head of the requester whose turn it is.
EntryId ArbiterRules::choose() {
    if (m_config.policy == ArbiterPolicy::Fifo) {
        const EntryId entry = m_fifo.head;
        m_fifo.head = m_entries[entry].next;
        return entry;
    }
    const std::uint32_t requester = m_active.head;
    RequesterRow& row = m_requesters[requester];
    const EntryId entry = row.head;
    row.head = m_entries[entry].next;
    m_active.head = row.next_active;
    row.next_active = kNone;
    if (row.head != kNone) {
        activate(requester);  // it has more
    }
    return entry;
}

ArbiterRules::Room ArbiterRules::release(EntryId entry) {
    Entry& gone = m_entries[entry];
    const ArbiterPort port = gone.port;
    const std::uint32_t requester = requester_of(gone.completion);
    gone.next = m_free;
    m_free = entry;
    --m_inside;
    if (m_config.admission == AdmissionPolicy::Credits) {
        return return_credit(requester);
    }
    return (m_held[0].holds | m_held[1].holds) != 0 ? take_held(port) : Room{};
}

ArbiterRules::Offer ArbiterRules::refuse(ArbiterPort port,
                                         const Completion& completion,
                                         std::uint32_t requester) {
    const std::uint32_t key = waiting_key(port, completion.qpn);
    if (m_waits[key] == 0) {
        m_waits[key] = 1;
        m_waiting_next[key] = kNone;
        List& waiting = m_waiting[requester];
        if (waiting.head == kNone) {
            waiting.head = key;
        } else {
            m_waiting_next[waiting.tail] = key;
        }
        waiting.tail = key;
    }
    return Offer::NoCredit;
}

ArbiterRules::Room ArbiterRules::return_credit(std::uint32_t requester) {
    --m_requesters[requester].admitted;
    return give_credit(requester);
}

/// The work queue that has waited longest for the requester may be offered again.
ArbiterRules::Room ArbiterRules::give_credit(std::uint32_t requester) {
    Room room;
    List& waiting = m_waiting[requester];
    if (waiting.head != kNone) {
        const std::uint32_t key = waiting.head;
        waiting.head = m_waiting_next[key];
        m_waiting_next[key] = requester;
        m_waits[key] = 0;
        room.credit = true;
        room.port = static_cast<ArbiterPort>(key & 1U);
        room.work_queue = {Qpn{key / 2}, static_cast<QueueKind>(key & 1U)};
    }
    return room;
}

ArbiterRules::Room ArbiterRules::decline(ArbiterPort port, Qpn qpn) {
    return give_credit(m_waiting_next[waiting_key(port, qpn)]);
}

/// The freed place goes to a held completion, the other port's before the one just served.
ArbiterRules::Room ArbiterRules::take_held(ArbiterPort served) {
    Room room;
    for (const ArbiterPort port : {other(served), served}) {
        Held& held = m_held[index_of(port)];
        if (held.holds != 0) {
            held.holds = 0;
            room.entry = store(port, held.completion, held.since);
            if (m_staged[index_of(port)].head == kNone) {
                enter(room.entry);
            } else {
                stage(port, room.entry);  // behind what its port had taken before
            }
            room.held_taken = true;
            room.port = port;
            break;
        }
    }
    return room;
}

}  // namespace cqsim
