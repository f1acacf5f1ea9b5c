// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which fields of a work completion are defined, by status, side and opcode. The table of S1.3,
/// and S1.2. wr_id, status and qp_num always are; what else an entry says of its request (queue,
/// index, time) is the format's and always there.
#pragma once

#include "models/observe/record.h"
#include "models/verbs/verbs.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace cqsim::tb::check {

/// Kinds of completions that differ in what is defined.
enum class Shape : std::uint8_t {
    Failed,         ///< S1.2
    Send,           ///< requester: SEND, RDMA WRITE, BIND_MW, LOCAL_INV, ...
    SendLength,     ///< requester: RDMA READ and atomics
    Receive,        ///< responder
    ReceiveImm,     ///< with imm_data or invalidated_rkey
    Datagram,       ///< responder of a UD QP
    DatagramImm,    ///< with imm_data
    Management,     ///< responder of the GSI QP, number 1
    ManagementImm,  ///< with imm_data
};
inline constexpr std::size_t kShapes = 9;

struct DefinedFields {
    bool vendor_err;
    bool opcode;  ///< and wc_flags
    bool byte_len;
    bool srqn;      ///< and whether it was solicited
    bool imm_data;  ///< or invalidated_rkey
    bool source;    ///< src_qp, slid, sl, dlid_path_bits, and the GRH flag
    bool pkey_index;
};

inline constexpr std::array<DefinedFields, kShapes> kDefined{{
    // vendor_err, opcode, byte_len, srqn, imm_data, source, pkey_index
    {true, false, false, false, false, false, false},  // Failed
    {false, true, false, false, false, false, false},  // Send
    {false, true, true, false, false, false, false},   // SendLength
    {false, true, true, true, false, false, false},    // Receive
    {false, true, true, true, true, false, false},     // ReceiveImm
    {false, true, true, true, false, true, false},     // Datagram
    {false, true, true, true, true, true, false},      // DatagramImm
    {false, true, true, true, false, true, true},      // Management
    {false, true, true, true, true, true, true},       // ManagementImm
}};

constexpr const DefinedFields& defined_in(Shape shape) {
    return kDefined[static_cast<std::size_t>(shape)];
}

/// `datagram`: the QP is of type UD; `send_length`: K19.
inline Shape shape_of(const Record& complete,
                      const CompletionDetails& details,
                      bool datagram,
                      bool send_length) {
    if (complete.state != static_cast<std::uint8_t>(WcStatus::Success)) {
        return Shape::Failed;
    }
    if (complete.queue == QueueKind::Receive) {
        constexpr Qpn kGsi{1};
        const bool imm = (details.wc_flags & (kWcWithImm | kWcWithInv)) != 0;
        if (datagram && complete.qpn == kGsi) {
            return imm ? Shape::ManagementImm : Shape::Management;
        }
        if (datagram) {
            return imm ? Shape::DatagramImm : Shape::Datagram;
        }
        return imm ? Shape::ReceiveImm : Shape::Receive;
    }
    const auto opcode = static_cast<WcOpcode>(details.opcode);
    const bool moves =
        opcode == WcOpcode::Send || opcode == WcOpcode::RdmaWrite || opcode == WcOpcode::Tso;
    return opcode == WcOpcode::RdmaRead || opcode == WcOpcode::CompSwap ||
                   opcode == WcOpcode::FetchAdd || (moves && send_length)
               ? Shape::SendLength
               : Shape::Send;
}

}  // namespace cqsim::tb::check
