// SPDX-License-Identifier: Apache-2.0
// The commands of the random software.
#include "tb/unit/core_software.h"

#include <algorithm>

namespace cqsim::test {
namespace {

/// What software asks for next on the way to sending.
QpState next_of(QpState state) {
    switch (state) {
        case QpState::Reset:
            return QpState::Init;
        case QpState::Init:
            return QpState::Rtr;
        case QpState::Rtr:
        case QpState::Sqd:
        case QpState::Sqe:
            return QpState::Rts;
        case QpState::Rts:
            return QpState::Sqd;
        case QpState::Err:
            break;
    }
    return QpState::Reset;
}

}  // namespace

void Software::submit(Device& device, const Command& command) {
    const std::uint32_t ticket = ++m_ticket;
    m_open.emplace(ticket, command);
    device.submit(ticket, command);
    hear(device);
    m_counts.accepted += m_open.count(ticket);
}

void Software::manage_qp(Device& device) {
    const std::uint32_t qp = below(kQps);
    const std::uint32_t draw = below(14);
    if (!m_qps[qp].exists || draw == 0) {
        create_qp(device, qp);
    } else if (draw == 1) {
        submit(device, DestroyQp{Qpn{qp}});
    } else if (draw == 2) {
        device.drained(Qpn{qp}, m_qps[qp].generation);
    } else if (draw == 3) {
        device.last_wqe_ended(Qpn{qp}, m_qps[qp].generation);
    } else if (draw == 4) {
        device.srq_limit_reached(Srqn{1});
    } else if (draw == 5) {
        device.flushed(Qpn{qp},
                       one_in(4) ? QpRules::before(m_qps[qp].generation) : m_qps[qp].generation,
                       one_in(2) ? QueueKind::Send : QueueKind::Receive);
    } else {
        modify_qp(device, qp);
    }
}

/// As a driver does: what is gone is soon there again, and ready to send.
void Software::create_missing(Device& device) {
    const std::uint32_t cq = below(kCqs);
    if (m_cqs[cq].suspect && one_in(2)) {
        recover(device, cq);
    }
    if (!m_cqs[cq].exists) {
        create_cq(device, cq);
    }
    const std::uint32_t qp = below(kQps);
    if (!m_qps[qp].exists) {
        create_qp(device, qp);
    }
    for (int i = 0; i < 3 && m_qps[qp].exists && m_qps[qp].state < QpState::Rts; ++i) {
        submit(device, ModifyQp{Qpn{qp}, next_of(m_qps[qp].state)});
    }
}

void Software::create_qp(Device& device, std::uint32_t qp) {
    CreateQp command;
    command.qpn = Qpn{one_in(30) ? kQps : qp};
    command.send_cq = Cqn{one_in(30) ? kCqs : below(kCqs)};
    command.recv_cq = Cqn{below(kCqs)};
    command.send_depth = 1 + below(8);
    command.recv_depth = 1 + below(8);
    command.sq_sig_all = one_in(3);
    command.type = static_cast<QpType>(2 + below(3));
    command.srqn = one_in(2) ? Srqn{1} : kNoSrq;
    submit(device, command);
}

void Software::modify_qp(Device& device, std::uint32_t qp) {
    ModifyQp command;
    command.qpn = Qpn{one_in(40) ? kQps : qp};
    command.state = one_in(3) ? static_cast<QpState>(below(7)) : next_of(m_qps[qp].state);
    command.sqd_notify = !one_in(3);
    submit(device, command);
    if (command.state == QpState::Sqd && one_in(2)) {
        device.drained(Qpn{qp}, m_qps[qp].generation);
    } else if (command.state == QpState::Err && one_in(2)) {
        device.last_wqe_ended(Qpn{qp}, m_qps[qp].generation);
    }
}

void Software::manage_cq(Device& device) {
    const std::uint32_t cq = below(kCqs);
    if (!m_cqs[cq].exists || one_in(12)) {
        create_cq(device, cq);
    } else if (m_cqs[cq].suspect || one_in(12)) {
        recover(device, cq);
    } else if (one_in(3)) {
        resize_cq(device, cq);
    } else if (one_in(4)) {
        submit(device, QueryCq{Cqn{below(kCqs + 1)}});
    } else if (one_in(5)) {
        submit(device, DestroyCq{Cqn{below(kCqs + 1)}});
    } else {
        submit(device, ModifyCq{Cqn{below(kCqs)}, moderation()});
    }
}

/// A CQ is made anew by destroying first the QPs on it, then it.
void Software::recover(Device& device, std::uint32_t cq) {
    for (std::uint32_t qp = 0; qp < kQps; ++qp) {
        if (m_qps[qp].exists && (m_qps[qp].send_cq == cq || m_qps[qp].recv_cq == cq)) {
            submit(device, DestroyQp{Qpn{qp}});
        }
    }
    submit(device, DestroyCq{Cqn{cq}});
}

void Software::create_cq(Device& device, std::uint32_t cq) {
    RingView& ring = m_cqs[cq].next;
    CreateCq command;
    command.cqn = Cqn{one_in(30) ? kCqs : cq};
    if (!m_cqs[cq].exists) {
        ring = {below(kRings), some_depth(), 0, one_in(8)};
        ring.place = owner::by_index(m_rings.owner) ? m_rings.first_index : 0;
    }
    command.depth = ring.depth;
    command.eqn = one_in(10) ? kNoEqn : one_in(30) ? kAeq : some_eqn();
    command.format = m_format;
    command.flags = !one_in(16) ? 0 : one_in(2) ? kIgnoreOverrun : kIgnoreOverrun | kCollapsed;
    if (one_in(30)) {
        command.flags = one_in(2) ? 4 : kCollapsed;  // unknown to any device; and not alone
    }
    command.moderation = moderation();
    command.ring_address = address_of(ring, cq);
    command.doorbell_record_address = layout::doorbell_record(cq);
    if (!m_cqs[cq].exists) {
        preset(device, cq, ring);
        device.write_doorbell_record(cq, m_rings.first_index);
    }
    submit(device, command);
}

/// Into the page that is free once the old ring was left; before, the device says that it is busy.
void Software::resize_cq(Device& device, std::uint32_t cq) {
    CqView& view = m_cqs[cq];
    ResizeCq command;
    command.cqn = Cqn{one_in(20) ? kCqs : cq};
    if (m_path == ConsumerPath::Increment && view.exists) {
        return_slots(device, cq);  // or the device would count it twice
    }
    command.consumer = one_in(16) ? (view.ci + 20) & kIndexMask : view.ci;
    if (view.replaced) {
        if (view.resizing) {
            submit(device, command);
        }
        return;
    }
    view.next = {(view.ring.page + 1) % kRings, some_depth(), 0, one_in(16)};
    command.ring_address = address_of(view.next, cq);
    command.depth = view.next.depth;
    preset(device, cq, view.next);
    submit(device, command);
    view.replaced = view.resizing = m_open.count(m_ticket) != 0;
}

/// Mostly what a device takes; of the sizes of rings every fourth is too small for many.
std::uint32_t Software::some_depth() {
    if (one_in(30)) {
        return one_in(2) ? 5 : 0;
    }
    return owner::by_index(m_rings.owner) ? 4U << below(3) : 3 + below(14);
}

/// A place of 0 is that of a ring that goes on by a marker, too: with it goes opcode INVALID.
void Software::preset(Device& device, std::uint32_t cq, const RingView& ring) const {
    std::byte* page = device.memory(layout::cq_ring(cq, ring.page));
    const std::uint32_t lap = ring.depth == 0 ? 0 : ring.place / ring.depth;
    for (std::uint32_t end = m_stride; end <= HostMemory::kPage; end += m_stride) {
        page[end - 1] = owner::preset(m_rings.owner, owner::of_lap(m_rings.owner, lap));
    }
}

Moderation Software::moderation() {
    constexpr std::array<std::uint64_t, 6> kPeriods{0, 500, 1500, 3000, 10'000, 5'000'000'000};
    Moderation wish;
    wish.count = one_in(40) ? 0x1'0000 : below(6);
    wish.period = TimePs{kPeriods[one_in(20) ? 5 : one_in(10) ? 0 : 1 + below(4)]};
    return wish;
}

/// Mostly the newest ones: older ones may be in error for good.
std::uint16_t Software::some_eqn() {
    const std::uint32_t newest = m_next_eqn == 0 ? 0U : m_next_eqn - 1U;
    const std::uint32_t back = one_in(8) ? below(newest + 1) : below(2);
    return static_cast<std::uint16_t>(newest - std::min(back, newest));
}

void Software::create_eq(Device& device) {
    if (m_next_eqn == kEqs) {
        return;
    }
    CreateEq command;
    command.eqn = Eqn{one_in(20) ? kEqs : m_next_eqn};
    command.kind = m_next_eqn == kAeq || one_in(10) ? EqKind::Async : EqKind::Completion;
    const std::uint64_t ring = layout::eq_ring(m_next_eqn);
    command.ring_address = one_in(12) ? layout::nowhere(ring) : ring;
    command.depth = m_next_eqn == kAeq && one_in(2) ? 64 : 4U << below(2);
    command.vector = static_cast<std::uint16_t>(below(9));
    for (std::uint32_t slot = 0; slot < command.depth; ++slot) {
        std::byte* entry = device.memory(ring + std::uint64_t{slot} * kEqEntry);
        entry[eqe::kOwnByte] = eqe::kInvalidOwn;
    }
    submit(device, command);
    if (m_eqs[m_next_eqn].depth != 0) {
        ++m_next_eqn;
    }
}

}  // namespace cqsim::test
