// SPDX-License-Identifier: Apache-2.0
// Each check of what a QP's type allows fails on a trace with its one fault, and names its rule.
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

#include <cstring>

namespace cqsim::tb {
namespace {

LegalStream::Options of_type(QpType type) {
    LegalStream::Options options;
    options.type = type;
    return options;
}

/// A trace of one QP, which `play` makes; it ends idle.
template <class Play>
Trace typed_trace(QpType type, const Play& play) {
    Trace trace;
    LegalStream stream(of_type(type), trace.sink());
    play(stream);
    stream.end();
    return trace;
}

Trace posted(QpType type, WrOpcode opcode) {
    return typed_trace(type, [opcode](LegalStream& stream) {
        stream.post(0, QueueKind::Send, true, opcode);
        stream.complete(0, QueueKind::Send);
    });
}

/// One receive of a message of 64 bytes, whose byte_len is `bytes`; 0: as it should be.
Trace received(QpType type, std::uint16_t wc_flags, std::uint32_t bytes = 0) {
    Trace trace = typed_trace(type, [wc_flags](LegalStream& stream) {
        stream.post(0, QueueKind::Receive, false);
        stream.complete(0, QueueKind::Receive, WcStatus::Success, wc_flags);
    });
    std::byte* details = trace.own_bytes(trace.nth(Kind::Complete, 0));
    std::uint32_t length = 0;
    std::memcpy(&length, details + offsetof(CompletionDetails, byte_len), sizeof length);
    if (bytes != 0 && length != bytes) {
        std::memcpy(details + offsetof(CompletionDetails, byte_len), &bytes, sizeof bytes);
        for (const Kind kind : {Kind::CqeWrite, Kind::CqeVisible}) {
            std::memcpy(trace.own_bytes(trace.nth(kind, 0)) + 12, &bytes, sizeof bytes);
        }
    }
    return trace;
}

/// A request that fails; then the QP goes to `state`, and what is behind it is flushed.
Trace moved(QpType type, QueueKind queue, WcStatus status, QpState state) {
    return typed_trace(type, [&](LegalStream& stream) {
        stream.state(0, QpState::Rts);
        stream.post(0, queue, true);
        stream.post(0, queue, true);
        stream.complete(0, queue, status);
        if (state != QpState::Rts) {
            stream.state(0, state);
            stream.flush(0, queue);
        } else {
            stream.complete(0, queue);
        }
    });
}

}  // namespace

TEST_CASE("S1.17 a QP is posted an opcode that its type does not have") {
    const std::vector<std::pair<QpType, WrOpcode>> right{{QpType::Rc, WrOpcode::RdmaRead},
                                                         {QpType::Rc, WrOpcode::Flush},
                                                         {QpType::XrcSend, WrOpcode::AtomicWrite},
                                                         {QpType::Uc, WrOpcode::RdmaWriteWithImm},
                                                         {QpType::Uc, WrOpcode::SendWithInv},
                                                         {QpType::Ud, WrOpcode::SendWithImm},
                                                         {QpType::Ud, WrOpcode::Tso},
                                                         {QpType::RawPacket, WrOpcode::Tso}};
    for (const auto& [type, opcode] : right) {
        INFO(name(type) << ' ' << name(opcode));
        check_legal(posted(type, opcode), {"S1.17"});
    }
    const std::vector<std::pair<QpType, WrOpcode>> wrong{{QpType::Rc, WrOpcode::Tso},
                                                         {QpType::XrcSend, WrOpcode::Tso},
                                                         {QpType::Uc, WrOpcode::RdmaRead},
                                                         {QpType::Uc, WrOpcode::AtomicWrite},
                                                         {QpType::Ud, WrOpcode::RdmaWrite},
                                                         {QpType::Ud, WrOpcode::SendWithInv},
                                                         {QpType::RawPacket, WrOpcode::SendWithImm},
                                                         {QpType::RawPacket, WrOpcode::Flush},
                                                         {QpType::XrcRecv, WrOpcode::Send}};
    for (const auto& [type, opcode] : wrong) {
        INFO(name(type) << ' ' << name(opcode));
        CHECK(failed(posted(type, opcode)) == Rules{"S1.17"});
    }
}

TEST_CASE("S1.15 FLUSH and ATOMIC_WRITE complete with opcodes of their own") {
    for (const WrOpcode opcode : {WrOpcode::Flush, WrOpcode::AtomicWrite}) {
        check_legal(posted(QpType::Rc, opcode), {"S1.15"});
        Trace other = posted(QpType::Rc, opcode);
        other.nth(Kind::Post, 0).state = static_cast<std::uint8_t>(WrOpcode::RdmaRead);
        CHECK(failed(other) == Rules{"S1.15"});
    }
}

TEST_CASE("S2.10 a receive of a QP that gets no such message") {
    check_legal(received(QpType::RawPacket, 0), {"S2.10"});
    check_legal(received(QpType::Ud, kWcWithImm), {"S2.10", "S2.14"});
    CHECK(failed(received(QpType::RawPacket, kWcWithImm)) == Rules{"S2.10"});
    CHECK(failed(received(QpType::Ud, kWcWithInv)) == Rules{"S2.10"});
    CHECK(failed(received(QpType::XrcSend, 0)) == Rules{"S2.10", "S2.10"});  // post, completion
    // XRC_RECV takes requests of shared receive queues alone.
    CHECK(failed(received(QpType::XrcRecv, 0)) == Rules{"S2.10"});
}

TEST_CASE("S2.10 a receive that completes with what takes none") {
    for (const QpType type : {QpType::Rc, QpType::Ud}) {
        Trace trace = received(type, 0);
        const auto write = static_cast<std::byte>(WcOpcode::RdmaWrite);
        trace.own_bytes(trace.nth(Kind::Complete, 0))[offsetof(CompletionDetails, opcode)] = write;
        for (const Kind kind : {Kind::CqeWrite, Kind::CqeVisible}) {
            trace.own_bytes(trace.nth(kind, 0))[52] = write;
        }
        CHECK(failed(trace) == Rules{"S2.10"});
    }
    Trace immediate = received(QpType::Ud, kWcWithImm);
    const auto opcode = static_cast<std::byte>(WcOpcode::RecvRdmaWithImm);
    immediate.own_bytes(immediate.nth(Kind::Complete, 0))[offsetof(CompletionDetails, opcode)] =
        opcode;
    for (const Kind kind : {Kind::CqeWrite, Kind::CqeVisible}) {
        immediate.own_bytes(immediate.nth(kind, 0))[52] = opcode;
    }
    CHECK(failed(immediate) == Rules{"S2.10"});
}

TEST_CASE("S2.14 a datagram's byte_len that does not count the GRH") {
    check_legal(received(QpType::Ud, 0, 104), {"S2.14"});
    for (const std::uint32_t other : {39U, 40U, 64U, 103U, 105U}) {
        CHECK(failed(received(QpType::Ud, 0, other)) == Rules{"S2.14"});
    }
    Trace empty = received(QpType::Ud, 0, 40);
    empty.nth(Kind::Complete, 0).a = 0;
    check_legal(empty, {"S2.14"});
    check_legal(received(QpType::Rc, 0, 39), {});
    check_legal(received(QpType::RawPacket, 0, 39), {});
}

TEST_CASE("S1.10 a status that the side, or the type, does not have") {
    struct Case {
        QpType type;
        QueueKind queue;
        WcStatus status;
        bool right;
    };
    const auto send = QueueKind::Send;
    const auto receive = QueueKind::Receive;
    const std::vector<Case> cases{
        {QpType::Rc, send, WcStatus::RetryExcErr, true},
        {QpType::Rc, send, WcStatus::MwBindErr, true},
        {QpType::Rc, receive, WcStatus::LocAccessErr, true},
        {QpType::Uc, send, WcStatus::MwBindErr, true},
        {QpType::Uc, receive, WcStatus::LocQpOpErr, true},
        {QpType::XrcSend, send, WcStatus::RnrRetryExcErr, true},
        {QpType::Rc, send, WcStatus::LocAccessErr, false},
        {QpType::Rc, send, WcStatus::RemAbortErr, false},
        {QpType::Rc, send, WcStatus::InvEecnErr, false},
        {QpType::Rc, receive, WcStatus::RetryExcErr, false},
        {QpType::Rc, receive, WcStatus::MwBindErr, false},
        {QpType::Rc, receive, WcStatus::LocRddViolErr, false},
        {QpType::Uc, send, WcStatus::RetryExcErr, false},
        {QpType::Uc, receive, WcStatus::LocAccessErr, false},
        {QpType::Ud, send, WcStatus::RespTimeoutErr, false},
        {QpType::Ud, send, WcStatus::MwBindErr, false},
        {QpType::Ud, receive, WcStatus::RemAccessErr, false},
        {QpType::RawPacket, send, WcStatus::RemOpErr, false},
        {QpType::RawPacket, receive, WcStatus::RemAbortErr, false},
    };
    for (const Case& one : cases) {
        INFO(name(one.type) << ' ' << name(one.queue) << ' ' << name(one.status));
        const bool reliable = one.type == QpType::Rc || one.type == QpType::XrcSend;
        const bool stops = one.queue == send && !reliable;
        const bool goes_on = one.queue == receive && one.status == WcStatus::RemAbortErr;
        const Trace trace = moved(one.type,
                                  one.queue,
                                  one.status,
                                  goes_on ? QpState::Rts
                                  : stops ? QpState::Sqe
                                          : QpState::Err);
        CHECK(failed(trace) == (one.right ? Rules{} : Rules{"S1.10"}));
    }
}

TEST_CASE("S1.11 a failure that moves its QP where it should not go") {
    const auto send = QueueKind::Send;
    const auto receive = QueueKind::Receive;
    // S2.22: the send queue alone.
    check_legal(moved(QpType::Ud, send, WcStatus::LocProtErr, QpState::Sqe), {"S1.11"});
    for (const QpType type : {QpType::Uc, QpType::Ud, QpType::RawPacket}) {
        CHECK(failed(moved(type, send, WcStatus::LocProtErr, QpState::Err)) == Rules{"S1.11"});
    }
    check_legal(moved(QpType::XrcSend, send, WcStatus::LocProtErr, QpState::Err), {"S1.11"});
    CHECK(failed(moved(QpType::XrcSend, send, WcStatus::LocProtErr, QpState::Sqe)) ==
          Rules{"S1.11"});
    // A datagram that is too long; a message that was cut short (S2.16, class E).
    check_legal(moved(QpType::Ud, receive, WcStatus::GeneralErr, QpState::Rts), {});
    CHECK(failed(moved(QpType::Ud, receive, WcStatus::GeneralErr, QpState::Err)) == Rules{"S1.11"});
    check_legal(moved(QpType::Uc, receive, WcStatus::GeneralErr, QpState::Err), {"S1.11"});
    for (const WcStatus status : {WcStatus::RemAbortErr, WcStatus::RemInvReqErr}) {
        check_legal(moved(QpType::Uc, receive, status, QpState::Rts), {});
        CHECK(failed(moved(QpType::Uc, receive, status, QpState::Err)) == Rules{"S1.11"});
    }
    // Of a send that ends with GENERAL_ERR the sheet says nothing.
    check_legal(moved(QpType::Ud, send, WcStatus::GeneralErr, QpState::Rts), {});
    check_legal(moved(QpType::Ud, send, WcStatus::GeneralErr, QpState::Sqe), {"S1.11"});
}

TEST_CASE("S1.11 software may put a QP of any type into ERR, whatever failed") {
    const Trace trace = typed_trace(QpType::Ud, [](LegalStream& stream) {
        stream.state(0, QpState::Rts);
        stream.post(0, QueueKind::Send, true);
        stream.complete(0, QueueKind::Send, WcStatus::LocProtErr);
        stream.modify(0, QpState::Err);
        stream.state(0, QpState::Err);
    });
    check_legal(trace, {"S1.11"});
}

TEST_CASE("S1.11 a QP that goes to SQE without a send that failed") {
    const Trace trace = typed_trace(QpType::Ud, [](LegalStream& stream) {
        stream.state(0, QpState::Rts);
        stream.post(0, QueueKind::Receive, false);
        stream.complete(0, QueueKind::Receive, WcStatus::LocProtErr);
        stream.state(0, QpState::Sqe);
    });
    CHECK(failed(trace) == Rules{"S1.11"});
}

}  // namespace cqsim::tb
