// SPDX-License-Identifier: Apache-2.0
/// \file
/// The rows of the convergence table.
#pragma once

#include "tb/unit/convergence_table.h"

namespace cqsim::convergence {

// clang-format off
inline constexpr std::array kRows{
    // Requester: what there is not.
    never(kXr, kAnyOp, kQ, kRq, ~Bits{0} >> 8, kManual, "S1.18", "an XRC_RECV QP has no send queue"),
    never(kSenders, kAnyOp, kQ, kRq, kRd, kSheet, "S1.2", "a status of RD QPs"),
    never(kSenders, kAnyOp, kQ, kRq, kROnly, kSheet, "S1.2", "a status of responders"),
    never(kUnanswered & ~kRaw, kAnyOp, kQ, kRq, kReply | kRnr, kSheet, "S2.7", "it ends on the wire: nobody answers"),
    never(kRaw, kAnyOp, kQ, kRq, kReply | kRnr, kSilent, "S2.7", "of raw packets the rule does not speak; nobody answers them"),
    never(kSenders, kAnyOp & ~kBind, kQ, kRq, kBindErr, kSheet, "S1.2", "nothing was to be bound"),
    never(kUd | kRaw, kBind, kQ, kRq, kBindErr, kManual, "S1.17", "its type does not bind"),
    never(kRc | kXs, kTso, kQ, kRq, kRcEnds, kManual, "S1.17", "TSO is of UD and RAW_PACKET"),
    never(kUc, kAnyOp & ~kOfUc, kQ, kRq, kOwnEnds, kManual, "S1.17", "an opcode that UC does not have"),
    never(kUd, kAnyOp & ~kOfUd, kQ, kRq, kOwnEnds, kManual, "S1.17", "an opcode that UD does not have"),
    never(kRaw, kAnyOp & ~kOfRaw, kQ, kRq, kOwnEnds, kManual, "S1.17", "an opcode that RAW_PACKET does not have"),

    // Requester: success.
    sent(kSenders, kSend, kAsked, WcOpcode::Send),
    sent(kSenders, kSend, kUnasked, WcOpcode::Send),
    sent(kSenders & ~kRaw, kSendImm, kAsked, WcOpcode::Send),
    sent(kSenders & ~kRaw, kSendImm, kUnasked, WcOpcode::Send),
    sent(kRc | kUc | kXs, kSendInv, kAsked, WcOpcode::Send),
    sent(kRc | kUc | kXs, kSendInv, kUnasked, WcOpcode::Send),
    sent(kRc | kUc | kXs, kWrite | kWriteImm, kAsked, WcOpcode::RdmaWrite),
    sent(kRc | kUc | kXs, kWrite | kWriteImm, kUnasked, WcOpcode::RdmaWrite),
    sent(kRc | kXs, kRead, kAsked, WcOpcode::RdmaRead),
    sent(kRc | kXs, kRead, kUnasked, WcOpcode::RdmaRead),
    sent(kRc | kXs, kSwap, kAsked, WcOpcode::CompSwap),
    sent(kRc | kXs, kSwap, kUnasked, WcOpcode::CompSwap),
    sent(kRc | kXs, kAdd, kAsked, WcOpcode::FetchAdd),
    sent(kRc | kXs, kAdd, kUnasked, WcOpcode::FetchAdd),
    sent(kRc | kUc | kXs, kInv, kAsked, WcOpcode::LocalInv),
    sent(kRc | kUc | kXs, kInv, kUnasked, WcOpcode::LocalInv),
    sent(kRc | kUc | kXs, kBind, kAsked, WcOpcode::BindMw),
    sent(kRc | kUc | kXs, kBind, kUnasked, WcOpcode::BindMw),
    sent(kUd | kRaw, kTso, kAsked, WcOpcode::Tso),
    sent(kUd | kRaw, kTso, kUnasked, WcOpcode::Tso),
    sent(kRc | kXs, kFlush, kAsked, WcOpcode::Flush),
    sent(kRc | kXs, kFlush, kUnasked, WcOpcode::Flush),
    sent(kRc | kXs, kAtomicWrite, kAsked, WcOpcode::AtomicWrite),
    sent(kRc | kXs, kAtomicWrite, kUnasked, WcOpcode::AtomicWrite),

    // Requester: the flush. It follows from a failure and moves nothing.
    failed(kRc | kXs, kNoTso, kFlushed, kStay, kSheet, "S2.3 S2.18", "flushed, signaled or not"),
    failed(kUc, kOfUc, kFlushed, kStay, kSheet, "S2.3 S2.22", "flushed, in ERR or SQE"),
    failed(kUd, kOfUd, kFlushed, kStay, kSheet, "S2.3 S2.22", "flushed, in ERR or SQE"),
    failed(kRaw, kOfRaw, kFlushed, kStay, kSheet, "S2.3 S2.22", "flushed, in ERR or SQE"),

    // Requester: failures.
    failed(kRc, kNoTso, kFaults | kGeneral, kErr, kSheet, "S2.2 S2.8", "class B"),
    failed(kXs, kNoTso, kFaults | kGeneral, kErr, kSilent, "S2.22", "'all but RC' have SQE; XRC is as reliable as RC"),
    failed(kUc, kOfUc, kFaults | kGeneral, kSqe, kSheet, "S2.2 S2.22", "stops the send queue alone"),
    failed(kUd, kOfUd, kFaults, kSqe, kSheet, "S2.2 S2.22", "stops the send queue alone"),
    failed(kUd, kOfUd, kGeneral, kStay, kSilent, "S1.11", "the rule's example is a receive; so for sends as well"),
    failed(kRaw, kOfRaw, kFaults | kGeneral, kSqe, kSheet, "S2.2 S2.22", "'all but RC'"),
    failed(kRc, kBind, kBindErr, kErr, kSheet, "S1.2 S2.8", "class B"),
    failed(kXs, kBind, kBindErr, kErr, kSilent, "S2.22", "as RC"),
    failed(kUc, kBind, kBindErr, kSqe, kSheet, "S1.2 S2.22", "stops the send queue alone"),
    failed(kRc, kNoTso & ~kLocal, kReply, kErr, kSheet, "S1.2 S2.8", "class B"),
    failed(kXs, kNoTso & ~kLocal, kReply, kErr, kSilent, "S2.22", "as RC"),
    failed(kRc | kXs, kLocal, kReply | kRnr, kErr, kSilent, "S1.2", "it does not go on the wire; not excluded there"),
    failed(kRc, kTakes, kRnr, kErr, kSheet, "S1.2 S2.14", "class B; the peer had no receive request"),
    failed(kXs, kTakes, kRnr, kErr, kSilent, "S2.22", "as RC"),
    failed(kRc | kXs, kNoTake, kRnr, kErr, kSilent, "S2.14", "it needs no receive request; not excluded there"),

    // Responder: what there is not.
    never(kXs, kAnyOp, kR, kRq, ~Bits{0} >> 8, kManual, "S1.18", "no messages come to an XRC_SEND QP"),
    never(kXr, kAnyOp, kR, kOwn, ~Bits{0} >> 8, kSheet, "S2.11", "an XRC_RECV QP has shared receive queues alone"),
    never(kRc | kUc | kUd | kRaw, kAnyOp, kR, kRq, kRd, kSheet, "S1.2", "a status of RD QPs"),
    never(kXr, kAnyOp, kR, kSrq, kRd, kSheet, "S1.2", "a status of RD QPs"),
    never(kRc | kUc | kUd | kRaw, kAnyOp, kR, kRq, kQOnly, kSheet, "S1.2", "a status of requesters"),
    never(kXr, kAnyOp, kR, kSrq, kQOnly, kSheet, "S1.2", "a status of requesters"),
    never(kRc | kUc | kUd | kRaw, kAnyOp, kR, kRq, kTm, kSheet, "S1.2", "tag matching only; there is none"),
    never(kXr, kAnyOp, kR, kSrq, kTm, kSheet, "S1.2", "tag matching only; there is none"),
    never(kRc | kUc | kUd | kRaw, kNoTake, kR, kRq, kRecvEnds, kSheet, "S2.10", "its message takes no receive request"),
    never(kXr, kNoTake, kR, kSrq, kRecvEnds, kSheet, "S2.10", "its message takes no receive request"),
    never(kRc | kUc | kUd | kRaw, kLocal, kR, kRq, kRecvEnds, kSheet, "S2.10", "it sends no message"),
    never(kXr, kLocal, kR, kSrq, kRecvEnds, kSheet, "S2.10", "it sends no message"),
    never(kRc | kUc, kTso, kR, kRq, kRecvEnds, kManual, "S1.17", "TSO is of UD and RAW_PACKET"),
    never(kXr, kTso, kR, kSrq, kRecvEnds, kManual, "S1.17", "TSO is of UD and RAW_PACKET"),
    never(kUd | kRaw, kTso, kR, kRq, kRecvEnds, kSilent, "S2.10", "what it was cut into comes as SENDs"),
    never(kUd, kSendInv | kWriteImm, kR, kRq, kRecvEnds, kManual, "S1.17", "no UD QP sends it"),
    never(kRaw, kTakes & ~kSend, kR, kRq, kRecvEnds, kManual, "S1.17", "no RAW_PACKET QP sends it"),

    // Responder: success.
    taken(kRc | kUc, kAnySend, kRq, kOk, wc(WcOpcode::Recv), kStay, kSheet, "S2.9 S2.10", "signaled or not"),
    taken(kUd, kSend | kSendImm, kRq, kOk, wc(WcOpcode::Recv), kStay, kSheet, "S2.9 S2.10", "signaled or not"),
    taken(kRaw, kSend, kRq, kOk, wc(WcOpcode::Recv), kStay, kSheet, "S2.9 S2.10", "signaled or not"),
    taken(kXr, kAnySend, kSrq, kOk, wc(WcOpcode::Recv), kStay, kSheet, "S2.9 S2.11", "signaled or not"),
    taken(kRc | kUc, kWriteImm, kRq, kOk, wc(WcOpcode::RecvRdmaWithImm), kStay, kSheet, "S2.9 S2.10", "signaled or not"),
    taken(kXr, kWriteImm, kSrq, kOk, wc(WcOpcode::RecvRdmaWithImm), kStay, kSheet, "S2.9 S2.11", "signaled or not"),

    // Responder: the flush. Of a shared queue only the request in use (S2.20, S2.26).
    taken(kRc | kUc, kTakes, kRq, kFlushed, kUndefined, kStay, kSheet, "S2.18 S2.20", "flushed"),
    taken(kUd, kSend | kSendImm, kRq, kFlushed, kUndefined, kStay, kSheet, "S2.18 S2.20", "flushed"),
    taken(kRaw, kSend, kRq, kFlushed, kUndefined, kStay, kSheet, "S2.18 S2.20", "flushed"),
    taken(kXr, kTakes, kSrq, kFlushed, kUndefined, kStay, kSheet, "S2.20", "the request in use"),

    // Responder: failures of its own.
    taken(kRc, kTakes, kRq, kFaults, kUndefined, kErr, kSheet, "S2.16", "class A; a message that is too long: class C"),
    taken(kXr, kTakes, kSrq, kFaults, kUndefined, kErr, kSheet, "S2.16", "class A; a message that is too long: class C"),
    taken(kUc, kTakes, kRq, kFaults & ~kLen, kUndefined, kErr, kSheet, "S2.16", "class A"),
    taken(kUd, kSend | kSendImm, kRq, kFaults & ~kLen, kUndefined, kErr, kSheet, "S2.16", "class A"),
    taken(kRaw, kSend, kRq, kFaults & ~kLen, kUndefined, kErr, kSheet, "S2.16", "class A"),
    taken(kUc, kTakes, kRq, kLen, kUndefined, kErr, kSilent, "S1.2 S2.16", "class C has a NAK, class D has no entry; as class C"),
    taken(kUd, kSend | kSendImm, kRq, kLen, kUndefined, kErr, kSilent, "S1.2 S2.16", "class C has a NAK, class D has no entry; as class C"),
    taken(kRaw, kSend, kRq, kLen, kUndefined, kErr, kSilent, "S1.2 S2.16", "class C has a NAK, class D has no entry; as class C"),
    taken(kUd, kSend | kSendImm, kRq, kGeneral, kUndefined, kStay, kSheet, "S1.11", "a message longer than its buffer"),
    taken(kRc | kUc, kTakes, kRq, kGeneral, kUndefined, kErr, kSilent, "S1.11", "the rule names UD alone; as class A"),
    taken(kXr, kTakes, kSrq, kGeneral, kUndefined, kErr, kSilent, "S1.11", "the rule names UD alone; as class A"),
    taken(kRaw, kSend, kRq, kGeneral, kUndefined, kErr, kSilent, "S1.11", "the rule names UD alone; as class A"),

    // Responder: what comes of the message.
    taken(kRc, kWriteImm, kRq, kAccess, kUndefined, kErr, kSheet, "S1.2", "its buffer, during an RDMA write with immediate"),
    taken(kXr, kWriteImm, kSrq, kAccess, kUndefined, kErr, kSilent, "S1.2", "'R (RC)'; XRC is as reliable"),
    never(kRc, kAnySend, kR, kRq, kAccess, kSheet, "S1.2", "of an RDMA write with immediate alone"),
    never(kXr, kAnySend, kR, kSrq, kAccess, kSheet, "S1.2", "of an RDMA write with immediate alone"),
    never(kUc, kTakes, kR, kRq, kAccess, kSheet, "S1.2", "of RC alone"),
    never(kUd, kSend | kSendImm, kR, kRq, kAccess, kSheet, "S1.2", "of RC alone"),
    never(kRaw, kSend, kR, kRq, kAccess, kSheet, "S1.2", "of RC alone"),
    taken(kRc, kTakes, kRq, kInvReq | kRemAccess, kUndefined, kErr, kSheet, "S2.16", "class C"),
    taken(kXr, kTakes, kSrq, kInvReq | kRemAccess, kUndefined, kErr, kSheet, "S2.16", "class C"),
    taken(kUc, kTakes, kSrq, kInvReq | kAbort, kUndefined, kStay, kSheet, "S2.15 S2.16", "class E: cut short"),
    taken(kUd, kSend | kSendImm, kSrq, kInvReq | kAbort, kUndefined, kStay, kSheet, "S2.16", "class E"),
    never(kUc, kTakes, kR, kOwn, kInvReq | kAbort, kSheet, "S2.15", "class D1: the request is used again"),
    never(kUd, kSend | kSendImm, kR, kOwn, kInvReq | kAbort, kSheet, "S2.16", "class D: dropped"),
    never(kUc, kTakes, kR, kRq, kRemAccess, kSheet, "S2.16", "classes D1 and E: dropped, or another status"),
    never(kUd, kSend | kSendImm, kR, kRq, kRemAccess, kSheet, "S2.16", "classes D and E: dropped, or another status"),
    never(kRc, kTakes, kR, kRq, kAbort, kSheet, "S1.2", "of UC and UD alone"),
    never(kXr, kTakes, kR, kSrq, kAbort, kSheet, "S1.2", "of UC and UD alone"),
    never(kRaw, kSend, kR, kRq, kAbort, kSheet, "S1.2", "of UC and UD alone"),
    never(kRaw, kSend, kR, kRq, kInvReq | kRemAccess, kSilent, "S2.16", "the classes name UC and UD; a raw packet is dropped"),
};
// clang-format on

static_assert(kRows.size() <= 150);

}  // namespace cqsim::convergence
