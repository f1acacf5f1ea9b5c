// SPDX-License-Identifier: Apache-2.0
/// \file
/// What becomes of a request, by hand from the semantics sheet: for each QP type, opcode, side,
/// signalling, kind of receive queue and status, whether it can end so, and then whether it is
/// reported, as what, whether it took a receive request, and what becomes of the QP.
#pragma once

#include "models/verbs/verbs.h"

#include <array>

namespace cqsim::convergence {

/// A bit for each value of a column.
using Bits = std::uint32_t;

template <class... Enum>
constexpr Bits of(Enum... values) {
    return (Bits{0} | ... | (Bits{1} << static_cast<unsigned>(values)));
}

/// What the sheet leaves to the manual pages, or to nobody.
enum class Ground : std::uint8_t {
    Sheet,
    Manual,  ///< ibv_post_send(3): the sheet says nothing of opcodes by type
    Silent,  ///< neither says; the row is what this model does
};

enum class After : std::uint8_t { Stays, Sqe, Err };

enum class Ends : std::uint8_t {
    Never,       ///< impossible
    Suppressed,  ///< succeeds, and nobody asked to hear of it
    Reported,
};

/// One row: it speaks of every cell that has a bit in each of its columns.
struct Row {
    Bits types;
    Bits opcodes;  ///< of the request; on the responder's side, of the message that comes
    Bits side;     ///< QueueKind
    Bits asked;    ///< signaled + 2 * sq_sig_all
    Bits shared;   ///< bit 0: a receive queue of its own, bit 1: a shared one
    Bits statuses;
    Ends ends;
    int opcode;     ///< of the entry; kUndefined on failure (S1.2)
    bool consumes;  ///< a receive request of this side
    After after;
    Ground ground;
    const char* rule;
    const char* why;
};

inline constexpr int kUndefined = -1;

// Types.
inline constexpr Bits kRc = of(QpType::Rc);
inline constexpr Bits kUc = of(QpType::Uc);
inline constexpr Bits kUd = of(QpType::Ud);
inline constexpr Bits kRaw = of(QpType::RawPacket);
inline constexpr Bits kXs = of(QpType::XrcSend);
inline constexpr Bits kXr = of(QpType::XrcRecv);
inline constexpr Bits kAnyType = kRc | kUc | kUd | kRaw | kXs | kXr;
inline constexpr Bits kSenders = kAnyType & ~kXr;
inline constexpr Bits kUnanswered = kUc | kUd | kRaw;

// Opcodes.
inline constexpr Bits kSend = of(WrOpcode::Send);
inline constexpr Bits kSendImm = of(WrOpcode::SendWithImm);
inline constexpr Bits kSendInv = of(WrOpcode::SendWithInv);
inline constexpr Bits kWrite = of(WrOpcode::RdmaWrite);
inline constexpr Bits kWriteImm = of(WrOpcode::RdmaWriteWithImm);
inline constexpr Bits kRead = of(WrOpcode::RdmaRead);
inline constexpr Bits kSwap = of(WrOpcode::AtomicCmpAndSwp);
inline constexpr Bits kAdd = of(WrOpcode::AtomicFetchAndAdd);
inline constexpr Bits kInv = of(WrOpcode::LocalInv);
inline constexpr Bits kBind = of(WrOpcode::BindMw);
inline constexpr Bits kTso = of(WrOpcode::Tso);
inline constexpr Bits kFlush = of(WrOpcode::Flush);
inline constexpr Bits kAtomicWrite = of(WrOpcode::AtomicWrite);
inline constexpr Bits kAnySend = kSend | kSendImm | kSendInv;
inline constexpr Bits kTakes = kAnySend | kWriteImm;
inline constexpr Bits kLocal = kInv | kBind;
inline constexpr Bits kNoTake = kWrite | kRead | kSwap | kAdd | kFlush | kAtomicWrite;
inline constexpr Bits kAnyOp = kTakes | kNoTake | kLocal | kTso;
inline constexpr Bits kNoTso = kAnyOp & ~kTso;
inline constexpr Bits kOfUc = kTakes | kWrite | kLocal;
inline constexpr Bits kOfUd = kSend | kSendImm | kTso;
inline constexpr Bits kOfRaw = kSend | kTso;

// Sides, signalling, receive queues.
inline constexpr Bits kQ = of(QueueKind::Send);
inline constexpr Bits kR = of(QueueKind::Receive);
inline constexpr Bits kUnasked = 1;
inline constexpr Bits kAsked = 14;
inline constexpr Bits kAsk = 15;
inline constexpr Bits kOwn = 1;
inline constexpr Bits kSrq = 2;
inline constexpr Bits kRq = 3;

// Statuses.
using S = WcStatus;
inline constexpr Bits kOk = of(S::Success);
inline constexpr Bits kFlushed = of(S::WrFlushErr);
/// S1.2: obsolete, of RD QPs alone.
inline constexpr Bits kRd =
    of(S::LocEecOpErr, S::LocRddViolErr, S::RemInvRdReqErr, S::InvEecnErr, S::InvEecStateErr);
inline constexpr Bits kTm = of(S::TmErr, S::TmRndvIncomplete);
/// S1.2, column side: Q alone.
inline constexpr Bits kQOnly = of(
    S::MwBindErr, S::BadRespErr, S::RemOpErr, S::RetryExcErr, S::RnrRetryExcErr, S::RespTimeoutErr);
/// R alone.
inline constexpr Bits kROnly = of(S::LocAccessErr, S::RemAbortErr) | kTm;
/// Of what the peer says, or that it says nothing.
inline constexpr Bits kReply = of(S::BadRespErr,
                                  S::RemInvReqErr,
                                  S::RemAccessErr,
                                  S::RemOpErr,
                                  S::RetryExcErr,
                                  S::RespTimeoutErr);
inline constexpr Bits kRnr = of(S::RnrRetryExcErr);
inline constexpr Bits kBindErr = of(S::MwBindErr);
/// Failures of one's own that either side of any type has.
inline constexpr Bits kFaults = of(S::LocLenErr, S::LocQpOpErr, S::LocProtErr, S::FatalErr);
inline constexpr Bits kGeneral = of(S::GeneralErr);
inline constexpr Bits kLen = of(S::LocLenErr);
inline constexpr Bits kAccess = of(S::LocAccessErr);
inline constexpr Bits kInvReq = of(S::RemInvReqErr);
inline constexpr Bits kRemAccess = of(S::RemAccessErr);
inline constexpr Bits kAbort = of(S::RemAbortErr);
/// What is left of a sender's column when every status that its type cannot have is named apart.
inline constexpr Bits kOwnEnds = kOk | kFlushed | kFaults | kGeneral;
inline constexpr Bits kRcEnds = kOwnEnds | kReply | kRnr;
/// The same of a responder.
inline constexpr Bits kRecvEnds = kOwnEnds | kAccess | kInvReq | kRemAccess | kAbort;

inline constexpr auto kNever = Ends::Never;
inline constexpr auto kHeld = Ends::Suppressed;
inline constexpr auto kTold = Ends::Reported;
inline constexpr auto kSheet = Ground::Sheet;
inline constexpr auto kManual = Ground::Manual;
inline constexpr auto kSilent = Ground::Silent;
inline constexpr auto kStay = After::Stays;
inline constexpr auto kSqe = After::Sqe;
inline constexpr auto kErr = After::Err;

constexpr int wc(WcOpcode opcode) {
    return static_cast<int>(opcode);
}

/// A cell that no request ends in.
constexpr Row never(Bits types,
                    Bits opcodes,
                    Bits side,
                    Bits shared,
                    Bits statuses,
                    Ground ground,
                    const char* rule,
                    const char* why) {
    return {types,
            opcodes,
            side,
            kAsk,
            shared,
            statuses,
            kNever,
            kUndefined,
            false,
            kStay,
            ground,
            rule,
            why};
}
/// A send that succeeds; `told`: in whichever way it asked for that.
constexpr Row sent(Bits types, Bits opcodes, Bits asked, WcOpcode opcode) {
    const bool told = asked == kAsked;
    return {types,
            opcodes,
            kQ,
            asked,
            kRq,
            kOk,
            told ? kTold : kHeld,
            wc(opcode),
            false,
            kStay,
            kSheet,
            "S1.15 S2.1",
            told ? "signaled, or sq_sig_all" : "a success that nobody asked for"};
}
/// A send that does not: reported always (S2.2).
constexpr Row failed(Bits types,
                     Bits opcodes,
                     Bits statuses,
                     After after,
                     Ground ground,
                     const char* rule,
                     const char* why) {
    return {types,
            opcodes,
            kQ,
            kAsk,
            kRq,
            statuses,
            kTold,
            kUndefined,
            false,
            after,
            ground,
            rule,
            why};
}
/// A message that takes a receive request: reported always (S2.9).
constexpr Row taken(Bits types,
                    Bits opcodes,
                    Bits shared,
                    Bits statuses,
                    int opcode,
                    After after,
                    Ground ground,
                    const char* rule,
                    const char* why) {
    return {
        types, opcodes, kR, kAsk, shared, statuses, kTold, opcode, true, after, ground, rule, why};
}

}  // namespace cqsim::convergence
