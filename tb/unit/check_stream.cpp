// SPDX-License-Identifier: Apache-2.0
#include "tb/unit/check_stream.h"

#include <algorithm>
#include <stdexcept>

namespace cqsim::tb {
namespace {

constexpr std::uint64_t kRings = 0x1000'0000;
constexpr std::uint64_t kDoorbells = 0x800'0000;

}  // namespace

LegalStream::LegalStream(const Options& options, Sink sink)
    : m_options(options),
      m_sink(std::move(sink)),
      m_cq(options.cqs),
      m_qp(options.qps),
      m_eq(options.eqs == 0 ? 0 : options.eqs + std::size_t{1}) {
    create();
}

Record LegalStream::record(Kind kind) const {
    Record record;
    record.kind = kind;
    record.time_ps = m_now;
    return record;
}

Record LegalStream::of_queue(Kind kind,
                             std::uint32_t qp,
                             QueueKind queue,
                             std::uint32_t index) const {
    Record result = record(kind);
    result.qpn = qpn(qp);
    result.generation = m_qp[qp].generation;
    result.queue = queue;
    result.index = index;
    result.serial = serial(qp, queue, index);
    result.wr_id = wr_id(qp, queue, index);
    return result;
}

void LegalStream::create() {
    create_eqs();
    for (std::uint32_t cq = 0; cq < m_options.cqs; ++cq) {
        create_cq(cq);
    }
    for (std::uint32_t qp = 0; qp < m_options.qps; ++qp) {
        create_qp(qp);
    }
}

void LegalStream::create_cq(std::uint32_t cq) {
    Cq& state = m_cq[cq] = Cq{};
    state.ring = kRings + std::uint64_t{cq} * m_options.depth * m_options.stride;
    state.depth = m_options.depth;
    state.first_count = m_options.first_index;
    state.first_place = by_index(m_options.owner)
                            ? std::uint64_t{m_options.first_index}
                            : std::uint64_t{m_options.first_index % m_options.depth};
    state.memory.resize(m_options.depth);
    state.doorbell = kDoorbells + std::uint64_t{cq} * 8;
    state.slots = state.visible = state.polled = state.released = m_options.first_index;
    Record create = record(Kind::Create);
    create.cqn = Cqn{cq};
    create.a = state.ring;
    create.serial = state.doorbell;
    create.index = m_options.depth;
    create.b = m_options.stride;
    create.wr_id = m_options.first_index;
    create.unit = eqn_of(cq);
    create.state = static_cast<std::uint8_t>(m_options.format);
    create.flags = m_options.flags;
    emit(create);
}

void LegalStream::create_qp(std::uint32_t qp) {
    Record create = record(Kind::Create);
    create.qpn = qpn(qp);
    create.generation = m_qp[qp].generation;
    create.a = qp % m_options.cqs;
    create.serial = qp % m_options.cqs;
    create.index = 32;
    create.wr_id = 32;
    create.flags = m_options.all_signaled ? kSigAll : 0;
    create.state = static_cast<std::uint8_t>(m_options.type);
    emit(create);
}

std::uint32_t LegalStream::open(std::uint32_t qp, QueueKind queue) const {
    const Queue& state = m_qp[qp].queue.at(index_of(queue));
    return state.posted - state.completed;
}

void LegalStream::post(std::uint32_t qp, QueueKind queue, bool signaled, WrOpcode opcode) {
    m_now += kStepPs;
    Queue& state = m_qp[qp].queue.at(index_of(queue));
    if (state.posted - state.completed >= kPostedBits) {
        throw std::logic_error("LegalStream: over 64 requests open in a queue");
    }
    Record post = of_queue(Kind::Post, qp, queue, state.posted);
    post.state = queue == QueueKind::Send ? static_cast<std::uint8_t>(opcode) : 0;
    post.a = 64;
    post.flags = signaled ? kSignaled : 0;
    const std::uint64_t bit = std::uint64_t{1} << state.posted % kPostedBits;
    state.signaled = (state.signaled & ~bit) | (signaled ? bit : 0);
    state.opcode = opcode;
    ++state.posted;
    emit(post);
}

void LegalStream::complete(std::uint32_t qp,
                           QueueKind queue,
                           WcStatus status,
                           std::uint16_t wc_flags) {
    m_now += kStepPs;
    Queue& state = m_qp[qp].queue.at(index_of(queue));
    const std::uint32_t index = state.completed++;
    const bool signaled = (state.signaled >> index % kPostedBits & 1U) != 0;
    CompletionDetails details;
    if (status == WcStatus::Success) {
        details.opcode = static_cast<std::uint8_t>(
            queue == QueueKind::Receive ? WcOpcode::Recv : requester_opcode(state.opcode));
        const bool datagram = queue == QueueKind::Receive && m_options.type == QpType::Ud;
        details.byte_len = datagram ? 104 : 64;  // S2.14
        details.wc_flags = wc_flags;
        details.imm_data = wc_flags != 0 ? 0xA1B2'C3D4U : 0;
    } else {
        details.vendor_err = 0x93;
    }
    Record complete = of_queue(Kind::Complete, qp, queue, index);
    complete.state = byte(status);
    complete.a = 64;
    complete.flags = signaled ? kSignaled : 0;
    complete.flags |= status == WcStatus::WrFlushErr ? kFlushed : 0;
    complete.flags |= queue == QueueKind::Receive && index % 2 == 1 ? kSolicited : 0;
    complete.bytes = reinterpret_cast<const std::byte*>(&details);
    complete.b = sizeof(details);
    emit(complete);
    if (queue == QueueKind::Receive || signaled || m_options.all_signaled ||
        status != WcStatus::Success) {
        report(complete, details);
        return;
    }
    emit(of_queue(Kind::Suppress, qp, queue, index));
    Record outcome = of_queue(Kind::Outcome, qp, queue, index);
    outcome.state = static_cast<std::uint8_t>(Outcome::Suppressed);
    emit(outcome);
}

void LegalStream::report(const Record& complete, const CompletionDetails& details) {
    const std::uint32_t qp = index_of(complete.qpn);
    const std::uint32_t cqn = qp % m_options.cqs;
    Cq& cq = m_cq[cqn];
    Record path = of_queue(Kind::Request, qp, complete.queue, 0);
    path.serial = complete.serial;
    path.wr_id = 0;
    path.cqn = Cqn{cqn};
    path.a = 1;
    emit(path);
    path.kind = Kind::Grant;
    path.a = 0;
    emit(path);
    const bool full = (m_options.flags & kIgnoreOverrun) == 0 &&
                      cq.slots - cq.released >= cq.depth - m_options.unused;
    if ((cq.error && !m_options.resumes_after_error) || full) {
        refuse(complete);
        return;
    }
    const std::uint32_t count = cq.slots++;
    Record slot = path;
    slot.kind = Kind::Slot;
    slot.index = narrow(count);
    slot.state = owner_of(cq, count);
    slot.a = complete.time_ps;
    slot.b = static_cast<std::uint16_t>(cq.slots - cq.released);
    emit(slot);

    Flight flight{record(Kind::CqeWrite),
                  of_queue(Kind::Outcome, qp, complete.queue, complete.index),
                  entry_of(complete, details, owner_of(cq, count))};
    flight.outcome.state = static_cast<std::uint8_t>(Outcome::Granted);
    Record& write = flight.write;
    write.cqn = Cqn{cqn};
    write.index = slot_of(cq, count);
    write.a = cq.ring + std::uint64_t{write.index} * m_options.stride;
    write.b = static_cast<std::uint16_t>(length());
    decode(write, flight.bytes.data(), m_options.format);
    write.bytes = flight.bytes.data();
    emit(write);
    m_flight.push_back(flight);
    while (m_flight.size() > m_options.in_flight) {
        land(m_flight.front());
        m_flight.pop_front();
    }
}

void LegalStream::land(const Flight& flight) {
    Record visible = flight.write;
    visible.kind = Kind::CqeVisible;
    visible.time_ps = m_now;
    visible.bytes = flight.bytes.data();
    emit(visible);
    Record outcome = flight.outcome;
    outcome.time_ps = m_now;
    emit(outcome);
    const std::uint32_t cq = index_of(visible.cqn);
    m_cq[cq].memory[visible.index] = flight.bytes;
    ++m_cq[cq].visible;
}

void LegalStream::settle() {
    m_now += kStepPs;
    if (m_options.newest_first) {
        std::reverse(m_flight.begin(), m_flight.end());
    }
    for (const Flight& flight : m_flight) {
        land(flight);
    }
    m_flight.clear();
}

void LegalStream::refuse(const Record& complete) {
    const std::uint32_t qp = index_of(complete.qpn);
    const std::uint32_t cqn = qp % m_options.cqs;
    Cq& cq = m_cq[cqn];
    const LostCause cause = cq.error ? LostCause::CqError : LostCause::Overrun;
    Record overrun = of_queue(Kind::Overrun, qp, complete.queue, 0);
    overrun.cqn = Cqn{cqn};
    overrun.serial = complete.serial;
    overrun.wr_id = 0;
    overrun.index = narrow(cq.slots);
    overrun.state = static_cast<std::uint8_t>(cause);
    overrun.a = narrow(cq.released);
    emit(overrun);
    if (!cq.error) {
        cq.error = true;
        Record event = record(Kind::Async);
        event.cqn = Cqn{cqn};
        event.state = static_cast<std::uint8_t>(AsyncEvent::CqErr);
        emit(event);
    }
    to_error(qp);
    if (!m_qp[qp].fatal) {
        m_qp[qp].fatal = true;
        Record event = record(Kind::Async);
        event.qpn = qpn(qp);
        event.state = static_cast<std::uint8_t>(AsyncEvent::QpFatal);
        emit(event);
    }
    Record outcome = of_queue(Kind::Outcome, qp, complete.queue, complete.index);
    outcome.state = static_cast<std::uint8_t>(Outcome::Lost);
    outcome.a = static_cast<std::uint64_t>(cause);
    emit(outcome);
}

void LegalStream::to_error(std::uint32_t qp) {
    if (m_qp[qp].state == QpState::Err) {
        return;
    }
    state(qp, QpState::Err);
}

void LegalStream::fail(std::uint32_t qp, QueueKind queue, WcStatus status) {
    complete(qp, queue, status);
    to_error(qp);
    flush(qp, QueueKind::Send);
    flush(qp, QueueKind::Receive);
}

void LegalStream::flush(std::uint32_t qp, QueueKind queue, std::uint32_t count) {
    const std::uint32_t held = open(qp, queue);
    if (held == 0) {
        return;
    }
    Record flush = of_queue(Kind::Flush, qp, queue, m_qp[qp].queue.at(index_of(queue)).completed);
    flush.serial = flush.wr_id = 0;
    flush.a = held;
    emit(flush);
    for (std::uint32_t i = 0; i < std::min(held, count); ++i) {
        complete(qp, queue, WcStatus::WrFlushErr);
    }
}

void LegalStream::poll(std::uint32_t cqn, std::uint32_t count) {
    m_now += kStepPs;
    Cq& cq = m_cq[cqn];
    const std::uint32_t held = (m_options.flags & kCollapsed) != 0 ? 1 : cq.depth;
    if (unpolled(cqn) > held) {
        cq.polled = cq.visible - held;  // what is before was overwritten
    }
    count = count < unpolled(cqn) ? count : unpolled(cqn);
    for (std::uint32_t i = 0; i < count; ++i) {
        Record poll = record(Kind::Poll);
        describe_entry(poll, cqn, cq.polled++);
        emit(poll);
    }
    cq.released = cq.polled;
    Record ci = record(Kind::Ci);
    ci.cqn = Cqn{cqn};
    ci.index = narrow(cq.released);
    ci.a = cq.doorbell;
    emit(ci);
}

void LegalStream::end(EndReason reason) {
    settle();
    Record end = record(Kind::End);
    end.state = static_cast<std::uint8_t>(reason);
    end.serial = 0;
    for (std::uint32_t qp = 0; qp < m_options.qps; ++qp) {
        end.a += open(qp, QueueKind::Send);
        end.serial += open(qp, QueueKind::Receive);
    }
    emit(end);
}

}  // namespace cqsim::tb
