// SPDX-License-Identifier: Apache-2.0
/// \file
/// The numbers of ibverbs: status, opcodes, flags, states, events (S1.10, S1.15 to S1.18, S5.9).
/// The enumerators carry libibverbs' numeric values; `name()` and `parse_*()` use its spelling
/// without the IBV_WC_ / IBV_WR_ / IBV_EVENT_ prefix.
#pragma once

#include "models/verbs/ids.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace cqsim {

/// Work completion status, S1.10.
enum class WcStatus : std::uint8_t {
    Success = 0,
    LocLenErr = 1,
    LocQpOpErr = 2,
    LocEecOpErr = 3,
    LocProtErr = 4,
    WrFlushErr = 5,
    MwBindErr = 6,
    BadRespErr = 7,
    LocAccessErr = 8,
    RemInvReqErr = 9,
    RemAccessErr = 10,
    RemOpErr = 11,
    RetryExcErr = 12,
    RnrRetryExcErr = 13,
    LocRddViolErr = 14,
    RemInvRdReqErr = 15,
    RemAbortErr = 16,
    InvEecnErr = 17,
    InvEecStateErr = 18,
    FatalErr = 19,
    RespTimeoutErr = 20,
    GeneralErr = 21,
    TmErr = 22,
    TmRndvIncomplete = 23,
};

/// Work completion opcode, S1.15. Bit 7 set: a receive completion (valid on success only, S1.2).
enum class WcOpcode : std::uint8_t {
    Send = 0,
    RdmaWrite = 1,
    RdmaRead = 2,
    CompSwap = 3,
    FetchAdd = 4,
    BindMw = 5,
    LocalInv = 6,
    Tso = 7,
    Flush = 8,
    AtomicWrite = 9,
    Recv = 128,
    RecvRdmaWithImm = 129,
};

/// Work request opcode, S1.17.
enum class WrOpcode : std::uint8_t {
    RdmaWrite = 0,
    RdmaWriteWithImm = 1,
    Send = 2,
    SendWithImm = 3,
    RdmaRead = 4,
    AtomicCmpAndSwp = 5,
    AtomicFetchAndAdd = 6,
    LocalInv = 7,
    BindMw = 8,
    SendWithInv = 9,
    Tso = 10,
    Flush = 14,
    AtomicWrite = 15,
};

/// Work completion flags, S1.16 (a bit set).
inline constexpr std::uint16_t kWcGrh = 1;
inline constexpr std::uint16_t kWcWithImm = 2;
inline constexpr std::uint16_t kWcWithInv = 8;

/// QP state, S1.18.
enum class QpState : std::uint8_t {
    Reset = 0,
    Init = 1,
    Rtr = 2,
    Rts = 3,
    Sqd = 4,
    Sqe = 5,
    Err = 6,
};

/// QP type, S1.18. What each can do: qp_capability.h.
enum class QpType : std::uint8_t {
    Rc = 2,
    Uc = 3,
    Ud = 4,
    RawPacket = 8,
    XrcSend = 9,   ///< the sending half of a reliable connection
    XrcRecv = 10,  ///< its receiving half: takes requests of shared receive queues
};
inline constexpr std::array kQpTypes{
    QpType::Rc, QpType::Uc, QpType::Ud, QpType::RawPacket, QpType::XrcSend, QpType::XrcRecv};

/// Asynchronous event, S5.9.
enum class AsyncEvent : std::uint8_t {
    CqErr = 0,
    QpFatal = 1,
    QpReqErr = 2,
    QpAccessErr = 3,
    CommEst = 4,
    SqDrained = 5,
    PathMig = 6,
    PathMigErr = 7,
    DeviceFatal = 8,
    PortActive = 9,
    PortErr = 10,
    LidChange = 11,
    PkeyChange = 12,
    SmChange = 13,
    SrqErr = 14,
    SrqLimitReached = 15,
    QpLastWqeReached = 16,
};
inline constexpr std::uint32_t kAsyncEvents =
    static_cast<std::uint32_t>(AsyncEvent::QpLastWqeReached) + 1;

std::string_view name(WcStatus status);
std::string_view name(WcOpcode opcode);
std::string_view name(WrOpcode opcode);
std::string_view name(QpState state);
std::string_view name(AsyncEvent event);
std::string_view name(QpType type);
std::string_view name(QueueKind kind);

/// The enumerator of that exact spelling, e.g. "RETRY_EXC_ERR"; nothing if there is none.
std::optional<WcStatus> parse_wc_status(std::string_view text);
std::optional<WrOpcode> parse_wr_opcode(std::string_view text);
std::optional<WcOpcode> parse_wc_opcode(std::string_view text);
std::optional<QpState> parse_qp_state(std::string_view text);
std::optional<AsyncEvent> parse_async_event(std::string_view text);
std::optional<QpType> parse_qp_type(std::string_view text);
std::optional<QueueKind> parse_queue_kind(std::string_view text);

/// All spellings, for messages that name the nearest known one.
std::vector<std::string_view> wc_status_names();
std::vector<std::string_view> wr_opcode_names();

/// The completion opcode that a successful work request reports at the requester (S1.15, S1.17).
WcOpcode requester_opcode(WrOpcode opcode);

/// What a message of this request opcode reports at the responder; nothing if it consumes no
/// receive request (S2.10).
std::optional<WcOpcode> responder_opcode(WrOpcode opcode);

}  // namespace cqsim
