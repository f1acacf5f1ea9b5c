// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a QP of each type can do: which queues it has (S1.18), which requests it takes (S1.17 with
/// the table of ibv_post_send(3)), and what those can end with (S1.2, S1.10). Pure functions.
#pragma once

#include "models/verbs/verbs.h"

namespace cqsim {

/// S2.14: the room for a GRH at the start of a datagram's buffer, there or not; byte_len counts it.
inline constexpr std::uint32_t kGrhBytes = 40;

namespace capability {

/// A bit for each WrOpcode, or for each WcStatus.
using Set = std::uint32_t;

template <class... Enum>
constexpr Set set_of(Enum... members) {
    return (Set{0} | ... | (Set{1} << static_cast<unsigned>(members)));
}
template <class Enum>
constexpr bool has(Set set, Enum member) {
    return static_cast<unsigned>(member) < 32 &&
           (set >> static_cast<unsigned>(member) & Set{1}) != 0;
}

// By opcode: the rows of the table.
inline constexpr Set kOfUnreliable = set_of(WrOpcode::Send,
                                            WrOpcode::SendWithImm,
                                            WrOpcode::SendWithInv,
                                            WrOpcode::RdmaWrite,
                                            WrOpcode::RdmaWriteWithImm,
                                            WrOpcode::LocalInv,
                                            WrOpcode::BindMw);
inline constexpr Set kOfReliable = kOfUnreliable | set_of(WrOpcode::RdmaRead,
                                                          WrOpcode::AtomicCmpAndSwp,
                                                          WrOpcode::AtomicFetchAndAdd,
                                                          WrOpcode::Flush,
                                                          WrOpcode::AtomicWrite);
inline constexpr Set kOfDatagram = set_of(WrOpcode::Send, WrOpcode::SendWithImm, WrOpcode::Tso);
inline constexpr Set kOfRawPacket = set_of(WrOpcode::Send, WrOpcode::Tso);
/// S2.10: of these a message takes a receive request.
inline constexpr Set kConsuming = set_of(
    WrOpcode::Send, WrOpcode::SendWithImm, WrOpcode::SendWithInv, WrOpcode::RdmaWriteWithImm);

/// Any side of any type.
inline constexpr Set kAnywhere = set_of(WcStatus::Success,
                                        WcStatus::LocLenErr,
                                        WcStatus::LocQpOpErr,
                                        WcStatus::LocProtErr,
                                        WcStatus::WrFlushErr,
                                        WcStatus::FatalErr,
                                        WcStatus::GeneralErr);
/// What the answer of the peer, or that none comes, makes of a request. S2.7: of an unreliable
/// service nobody answers.
inline constexpr Set kAnswered = set_of(WcStatus::BadRespErr,
                                        WcStatus::RemInvReqErr,
                                        WcStatus::RemAccessErr,
                                        WcStatus::RemOpErr,
                                        WcStatus::RetryExcErr,
                                        WcStatus::RnrRetryExcErr,
                                        WcStatus::RespTimeoutErr);
/// S2.16, class C: the responder's end of what it refuses with a NAK; and S1.2, 8.
inline constexpr Set kNaked =
    set_of(WcStatus::LocAccessErr, WcStatus::RemInvReqErr, WcStatus::RemAccessErr);
/// S2.15, S2.16 class E: a message that is cut short has a request of a shared receive queue.
inline constexpr Set kCutShort = set_of(WcStatus::RemInvReqErr, WcStatus::RemAbortErr);

}  // namespace capability

/// Whether the number is that of a type that there is.
constexpr bool is_qp_type(QpType type) {
    for (const QpType known : kQpTypes) {  // NOLINT(readability-use-anyofallof): not constexpr
        if (type == known) {
            return true;
        }
    }
    return false;
}

/// Whether requests are acknowledged.
constexpr bool is_reliable(QpType type) {
    return type == QpType::Rc || type == QpType::XrcSend || type == QpType::XrcRecv;
}
/// Whether a message is one packet of its own, from any sender: no connection.
constexpr bool is_datagram(QpType type) {
    return type == QpType::Ud;
}

/// Whether the QP has a send queue.
constexpr bool sends(QpType type) {
    return type != QpType::XrcRecv;
}
/// Whether messages come to the QP.
constexpr bool receives(QpType type) {
    return type != QpType::XrcSend;
}
/// Whether the QP has a receive queue of its own; S2.11: XRC_RECV has those of others alone.
constexpr bool has_receive_queue(QpType type) {
    return receives(type) && type != QpType::XrcRecv;
}
/// Whether software may post to this queue of the QP.
constexpr bool has_queue(QpType type, QueueKind queue) {
    return queue == QueueKind::Send ? sends(type) : has_receive_queue(type);
}

/// The opcodes of ibv_post_send(3) for a type.
constexpr capability::Set opcodes_of(QpType type) {
    switch (type) {
        case QpType::Rc:
        case QpType::XrcSend:
            return capability::kOfReliable;
        case QpType::Uc:
            return capability::kOfUnreliable;
        case QpType::Ud:
            return capability::kOfDatagram;
        case QpType::RawPacket:
            return capability::kOfRawPacket;
        case QpType::XrcRecv:
            break;
    }
    return 0;
}
constexpr bool may_post(QpType type, WrOpcode opcode) {
    return capability::has(opcodes_of(type), opcode);
}
/// Whether a message of this opcode can come to the QP and takes a receive request there (S2.10):
/// its peer is of its own type, that of XRC_RECV is XRC_SEND.
constexpr bool may_receive(QpType type, WrOpcode opcode) {
    const QpType peer = type == QpType::XrcRecv ? QpType::XrcSend : type;
    return receives(type) && capability::has(capability::kConsuming, opcode) &&
           may_post(peer, opcode);
}

/// Whether a request of this queue can end with this status; `shared`: a receive of a shared
/// receive queue.
constexpr bool may_end(QpType type, QueueKind queue, WcStatus status, bool shared = false) {
    capability::Set ends = capability::kAnywhere;
    if (queue == QueueKind::Send) {
        if (!sends(type)) {
            return false;
        }
        ends |= is_reliable(type) ? capability::kAnswered : 0;
        ends |= may_post(type, WrOpcode::BindMw) ? capability::set_of(WcStatus::MwBindErr) : 0;
    } else {
        if (!has_receive_queue(type) && !(receives(type) && shared)) {
            return false;
        }
        const bool cut = shared && (type == QpType::Uc || type == QpType::Ud);
        ends |= is_reliable(type) ? capability::kNaked : 0;
        ends |= cut ? capability::kCutShort : 0;
    }
    return capability::has(ends, status);
}

/// The same of a request, or message, of this opcode: of two statuses S1.2 says which one it is.
constexpr bool may_end(
    QpType type, QueueKind queue, WrOpcode opcode, WcStatus status, bool shared = false) {
    const bool has_opcode =
        queue == QueueKind::Send ? may_post(type, opcode) : may_receive(type, opcode);
    return has_opcode && may_end(type, queue, status, shared) &&
           (status != WcStatus::MwBindErr || opcode == WrOpcode::BindMw) &&
           (status != WcStatus::LocAccessErr || opcode == WrOpcode::RdmaWriteWithImm);
}

}  // namespace cqsim
