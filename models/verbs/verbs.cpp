// SPDX-License-Identifier: Apache-2.0
#include "models/verbs/verbs.h"

#include <utility>

namespace cqsim {
namespace {

template <class Enum>
using Spelling = std::pair<Enum, std::string_view>;

constexpr std::array kStatus{
    Spelling<WcStatus>{WcStatus::Success, "SUCCESS"},
    Spelling<WcStatus>{WcStatus::LocLenErr, "LOC_LEN_ERR"},
    Spelling<WcStatus>{WcStatus::LocQpOpErr, "LOC_QP_OP_ERR"},
    Spelling<WcStatus>{WcStatus::LocEecOpErr, "LOC_EEC_OP_ERR"},
    Spelling<WcStatus>{WcStatus::LocProtErr, "LOC_PROT_ERR"},
    Spelling<WcStatus>{WcStatus::WrFlushErr, "WR_FLUSH_ERR"},
    Spelling<WcStatus>{WcStatus::MwBindErr, "MW_BIND_ERR"},
    Spelling<WcStatus>{WcStatus::BadRespErr, "BAD_RESP_ERR"},
    Spelling<WcStatus>{WcStatus::LocAccessErr, "LOC_ACCESS_ERR"},
    Spelling<WcStatus>{WcStatus::RemInvReqErr, "REM_INV_REQ_ERR"},
    Spelling<WcStatus>{WcStatus::RemAccessErr, "REM_ACCESS_ERR"},
    Spelling<WcStatus>{WcStatus::RemOpErr, "REM_OP_ERR"},
    Spelling<WcStatus>{WcStatus::RetryExcErr, "RETRY_EXC_ERR"},
    Spelling<WcStatus>{WcStatus::RnrRetryExcErr, "RNR_RETRY_EXC_ERR"},
    Spelling<WcStatus>{WcStatus::LocRddViolErr, "LOC_RDD_VIOL_ERR"},
    Spelling<WcStatus>{WcStatus::RemInvRdReqErr, "REM_INV_RD_REQ_ERR"},
    Spelling<WcStatus>{WcStatus::RemAbortErr, "REM_ABORT_ERR"},
    Spelling<WcStatus>{WcStatus::InvEecnErr, "INV_EECN_ERR"},
    Spelling<WcStatus>{WcStatus::InvEecStateErr, "INV_EEC_STATE_ERR"},
    Spelling<WcStatus>{WcStatus::FatalErr, "FATAL_ERR"},
    Spelling<WcStatus>{WcStatus::RespTimeoutErr, "RESP_TIMEOUT_ERR"},
    Spelling<WcStatus>{WcStatus::GeneralErr, "GENERAL_ERR"},
    Spelling<WcStatus>{WcStatus::TmErr, "TM_ERR"},
    Spelling<WcStatus>{WcStatus::TmRndvIncomplete, "TM_RNDV_INCOMPLETE"},
};

constexpr std::array kWcOpcode{
    Spelling<WcOpcode>{WcOpcode::Send, "SEND"},
    Spelling<WcOpcode>{WcOpcode::RdmaWrite, "RDMA_WRITE"},
    Spelling<WcOpcode>{WcOpcode::RdmaRead, "RDMA_READ"},
    Spelling<WcOpcode>{WcOpcode::CompSwap, "COMP_SWAP"},
    Spelling<WcOpcode>{WcOpcode::FetchAdd, "FETCH_ADD"},
    Spelling<WcOpcode>{WcOpcode::BindMw, "BIND_MW"},
    Spelling<WcOpcode>{WcOpcode::LocalInv, "LOCAL_INV"},
    Spelling<WcOpcode>{WcOpcode::Tso, "TSO"},
    Spelling<WcOpcode>{WcOpcode::Flush, "FLUSH"},
    Spelling<WcOpcode>{WcOpcode::AtomicWrite, "ATOMIC_WRITE"},
    Spelling<WcOpcode>{WcOpcode::Recv, "RECV"},
    Spelling<WcOpcode>{WcOpcode::RecvRdmaWithImm, "RECV_RDMA_WITH_IMM"},
};

constexpr std::array kWrOpcode{
    Spelling<WrOpcode>{WrOpcode::RdmaWrite, "RDMA_WRITE"},
    Spelling<WrOpcode>{WrOpcode::RdmaWriteWithImm, "RDMA_WRITE_WITH_IMM"},
    Spelling<WrOpcode>{WrOpcode::Send, "SEND"},
    Spelling<WrOpcode>{WrOpcode::SendWithImm, "SEND_WITH_IMM"},
    Spelling<WrOpcode>{WrOpcode::RdmaRead, "RDMA_READ"},
    Spelling<WrOpcode>{WrOpcode::AtomicCmpAndSwp, "ATOMIC_CMP_AND_SWP"},
    Spelling<WrOpcode>{WrOpcode::AtomicFetchAndAdd, "ATOMIC_FETCH_AND_ADD"},
    Spelling<WrOpcode>{WrOpcode::LocalInv, "LOCAL_INV"},
    Spelling<WrOpcode>{WrOpcode::BindMw, "BIND_MW"},
    Spelling<WrOpcode>{WrOpcode::SendWithInv, "SEND_WITH_INV"},
    Spelling<WrOpcode>{WrOpcode::Tso, "TSO"},
    Spelling<WrOpcode>{WrOpcode::Flush, "FLUSH"},
    Spelling<WrOpcode>{WrOpcode::AtomicWrite, "ATOMIC_WRITE"},
};

constexpr std::array kQpState{
    Spelling<QpState>{QpState::Reset, "RESET"},
    Spelling<QpState>{QpState::Init, "INIT"},
    Spelling<QpState>{QpState::Rtr, "RTR"},
    Spelling<QpState>{QpState::Rts, "RTS"},
    Spelling<QpState>{QpState::Sqd, "SQD"},
    Spelling<QpState>{QpState::Sqe, "SQE"},
    Spelling<QpState>{QpState::Err, "ERR"},
};

constexpr std::array kAsyncEvent{
    Spelling<AsyncEvent>{AsyncEvent::CqErr, "CQ_ERR"},
    Spelling<AsyncEvent>{AsyncEvent::QpFatal, "QP_FATAL"},
    Spelling<AsyncEvent>{AsyncEvent::QpReqErr, "QP_REQ_ERR"},
    Spelling<AsyncEvent>{AsyncEvent::QpAccessErr, "QP_ACCESS_ERR"},
    Spelling<AsyncEvent>{AsyncEvent::CommEst, "COMM_EST"},
    Spelling<AsyncEvent>{AsyncEvent::SqDrained, "SQ_DRAINED"},
    Spelling<AsyncEvent>{AsyncEvent::PathMig, "PATH_MIG"},
    Spelling<AsyncEvent>{AsyncEvent::PathMigErr, "PATH_MIG_ERR"},
    Spelling<AsyncEvent>{AsyncEvent::DeviceFatal, "DEVICE_FATAL"},
    Spelling<AsyncEvent>{AsyncEvent::PortActive, "PORT_ACTIVE"},
    Spelling<AsyncEvent>{AsyncEvent::PortErr, "PORT_ERR"},
    Spelling<AsyncEvent>{AsyncEvent::LidChange, "LID_CHANGE"},
    Spelling<AsyncEvent>{AsyncEvent::PkeyChange, "PKEY_CHANGE"},
    Spelling<AsyncEvent>{AsyncEvent::SmChange, "SM_CHANGE"},
    Spelling<AsyncEvent>{AsyncEvent::SrqErr, "SRQ_ERR"},
    Spelling<AsyncEvent>{AsyncEvent::SrqLimitReached, "SRQ_LIMIT_REACHED"},
    Spelling<AsyncEvent>{AsyncEvent::QpLastWqeReached, "QP_LAST_WQE_REACHED"},
};

constexpr std::array kQpType{
    Spelling<QpType>{QpType::Rc, "RC"},
    Spelling<QpType>{QpType::Uc, "UC"},
    Spelling<QpType>{QpType::Ud, "UD"},
    Spelling<QpType>{QpType::RawPacket, "RAW_PACKET"},
    Spelling<QpType>{QpType::XrcSend, "XRC_SEND"},
    Spelling<QpType>{QpType::XrcRecv, "XRC_RECV"},
};

constexpr std::array kQueueKind{
    Spelling<QueueKind>{QueueKind::Send, "send"},
    Spelling<QueueKind>{QueueKind::Receive, "recv"},
};

template <class Table, class Enum>
std::string_view spell(const Table& table, Enum value) {
    for (const auto& [enumerator, text] : table) {
        if (enumerator == value) {
            return text;
        }
    }
    return "?";
}

template <class Table>
auto parse(const Table& table, std::string_view text)
    -> std::optional<typename Table::value_type::first_type> {
    for (const auto& [enumerator, spelling] : table) {
        if (spelling == text) {
            return enumerator;
        }
    }
    return std::nullopt;
}

template <class Table>
std::vector<std::string_view> spellings(const Table& table) {
    std::vector<std::string_view> names;
    names.reserve(table.size());
    for (const auto& entry : table) {
        names.push_back(entry.second);
    }
    return names;
}

}  // namespace

std::string_view name(WcStatus status) {
    return spell(kStatus, status);
}
std::string_view name(WcOpcode opcode) {
    return spell(kWcOpcode, opcode);
}
std::string_view name(WrOpcode opcode) {
    return spell(kWrOpcode, opcode);
}
std::string_view name(QpState state) {
    return spell(kQpState, state);
}
std::string_view name(AsyncEvent event) {
    return spell(kAsyncEvent, event);
}
std::string_view name(QpType type) {
    return spell(kQpType, type);
}
std::string_view name(QueueKind kind) {
    return spell(kQueueKind, kind);
}

std::optional<WcStatus> parse_wc_status(std::string_view text) {
    return parse(kStatus, text);
}
std::optional<WrOpcode> parse_wr_opcode(std::string_view text) {
    return parse(kWrOpcode, text);
}
std::optional<WcOpcode> parse_wc_opcode(std::string_view text) {
    return parse(kWcOpcode, text);
}
std::optional<QpState> parse_qp_state(std::string_view text) {
    return parse(kQpState, text);
}
std::optional<AsyncEvent> parse_async_event(std::string_view text) {
    return parse(kAsyncEvent, text);
}
std::optional<QpType> parse_qp_type(std::string_view text) {
    return parse(kQpType, text);
}
std::optional<QueueKind> parse_queue_kind(std::string_view text) {
    return parse(kQueueKind, text);
}

std::vector<std::string_view> wc_status_names() {
    return spellings(kStatus);
}
std::vector<std::string_view> wr_opcode_names() {
    return spellings(kWrOpcode);
}

WcOpcode requester_opcode(WrOpcode opcode) {
    switch (opcode) {
        case WrOpcode::RdmaWrite:
        case WrOpcode::RdmaWriteWithImm:
            return WcOpcode::RdmaWrite;
        case WrOpcode::RdmaRead:
            return WcOpcode::RdmaRead;
        case WrOpcode::AtomicCmpAndSwp:
            return WcOpcode::CompSwap;
        case WrOpcode::AtomicFetchAndAdd:
            return WcOpcode::FetchAdd;
        case WrOpcode::LocalInv:
            return WcOpcode::LocalInv;
        case WrOpcode::BindMw:
            return WcOpcode::BindMw;
        case WrOpcode::Tso:
            return WcOpcode::Tso;
        case WrOpcode::Flush:
            return WcOpcode::Flush;
        case WrOpcode::AtomicWrite:
            return WcOpcode::AtomicWrite;
        case WrOpcode::Send:
        case WrOpcode::SendWithImm:
        case WrOpcode::SendWithInv:
            break;
    }
    return WcOpcode::Send;
}

std::optional<WcOpcode> responder_opcode(WrOpcode opcode) {
    switch (opcode) {
        case WrOpcode::Send:
        case WrOpcode::SendWithImm:
        case WrOpcode::SendWithInv:
            return WcOpcode::Recv;
        case WrOpcode::RdmaWriteWithImm:
            return WcOpcode::RecvRdmaWithImm;
        default:
            return std::nullopt;
    }
}

}  // namespace cqsim
