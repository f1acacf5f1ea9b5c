// SPDX-License-Identifier: Apache-2.0
// The content of entries in the format of mlx5, field by field. S1.8, S1.13, S1.19, S1.20.
#include "tb/check/content_checker.h"

namespace cqsim::tb::check {
namespace {

constexpr std::uint64_t kPsPerNs = 1000;

/// The opcode of an entry in a receive queue.
std::uint8_t response_opcode(WcOpcode opcode, std::uint16_t wc_flags) {
    if (opcode == WcOpcode::RecvRdmaWithImm) {
        return Mlx5Entry::kRespWriteImm;
    }
    return (wc_flags & kWcWithInv) != 0   ? Mlx5Entry::kRespSendInv
           : (wc_flags & kWcWithImm) != 0 ? Mlx5Entry::kRespSendImm
                                          : Mlx5Entry::kRespSend;
}

/// The number that a send's entry should have: its own if it is one of the completion's opcode,
/// which is the same for some requests; else the first of those; nothing if the format has none.
std::optional<std::uint8_t> wire_opcode(WcOpcode opcode, std::uint8_t is) {
    std::optional<std::uint8_t> first;
    for (const Mlx5Entry::WireOpcode& wire : Mlx5Entry::kWireOpcodes) {
        if (wire.opcode == opcode && wire.number == is) {
            return is;
        }
        if (wire.opcode == opcode && !first) {
            first = wire.number;
        }
    }
    return first;
}

std::uint8_t own_opcode(QueueKind queue, bool failed, WcOpcode opcode, std::uint16_t wc_flags) {
    if (queue == QueueKind::Send) {
        return failed ? Mlx5Entry::kReqErr : Mlx5Entry::kReq;
    }
    return failed ? Mlx5Entry::kRespErr : response_opcode(opcode, wc_flags);
}

}  // namespace

bool ContentChecker::mlx5_differs(const Record& record,
                                  const Mlx5Entry& entry,
                                  const Expected& expected) {
    const NativeEntry wanted{{expected.word[0],
                              expected.word[1],
                              expected.word[2],
                              expected.word[3],
                              expected.word[4],
                              expected.word[5],
                              expected.word[6],
                              std::uint64_t{expected.own} << 56}};
    const DefinedFields& defined = defined_in(expected.shape);
    const bool failed = expected.shape == Shape::Failed;
    const auto low = [&](std::size_t word) { return wanted.word[word] & 0xFFFF'FFFFU; };
    const auto high = [&](std::size_t word) { return wanted.word[word] >> 32; };
    const std::uint16_t wc_flags = wanted.wc_flags();
    const auto opcode = static_cast<WcOpcode>(wanted.word[6] >> 32 & 0xFFU);
    const auto queue = static_cast<QueueKind>(wanted.kind());
    const std::uint8_t own = own_opcode(queue, failed, opcode, wc_flags);
    const Rule rule = failed ? Rule::FailedContent : Rule::SuccessContent;
    const Rule own_rule = entry.queue() == queue ? rule : Rule::EntryIdentity;

    bool wrong = false;
    const auto field = [&](Rule broken,
                           bool checked,
                           std::string_view name,
                           std::uint64_t is,
                           std::uint64_t should) {
        if (checked && is != should && !wrong) {
            wrong = true;
            wrong_field(broken, record, expected, name, is, should);
        }
    };
    field(Rule::EntryIdentity, true, "qpn", index_of(entry.qp_num()), low(1));
    field(own_rule, true, "op_own opcode", entry.opcode(), own);
    field(Rule::EntryIdentity, true, "wqe_counter", entry.wqe_counter(), high(3) & 0xFFFFU);
    field(Rule::EntryIdentity, true, "op_own format", entry.format(), 0);
    field(Rule::EntryIdentity,
          !failed,
          "timestamp (ns)",
          entry.timestamp_ns(),
          wanted.word[kTimeWord] / kPsPerNs);
    field(rule, failed, "syndrome", entry.syndrome(), Mlx5Entry::syndrome_of(wanted.status()));
    field(rule, defined.vendor_err, "vendor_err_synd", entry.vendor_err(), low(3) & 0xFFU);
    const auto wire = wire_opcode(opcode, entry.wire_opcode());
    field(rule,
          defined.opcode && queue == QueueKind::Send && wire.has_value(),
          "send opcode",
          entry.wire_opcode(),
          wire.value_or(0));
    field(rule, defined.byte_len, "byte_cnt", entry.byte_len(), high(1));
    field(rule, defined.imm_data, "imm_inval_pkey", entry.imm_data(), low(2));
    field(rule, defined.srqn, "srqn", entry.srqn(), low(5));
    field(rule, defined.srqn, "op_own SE", entry.solicited() ? 1 : 0, wanted.solicited() ? 1 : 0);
    field(rule, defined.source, "flags_rqpn src_qp", entry.src_qp(), high(2) & 0xFF'FFFFU);
    field(rule, defined.source, "slid", entry.slid(), wanted.word[6] & 0xFFFFU);
    field(rule, defined.source, "flags_rqpn SL", entry.sl(), wanted.word[6] >> 16 & 0xFU);
    field(rule, defined.source, "ml_path", entry.dlid_path_bits(), wanted.word[6] >> 24 & 0xFFU);
    field(rule,
          defined.source,
          "flags_rqpn GRH",
          entry.grh() != 0 ? 1 : 0,
          (wc_flags & kWcGrh) != 0 ? 1 : 0);
    field(rule,
          defined.pkey_index && !defined.imm_data,
          "pkey_index",
          entry.pkey_index(),
          wanted.word[5] >> 48);
    return wrong;
}

}  // namespace cqsim::tb::check
