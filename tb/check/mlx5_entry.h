// SPDX-License-Identifier: Apache-2.0
/// \file
/// The checkers' own view of a completion queue entry in the format of mlx5, written from
/// rdma-core's mlx5dv.h (struct mlx5_cqe64, struct mlx5_err_cqe) and sharing no code with what
/// writes entries (design P3). S1.13, S1.19, S1.20.
#pragma once

#include "models/verbs/verbs.h"
#include "tb/check/entry_digest.h"

#include <cstdint>
#include <optional>

namespace cqsim::tb::check {

/// Numbers are big-endian:
///
/// | byte | success | failure |
/// |------|---------|---------|
/// | 17 | ml_path: dlid_path_bits | |
/// | 22-23 | slid | |
/// | 24-27 | flags_rqpn: GRH 29:28, SL 27:24, src_qp 23:0 | |
/// | 32-35 | srqn_uidx: srqn | srqn |
/// | 36-39 | imm_inval_pkey: imm_data or rkey as on the wire; else pkey_index in bits 15:0 | |
/// | 44-47 | byte_cnt: byte_len | |
/// | 48-55 | timestamp, ns | 54 vendor_err_synd, 55 syndrome |
/// | 56-59 | sop_drop_qpn: wire opcode 31:24, local QP 23:0 | s_wqe_opcode_qpn: the same |
/// | 60-61 | wqe_counter: wqe_index, low 16 bits | the same |
/// | 63 | op_own: opcode 7:4, format 3:2, solicited 1, owner 0 | the same |
struct Mlx5Entry {
    /// Values of the opcode of an entry (S1.19).
    static constexpr std::uint8_t kReq = 0;
    static constexpr std::uint8_t kRespWriteImm = 1;
    static constexpr std::uint8_t kRespSend = 2;
    static constexpr std::uint8_t kRespSendImm = 3;
    static constexpr std::uint8_t kRespSendInv = 4;
    static constexpr std::uint8_t kResize = 5;
    static constexpr std::uint8_t kReqErr = 13;
    static constexpr std::uint8_t kRespErr = 14;
    static constexpr std::uint8_t kInvalid = 15;
    static constexpr std::uint8_t kNoStatus = 0xFF;
    /// Of a failure that has no syndrome of its own.
    static constexpr std::uint8_t kOtherSyndrome = 0x23;

    /// A number of the wire (MLX5_OPCODE_*), and the completion that it makes.
    struct WireOpcode {
        std::uint8_t number;
        WcOpcode opcode;
    };
    static constexpr std::array kWireOpcodes{
        WireOpcode{0x0a, WcOpcode::Send},       // SEND
        WireOpcode{0x0b, WcOpcode::Send},       // SEND_IMM
        WireOpcode{0x01, WcOpcode::Send},       // SEND_INVAL
        WireOpcode{0x08, WcOpcode::RdmaWrite},  // RDMA_WRITE
        WireOpcode{0x09, WcOpcode::RdmaWrite},  // RDMA_WRITE_IMM
        WireOpcode{0x10, WcOpcode::RdmaRead},   // RDMA_READ
        WireOpcode{0x11, WcOpcode::CompSwap},   // ATOMIC_CS
        WireOpcode{0x12, WcOpcode::FetchAdd},   // ATOMIC_FA
        WireOpcode{0x1b, WcOpcode::LocalInv},   // LOCAL_INVAL
        WireOpcode{0x25, WcOpcode::BindMw},     // UMR
        WireOpcode{0x0e, WcOpcode::Tso},        // TSO
    };

    EntryWords word;

    std::uint8_t at(unsigned byte) const {
        return static_cast<std::uint8_t>(word.at(byte / 8) >> byte % 8 * 8);
    }
    std::uint64_t number(unsigned first_byte, unsigned bytes) const {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < bytes; ++i) {
            value = value << 8U | at(first_byte + i);
        }
        return value;
    }

