// SPDX-License-Identifier: Apache-2.0
#include "models/cqe/mlx5.h"

#include <algorithm>

namespace cqsim::mlx5 {
namespace {

constexpr std::size_t kBytes = 64;

// Places in the entry: the table in mlx5.h.
constexpr std::size_t kMlPath = 17;
constexpr std::size_t kSlid = 22;
constexpr std::size_t kFlagsRqpn = 24;
constexpr std::size_t kSrqn = 32;
constexpr std::size_t kImmInvalPkey = 36;
constexpr std::size_t kByteCnt = 44;
constexpr std::size_t kTimestamp = 48;
constexpr std::size_t kVendorErrSynd = 54;
constexpr std::size_t kSyndrome = 55;
constexpr std::size_t kSopDropQpn = 56;
constexpr std::size_t kWqeCounter = 60;
constexpr std::size_t kOpOwn = 63;

constexpr std::uint32_t kQpnMask = kMaxIds - 1;
constexpr unsigned kSopShift = 24;
constexpr unsigned kSlShift = 24;
constexpr std::uint32_t kSlMask = 0xF;
constexpr std::uint32_t kGrh = std::uint32_t{1} << 28;
constexpr std::uint32_t kGrhMask = std::uint32_t{3} << 28;
constexpr std::uint8_t kSolicitedBit = 2;
constexpr std::uint64_t kPsPerTick = 1000;

// The entry's opcode, S1.19.
constexpr std::uint8_t kReq = 0;
constexpr std::uint8_t kRespWrImm = 1;
constexpr std::uint8_t kRespSend = 2;
constexpr std::uint8_t kRespSendImm = 3;
constexpr std::uint8_t kRespSendInv = 4;
constexpr std::uint8_t kReqErr = 13;
constexpr std::uint8_t kRespErr = 14;

/// The opcodes of send requests on the wire of the device, by WcOpcode.
struct SendOpcode {
    WcOpcode reported;
    std::uint16_t flags;
    std::uint8_t code;
};
constexpr std::array<SendOpcode, 11> kSendOpcodes{{{WcOpcode::Send, 0, 0x0A},
                                                   {WcOpcode::Send, kWcWithImm, 0x0B},
                                                   {WcOpcode::Send, kWcWithInv, 0x01},
                                                   {WcOpcode::RdmaWrite, 0, 0x08},
                                                   {WcOpcode::RdmaWrite, kWcWithImm, 0x09},
                                                   {WcOpcode::RdmaRead, 0, 0x10},
                                                   {WcOpcode::CompSwap, 0, 0x11},
                                                   {WcOpcode::FetchAdd, 0, 0x12},
                                                   {WcOpcode::LocalInv, 0, 0x1B},
                                                   {WcOpcode::BindMw, 0, 0x25},
                                                   {WcOpcode::Tso, 0, 0x0E}}};
constexpr std::uint16_t kImmOrInv = kWcWithImm | kWcWithInv;

/// S1.13.
constexpr std::array<std::pair<WcStatus, std::uint8_t>, 13> kSyndromes{
    {{WcStatus::LocLenErr, 0x01},
     {WcStatus::LocQpOpErr, 0x02},
     {WcStatus::LocProtErr, 0x04},
     {WcStatus::WrFlushErr, 0x05},
     {WcStatus::MwBindErr, 0x06},
     {WcStatus::BadRespErr, 0x10},
     {WcStatus::LocAccessErr, 0x11},
     {WcStatus::RemInvReqErr, 0x12},
     {WcStatus::RemAccessErr, 0x13},
     {WcStatus::RemOpErr, 0x14},
     {WcStatus::RetryExcErr, 0x15},
     {WcStatus::RnrRetryExcErr, 0x16},
     {WcStatus::RemAbortErr, 0x22}}};

void put(std::byte* at, std::uint64_t value, unsigned bytes) {
    for (unsigned i = bytes; i-- > 0; value >>= 8U) {
        at[i] = static_cast<std::byte>(value);
    }
}

std::uint64_t get(const std::byte* at, unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
        value = value << 8U | std::to_integer<std::uint64_t>(at[i]);
    }
    return value;
}

std::uint8_t send_opcode(const CompletionDetails& details) {
    for (const SendOpcode& row : kSendOpcodes) {
        if (static_cast<std::uint8_t>(row.reported) == details.opcode &&
            row.flags == (details.wc_flags & kImmOrInv)) {
            return row.code;
        }
    }
    return 0;
}

std::uint8_t responder_opcode(const CompletionDetails& details) {
    if (static_cast<WcOpcode>(details.opcode) == WcOpcode::RecvRdmaWithImm) {
        return kRespWrImm;
    }
    return (details.wc_flags & kWcWithImm) != 0   ? kRespSendImm
           : (details.wc_flags & kWcWithInv) != 0 ? kRespSendInv
                                                  : kRespSend;
}

std::uint8_t syndrome_of(WcStatus status) {
    for (const auto& [of, syndrome] : kSyndromes) {
        if (of == status) {
            return syndrome;
        }
    }
    return kOtherSyndrome;
}

WcStatus status_of(std::uint8_t syndrome) {
    for (const auto& [status, of] : kSyndromes) {
        if (of == syndrome) {
            return status;
        }
    }
    return WcStatus::GeneralErr;
}

/// The fields that are defined on success only.
void put_details(const CompletionDetails& details, std::byte* entry) {
    entry[kMlPath] = std::byte{details.dlid_path_bits};
    put(entry + kSlid, details.slid, 2);
    put(entry + kFlagsRqpn,
        ((details.wc_flags & kWcGrh) != 0 ? kGrh : 0U) |
            (std::uint32_t{details.sl} & kSlMask) << kSlShift | (details.src_qp & kQpnMask),
        4);
    if ((details.wc_flags & kImmOrInv) != 0) {
        std::memcpy(entry + kImmInvalPkey, &details.imm_data, 4);  // as on the wire
    } else {
        put(entry + kImmInvalPkey, details.pkey_index, 4);
    }
    put(entry + kByteCnt, details.byte_len, 4);
}

void get_success(const std::byte* entry, std::uint8_t opcode, cqe::Decoded& decoded) {
    CompletionDetails& details = decoded.details;
    details.dlid_path_bits = std::to_integer<std::uint8_t>(entry[kMlPath]);
    details.slid = static_cast<std::uint16_t>(get(entry + kSlid, 2));
    const auto flags_rqpn = static_cast<std::uint32_t>(get(entry + kFlagsRqpn, 4));
    details.src_qp = flags_rqpn & kQpnMask;
    details.sl = static_cast<std::uint8_t>(flags_rqpn >> kSlShift & kSlMask);
    details.wc_flags = (flags_rqpn & kGrhMask) != 0 ? kWcGrh : 0;
    details.byte_len = static_cast<std::uint32_t>(get(entry + kByteCnt, 4));
    decoded.timestamp_ps = get(entry + kTimestamp, 8) * kPsPerTick;
    if (opcode == kReq) {
        const auto code = std::to_integer<std::uint8_t>(entry[kSopDropQpn]);
        const auto* const row =
            std::find_if(kSendOpcodes.begin(), kSendOpcodes.end(), [code](const SendOpcode& of) {
                return of.code == code;
            });
        if (row != kSendOpcodes.end()) {
            details.opcode = static_cast<std::uint8_t>(row->reported);
            details.wc_flags |= row->flags;
        }
        return;
    }
    details.opcode = static_cast<std::uint8_t>(opcode == kRespWrImm ? WcOpcode::RecvRdmaWithImm
                                                                    : WcOpcode::Recv);
    details.wc_flags |= opcode == kRespSendInv                           ? kWcWithInv
                        : opcode == kRespWrImm || opcode == kRespSendImm ? kWcWithImm
                                                                         : std::uint16_t{0};
    if ((details.wc_flags & kImmOrInv) != 0) {
        std::memcpy(&details.imm_data, entry + kImmInvalPkey, 4);
    } else {
        details.pkey_index = static_cast<std::uint16_t>(get(entry + kImmInvalPkey + 2, 2));
    }
}

}  // namespace

