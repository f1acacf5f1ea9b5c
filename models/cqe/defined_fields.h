// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which fields of a work completion are defined: S1.2 to S1.4 as one table.
#pragma once

#include "models/verbs/verbs.h"
#include "models/verbs/wc_field.h"

#include <array>
#include <cstdint>

namespace cqsim {

/// A set of fields.
class WcFieldSet {
  public:
    constexpr WcFieldSet() = default;
    constexpr WcFieldSet(WcField field)  // NOLINT(google-explicit-constructor): a set of one
        : m_bits(static_cast<std::uint32_t>(field)) {}

    constexpr bool has(WcField field) const {
        return (m_bits & static_cast<std::uint32_t>(field)) != 0;
    }
    constexpr bool empty() const { return m_bits == 0; }

    friend constexpr WcFieldSet operator|(WcFieldSet l, WcFieldSet r) {
        l.m_bits |= r.m_bits;
        return l;
    }
    friend constexpr WcFieldSet operator&(WcFieldSet l, WcFieldSet r) {
        l.m_bits &= r.m_bits;
        return l;
    }
    friend constexpr bool operator==(WcFieldSet l, WcFieldSet r) { return l.m_bits == r.m_bits; }
    friend constexpr bool operator!=(WcFieldSet l, WcFieldSet r) { return l.m_bits != r.m_bits; }