    std::uint8_t op_own() const { return static_cast<std::uint8_t>(word[7] >> 56); }
    std::uint8_t opcode() const { return op_own() >> 4U; }
    std::uint8_t format() const { return op_own() >> 2U & 3U; }
    bool solicited() const { return (op_own() & 2U) != 0; }
    bool failed() const { return opcode() == kReqErr || opcode() == kRespErr; }
    Qpn qp_num() const { return Qpn{static_cast<std::uint32_t>(number(57, 3))}; }
    std::uint8_t wire_opcode() const { return at(56); }
    std::uint16_t wqe_counter() const { return static_cast<std::uint16_t>(number(60, 2)); }
    std::uint8_t vendor_err() const { return at(54); }
    std::uint8_t syndrome() const { return at(55); }
    std::uint64_t timestamp_ns() const { return number(48, 8); }
    std::uint32_t byte_len() const { return static_cast<std::uint32_t>(number(44, 4)); }
    /// imm_data or the invalidated rkey, in the order of its bytes.
    std::uint32_t imm_data() const { return static_cast<std::uint32_t>(word[4] >> 32); }
    std::uint16_t pkey_index() const { return static_cast<std::uint16_t>(number(38, 2)); }
    std::uint32_t srqn() const { return static_cast<std::uint32_t>(number(32, 4)); }
    std::uint16_t slid() const { return static_cast<std::uint16_t>(number(22, 2)); }
    std::uint8_t grh() const { return at(24) >> 4U & 3U; }
    std::uint8_t sl() const { return at(24) & 0xFU; }
    std::uint32_t src_qp() const { return static_cast<std::uint32_t>(number(25, 3)); }
    std::uint8_t dlid_path_bits() const { return at(17); }

    /// Of a request's end: nothing for any other entry.
    std::optional<QueueKind> queue() const {
        switch (opcode()) {
            case kReq:
            case kReqErr:
                return QueueKind::Send;
            case kRespWriteImm:
            case kRespSend:
            case kRespSendImm:
            case kRespSendInv:
            case kRespErr:
                return QueueKind::Receive;
            default:
                return std::nullopt;
        }
    }
    /// What a successful entry reports; nothing if it is none.
    std::optional<WcOpcode> wc_opcode() const {
        if (opcode() == kRespWriteImm) {
            return WcOpcode::RecvRdmaWithImm;
        }
        if (opcode() >= kRespSend && opcode() <= kRespSendInv) {
            return WcOpcode::Recv;
        }
        for (const WireOpcode& wire : kWireOpcodes) {
            if (opcode() == kReq && wire.number == wire_opcode()) {
                return wire.opcode;
            }
        }
        return std::nullopt;
    }
    /// A WcStatus; kNoStatus if it is no request's end.
    std::uint8_t status() const {
        if (!queue()) {
            return kNoStatus;
        }
        return static_cast<std::uint8_t>(failed() ? status_of(syndrome()) : WcStatus::Success);
    }
    std::uint64_t digest() const { return digest::of(word, qp_num()); }

    /// S1.13.
    static constexpr WcStatus status_of(std::uint8_t syndrome) {
        for (const Syndrome& known : kSyndromes) {
            if (known.number == syndrome) {
                return known.status;
            }
        }
        return WcStatus::GeneralErr;
    }
    static constexpr std::uint8_t syndrome_of(std::uint8_t status) {
        for (const Syndrome& known : kSyndromes) {
            if (static_cast<std::uint8_t>(known.status) == status) {
                return known.number;
            }
        }
        return kOtherSyndrome;
    }

  private:
    struct Syndrome {
        std::uint8_t number;
        WcStatus status;
    };
    static constexpr std::array<Syndrome, 13> kSyndromes{{
        {0x01, WcStatus::LocLenErr},
        {0x02, WcStatus::LocQpOpErr},
        {0x04, WcStatus::LocProtErr},
        {0x05, WcStatus::WrFlushErr},
        {0x06, WcStatus::MwBindErr},
        {0x10, WcStatus::BadRespErr},
        {0x11, WcStatus::LocAccessErr},
        {0x12, WcStatus::RemInvReqErr},
        {0x13, WcStatus::RemAccessErr},
        {0x14, WcStatus::RemOpErr},
        {0x15, WcStatus::RetryExcErr},
        {0x16, WcStatus::RnrRetryExcErr},
        {0x22, WcStatus::RemAbortErr},
    }};
};

}  // namespace cqsim::tb::check
