// SPDX-License-Identifier: Apache-2.0
#include "tb/check/type_checker.h"

#include <array>

namespace cqsim::tb::check {
namespace {

using Types = std::uint32_t;

constexpr Types bit(QpType type) {
    return Types{1} << static_cast<unsigned>(type);
}
constexpr Types kRc = bit(QpType::Rc);
constexpr Types kUc = bit(QpType::Uc);
constexpr Types kUd = bit(QpType::Ud);
constexpr Types kRaw = bit(QpType::RawPacket);
constexpr Types kXrcSend = bit(QpType::XrcSend);
constexpr Types kXrcRecv = bit(QpType::XrcRecv);
constexpr Types kSenders = kRc | kUc | kUd | kRaw | kXrcSend;
constexpr Types kReceivers = kRc | kUc | kUd | kRaw | kXrcRecv;
constexpr Types kAsking = kRc | kXrcSend;     // their requests are acknowledged
constexpr Types kAnswering = kRc | kXrcRecv;  // they acknowledge
constexpr Types kConnected = kAsking | kUc;   // those that send to one peer
constexpr Types kTypes = kSenders | kReceivers;

constexpr bool has(Types types, std::uint8_t type) {
    return (types >> type & 1U) != 0;
}

// The table of ibv_post_send(3), by the numbers of S1.17: who may post it.
constexpr std::array<Types, 16> kPosters{kConnected,        // RDMA_WRITE
                                         kConnected,        // RDMA_WRITE_WITH_IMM
                                         kSenders,          // SEND
                                         kSenders & ~kRaw,  // SEND_WITH_IMM
                                         kAsking,           // RDMA_READ
                                         kAsking,           // ATOMIC_CMP_AND_SWP
                                         kAsking,           // ATOMIC_FETCH_AND_ADD
                                         kConnected,        // LOCAL_INV
                                         kConnected,        // BIND_MW
                                         kConnected,        // SEND_WITH_INV
                                         kUd | kRaw,        // TSO
                                         kTypes,            // DRIVER1: not ours to judge
                                         kTypes,
                                         kTypes,
                                         kAsking,   // FLUSH
                                         kAsking};  // ATOMIC_WRITE

// S1.2, column 'side', with S2.7: to a request of UC, UD or RAW_PACKET nobody answers. Where the
// sheet is in doubt, all.
struct Sides {
    Types send;
    Types receive;
};
constexpr std::array<Sides, 24> kEnds{{
    {kSenders, kReceivers},         // SUCCESS
    {kSenders, kReceivers},         // LOC_LEN_ERR
    {kSenders, kReceivers},         // LOC_QP_OP_ERR
    {0, 0},                         // LOC_EEC_OP_ERR: RD
    {kSenders, kReceivers},         // LOC_PROT_ERR
    {kSenders, kReceivers},         // WR_FLUSH_ERR
    {kConnected, 0},                // MW_BIND_ERR
    {kAsking, 0},                   // BAD_RESP_ERR
    {0, kAnswering},                // LOC_ACCESS_ERR
    {kAsking, kReceivers & ~kRaw},  // REM_INV_REQ_ERR; UC, UD: class E
    {kAsking, kAnswering | kUc},    // REM_ACCESS_ERR
    {kAsking, 0},                   // REM_OP_ERR
    {kAsking, 0},                   // RETRY_EXC_ERR
    {kAsking, 0},                   // RNR_RETRY_EXC_ERR
    {0, 0},                         // LOC_RDD_VIOL_ERR: RD
    {0, 0},                         // REM_INV_RD_REQ_ERR: RD
    {0, kUc | kUd},                 // REM_ABORT_ERR
    {0, 0},                         // INV_EECN_ERR: RD
    {0, 0},                         // INV_EEC_STATE_ERR: RD
    {kSenders, kReceivers},         // FATAL_ERR
    {kAsking, 0},                   // RESP_TIMEOUT_ERR
    {kSenders, kReceivers},         // GENERAL_ERR
    {0, kReceivers},                // TM_ERR
    {0, kReceivers},                // TM_RNDV_INCOMPLETE
}};

/// S2.15, S2.16 class E, and S1.11 as it is told: after this the QP goes on.
bool is_harmless(std::uint8_t type, const Record& record) {
    const auto status = static_cast<WcStatus>(record.state);
    if (status == WcStatus::WrFlushErr) {
        return true;
    }
    if (record.queue == QueueKind::Send) {
        return false;
    }
    return (status == WcStatus::GeneralErr && has(kUd, type)) ||
           ((status == WcStatus::RemInvReqErr || status == WcStatus::RemAbortErr) &&
            has(kUc | kUd, type));
}

}  // namespace

void TypeChecker::on_create(const Record& record) {
    const std::uint32_t index = index_of(record.qpn);
    if (index >= kMaxIds) {
        return;
    }
    m_rows.grow(std::size_t{index} + 1);
    const bool known = record.state < 32 && has(kTypes, record.state);
    m_rows[index] = {known ? record.state : std::uint8_t{0}, 0};
    m_narrow = m_narrow || (known && !has(kRc | kUc, record.state));
}

void TypeChecker::check_post(const Record& record) {
    const Row* row = row_of(record.qpn);
    if (row == nullptr) {
        return;
    }
    const auto type = static_cast<QpType>(row->type);
    if (record.queue == QueueKind::Receive) {
        m_findings.checked(Rule::ConsumesReceive);
        if (type == QpType::XrcSend || (type == QpType::XrcRecv && (record.flags & kShared) == 0)) {
            m_findings.fail(Rule::ConsumesReceive,
                            record.time_ps,
                            record.qpn,
                            "takes a receive request: a QP of type ",
                            name(type),
                            " has no receive queue of its own");
        }
        return;
    }
    m_findings.checked(Rule::OpcodeOfType);
    if (record.state < kPosters.size() && !has(kPosters[record.state], row->type)) {
        m_findings.fail(Rule::OpcodeOfType,
                        record.time_ps,
                        record.qpn,
                        "send queue: takes index ",
                        record.index,
                        " with ",
                        name(static_cast<WrOpcode>(record.state)),
                        ", which a QP of type ",
                        name(type),
                        " does not have");
    }
}

void TypeChecker::check_received(const Record& record) {
    const Row* row = row_of(record.qpn);
    if (row == nullptr) {
        return;
    }
    m_findings.checked(Rule::ConsumesReceive);
    const auto type = static_cast<QpType>(row->type);
    if (type == QpType::XrcSend) {
        m_findings.fail(Rule::ConsumesReceive,
                        record.time_ps,
                        record.qpn,
                        "completes a receive, and no messages come to a QP of type ",
                        name(type));
    }
    if (record.bytes == nullptr || !has(kUd | kRaw, row->type)) {
        return;
    }
    CompletionDetails details;
    std::memcpy(&details, record.bytes, sizeof(details));
    const bool imm = (details.wc_flags & kWcWithImm) != 0;
    const char* brings = static_cast<WcOpcode>(details.opcode) == WcOpcode::RecvRdmaWithImm
                             ? "RDMA_WRITE_WITH_IMM"
                         : (details.wc_flags & kWcWithInv) != 0 ? "SEND_WITH_INV"
                         : imm && type == QpType::RawPacket     ? "SEND_WITH_IMM"
                                                                : nullptr;
    if (brings != nullptr) {
        m_findings.fail(Rule::ConsumesReceive,
                        record.time_ps,
                        record.qpn,
                        "receive queue: index ",
                        record.index,
                        " completes with what ",
                        brings,
                        " brings, which no QP of type ",
                        name(type),
                        " sends");
    }
    if (type == QpType::Ud) {
        constexpr std::uint32_t kGrh = 40;
        m_findings.checked(Rule::DatagramLength);
        if (details.byte_len != record.a + kGrh) {
            m_findings.fail(Rule::DatagramLength,
                            record.time_ps,
                            record.qpn,
                            "receive queue: index ",
                            record.index,
                            " has byte_len ",
                            details.byte_len,
                            "; a datagram of ",
                            record.a,
                            " bytes counts ",
                            kGrh,
                            " more for the GRH");
        }
    }
}

void TypeChecker::on_failed(const Record& record) {
    Row* row = row_of(record.qpn);
    if (row == nullptr) {
        return;
    }
    m_findings.checked(Rule::StatusOfSide);
    const bool sends = record.queue == QueueKind::Send;
    const auto status = static_cast<WcStatus>(record.state);
    if (record.state < kEnds.size() &&
        !has(sends ? kEnds[record.state].send : kEnds[record.state].receive, row->type)) {
        m_findings.fail(Rule::StatusOfSide,
                        record.time_ps,
                        record.qpn,
                        words(record.queue),
                        ": index ",
                        record.index,
                        " ends with ",
                        name(status),
                        ", which no such request of a QP of type ",
                        name(static_cast<QpType>(row->type)),
                        " ends with");
    }
    if (status == WcStatus::WrFlushErr) {
        return;
    }
    if (is_harmless(row->type, record)) {
        m_harmless = record.qpn;
        m_harmless_ps = record.time_ps;
        m_harmless_status = record.state;
    } else if (!sends) {
        row->flags |= kToErr;
    } else {
        row->flags |= status == WcStatus::GeneralErr ? kSendMay : kSendFailed;
    }
}

/// Software may put any QP into ERR.
void TypeChecker::on_modify(const Record& record) {
    Row* row = row_of(record.qpn);
    if (row != nullptr && record.a == static_cast<std::uint64_t>(CommandResult::Ok) &&
        static_cast<QpState>(record.state) == QpState::Err) {
        row->flags |= kToErr;
    }
}

void TypeChecker::on_qp_state(const Record& record) {
    Row* row = row_of(record.qpn);
    if (row == nullptr) {
        return;
    }
    const Flag flags = row->flags;
    const auto type = static_cast<QpType>(row->type);
    const auto after = static_cast<QpState>(record.state);
    row->flags = 0;
    if (after == QpState::Sqe) {
        m_findings.checked(Rule::FailureMoves);
        if ((flags & (kSendFailed | kSendMay)) == 0) {
            m_findings.fail(Rule::FailureMoves,
                            record.time_ps,
                            record.qpn,
                            "goes to SQE, but no send of it failed");
        } else if (type == QpType::XrcSend) {
            m_findings.fail(Rule::FailureMoves,
                            record.time_ps,
                            record.qpn,
                            "goes to SQE, which a reliable QP does not have");
        }
    } else if (after == QpState::Err) {
        m_findings.checked(Rule::FailureMoves);
        if ((flags & (kSendFailed | kToErr)) == kSendFailed && has(kUc | kUd | kRaw, row->type)) {
            m_findings.fail(Rule::FailureMoves,
                            record.time_ps,
                            record.qpn,
                            "goes to ERR for a send that failed; of a QP of type ",
                            name(type),
                            " the send queue alone stops (SQE)");
        } else if ((flags & kMoved) == 0 && m_harmless == record.qpn &&
                   m_harmless_ps == record.time_ps) {
            m_findings.fail(Rule::FailureMoves,
                            record.time_ps,
                            record.qpn,
                            "goes to ERR for a receive that ended with ",
                            name(static_cast<WcStatus>(m_harmless_status)),
                            "; a QP of type ",
                            name(type),
                            " goes on");
        }
    }
}

}  // namespace cqsim::tb::check
