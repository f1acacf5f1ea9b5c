// SPDX-License-Identifier: Apache-2.0
#include "tb/check/content_checker.h"

#include "models/verbs/wc_field.h"

namespace cqsim::tb::check {
namespace {

constexpr std::uint64_t pair(std::uint32_t low, std::uint32_t high) {
    return std::uint64_t{low} | std::uint64_t{high} << 32;
}

struct Field {
    std::string_view name;
    unsigned word;
    unsigned first_bit;
    unsigned bits;
    Rule on_success;
    Rule on_failure;
};

// In the order in which a reader wants to hear of a difference.
constexpr std::array kFields{
    Field{"qp_num", 1, 0, 32, Rule::EntryIdentity, Rule::EntryIdentity},
    Field{"queue (own bits 7:4)", 7, 60, 4, Rule::EntryIdentity, Rule::EntryIdentity},
    Field{"wqe_index", 3, 32, 32, Rule::EntryIdentity, Rule::EntryIdentity},
    Field{"wr_id", 0, 0, 64, Rule::EntryIdentity, Rule::EntryIdentity},
    Field{"timestamp", 4, 0, 64, Rule::EntryIdentity, Rule::EntryIdentity},
    Field{"status", 6, 40, 8, Rule::SuccessContent, Rule::FailedContent},
    Field{"vendor_err", 3, 0, 32, Rule::SuccessContent, Rule::FailedContent},
    Field{"opcode", 6, 32, 8, Rule::SuccessContent, Rule::FailedContent},
    Field{"byte_len", 1, 32, 32, Rule::SuccessContent, Rule::FailedContent},
    Field{"wc_flags", 5, 32, 16, Rule::SuccessContent, Rule::FailedContent},
    Field{"imm_data", 2, 0, 32, Rule::SuccessContent, Rule::FailedContent},
    Field{"src_qp", 2, 32, 32, Rule::SuccessContent, Rule::FailedContent},
    Field{"srqn", 5, 0, 32, Rule::SuccessContent, Rule::FailedContent},
    Field{"pkey_index", 5, 48, 16, Rule::SuccessContent, Rule::FailedContent},
    Field{"slid", 6, 0, 16, Rule::SuccessContent, Rule::FailedContent},
    Field{"sl", 6, 16, 8, Rule::SuccessContent, Rule::FailedContent},
    Field{"dlid_path_bits", 6, 24, 8, Rule::SuccessContent, Rule::FailedContent},
    Field{"solicited (own bit 3)", 7, 59, 1, Rule::SuccessContent, Rule::FailedContent},
    Field{"reserved bytes", 6, 48, 16, Rule::EntryIdentity, Rule::EntryIdentity},
    Field{"reserved bytes", 7, 0, 56, Rule::EntryIdentity, Rule::EntryIdentity},
    Field{"own bits 2:1", 7, 57, 2, Rule::EntryIdentity, Rule::EntryIdentity},
};

constexpr std::uint64_t bits_of(const Field& field, std::uint64_t word) {
    const std::uint64_t shifted = word >> field.first_bit;
    return field.bits == 64 ? shifted : shifted & ((std::uint64_t{1} << field.bits) - 1);
}

}  // namespace

ContentChecker::Shape ContentChecker::shape_of(const Record& record,
                                               const CompletionDetails& details) {
    if (record.state != static_cast<std::uint8_t>(WcStatus::Success)) {
        return Shape::Failed;
    }
    if (record.queue == QueueKind::Receive) {
        return (details.wc_flags & (kWcWithImm | kWcWithInv)) != 0 ? Shape::ReceiveImm
                                                                   : Shape::Receive;
    }
    const auto opcode = static_cast<WcOpcode>(details.opcode);
    return opcode == WcOpcode::RdmaRead || opcode == WcOpcode::CompSwap ||
                   opcode == WcOpcode::FetchAdd
               ? Shape::SendLength
               : Shape::Send;
}

std::uint32_t ContentChecker::expect(const Record& record) {
    CompletionDetails details;
    std::memcpy(&details, record.bytes, sizeof(details));
    const std::uint32_t token = m_expected.take();
    Expected& expected = m_expected[token];
    const Shape shape = shape_of(record, details);
    const std::uint64_t status = std::uint64_t{record.state} << 40;
    auto& word = expected.word;
    word[0] = record.wr_id;
    word[kTimeWord] = record.time_ps;
    if (shape == Shape::Failed) {
        word[1] = index_of(record.qpn);
        word[2] = 0;
        word[3] = pair(details.vendor_err, record.index);
        word[5] = 0;
        word[6] = status;
    } else {
        word[1] = pair(index_of(record.qpn), details.byte_len);
        word[2] = pair(details.imm_data, details.src_qp);
        word[3] = pair(0, record.index);
        word[5] = pair(details.srqn, details.wc_flags) | std::uint64_t{details.pkey_index} << 48;
        word[6] = std::uint64_t{details.slid} | std::uint64_t{details.sl} << 16 |
                  std::uint64_t{details.dlid_path_bits} << 24 |
                  std::uint64_t{details.opcode} << 32 | status;
    }
    expected.own = static_cast<std::uint8_t>(index_of(record.queue) << 4 |
                                             ((record.flags & kSolicited) != 0 ? 8U : 0U));
    expected.shape = shape;
    return token;
}

void ContentChecker::on_write(const Record& record, const NativeEntry& entry, std::uint32_t token) {
    if (token == 0) {
        check_decoded(record, entry);
        return;
    }
    const Expected& expected = m_expected[token];
    const Mask& mask = kMask[static_cast<std::size_t>(expected.shape)];
    std::uint64_t off = (entry.word[7] ^ std::uint64_t{expected.own} << 56) & mask[7];
    for (std::size_t i = 0; i < expected.word.size(); ++i) {
        off |= (entry.word[i] ^ expected.word[i]) & mask[i];
    }
    m_findings.checked(Rule::EntryIdentity);
    m_findings.checked(expected.shape == Shape::Failed ? Rule::FailedContent
                                                       : Rule::SuccessContent);
    if (expected.shape == Shape::ReceiveImm) {
        m_findings.checked(Rule::ImmOrInv);
        if ((entry.wc_flags() & (kWcWithImm | kWcWithInv)) == (kWcWithImm | kWcWithInv)) {
            m_findings.fail(Rule::ImmOrInv,
                            record.time_ps,
                            record.cqn,
                            "entry in slot ",
                            record.index,
                            " has both WITH_IMM and WITH_INV");
        }
    }
    if (off != 0) {
        differs(record, entry, expected);
    } else {
        check_decoded(record, entry);
    }
    m_expected.give_back(token);
}

void ContentChecker::wrong_time(const Record& record, std::uint32_t token) {
    m_findings.fail(Rule::RecordContract,
                    record.time_ps,
                    record.cqn,
                    "the slot of index ",
                    record.index,
                    " is for a completion of time ",
                    record.a,
                    "; it completed at ",
                    m_expected[token].word[kTimeWord]);
}

void ContentChecker::differs(const Record& record,
                             const NativeEntry& entry,
                             const Expected& expected) {
    const Mask& mask = kMask[static_cast<std::size_t>(expected.shape)];
    for (const Field& field : kFields) {
        const std::uint64_t wanted = field.word < expected.word.size()
                                         ? expected.word[field.word]
                                         : std::uint64_t{expected.own} << 56;
        const std::uint64_t off = (entry.word[field.word] ^ wanted) & mask[field.word];
        if (bits_of(field, off) == 0) {
            continue;
        }
        const std::uint64_t is = bits_of(field, entry.word[field.word]);
        const std::uint64_t should = bits_of(field, wanted);
        m_findings.fail(expected.shape == Shape::Failed ? field.on_failure : field.on_success,
                        record.time_ps,
                        record.cqn,
                        "entry in slot ",
                        record.index,
                        " has ",
                        field.name,
                        " ",
                        is,
                        " (",
                        hex(is),
                        "); its request (wr_id ",
                        hex(expected.word[0]),
                        " of QP ",
                        static_cast<std::uint32_t>(expected.word[1]),
                        ") asks for ",
                        should,
                        " (",
                        hex(should),
                        ")");
        return;
    }
}

void ContentChecker::on_undefined_read(const Record& record) {
    const auto status = static_cast<WcStatus>(record.state);
    const bool failed = status != WcStatus::Success;
    m_findings.fail(failed ? Rule::FailedContent : Rule::SuccessContent,
                    record.time_ps,
                    record.cqn,
                    "software used ",
                    wc_field_name(record.a),
                    " (",
                    hex(record.serial),
                    ") of the entry in slot ",
                    record.index,
                    " (",
                    words(record.queue),
                    ", QP ",
                    index_of(record.qpn),
                    ", wr_id ",
                    hex(record.wr_id),
                    "), which has status ",
                    name(status),
                    failed ? ": wr_id, status, qp_num and vendor_err are all that it defines"
                           : " and does not define it");
}

void ContentChecker::wrongly_decoded(const Record& record, const NativeEntry& entry) {
    m_findings.fail(Rule::RecordContract,
                    record.time_ps,
                    record.cqn,
                    "slot ",
                    record.index,
                    ": the record names QP ",
                    index_of(record.qpn),
                    ", ",
                    words(record.queue),
                    ", wr_id ",
                    hex(record.wr_id),
                    ", status ",
                    int{record.state},
                    "; its bytes say QP ",
                    index_of(entry.qp_num()),
                    ", kind ",
                    int{entry.kind()},
                    ", wr_id ",
                    hex(entry.wr_id()),
                    ", status ",
                    int{entry.status()});
}

}  // namespace cqsim::tb::check