void encode(const Completion& completion,
            std::uint8_t owner,
            const CompletionDetails& filler,
            std::byte* entry) {
    std::memset(entry, 0, kBytes);
    const bool sends = completion.queue == QueueKind::Send;
    const bool ok = completion.status == WcStatus::Success;
    const CompletionDetails& details = completion.details;
    std::uint8_t opcode = sends ? kReqErr : kRespErr;
    std::uint8_t sop = filler.opcode;
    if (ok) {
        opcode = sends ? kReq : responder_opcode(details);
        sop = sends ? send_opcode(details) : 0;
        put_details(details, entry);
        put(entry + kTimestamp, completion.completed.ps / kPsPerTick, 8);
    } else {
        put_details(filler, entry);
        entry[kVendorErrSynd] = static_cast<std::byte>(details.vendor_err);
        entry[kSyndrome] = std::byte{syndrome_of(completion.status)};
    }
    put(entry + kSrqn, details.srqn, 4);
    put(entry + kSopDropQpn, std::uint32_t{sop} << kSopShift | index_of(completion.qpn), 4);
    put(entry + kWqeCounter, completion.wqe_index & 0xFFFFU, 2);
    entry[kOpOwn] = static_cast<std::byte>(unsigned{opcode} << owner::kKindShift |
                                           (completion.solicited ? kSolicitedBit : 0U) | owner);
}

cqe::Decoded decode(const std::byte* entry) {
    cqe::Decoded decoded;
    const auto own = std::to_integer<std::uint8_t>(entry[kOpOwn]);
    const auto opcode = static_cast<std::uint8_t>(own >> owner::kKindShift);
    if (opcode == cqe::kEndOfRing) {
        decoded.ends_ring = true;
        return decoded;
    }
    decoded.solicited = (own & kSolicitedBit) != 0;
    decoded.queue = opcode == kReq || opcode == kReqErr ? QueueKind::Send : QueueKind::Receive;
    decoded.qpn = Qpn{static_cast<std::uint32_t>(get(entry + kSopDropQpn, 4)) & kQpnMask};
    decoded.wqe_index = static_cast<std::uint32_t>(get(entry + kWqeCounter, 2));
    decoded.details.srqn = static_cast<std::uint32_t>(get(entry + kSrqn, 4));
    if (opcode == kReqErr || opcode == kRespErr) {
        decoded.status = status_of(std::to_integer<std::uint8_t>(entry[kSyndrome]));
        decoded.details.vendor_err = std::to_integer<std::uint8_t>(entry[kVendorErrSynd]);
    } else {
        get_success(entry, opcode, decoded);
    }
    return decoded;
}

void encode_wide(const Completion& completion,
                 std::uint8_t owner,
                 const CompletionDetails& filler,
                 std::byte* entry) {
    std::memset(entry, 0, kBytes);
    encode(completion, owner, filler, entry + kBytes);
}

cqe::Decoded decode_wide(const std::byte* entry) {
    return decode(entry + kBytes);
}

}  // namespace cqsim::mlx5