  private:
    std::uint32_t m_bits = 0;
};
constexpr WcFieldSet operator|(WcField l, WcField r) {
    return WcFieldSet(l) | WcFieldSet(r);
}

/// The transport of a completion's QP, as far as fields depend on it.
enum class WcService : std::uint8_t {
    Connected,  ///< RC, UC; also: not known to be a datagram's
    Datagram,   ///< UD
    Gsi,        ///< UD, and the QP is that of general services (QP 1)
};

constexpr WcService service_of(QpType type) {
    return type == QpType::Ud ? WcService::Datagram : WcService::Connected;
}

/// What decides which fields are defined. The last three are looked at on success alone.
struct WcShape {
    WcStatus status = WcStatus::Success;
    QueueKind queue = QueueKind::Send;
    WcOpcode opcode = WcOpcode::Send;
    std::uint16_t wc_flags = 0;
    WcService service = WcService::Connected;
    bool send_length = false;  ///< K19: the device reports the length of a SEND or WRITE too
};

namespace wc_table {

// What a row asks of a completion: of each kind a bit for every value that fits.
inline constexpr std::uint8_t kSucceeded = 1;
inline constexpr std::uint8_t kFailed = 2;
inline constexpr std::uint8_t kEnded = kSucceeded | kFailed;

inline constexpr std::uint8_t kRequester = 1;
inline constexpr std::uint8_t kResponder = 2;
inline constexpr std::uint8_t kBoth = kRequester | kResponder;

inline constexpr std::uint8_t kConnected = 1;
inline constexpr std::uint8_t kDatagram = 2;
inline constexpr std::uint8_t kGsi = 4;
inline constexpr std::uint8_t kUd = kDatagram | kGsi;
inline constexpr std::uint8_t kService = kConnected | kUd;

/// Bit 0 to 9: requester opcodes 0 to 9; bit 16 and 17: responder opcodes 128 and 129 (S1.15).
using Opcodes = std::uint32_t;
constexpr Opcodes bit(WcOpcode opcode) {
    constexpr std::uint8_t kRecv = 128;
    const auto number = static_cast<std::uint8_t>(opcode);
    return Opcodes{1} << (number < kRecv ? number & 0xFU : 16U + (number & 0xFU));
}
inline constexpr Opcodes kAny = ~Opcodes{0};
inline constexpr Opcodes kReadOrAtomic =
    bit(WcOpcode::RdmaRead) | bit(WcOpcode::CompSwap) | bit(WcOpcode::FetchAdd);
inline constexpr Opcodes kSendOrWrite =
    bit(WcOpcode::Send) | bit(WcOpcode::RdmaWrite) | bit(WcOpcode::Tso);
inline constexpr Opcodes kRecvs = bit(WcOpcode::Recv) | bit(WcOpcode::RecvRdmaWithImm);
inline constexpr Opcodes kRecv = bit(WcOpcode::Recv);

inline constexpr std::uint16_t kNoFlag = 0;
inline constexpr std::uint16_t kImmOrInv = kWcWithImm | kWcWithInv;

/// The fields are defined for a completion that fits in every column.
struct Row {
    WcFieldSet fields;
    std::uint8_t outcome = 0;
    std::uint8_t side = 0;
    Opcodes opcodes = 0;
    std::uint16_t flag =
        kNoFlag;  ///< of WITH_IMM and WITH_INV this one alone is set (S1.4); none: any
    std::uint8_t service = 0;
    bool by_choice = false;  ///< only where the device has chosen so (K19)
};

// clang-format off
/// S1.2 is the column `outcome`, S1.3 the rest. byte_len of SEND, RDMA_WRITE and all other requests
/// that bring no data is not defined, for mlx5 does not write it, unless the device chose to (K19). A requester's flags say
/// WITH_IMM on some devices; imm_data is a responder's all the same.
inline constexpr std::array kRows{
    Row{WcField::WrId | WcField::Status | WcField::QpNum,
                                    kEnded,     kBoth,      kAny,          kNoFlag,    kService},
    Row{WcField::VendorErr,         kFailed,    kBoth,      kAny,          kNoFlag,    kService},
    Row{WcField::Opcode | WcField::WcFlags,
                                    kSucceeded, kBoth,      kAny,          kNoFlag,    kService},
    Row{WcField::ByteLen,           kSucceeded, kRequester, kReadOrAtomic, kNoFlag,    kService},
    Row{WcField::ByteLen,           kSucceeded, kRequester, kSendOrWrite,  kNoFlag,    kService, true},
    Row{WcField::ByteLen,           kSucceeded, kResponder, kRecvs,        kNoFlag,    kService},
    Row{WcField::ImmData,           kSucceeded, kResponder, kRecvs,        kWcWithImm, kService},
    Row{WcField::InvalidatedRkey,   kSucceeded, kResponder, kRecv,         kWcWithInv, kConnected},
    Row{WcField::Srqn,              kSucceeded, kResponder, kRecvs,        kNoFlag,    kService},
    Row{WcField::Grh | WcField::SrcQp | WcField::Slid | WcField::Sl | WcField::DlidPathBits,
                                    kSucceeded, kResponder, kRecv,         kNoFlag,    kUd},
    Row{WcField::PkeyIndex,         kSucceeded, kResponder, kRecv,         kNoFlag,    kGsi},
};
// clang-format on

constexpr bool fits(const Row& row, const WcShape& shape) {
    const bool succeeded = shape.status == WcStatus::Success;
    const auto side = static_cast<std::uint8_t>(1U << index_of(shape.queue));
    if ((row.outcome & (succeeded ? kSucceeded : kFailed)) == 0 || (row.side & side) == 0) {
        return false;
    }
    if (!succeeded) {
        return true;  // S1.2: it says nothing about opcode and flags, so no row may ask
    }
    return (row.opcodes & bit(shape.opcode)) != 0 && (!row.by_choice || shape.send_length) &&
           (row.flag == kNoFlag || (shape.wc_flags & kImmOrInv) == row.flag) &&
           (row.service & (1U << static_cast<unsigned>(shape.service))) != 0;
}

constexpr bool failed_rows_ask_nothing() {
    for (const Row& row : kRows) {  // NOLINT(readability-use-anyofallof): not constexpr in C++17
        if ((row.outcome & kFailed) != 0 &&
            (row.opcodes != kAny || row.flag != kNoFlag || row.service != kService)) {
            return false;
        }
    }
    return true;
}
static_assert(failed_rows_ask_nothing(), "opcode and flags of a failed completion are undefined");

}  // namespace wc_table

/// The fields that software may use.
constexpr WcFieldSet defined_fields(const WcShape& shape) {
    WcFieldSet defined;
    for (const wc_table::Row& row : wc_table::kRows) {
        if (wc_table::fits(row, shape)) {
            defined = defined | row.fields;
        }
    }
    return defined;
}

}  // namespace cqsim
