// SPDX-License-Identifier: Apache-2.0
#include "tb/unit/core_software.h"

#include "models/doorbell/bar_map.h"

#include <algorithm>

namespace cqsim::test {

Software::Software(std::uint64_t seed, std::uint32_t steps)
    : m_random(seed, "core_software"),
      m_steps(steps),
      m_rings(Setting(seed).core.overflow),
      m_format(Setting(seed).format),
      m_stride(stride_of(m_format)),
      m_path(m_rings.consumer_index) {
}

bool Software::play(Device& device) {
    device.begin_step(++m_step);
    device.stand();
    hear(device);
    if (m_next_eqn == 0) {  // the first time stamp of all
        for (std::uint32_t n = 2 + below(2); n > 0; --n) {
            create_eq(device);
        }
        for (std::uint32_t cq = 0; cq < kCqs; ++cq) {
            create_cq(device, cq);
        }
    }
    hear_rooms(device);
    use_credits(device);
    offer_waiting(device);
    create_missing(device);
    for (std::uint32_t n = below(12); n > 0; --n) {
        device.begin_step(++m_step);
        input(device, true);
    }
    m_pause = TimePs{kStamp * (1 + below(3))};
    return m_step < m_steps;
}

void Software::between(Device& device) {
    for (std::uint32_t n = one_in(2) ? below(3) : 0; n > 0; --n) {
        device.begin_step(++m_step);
        hear(device);
        ++m_counts.between;
        input(device, false);
    }
}

void Software::input(Device& device, bool may_offer) {
    const std::uint32_t draw = below(100);
    if (draw < 36) {
        for (std::uint32_t n = may_offer ? 1 + below(4) : 0; n > 0; --n) {
            complete(device);
        }
    } else if (draw < 54) {
        poll(device, below(kCqs));
        poll(device, below(kCqs));
    } else if (draw < 72) {
        arm(device);
    } else if (draw < 85) {
        read_eq(device, one_in(3) ? kAeq : some_eqn());
        read_eq(device, some_eqn());
    } else if (draw < 92) {
        manage_qp(device);
    } else if (draw < 98) {
        manage_cq(device);
    } else if (draw < 99) {
        write_garbage(device);
    } else {
        create_eq(device);
    }
}

// What it hears.

void Software::hear(Device& device) {
    const Trace& trace = device.history;
    for (; m_heard_states < trace.qp_states.size(); ++m_heard_states) {
        const QpChange& change = trace.qp_states[m_heard_states].what;
        m_qps[index_of(change.qpn)].state = change.after;
    }
    for (; m_heard_done < trace.done.size(); ++m_heard_done) {
        const CoreDone& done = trace.done[m_heard_done].what;
        const auto open = m_open.find(done.ticket);
        heard(done, open->second);
        m_open.erase(open);
    }
    for (; m_heard_records < trace.records.size(); ++m_heard_records) {
        const Record& record = trace.records[m_heard_records].what.record;
        if (record.kind == Kind::Overrun) {
            m_cqs[index_of(record.cqn)].suspect = true;
        }
    }
}

void Software::heard(const CoreDone& done, const Command& command) {
    if (const auto* resize = std::get_if<ResizeCq>(&command)) {
        CqView* view = index_of(resize->cqn) < kCqs ? &m_cqs[index_of(resize->cqn)] : nullptr;
        m_counts.ends_lost +=
            view != nullptr && view->resizing && done.answer.result == CommandResult::Invalid ? 1
                                                                                              : 0;
        if (view != nullptr && done.answer.result != CommandResult::Busy) {
            view->resizing = false;
        }
    }
    if (done.answer.result != CommandResult::Ok) {
        return;
    }
    if (const auto* eq = std::get_if<CreateEq>(&command)) {
        m_eqs[index_of(eq->eqn)] = {eq->depth, 0};
    } else if (const auto* cq = std::get_if<CreateCq>(&command)) {
        CqView& view = m_cqs[index_of(cq->cqn)];
        view.exists = true;
        view.suspect = view.replaced = view.resizing = false;
        view.collapsed = (cq->flags & kCollapsed) != 0;
        view.ring = view.next;
        view.ci = view.told = m_rings.first_index;
        view.eqn = cq->eqn;
    } else if (const auto* gone = std::get_if<DestroyCq>(&command)) {
        m_cqs[index_of(gone->cqn)].exists = false;
    } else if (const auto* qp = std::get_if<CreateQp>(&command)) {
        QpView& view = m_qps[index_of(qp->qpn)];
        view.exists = true;
        view.generation = done.answer.generation;
        view.state = QpState::Reset;
        view.send_cq = index_of(qp->send_cq);
        view.recv_cq = index_of(qp->recv_cq);
    } else if (const auto* modify = std::get_if<ModifyQp>(&command)) {
        m_qps[index_of(modify->qpn)].generation = done.answer.generation;
    } else if (const auto* destroy = std::get_if<DestroyQp>(&command)) {
        m_qps[index_of(destroy->qpn)].exists = false;
        m_qps[index_of(destroy->qpn)].generation = done.answer.generation;
    }
}

void Software::hear_rooms(const Device& device) {
    const Lane<CoreRoom>& rooms = device.history.rooms;
    for (; m_heard_rooms < rooms.size(); ++m_heard_rooms) {
        const CoreRoom& room = rooms[m_heard_rooms].what;
        if (room.qpn == kNoQp) {
            m_held[index_of(room.queue)] = false;
        } else {
            QpView& qp = m_qps[index_of(room.qpn)];
            qp.no_credit[index_of(room.queue)] = false;
            qp.has_credit[index_of(room.queue)] = true;
        }
    }
}

// The pipelines. One that is held blocks its tap, one without credit its work queue.

/// Of a life that is over there is nothing to offer: others wait for the credit.
void Software::use_credits(Device& device) {
    for (std::uint32_t key = 0; key < kQps * 2;) {
        const auto queue = static_cast<QueueKind>(key % 2);
        QpView& qp = m_qps[key / 2];
        if (!qp.has_credit[index_of(queue)]) {
            ++key;
            continue;
        }
        qp.has_credit[index_of(queue)] = false;
        const Qpn qpn{key / 2};
        const auto first =
            std::find_if(m_waiting.begin(), m_waiting.end(), [&](const Completion& waits) {
                return waits.qpn == qpn && waits.queue == queue;
            });
        if (first->generation != qp.generation) {
            ++m_counts.declined;
            device.decline(qpn, queue);
            hear_rooms(device);
            key = 0;
        }
    }
}

void Software::offer_waiting(Device& device) {
    std::vector<Completion> kept;
    for (const Completion& completion : m_waiting) {
        const std::uint32_t queue = index_of(completion.queue);
        if (m_held[queue] || m_qps[index_of(completion.qpn)].no_credit[queue] ||
            offer(device, completion) == ArbiterRules::Offer::NoCredit) {
            kept.push_back(completion);
        }
    }
    m_waiting = std::move(kept);
}

ArbiterRules::Offer Software::offer(Device& device, const Completion& completion) {
    const ArbiterRules::Offer offered = device.offer(completion);
    if (offered == ArbiterRules::Offer::Held) {
        ++m_counts.held;
        m_held[index_of(completion.queue)] = true;
    } else if (offered == ArbiterRules::Offer::NoCredit) {
        ++m_counts.no_credit;
        m_qps[index_of(completion.qpn)].no_credit[index_of(completion.queue)] = true;
    }
    return offered;
}

void Software::complete(Device& device) {
    QpView& qp = m_qps[below(kQps)];
    if (!qp.exists) {
        return;
    }
    Completion completion;
    completion.serial = ++m_serial;
    completion.wr_id = wr_id_of(m_serial);
    completion.qpn = Qpn{static_cast<std::uint32_t>(&qp - m_qps.data())};
    completion.queue = one_in(2) ? QueueKind::Send : QueueKind::Receive;
    completion.generation = one_in(40) ? QpRules::before(qp.generation) : qp.generation;
    completion.wqe_index = ++qp.wqe[index_of(completion.queue)];
    completion.signaled = !one_in(3);
    completion.solicited = completion.queue == QueueKind::Receive && one_in(4);
    constexpr std::array<WcStatus, 4> kFailures{
        WcStatus::RetryExcErr, WcStatus::GeneralErr, WcStatus::WrFlushErr, WcStatus::LocProtErr};
    completion.status = one_in(16) ? kFailures[below(4)] : WcStatus::Success;
    completion.completed = TimePs{std::uint64_t{kStamp} * m_step};
    completion.details.byte_len = below(4096);
    completion.details.imm_data = below(4096);
    completion.details.vendor_err = below(256);
    const std::uint32_t queue = index_of(completion.queue);
    if (m_held[queue] || qp.no_credit[queue] || !m_waiting.empty() ||
        offer(device, completion) == ArbiterRules::Offer::NoCredit) {
        m_waiting.push_back(completion);
    }
    if (completion.status != WcStatus::Success) {
        device.request_failed(completion);
    }
}

// Rings and doorbells.

void Software::poll(Device& device, std::uint32_t cq) {
    CqView& view = m_cqs[cq];
    if (!view.exists) {
        return;
    }
    for (std::uint32_t n = below(view.ring.depth + 1); n > 0 && read_entry(device, cq); --n) {
    }
    if (!one_in(4)) {
        return_slots(device, cq);
    }
}

/// On the path that the device knows; the monitor on the registers tells of them itself.
void Software::return_slots(Device& device, std::uint32_t cq) {
    constexpr std::uint32_t kMostIncrement = 15;  // in 4 bits
    CqView& view = m_cqs[cq];
    switch (m_path) {
        case ConsumerPath::Record: {
            Record published;
            published.kind = Kind::Ci;
            published.cqn = Cqn{cq};
            published.index = view.ci;
            published.a = layout::doorbell_record(cq);
            device.note(published);
            device.write_doorbell_record(cq, view.ci);
            break;
        }
        case ConsumerPath::Mmio:
            device.ring(bar::kCqConsumer, bar::cq_consumer(Cqn{cq}, view.ci));
            break;
        case ConsumerPath::Increment:
            for (std::uint32_t left = (view.ci - view.told) & kIndexMask; left > 0;) {
                const std::uint32_t increment = std::min(left, kMostIncrement);
                device.ring(bar::kCqCredit, bar::cq_credit(Cqn{cq}, increment));
                left -= increment;
            }
            break;
    }
    view.told = view.ci;
}

/// \returns whether there was one. What ends a ring leads to the next (S4.7, S4.8).
bool Software::read_entry(Device& device, std::uint32_t cq) {
    CqView& view = m_cqs[cq];
    if (view.ring.nowhere) {
        return false;
    }
    const std::uint64_t address =
        address_of(view.ring, cq) + std::uint64_t{slot_of(view)} * m_stride;
    const std::byte* entry = device.memory(address);
    const std::uint8_t own = cqe::own_byte(entry, m_stride);
    if (!owner::is_valid(own, owner::mask_of(m_rings.owner), owner_of(view))) {
        return false;
    }
    Record polled;
    polled.kind = Kind::Poll;
    polled.cqn = Cqn{cq};
    polled.index = slot_of(view);
    polled.a = address;
    polled.b = static_cast<std::uint16_t>(m_stride);
    polled.bytes = entry;
    device.note(polled);
    view.ci = (view.ci + 1) & kIndexMask;
    ++view.ring.place;
    if (cqe::ends_ring(own) && view.replaced) {
        ++m_counts.rings_left;
        view.next.place = m_rings.resize == ResizeMode::Marker ? view.ring.place : 0;
        view.ring = view.next;
        view.replaced = false;
    }
    return true;
}

std::uint8_t Software::owner_of(const CqView& view) const {
    const std::uint32_t first = owner::by_index(m_rings.owner) ? m_rings.first_index : 0;
    const std::uint32_t place = view.ring.place;
    const std::uint32_t depth = view.ring.depth;
    return owner::of_lap(m_rings.owner,
                         view.collapsed ? first / depth + place - first : place / depth);
}

/// What no correct software does.
void Software::write_garbage(Device& device) {
    const std::uint32_t cq = below(kCqs);
    switch (below(8)) {
        case 0:
            device.write_doorbell_record(cq, (m_cqs[cq].ci + 20 + below(20)) & kIndexMask);
            break;
        case 1:
            device.ring(bar::kCqArm, bar::cq_arm(Cqn{kCqs + below(3)}, 0, ArmKind::Next));
            break;
        case 2:
            device.ring(bar::kCqArm, bar::cq_arm(Cqn{cq}, kIndexMask + 1, ArmKind::Next));
            break;
        case 3:
            device.ring(bar::kCqArm,
                        bar::cq_arm(Cqn{cq}, 0, ArmKind::Next) | std::uint64_t{1} << 25U);
            break;
        case 4:  // what is refused, the monitor counts as well: then increments would not add
                 // up
            if (m_path != ConsumerPath::Increment) {
                device.ring(bar::kCqConsumer,
                            bar::cq_consumer(Cqn{cq}, (m_cqs[cq].ci + 20) & kIndexMask));
            }
            break;
        case 5:
            if (m_path != ConsumerPath::Increment) {
                device.ring(bar::kCqConsumer, bar::cq_consumer(Cqn{cq}, kIndexMask + 1));
            }
            break;
        case 6:
            device.ring(bar::kEqArm, bar::eq_index(Eqn{kEqs}, 0));
            break;
        default:
            device.ring(bar::kEqUpdate, bar::eq_index(Eqn{kAeq}, m_eqs[kAeq].ci + 40));
            break;
    }
}

void Software::arm(Device& device) {
    const std::uint32_t cq = below(kCqs);
    const ArmKind kind = one_in(2) ? ArmKind::Solicited : ArmKind::Next;
    const std::uint32_t consumer = one_in(8) ? below(kIndexMask + 1) : m_cqs[cq].ci;
    device.ring(bar::kCqArm, bar::cq_arm(Cqn{cq}, consumer, kind));
}

void Software::read_eq(Device& device, std::uint16_t eqn) {
    EqView& view = m_eqs[eqn];
    if (view.depth == 0) {
        return;
    }
    for (std::uint32_t n = below(view.depth + 1); n > 0; --n) {
        const std::uint32_t slot = view.ci & (view.depth - 1);
        const std::byte* entry =
            device.memory(layout::eq_ring(eqn) + std::uint64_t{slot} * kEqEntry);
        if (!eqe::is_valid(entry, static_cast<std::uint8_t>(view.ci / view.depth & 1U))) {
            break;
        }
        ++view.ci;
    }
    device.ring(one_in(3) ? bar::kEqUpdate : bar::kEqArm, bar::eq_index(Eqn{eqn}, view.ci));
}

}  // namespace cqsim::test
