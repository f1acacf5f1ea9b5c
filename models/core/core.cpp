// SPDX-License-Identifier: Apache-2.0
#include "models/core/core.h"

#include "models/arbiter/arbiter_records.h"
#include "models/cqe/cqe_codec.h"
#include "models/overflow/overflow_records.h"
#include "models/qp/qp_records.h"
#include "models/tap/tap_records.h"
#include "models/tap/tap_rules.h"

namespace cqsim {
namespace {

EventConfig without_time(EventConfig config) {
    config.eqe_service = TimePs{};
    return config;
}

CqIndices indices_of(const OverflowConfig& config) {
    return {index_mask(config.index_width), config.first_index};
}

}  // namespace

Core::Core(const CoreConfig& config)
    : m_doorbell(config.doorbell),
      m_command(config.command),
      m_qps(Rows<QpRow>(config.qps), config.cqs, config.qp),
      m_overflow(config.overflow, Rows<CqRow>(config.cqs)),
      m_arbiter(
          config.arbiter, config.qps, config.cqs, config.seed, Rows<RequesterRow>(config.qps)),
      m_events(without_time(config.event), indices_of(config.overflow), Rows<EventRow>(config.cqs)),
      m_fill(config.undefined, config.seed),
      m_doorbell_records(config.cqs) {
    m_doorbell.take(config.overflow);
}

/// A record to be filled in before the next one.
Record& Core::observe(Kind kind, CoreOutput& out) const {
    Record& record = out.records.emplace_back();
    record.kind = kind;
    record.time_ps = m_now.ps;
    return record;
}

void Core::answer(const Completion& completion, Outcome outcome, LostCause cause, CoreOutput& out) {
    Record& record = observe(Kind::Outcome, out);
    describe_ended(record, completion);
    record.state = static_cast<std::uint8_t>(outcome);
    record.a = static_cast<std::uint64_t>(cause);
}

Core::Offered Core::offer(const Completion& completion, CoreOutput& out) {
    const Admission admission = m_qps.lookup(completion.qpn, completion.queue);
    if (completion.generation != admission.generation) {
        answer(completion, Outcome::Cancelled, LostCause::None, out);
        return Offered::Taken;
    }
    const bool is_send = completion.queue == QueueKind::Send;
    const bool reports = is_send ? TxTapRule::reports(completion, admission.sq_sig_all)
                                 : RxTapRule::reports(completion, admission.sq_sig_all);
    if (!reports) {
        describe_ended(observe(Kind::Suppress, out), completion);
        answer(completion, Outcome::Suppressed, LostCause::None, out);
        return Offered::Taken;
    }
    Completion stamped = completion;
    stamped.cqn = admission.cqn;
    const Offered offered =
        m_arbiter.offer(is_send ? ArbiterPort::Tx : ArbiterPort::Rx, stamped, m_now);
    if (offered == Offered::Taken) {
        describe_request(observe(Kind::Request, out), stamped, m_arbiter.inside());
    }
    if (offered != Offered::NoCredit) {
        m_qps.entered(stamped.qpn, stamped.queue);  // one that is held is inside the block
    }
    return offered;
}

void Core::decline(Qpn qpn, QueueKind queue, CoreOutput& out) {
    make_room(m_arbiter.decline(queue == QueueKind::Send ? ArbiterPort::Tx : ArbiterPort::Rx, qpn),
              out);
}

void Core::make_room(const ArbiterRules::Room& room, CoreOutput& out) {
    if (room.held_taken) {
        const Completion& taken = m_arbiter.completion(room.entry);
        describe_request(observe(Kind::Request, out), taken, m_arbiter.inside());
        out.rooms.push_back({taken.queue, kNoQp});
    } else if (room.credit) {
        out.rooms.push_back({room.work_queue.queue, room.work_queue.qpn});
    }
}

bool Core::serve(CoreOutput& out) {
    if (m_arbiter.empty()) {
        return false;
    }
    const EntryId entry = m_arbiter.next();
    const Completion completion = m_arbiter.completion(entry);
    Record& grant = observe(Kind::Grant, out);
    describe_request(grant, completion, m_arbiter.inside() - 1);
    grant.wr_id = (m_now - m_arbiter.arrived(entry)).ps;
    if (m_qps.live(completion.qpn, completion.generation)) {
        decide(completion, out);
    } else {
        leave(completion, Outcome::Cancelled, LostCause::None, out);  // D3
    }
    make_room(m_arbiter.release(entry), out);
    return true;
}

void Core::decide(const Completion& completion, CoreOutput& out) {
    const SlotRequest asked = slot_request_for(completion);
    SlotAnswer slot;
    const OverflowRules::Verdict verdict = request_slot(asked, slot);
    if (verdict == OverflowRules::Verdict::Granted) {
        describe_slot(observe(Kind::Slot, out), asked, slot, m_overflow.in_use(asked.cqn));
        write(completion, slot, out);
        return;
    }
    describe_overrun(observe(Kind::Overrun, out), asked, slot, m_overflow.row(asked.cqn).consumer);
    if (verdict == OverflowRules::Verdict::Overrun) {
        cq_failed(asked.cqn, out);  // S5.3b
    }
    apply(asked.qpn, m_qps.cq_unusable(asked.qpn, asked.generation), out);  // S5.3d, S5.3e
    leave(completion, Outcome::Lost, slot.cause, out);
}

/// K20: a CQ that looks full is asked again when its doorbell record has been read.
OverflowRules::Verdict Core::request_slot(const SlotRequest& asked, SlotAnswer& slot) {
    const OverflowRules::Verdict verdict = m_overflow.request(asked, false, slot);
    if (verdict != OverflowRules::Verdict::LooksFull) {
        return verdict;
    }
    if (!m_overflow.consumer_read(asked.cqn, m_doorbell_records[index_of(asked.cqn)])) {
        ++m_refused_consumer_indices;
    }
    return m_overflow.request(asked, true, slot);
}

void Core::write(const Completion& completion, const SlotAnswer& slot, CoreOutput& out) {
    Flight flight;
    flight.write.address = slot.address;
    const cqe::Codec& codec = cqe::codec_of(slot.format);
    flight.write.length = codec.stride;
    codec.encode(completion, slot.owner, m_fill.fields(), flight.write.bytes.data());
    m_fill.formed(completion);
    flight.token = slot.tag;
    flight.qpn = completion.qpn;
    Record& record =
        observe_write(flight, completion.cqn, m_overflow.row(completion.cqn).ring, out);
    record.qpn = completion.qpn;
    record.queue = completion.queue;
    const cqe::Decoded entry = codec.decode(flight.write.bytes.data());
    record.wr_id = codec.holds_wr_id ? entry.wr_id : entry.wqe_index;  // S1.8
    record.state = static_cast<std::uint8_t>(entry.status);
    record.flags = (slot.owner & 1U) != 0 ? kOwner : 0;
    flight.seen = record;
    flight.seen.kind = Kind::CqeVisible;
    m_flights.push(flight);
    answer(completion, Outcome::Granted, LostCause::None, out);
}

/// What a write into a ring says of its place.
Record& Core::observe_write(Flight& flight, Cqn cqn, std::uint64_t ring, CoreOutput& out) const {
    Record& record = observe(Kind::CqeWrite, out);
    record.cqn = cqn;
    record.index = static_cast<std::uint32_t>((flight.write.address - ring) / flight.write.length);
    record.a = flight.write.address;
    record.b = static_cast<std::uint16_t>(flight.write.length);
    return record;
}

/// S4.7, S4.8: the entry that ends a ring is on its way.
void Core::end_ring(Cqn cqn, std::uint64_t ring, const SlotAnswer& end, CoreOutput& out) {
    Flight flight;
    flight.what = Flight::What::EndOfRing;
    flight.write.address = end.address;
    flight.write.length = stride_of(end.format);
    cqe::encode_end_of_ring(end.format, end.owner, flight.write.bytes.data());
    flight.token = end.tag;
    Record& record = observe_write(flight, cqn, ring, out);
    record.qpn = Qpn{0};  // that it is of none, the kind in its last byte tells
    record.flags = (end.owner & 1U) != 0 ? kOwner : 0;
    flight.seen = record;
    flight.seen.kind = Kind::CqeVisible;
    m_flights.push(flight);
}

/// The pipeline has its answer before the life of the QP may be over.
void Core::leave(const Completion& completion, Outcome outcome, LostCause cause, CoreOutput& out) {
    answer(completion, outcome, cause, out);
    left(completion.qpn, completion.queue, out);
}

void Core::left(Qpn qpn, QueueKind queue, CoreOutput& out) {
    m_qps.left(qpn, queue);
    if (m_qps.finish_life(qpn)) {
        const CommandAnswer over = life_over(qpn, out);
        out.done.push_back({m_open.qps.take(qpn).value(), over});
    } else if (m_qps.may_be_drained(qpn)) {  // S2.23: whether all has ended, the pipeline knows
        const QpState state = m_qps.row(qpn).state();
        out.qp_states.push_back(m_qps.change(qpn, {true, false, false, state, state}));
    }
}

bool Core::land(bool ok, CoreOutput& out) {
    if (m_flights.empty()) {
        return false;
    }
    Flight flight = m_flights.front();
    m_flights.pop();
    if (ok) {
        flight.seen.time_ps = m_now.ps;
        out.records.push_back(flight.seen);
        out.writes.push_back(flight.write);
    }
    if (flight.what == Flight::What::OfEventQueue) {
        m_events.landed(flight.token, ok);
        return true;
    }
    commit(flight.token, ok, out);
    if (flight.what == Flight::What::Entry) {
        left(flight.qpn, flight.seen.queue, out);
    }
    return true;
}

void Core::commit(SlotTag tag, bool ok, CoreOutput& out) {
    const OverflowRules::Committed committed = m_overflow.commit(tag, ok);
    if (committed.cq_error) {
        cq_failed(committed.cqn, out);
        if (committed.qpn != kNoQp) {
            apply(committed.qpn, m_qps.cq_unusable(committed.qpn, committed.generation), out);
        }
    }
    PublishedEntry published;
    while (m_overflow.publish_next(committed.cqn, published)) {
        publish(published, out);
    }
}

void Core::publish(const PublishedEntry& published, CoreOutput& out) {
    if (!published.ends_ring) {
        CqEvent event;
        const bool fired = m_events.note(published) && m_events.count(published, m_now, event);
        observe_event(fired, event, out);  // S6.14: within the commit (D2)
    } else {
        const CommandResult result = published.failed ? CommandResult::Invalid : CommandResult::Ok;
        if (published.failed) {
            describe_refused(observe(Kind::Refuse, out), {published.cqn}, result);
        }
        out.done.push_back({m_open.cqs.take(published.cqn).value(), {result, 0}});
    }
}

/// No completion event follows (S6.16).
void Core::cq_failed(Cqn cqn, CoreOutput& out) {
    m_events.fail(cqn);
    describe_cq_error(observe(Kind::Async, out), cqn);
    m_events.raise({AsyncEvent::CqErr, cqn, kNoQp});
}

std::uint64_t Core::hash() const {
    Hasher hasher;
    hasher.add(m_qps.hash());
    hasher.add(m_overflow.hash());
    hasher.add(m_arbiter.hash());
    hasher.add(m_events.hash());
    hasher.add(m_fill.hash());
    hasher.add(m_open.hash());
    hasher.add(hash_of(std::tie(m_flights, m_doorbell_records, m_refused_consumer_indices)));
    hasher.add(m_now.ps);
    return hasher.value();
}

}  // namespace cqsim
