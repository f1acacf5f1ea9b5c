// SPDX-License-Identifier: Apache-2.0
// The entry of mlx5 devices byte by byte (the table in models/cqe/mlx5.h; S1.8, S1.13, S1.19,
// S1.20, S3.6), worked out by hand from that table.
#include "models/cqe/mlx5.h"

#include <catch2/catch.hpp>

#include <map>

namespace cqsim {
namespace {

using Bytes = std::array<std::uint8_t, 64>;

/// Every field has bytes of its own, so that a misplaced one shows.
Completion full(QueueKind queue, WcOpcode opcode, std::uint16_t flags) {
    Completion completion;
    completion.wr_id = 0xEEEEEEEEEEEEEEEE;                  // never in the bytes (S1.8)
    completion.completed = TimePs{0x0102030405ULL * 1000};  // 0x0102030405 ns
    completion.details.byte_len = 0x11121314;
    completion.details.imm_data = 0x18171615;  // in memory: 15 16 17 18
    completion.details.src_qp = 0x001B1C1D;
    completion.details.vendor_err = 0x12345693;
    completion.details.srqn = 0x00292A2B;
    completion.details.wc_flags = flags;
    completion.details.pkey_index = 0x3738;
    completion.details.slid = 0x393A;
    completion.details.sl = 0x0B;
    completion.details.dlid_path_bits = 0x3C;
    completion.details.opcode = static_cast<std::uint8_t>(opcode);
    completion.qpn = Qpn{0x0A0B0C};
    completion.wqe_index = 0x4D4C4B4A;
    completion.queue = queue;
    completion.solicited = true;
    return completion;
}

template <class Encode>
std::vector<std::uint8_t> encoded(Encode encode, const Completion& completion, std::size_t bytes) {
    cqe::Entry entry;
    entry.fill(std::byte{0xA5});  // what lay there before
    encode(completion, 1, CompletionDetails{}, entry.data());
    std::vector<std::uint8_t> result(bytes);
    std::memcpy(result.data(), entry.data(), bytes);
    return result;
}

std::vector<std::uint8_t> encoded(const Completion& completion) {
    return encoded(mlx5::encode, completion, 64);
}

}  // namespace

TEST_CASE("S1.20 a UD receive with GRH and without immediate has every byte of the table") {
    const std::vector<std::uint8_t> expected{
        0,    0,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0,
        0x3C,                                            // 17 ml_path
        0,    0,    0,    0,                             //
        0x39, 0x3A,                                      // 22 slid
        0x1B, 0x1B, 0x1C, 0x1D,                          // 24 GRH 1, SL 11; src_qp
        0,    0,    0,    0,                             //
        0x00, 0x29, 0x2A, 0x2B,                          // 32 srqn
        0x00, 0x00, 0x37, 0x38,                          // 36 pkey_index
        0,    0,    0,    0,                             //
        0x11, 0x12, 0x13, 0x14,                          // 44 byte_cnt
        0,    0,    0,    0x01, 0x02, 0x03, 0x04, 0x05,  // 48 timestamp
        0x00, 0x0A, 0x0B, 0x0C,                          // 56 no send opcode, local QP
        0x4B, 0x4A,                                      // 60 wqe_counter
        0,                                               // 62 signature
        0x23};                                           // 63 RESP_SEND, SE, owner 1
    CHECK(encoded(full(QueueKind::Receive, WcOpcode::Recv, kWcGrh)) == expected);
}

TEST_CASE("S1.13 a failed send has its syndromes and QP and counter and no success fields") {
    Completion completion = full(QueueKind::Send, WcOpcode::RdmaRead, 0);
    completion.status = WcStatus::RetryExcErr;
    std::vector<std::uint8_t> expected(64, 0);
    const std::map<std::size_t, std::uint8_t> set{{33, 0x29},
                                                  {34, 0x2A},
                                                  {35, 0x2B},  // srqn
                                                  {54, 0x93},
                                                  {55, 0x15},  // vendor_err_synd, syndrome
                                                  {57, 0x0A},
                                                  {58, 0x0B},
                                                  {59, 0x0C},  // local QP
                                                  {60, 0x4B},
                                                  {61, 0x4A},
                                                  {63, 0xD3}};  // counter; REQ_ERR, SE, owner 1
    for (const auto& [at, value] : set) {
        expected[at] = value;
    }
    CHECK(encoded(completion) == expected);
}

TEST_CASE("S1.19 opcodes: of the responder in op_own and of the requester in sop_drop_qpn") {
    struct Row {
        QueueKind queue;
        WcOpcode opcode;
        std::uint16_t flags;
        std::uint8_t op;   // bits 7:4 of byte 63
        std::uint8_t sop;  // byte 56
    };
    const std::vector<Row> rows{
        {QueueKind::Receive, WcOpcode::Recv, 0, 2, 0},
        {QueueKind::Receive, WcOpcode::Recv, kWcWithImm, 3, 0},
        {QueueKind::Receive, WcOpcode::Recv, kWcWithInv, 4, 0},
        {QueueKind::Receive, WcOpcode::RecvRdmaWithImm, kWcWithImm, 1, 0},
        {QueueKind::Send, WcOpcode::Send, 0, 0, 0x0A},
        {QueueKind::Send, WcOpcode::Send, kWcWithImm, 0, 0x0B},
        {QueueKind::Send, WcOpcode::Send, kWcWithInv, 0, 0x01},
        {QueueKind::Send, WcOpcode::RdmaWrite, 0, 0, 0x08},
        {QueueKind::Send, WcOpcode::RdmaWrite, kWcWithImm, 0, 0x09},
        {QueueKind::Send, WcOpcode::RdmaRead, 0, 0, 0x10},
        {QueueKind::Send, WcOpcode::CompSwap, 0, 0, 0x11},
        {QueueKind::Send, WcOpcode::FetchAdd, 0, 0, 0x12},
        {QueueKind::Send, WcOpcode::LocalInv, 0, 0, 0x1B},
        {QueueKind::Send, WcOpcode::BindMw, 0, 0, 0x25},
        {QueueKind::Send, WcOpcode::Tso, 0, 0, 0x0E},
    };
    for (const Row& row : rows) {
        INFO(name(row.opcode) << " flags " << row.flags);
        const std::vector<std::uint8_t> bytes = encoded(full(row.queue, row.opcode, row.flags));
        CHECK(unsigned{bytes[63]} >> 4 == unsigned{row.op});
        CHECK(unsigned{bytes[56]} == unsigned{row.sop});
        const cqe::Decoded decoded = mlx5::decode(reinterpret_cast<const std::byte*>(bytes.data()));
        CHECK(decoded.queue == row.queue);
        CHECK(unsigned{decoded.details.opcode} == static_cast<unsigned>(row.opcode));
        CHECK(decoded.details.wc_flags == row.flags);
        CHECK(decoded.wqe_index == 0x4B4A);  // S1.8: all that is left of it
        CHECK(decoded.wr_id == 0);
    }
}

TEST_CASE("S1.5 immediate data and invalidated keys stand in the entry as on the wire") {
    const std::vector<std::uint8_t> bytes =
        encoded(full(QueueKind::Receive, WcOpcode::Recv, kWcWithImm));
    CHECK(std::vector<std::uint8_t>(bytes.begin() + 36, bytes.begin() + 40) ==
          std::vector<std::uint8_t>{0x15, 0x16, 0x17, 0x18});
    CHECK(mlx5::decode(reinterpret_cast<const std::byte*>(bytes.data())).details.imm_data ==
          0x18171615);
}

TEST_CASE("S1.13 a status without a syndrome of its own comes back as GENERAL_ERR") {
    const std::map<WcStatus, unsigned> syndromes{{WcStatus::LocLenErr, 0x01},
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
                                                 {WcStatus::RemAbortErr, 0x22}};
    for (unsigned number = 1; number <= 23; ++number) {
        const auto status = static_cast<WcStatus>(number);
        INFO(name(status));
        for (const QueueKind queue : {QueueKind::Send, QueueKind::Receive}) {
            Completion completion = full(queue, WcOpcode::Send, 0);
            completion.status = status;
            const std::vector<std::uint8_t> bytes = encoded(completion);
            const auto known = syndromes.find(status);
            CHECK((known == syndromes.end() ? bytes[55] == mlx5::kOtherSyndrome
                                            : bytes[55] == known->second));
            const cqe::Decoded decoded =
                mlx5::decode(reinterpret_cast<const std::byte*>(bytes.data()));
            CHECK(decoded.status == (known == syndromes.end() ? WcStatus::GeneralErr : status));
            CHECK(decoded.queue == queue);
            CHECK(unsigned{bytes[63]} >> 4 == (queue == QueueKind::Send ? 13U : 14U));
        }
    }
}

TEST_CASE("S3.6 the entry proper is the second half of a slot of 128 bytes") {
    const Completion completion = full(QueueKind::Send, WcOpcode::RdmaRead, 0);
    const std::vector<std::uint8_t> wide = encoded(mlx5::encode_wide, completion, 128);
    CHECK(std::vector<std::uint8_t>(wide.begin(), wide.begin() + 64) ==
          std::vector<std::uint8_t>(64, 0));
    CHECK(std::vector<std::uint8_t>(wide.begin() + 64, wide.end()) == encoded(completion));
}

TEST_CASE("S3.3 S3.4 owner values of laps, and slots that were never written") {
    struct Row {
        OwnerScheme scheme;
        std::array<unsigned, 9> laps;  // owner values of laps 0 to 8
        unsigned preset;               // last byte, for a ring whose first lap is lap 0
    };
    const std::vector<Row> rows{
        {OwnerScheme::Parity, {0, 1, 0, 1, 0, 1, 0, 1, 0}, 0xF0},
        {OwnerScheme::ParityPreset, {0, 1, 0, 1, 0, 1, 0, 1, 0}, 1},
        {OwnerScheme::Phase, {1, 0, 1, 0, 1, 0, 1, 0, 1}, 0},
        {OwnerScheme::Generation, {1, 2, 3, 4, 5, 6, 7, 0, 1}, 0},
    };
    for (const Row& row : rows) {
        INFO(kOwnerSchemeNames[static_cast<std::size_t>(row.scheme)]);
        const std::uint8_t mask = owner::mask_of(row.scheme);
        std::uint8_t counted = owner::of_lap(row.scheme, 0);
        for (std::uint32_t lap = 0; lap < row.laps.size(); ++lap) {
            CHECK(unsigned{owner::of_lap(row.scheme, lap)} == row.laps[lap]);
            CHECK(counted == owner::of_lap(row.scheme, lap));
            counted = owner::next(row.scheme, counted);
        }
        const std::byte preset = owner::preset(row.scheme, owner::of_lap(row.scheme, 0));
        CHECK(std::to_integer<unsigned>(preset) == row.preset);
        CHECK_FALSE(owner::is_valid(
            std::to_integer<std::uint8_t>(preset), mask, owner::of_lap(row.scheme, 0)));
    }
}

}  // namespace cqsim
