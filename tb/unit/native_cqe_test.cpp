// SPDX-License-Identifier: Apache-2.0
// The native entry byte by byte (the table in models/cqe/native.h; S1.1, S1.2, S3.3, S3.6), and the
// checkers' own view of it (P3).
#include "models/cqe/native.h"
#include "tb/check/entry.h"

#include <catch2/catch.hpp>

namespace {

using namespace cqsim;

using Bytes = std::array<std::uint8_t, 64>;

/// Every field has bytes of its own, so that a misplaced one shows.
Completion full_receive() {
    Completion completion;
    completion.serial = 0xEEEEEEEEEEEEEEEE;  // never in ring bytes
    completion.wr_id = 0x0807060504030201;
    completion.posted = TimePs{0xDDDDDDDDDDDDDDDD};
    completion.completed = TimePs{0x2827262524232221};
    completion.details.byte_len = 0x14131211;
    completion.details.imm_data = 0x18171615;
    completion.details.src_qp = 0x001D1C1B;
    completion.details.vendor_err = 0x34333231;
    completion.details.srqn = 0x2C2B2A29;
    completion.details.wc_flags = 0x3635;
    completion.details.pkey_index = 0x3837;
    completion.details.slid = 0x3A39;
    completion.details.sl = 0x3B;
    completion.details.dlid_path_bits = 0x3C;
    completion.details.opcode = 128;  // RECV
    completion.qpn = Qpn{0x0C0B0A};
    completion.wqe_index = 0x4D4C4B4A;
    completion.queue = QueueKind::Receive;
    completion.solicited = true;
    return completion;
}

constexpr Bytes kSuccess{
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,  // wr_id
    0x0A, 0x0B, 0x0C, 0x00,                          // qp_num
    0x11, 0x12, 0x13, 0x14,                          // byte_len
    0x15, 0x16, 0x17, 0x18,                          // imm_data
    0x1B, 0x1C, 0x1D, 0x00,                          // src_qp
    0x00, 0x00, 0x00, 0x00,                          // vendor_err: on failure only
    0x4A, 0x4B, 0x4C, 0x4D,                          // wqe_index
    0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,  // timestamp
    0x29, 0x2A, 0x2B, 0x2C,                          // srqn
    0x35, 0x36,                                      // wc_flags
    0x37, 0x38,                                      // pkey_index
    0x39, 0x3A,                                      // slid
    0x3B,                                            // sl
    0x3C,                                            // dlid_path_bits
    0x80,                                            // opcode RECV
    0x00,                                            // status SUCCESS
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x19,  // own: receive queue, solicited, owner 1
};

/// What the writer leaves where a failed completion defines nothing.
CompletionDetails full_filler() {
    CompletionDetails filler;
    filler.byte_len = 0x94939291;
    filler.imm_data = 0x98979695;
    filler.src_qp = 0x009D9C9B;
    filler.vendor_err = 0xFFFFFFFF;  // defined on failure: never the writer's
    filler.srqn = 0xACABAAA9;
    filler.wc_flags = 0xB6B5;
    filler.pkey_index = 0xB8B7;
    filler.slid = 0xBAB9;
    filler.sl = 0xBB;
    filler.dlid_path_bits = 0xBC;
    filler.opcode = 0xDE;
    return filler;
}

constexpr Bytes kFailure{
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,  // wr_id
    0x0A, 0x0B, 0x0C, 0x00,                          // qp_num
    0x91, 0x92, 0x93, 0x94,                          // byte_len
    0x95, 0x96, 0x97, 0x98,                          // imm_data
    0x9B, 0x9C, 0x9D, 0x00,                          // src_qp
    0x31, 0x32, 0x33, 0x34,                          // vendor_err
    0x4A, 0x4B, 0x4C, 0x4D,                          // wqe_index
    0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,  // timestamp
    0xA9, 0xAA, 0xAB, 0xAC,                          // srqn
    0xB5, 0xB6,                                      // wc_flags
    0xB7, 0xB8,                                      // pkey_index
    0xB9, 0xBA,                                      // slid
    0xBB,                                            // sl
    0xBC,                                            // dlid_path_bits
    0xDE,                                            // opcode
    0x0C,                                            // status RETRY_EXC_ERR
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00,  // own: send queue, not solicited, owner 0
};

Completion full_failed_send() {
    Completion completion = full_receive();
    completion.queue = QueueKind::Send;
    completion.status = WcStatus::RetryExcErr;
    completion.solicited = false;
    return completion;
}

Bytes encoded(const Completion& completion, std::uint8_t owner) {
    std::array<std::byte, native::kStride> entry{};
    entry.fill(std::byte{0xA5});  // what lay there before
    native::encode(completion, owner, full_filler(), entry.data());
    Bytes bytes{};
    std::memcpy(bytes.data(), entry.data(), bytes.size());
    return bytes;
}

const std::byte* raw(const Bytes& bytes) {
    return reinterpret_cast<const std::byte*>(bytes.data());
}

}  // namespace

TEST_CASE("S1.1 a successful receive has every byte of the table") {
    const Bytes bytes = encoded(full_receive(), 1);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        INFO("byte " << i);
        CHECK(unsigned{bytes[i]} == unsigned{kSuccess[i]});
    }
}

