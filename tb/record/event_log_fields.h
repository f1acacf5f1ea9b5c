// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which fields each kind of record has in events.jsonl, and in which member of Record they are:
/// one description for the writer, the reader, and the test of the JSON schema.
///
/// A visitor has a function for each form of a field: number, hex (64-bit values that no JSON tool
/// shall round), flag, word (an enumerator by name), cq, qp, eq, bytes, and objects:
/// the CQ and the QP that an asynchronous event is about, none for one of the device (and the
/// event queue of a DEVICE_FATAL, which may be left out); shared (the SRQ, of a record that has
/// kShared, in the member that holds its number); choice (a number by its name in a table),
/// format (of the entries of a CQ; left out: the header's), and option (a flag that is only there
/// when it is set).
#pragma once

#include "models/observe/record.h"
#include "models/observe/record_names.h"
#include "models/verbs/cq.h"
#include "models/verbs/verbs.h"
#include "models/verbs/wc_field.h"

#include <array>
#include <string_view>

namespace cqsim::tb::event_log {

/// The first line's "format".
inline constexpr char kFormat[] = "cqsim-events";

/// The states of a CQ in a query's answer, and for which entries it is armed.
inline constexpr std::array<std::string_view, 3> kQueryStates{"?", "ok", "error"};
inline constexpr std::array<std::string_view, 3> kQueryArms{"no", "next", "solicited"};

/// Whether an asynchronous event is about an event queue (K13, S6.23).
inline bool is_device_fatal(const Record& record) {
    return static_cast<AsyncEvent>(record.state) == AsyncEvent::DeviceFatal;
}

template <class Visitor, class R>
void work_queue(Visitor& visit, R& record) {
    visit.qp(record.qpn);
    visit.number("generation", record.generation);
    visit.queue("queue", record.queue);
}

template <class Visitor, class R>
void request(Visitor& visit, R& record) {
    work_queue(visit, record);
    visit.number("wqe", record.index);
    visit.number("serial", record.serial);
    visit.hex("wr_id", record.wr_id);
}

template <class Visitor, class R>
void entry(Visitor& visit, R& record) {
    visit.cq(record.cqn);
    visit.number("slot", record.index);
    visit.hex("address", record.a);
    visit.qp(record.qpn);
    visit.queue("queue", record.queue);
    visit.hex("wr_id", record.wr_id);
    visit.word("status", StateMeaning::WcStatus, record.state);
    visit.bit("owner", record.flags, kOwner);
    visit.bytes("bytes", record);
}

/// On the way from a tap to a slot.
template <class Visitor, class R>
void passage(Visitor& visit, R& record) {
    visit.cq(record.cqn);
    work_queue(visit, record);
    visit.number("serial", record.serial);
}

/// A field of a work completion, which the record has as its bit.
template <class Visitor>
void wc_field(Visitor& visit, const Record& record) {
    visit.word("field", StateMeaning::WcField, wc_field_index(record.a));
}
template <class Visitor>
void wc_field(Visitor& visit, Record& record) {
    std::uint8_t index = 0;
    visit.word("field", StateMeaning::WcField, index);
    record.a = std::uint64_t{1} << (index & 63U);
}

template <class Visitor, class R>
void create(Visitor& visit, R& record) {
    if (visit.is_of_cq(record)) {
        visit.cq(record.cqn);
        visit.hex("ring", record.a);
        visit.hex("doorbell", record.serial);
        visit.number("depth", record.index);
        visit.number("stride", record.b);
        visit.number("first_index", record.wr_id);
        visit.number("eqn", record.unit);
        visit.format("format", record.state);
        visit.option("ignore_overrun", record.flags, kIgnoreOverrun);
        visit.option("collapsed", record.flags, kCollapsed);
        return;
    }
    if (!visit.is_of_qp(record)) {
        if (visit.is_of_srq(record)) {
            visit.shared(record, record.unit);
            visit.number("depth", record.index);
            return;
        }
        visit.eq(record.unit);
        visit.word("kind", StateMeaning::EqKind, record.state);
        visit.hex("ring", record.a);
        visit.number("depth", record.index);
        visit.number("stride", record.b);
        visit.number("vector", record.serial);
        return;
    }
    visit.qp(record.qpn);
    visit.number("generation", record.generation);
    visit.number("send_cq", record.a);
    visit.number("recv_cq", record.serial);
    visit.number("send_depth", record.index);
    visit.number("recv_depth", record.wr_id);
    visit.flag("sq_sig_all", record.flags, kSigAll);
    visit.word("type", StateMeaning::QpType, record.state);
    visit.shared(record, record.unit);
}

template <class Visitor, class R>
void modify(Visitor& visit, R& record) {
    if (visit.is_of_cq(record)) {
        visit.cq(record.cqn);
        visit.number("count", record.index);
        visit.number("period", record.a);
        return;
    }
    if (visit.is_of_srq(record)) {
        visit.shared(record, record.unit);
        visit.number("limit", record.index);
        return;
    }
    visit.qp(record.qpn);
    visit.number("generation", record.generation);
    visit.word("state", StateMeaning::QpState, record.state);
    visit.word("result", StateMeaning::CommandResult, record.a);
    visit.flag("notify", record.flags, kNotifies);
}

/// The object that a record names: a CQ, a QP, or else an event queue.
template <class Visitor, class R>
void any_object(Visitor& visit, R& record) {
    if (visit.is_of_cq(record)) {
        visit.cq(record.cqn);
    } else if (visit.is_of_qp(record)) {
        visit.qp(record.qpn);
    } else {
        visit.eq(record.unit);
    }
}

/// Visits the fields of a record of a kind beside its time, source and device. False for a kind
/// that has no place in this version of the log.
template <class Visitor, class R>
bool describe(Kind kind, Visitor& visit, R& record) {
    switch (kind) {
        case Kind::Post:
            if (visit.is_of_srq(record)) {
                visit.shared(record, record.unit);
                visit.queue("queue", record.queue);
                visit.number("wqe", record.index);
                visit.number("serial", record.serial);
                visit.hex("wr_id", record.wr_id);
                return true;
            }
            request(visit, record);
            visit.opcode("opcode", record);
            visit.number("length", record.a);
            visit.flag("signaled", record.flags, kSignaled);
            visit.flag("solicited", record.flags, kSolicited);
            visit.shared(record, record.unit);
            return true;
        case Kind::Complete:
            request(visit, record);
            visit.word("status", StateMeaning::WcStatus, record.state);
            visit.number("length", record.a);
            visit.flag("signaled", record.flags, kSignaled);
            visit.flag("solicited", record.flags, kSolicited);
            visit.flag("flushed", record.flags, kFlushed);
            visit.details(record);
            return true;
        case Kind::Suppress:
            request(visit, record);
            return true;
        case Kind::Request:
            passage(visit, record);
            visit.number("queued", record.a);
            return true;
        case Kind::Grant:
            passage(visit, record);
            visit.number("queued", record.a);
            visit.number("waited", record.wr_id);
            return true;
        case Kind::Slot:
            passage(visit, record);
            visit.number("index", record.index);
            visit.number("owner", record.state);
            visit.number("completed", record.a);
            visit.number("in_use", record.b);
            return true;
        case Kind::Overrun:
            passage(visit, record);
            visit.number("index", record.index);
            visit.word("cause", StateMeaning::LostCause, record.state);
            visit.number("known_ci", record.a);
            return true;
        case Kind::CqeWrite:
        case Kind::CqeVisible:
        case Kind::Poll:
        case Kind::Sweep:
            entry(visit, record);
            return true;
        case Kind::Ci:
            visit.cq(record.cqn);
            visit.number("ci", record.index);
            visit.hex("address", record.a);
            return true;
        case Kind::Arm:
            visit.cq(record.cqn);
            visit.number("ci", record.index);
            visit.word("kind", StateMeaning::ArmKind, record.state);
            return true;
        case Kind::Event:
            visit.cq(record.cqn);
            visit.eq(record.unit);
            visit.number("index", record.index);
            visit.word("why", StateMeaning::EventCause, record.state);
            visit.number("entries", record.a);
            return true;
        case Kind::Eqe:
            visit.eq(record.unit);
            visit.number("slot", record.index);
            visit.hex("address", record.a);
            visit.word("type", StateMeaning::Eqe, record.state);
            visit.objects(record);
            visit.shared(record, record.serial);
            visit.bit("owner", record.flags, kOwner);
            visit.bytes("bytes", record);
            return true;
        case Kind::Irq:
            visit.number("vector", record.unit);
            visit.hex("address", record.a);
            visit.number("data", record.index);
            return true;
        case Kind::Ack:
            visit.eq(record.unit);
            visit.number("ci", record.index);
            visit.flag("arms", record.flags, kArms);
            return true;
        case Kind::Async:
            visit.word("event", StateMeaning::AsyncEvent, record.state);
            visit.objects(record);
            visit.shared(record, record.unit);
            if (is_device_fatal(record) && visit.is_of_eq(record)) {
                visit.eq(record.unit);
            }
            return true;
        case Kind::QpState:
            visit.qp(record.qpn);
            visit.number("generation", record.generation);
            visit.word("state", StateMeaning::QpState, record.state);
            visit.word("before", StateMeaning::QpState, record.a);
            return true;
        case Kind::Flush:
            work_queue(visit, record);
            visit.number("wqe", record.index);
            visit.number("count", record.a);
            return true;
        case Kind::Create:
            create(visit, record);
            return true;
        case Kind::Modify:
            modify(visit, record);
            return true;
        case Kind::Destroy:
            if (visit.is_of_cq(record)) {
                visit.cq(record.cqn);
            } else {
                visit.qp(record.qpn);
                visit.number("generation", record.generation);
            }
            visit.word("phase", StateMeaning::DestroyPhase, record.state);
            return true;
        case Kind::Resize:
            visit.cq(record.cqn);
            visit.hex("ring", record.a);
            visit.number("depth", record.index);
            visit.number("stride", record.b);
            visit.number("last", record.wr_id);
            visit.number("consumer", record.serial);
            visit.choice("mode", kResizeModeNames, record.state);
            return true;
        case Kind::Query:
            visit.cq(record.cqn);
            visit.number("producer", record.index);
            visit.number("consumer", record.a);
            visit.number("depth", record.wr_id);
            visit.choice("state", kQueryStates, record.state);
            visit.choice("armed", kQueryArms, record.b);
            return true;
        case Kind::UndefinedRead:
            visit.cq(record.cqn);
            visit.number("slot", record.index);
            visit.qp(record.qpn);
            visit.queue("queue", record.queue);
            visit.hex("wr_id", record.wr_id);
            visit.word("status", StateMeaning::WcStatus, record.state);
            wc_field(visit, record);
            visit.number("value", record.serial);
            return true;
        case Kind::Refuse:
            any_object(visit, record);
            visit.word("result", StateMeaning::CommandResult, record.state);
            visit.number("offset", record.index);
            return true;
        case Kind::Outcome:
            request(visit, record);
            visit.word("outcome", StateMeaning::Outcome, record.state);
            visit.word("cause", StateMeaning::LostCause, record.a);
            visit.shared(record, record.unit);
            return true;
        case Kind::Packet:
            visit.qp(record.qpn);
            visit.number("generation", record.generation);
            visit.number("peer", record.serial);
            visit.word("packet", StateMeaning::PacketType, record.state);
            visit.flag("sent", record.flags, kSent);
            visit.number("number", record.index);
            visit.number("wqe", record.wr_id);
            visit.number("length", record.a);
            visit.word("opcode", StateMeaning::WrOpcode, record.b);
            return true;
        case Kind::Drain:
            visit.qp(record.qpn);
            visit.word("result", StateMeaning::CommandResult, record.state);
            return true;
        case Kind::End:
            visit.word("reason", StateMeaning::EndReason, record.state);
            visit.number("open_sends", record.a);
            visit.number("open_receives", record.serial);
            return true;
        default:
            return false;
    }
}

}  // namespace cqsim::tb::event_log
