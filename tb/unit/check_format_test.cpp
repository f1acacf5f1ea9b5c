// SPDX-License-Identifier: Apache-2.0
// What an entry must say, by format, side and status, and what it need not.
#include "tb/check/mlx5_entry.h"
#include "tb/unit/check_verdict.h"

#include <catch2/catch.hpp>

#include <cstring>

namespace cqsim::tb {
namespace {

// One QP: send 0, receives 0 (solicited is every second one) and 1 with immediate data, and a send
// that fails, as entries 0 to 3; then a receive that is flushed.
Trace mixed(CqeFormat format, QpType type = QpType::Rc) {
    Trace trace;
    LegalStream::Options options;
    options.format = format;
    options.stride = static_cast<std::uint16_t>(stride_of(format));
    options.type = type;
    LegalStream stream(options, trace.sink());
    stream.wait(123'456);
    stream.post(0, QueueKind::Send, true);
    stream.complete(0, QueueKind::Send);
    for (const std::uint16_t flags : {std::uint16_t{0}, kWcWithImm}) {
        stream.post(0, QueueKind::Receive, false);
        stream.complete(0, QueueKind::Receive, WcStatus::Success, flags);
    }
    stream.post(0, QueueKind::Receive, false);
    stream.post(0, QueueKind::Send, false);
    if (type == QpType::Rc) {
        stream.fail(0, QueueKind::Send, WcStatus::RetryExcErr);
    } else {
        stream.modify(0, QpState::Err);
        stream.state(0, QpState::Err);
        stream.flush(0, QueueKind::Send);
        stream.flush(0, QueueKind::Receive);
    }
    stream.poll(0, 8);
    stream.end();
    return trace;
}

constexpr std::size_t kSend = 0;
constexpr std::size_t kReceive = 1;
constexpr std::size_t kImm = 2;
constexpr std::size_t kFailed = 3;

Rules flipped(CqeFormat format, std::size_t n, std::size_t byte, QpType type = QpType::Rc) {
    Trace trace = mixed(format, type);
    flip_entry(trace, n, byte, 1, format);
    CAPTURE(n, byte);
    return failed(trace);
}

// Bytes of a field that must be as they are, and bytes of one that means nothing.
void check_bytes(CqeFormat format,
                 std::size_t n,
                 const char* rule,
                 std::initializer_list<std::size_t> bytes,
                 QpType type = QpType::Rc) {
    const std::size_t begin = stride_of(format) - 64;
    for (const std::size_t byte : bytes) {
        CHECK(flipped(format, n, begin + byte, type) == (rule[0] == 0 ? Rules{} : Rules{rule}));
    }
}

}  // namespace

TEST_CASE("S1.2 S1.3 what a native entry must say") {
    const CqeFormat format = CqeFormat::Native;
    check_legal(mixed(format), {"S1.1", "S1.2", "S1.3", "S1.4"});
    for (const std::size_t n : {kSend, kReceive, kImm, kFailed}) {
        check_bytes(format, n, "S1.1", {0, 8, 28, 32});  // wr_id, qp_num, wqe_index, timestamp
    }
    // A send: wc_flags, opcode, reserved bytes; but not byte_len, imm_data, src_qp, srqn,
    // pkey_index, slid, sl, dlid_path_bits.
    check_bytes(format, kSend, "S1.3", {44, 52});
    check_bytes(format, kSend, "S1.1", {55, 60});
    check_bytes(format, kSend, "", {12, 16, 20, 24, 40, 46, 48, 50, 51});
    // A receive of an RC QP has a length and an SRQ, and no source.
    check_bytes(format, kReceive, "S1.3", {12, 40, 45, 52});
    check_bytes(format, kReceive, "", {16, 20, 24, 44, 46, 48, 50, 51});
    check_bytes(format, kImm, "S1.3", {16});
    // One of a UD QP has; of the GSI QP it has a pkey_index, too.
    check_bytes(format, kReceive, "S1.3", {12, 20, 44, 48, 50, 51, 52}, QpType::Ud);
    check_bytes(format, kReceive, "", {16, 24, 46}, QpType::Ud);
    // Of a failed one status and vendor_err, and nothing else.
    check_bytes(format, kFailed, "S1.2", {24, 53});
    check_bytes(format, kFailed, "", {12, 16, 20, 40, 44, 46, 48, 50, 51, 52, 54, 60});
}

TEST_CASE("S1.3 a pkey_index is defined in a receive of the GSI QP, number 1") {
    const auto of_qp = [](std::uint32_t qp) {
        Trace trace;
        LegalStream::Options options;
        options.qps = 3;
        options.type = QpType::Ud;
        LegalStream stream(options, trace.sink());
        stream.post(qp, QueueKind::Receive, false);
        stream.complete(qp, QueueKind::Receive);
        stream.poll(0, 1);
        stream.end();
        flip_entry(trace, 0, 46, 1, CqeFormat::Native);
        return failed(trace);
    };
    CHECK(of_qp(1) == Rules{"S1.3"});
    CHECK(of_qp(2).empty());
}

TEST_CASE("S1.8 S1.13 S1.19 S1.20 what an entry of format mlx5 must say") {
    for (const CqeFormat format : {CqeFormat::Mlx5, CqeFormat::Mlx5Wide}) {
        check_legal(mixed(format), {"S1.1", "S1.2", "S1.3"});
        // qpn, wqe_counter; op_own format is in byte 63.
        for (const std::size_t n : {kSend, kReceive, kImm, kFailed}) {
            check_bytes(format, n, "S1.1", {57, 59, 60, 61});
        }
        // timestamp, of what succeeded.
        check_bytes(format, kSend, "S1.1", {48, 55});
        check_bytes(format, kReceive, "S1.1", {48, 55});
        // A send: its opcode alone; not ml_path, slid, flags_rqpn, srqn, imm, byte_cnt.
        check_bytes(format, kSend, "", {0, 17, 22, 24, 27, 32, 36, 44, 62});
        Trace opcode = mixed(format);
        flip_entry(opcode, kSend, stride_of(format) - 64 + 56, 0x02, format);  // RDMA_WRITE
        CHECK(failed(opcode) == Rules{"S1.3"});
        // A receive: srqn_uidx, byte_cnt.
        check_bytes(format, kReceive, "S1.3", {32, 44});
        check_bytes(format, kReceive, "", {17, 22, 24, 27, 36, 39, 56});
        check_bytes(format, kImm, "S1.3", {36, 39});
        check_bytes(format, kReceive, "S1.3", {17, 22, 24, 25, 27}, QpType::Ud);
        check_bytes(format, kReceive, "", {39}, QpType::Ud);
        // Solicited is bit 1 of op_own, the format of the entry bits 3:2.
        for (const auto& [bit, rule] : {std::pair{2U, "S1.3"}, std::pair{4U, "S1.1"}}) {
            Trace own = mixed(format);
            flip_entry(own, kReceive, stride_of(format) - 1, bit, format);
            CHECK(failed(own) == Rules{rule});
        }
        // RESP_SEND (2) for RESP_SEND_IMM (3), and REQ (0).
        Trace nibble = mixed(format);
        flip_entry(nibble, kImm, stride_of(format) - 1, 0x10, format);
        CHECK(failed(nibble) == Rules{"S1.3"});
        Trace queue = mixed(format);
        flip_entry(queue, kReceive, stride_of(format) - 1, 0x20, format);
        CHECK(failed(queue) == Rules{"S1.1"});
        // A failed one: vendor_err_synd and syndrome; not the opcode, srqn, byte_cnt.
        check_bytes(format, kFailed, "S1.2", {54});
        Trace syndrome = mixed(format);
        flip_entry(syndrome, kFailed, stride_of(format) - 64 + 55, 0x10, format);  // FLUSH
        CHECK(failed(syndrome) == Rules{"S1.2"});
        check_bytes(format, kFailed, "", {0, 32, 44, 48, 56});
    }
}

TEST_CASE("S3.6 the half of a wide slot before its entry is zero") {
    CHECK(flipped(CqeFormat::Mlx5Wide, kSend, 7) == Rules{"S3.6"});
    // Monitors may show the second half alone.
    Trace halves = mixed(CqeFormat::Mlx5Wide);
    for (Record& record : halves.records()) {
        if (record.bytes != nullptr && record.b == 128) {
            record.bytes += 64;
            record.a += 64;
            record.b = 64;
        }
    }
    CHECK(failed(halves).empty());
}

TEST_CASE("S1.13 a syndrome for each status, one for all that have none") {
    using check::Mlx5Entry;
    const auto number = [](WcStatus status) {
        return Mlx5Entry::syndrome_of(static_cast<std::uint8_t>(status));
    };
    CHECK(number(WcStatus::LocLenErr) == 0x01);
    CHECK(number(WcStatus::LocQpOpErr) == 0x02);
    CHECK(number(WcStatus::LocProtErr) == 0x04);
    CHECK(number(WcStatus::WrFlushErr) == 0x05);
    CHECK(number(WcStatus::MwBindErr) == 0x06);
    CHECK(number(WcStatus::BadRespErr) == 0x10);
    CHECK(number(WcStatus::LocAccessErr) == 0x11);
    CHECK(number(WcStatus::RemInvReqErr) == 0x12);
    CHECK(number(WcStatus::RemAccessErr) == 0x13);
    CHECK(number(WcStatus::RemOpErr) == 0x14);
    CHECK(number(WcStatus::RetryExcErr) == 0x15);
    CHECK(number(WcStatus::RnrRetryExcErr) == 0x16);
    CHECK(number(WcStatus::RemAbortErr) == 0x22);
    for (const WcStatus other : {WcStatus::FatalErr, WcStatus::RespTimeoutErr, WcStatus::TmErr}) {
        CHECK(number(other) == 0x23);
    }
    CHECK(Mlx5Entry::status_of(0x23) == WcStatus::GeneralErr);
    CHECK(Mlx5Entry::status_of(0x03) == WcStatus::GeneralErr);
}

}  // namespace cqsim::tb