TEST_CASE("S1.2 a failed entry has wr_id and status and qp_num and vendor_err and a filler") {
    const Bytes bytes = encoded(full_failed_send(), 0);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        INFO("byte " << i);
        CHECK(unsigned{bytes[i]} == unsigned{kFailure[i]});
    }
}

TEST_CASE("S3.3 the last byte tells owner and solicited and kind") {
    Completion completion;
    CHECK(encoded(completion, 0)[63] == 0x00);
    CHECK(encoded(completion, 1)[63] == 0x01);
    completion.solicited = true;
    CHECK(encoded(completion, 0)[63] == 0x08);
    completion.queue = QueueKind::Receive;
    CHECK(encoded(completion, 0)[63] == 0x18);
    CHECK(encoded(completion, 1)[63] == 0x19);
    completion.solicited = false;
    CHECK(encoded(completion, 1)[63] == 0x11);
}

TEST_CASE("S3.3 an entry is valid in the lap of its owner value unless it is INVALID") {
    Bytes bytes{};
    const auto valid = [&bytes](std::uint8_t own, std::uint8_t owner) {
        bytes[63] = own;
        return owner::is_valid(cqe::own_byte(raw(bytes), native::kStride), 1, owner);
    };
    CHECK(valid(0x00, 0));
    CHECK_FALSE(valid(0x00, 1));
    CHECK(valid(0x19, 1));
    CHECK_FALSE(valid(0x19, 0));
    CHECK_FALSE(valid(0xF0, 0));  // as software presets it
    CHECK_FALSE(valid(0xF0, 1));
    CHECK_FALSE(valid(0xF1, 1));
    CHECK(owner::preset(OwnerScheme::Parity, 0) == std::byte{0xF0});
}

TEST_CASE("S1.1 a driver reads a successful entry back") {
    const cqe::Decoded decoded = native::decode(raw(kSuccess));
    CHECK(decoded.wr_id == 0x0807060504030201);
    CHECK(decoded.qpn == Qpn{0x0C0B0A});
    CHECK(decoded.timestamp_ps == 0x2827262524232221);
    CHECK(decoded.wqe_index == 0x4D4C4B4A);
    CHECK(decoded.queue == QueueKind::Receive);
    CHECK(decoded.status == WcStatus::Success);
    CHECK(decoded.solicited);
    CHECK(decoded.details.byte_len == 0x14131211);
    CHECK(decoded.details.imm_data == 0x18171615);
    CHECK(decoded.details.src_qp == 0x001D1C1B);
    CHECK(decoded.details.vendor_err == 0);
    CHECK(decoded.details.srqn == 0x2C2B2A29);
    CHECK(decoded.details.wc_flags == 0x3635);
    CHECK(decoded.details.pkey_index == 0x3837);
    CHECK(decoded.details.slid == 0x3A39);
    CHECK(decoded.details.sl == 0x3B);
    CHECK(decoded.details.dlid_path_bits == 0x3C);
    CHECK(decoded.details.opcode == 128);
}

TEST_CASE("S1.2 a driver reads a failed entry back") {
    const cqe::Decoded decoded = native::decode(raw(kFailure));
    CHECK(decoded.wr_id == 0x0807060504030201);
    CHECK(decoded.qpn == Qpn{0x0C0B0A});
    CHECK(decoded.status == WcStatus::RetryExcErr);
    CHECK(decoded.details.vendor_err == 0x34333231);
    CHECK(decoded.queue == QueueKind::Send);
    CHECK_FALSE(decoded.solicited);
}

TEST_CASE("P3 the checkers read the same entry from the same table") {
    using tb::check::Entry;
    using tb::check::NativeEntry;
    const auto owner_of = [](const Bytes& bytes) {
        return Entry::at(raw(bytes), bytes.size(), CqeFormat::Native).owner(1);
    };
    const NativeEntry success = NativeEntry::at(raw(kSuccess));
    CHECK(success.wr_id() == 0x0807060504030201);
    CHECK(success.qp_num() == Qpn{0x0C0B0A});
    CHECK(success.status() == 0);
    CHECK(success.wc_flags() == 0x3635);
    CHECK(owner_of(kSuccess) == 1);
    CHECK(success.kind() == 1);
    CHECK((success.word[7] & NativeEntry::kSolicited) != 0);
    const NativeEntry failure = NativeEntry::at(raw(kFailure));
    CHECK(failure.status() == 12);
    CHECK(owner_of(kFailure) == 0);
    CHECK(failure.kind() == 0);
    CHECK((failure.word[7] & NativeEntry::kSolicited) == 0);
    Bytes preset{};
    preset[63] = 0xF0;
    CHECK(NativeEntry::at(raw(preset)).kind() == 15);
}

TEST_CASE("P3 the checkers' digest sees each of the 512 bits") {
    using tb::check::NativeEntry;
    const std::uint64_t digest = NativeEntry::at(raw(kSuccess)).digest();
    CHECK(NativeEntry::at(raw(encoded(full_receive(), 1))).digest() == digest);
    for (std::size_t bit = 0; bit < 512; ++bit) {
        Bytes changed = kSuccess;
        changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ (1U << bit % 8));
        REQUIRE(NativeEntry::at(raw(changed)).digest() != digest);
    }
}
