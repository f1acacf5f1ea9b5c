// SPDX-License-Identifier: Apache-2.0
#include "tb/check/content_checker.h"

#include "models/verbs/wc_field.h"
#include "tb/check/owner.h"

namespace cqsim::tb::check {
namespace {

constexpr std::uint64_t pair(std::uint32_t low, std::uint32_t high) {
    return std::uint64_t{low} | std::uint64_t{high} << 32;
}

using Mask = EntryWords;
constexpr std::uint64_t kLow = 0xFFFF'FFFFU;
constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr std::uint64_t kKind = std::uint64_t{0xF0} << 56;

/// The bits of a native entry that are defined.
constexpr Mask mask_of(const DefinedFields& defined) {
    Mask mask{kAll, kLow, 0, kLow << 32, kAll, 0, std::uint64_t{0xFF} << 40, kKind};
    mask[1] |= defined.byte_len ? kLow << 32 : 0;
    mask[2] |= defined.imm_data ? kLow : 0;
    mask[2] |= defined.source ? kLow << 32 : 0;
    mask[3] |= defined.vendor_err ? kLow : 0;
    mask[5] |= defined.srqn ? kLow : 0;
    mask[5] |= defined.pkey_index ? std::uint64_t{0xFFFF} << 48 : 0;
    mask[6] |= defined.source ? kLow : 0;
    mask[7] |= defined.srqn ? NativeEntry::kSolicited : 0;
    if (defined.opcode) {
        // A receive of a QP that is not UD may have any GRH flag; a send has none.
        const bool any_grh = defined.srqn && !defined.source;
        mask[5] |= std::uint64_t{any_grh ? 0xFFFFU - kWcGrh : 0xFFFFU} << 32;
        mask[6] |= std::uint64_t{0xFFFF} << 48 | std::uint64_t{0xFF} << 32;  // with reserved bytes
        mask[7] |= kAll >> 8;
    }
    return mask;
}

constexpr std::array<Mask, kShapes> masks() {
    std::array<Mask, kShapes> all{};
    for (std::size_t i = 0; i < kShapes; ++i) {
        all[i] = mask_of(kDefined[i]);
    }
    return all;
}
constexpr std::array<Mask, kShapes> kMask = masks();

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

ContentChecker::ContentChecker(const Settings& settings, Findings& findings)
    : m_findings(findings),
      m_own_mask(std::uint64_t{0x7U} << 56 &
                 ~(std::uint64_t{owner_bits(settings.owner_scheme())} << 56)),
      m_send_length(settings.send_byte_len == "length") {
}

void ContentChecker::on_create(const Record& record) {
    const std::size_t qpn = index_of(record.qpn);
    const bool datagram = record.state == static_cast<std::uint8_t>(QpType::Ud);
    if (qpn >= kMaxIds || (!datagram && qpn >= m_datagram.size())) {
        return;
    }
    if (qpn >= m_datagram.size()) {
        m_datagram.resize(qpn + 1);
    }
    m_datagram[qpn] = datagram;
}

std::uint32_t ContentChecker::expect(const Record& record) {
    CompletionDetails details;
    std::memcpy(&details, record.bytes, sizeof(details));
    const std::uint32_t token = m_expected.take();
    Expected& expected = m_expected[token];
    const Shape shape = shape_of(record, details, is_datagram(record.qpn), m_send_length);
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

bool ContentChecker::is_as_expected(const Entry& entry, const Expected& expected) const {
    const Mask& mask = kMask[static_cast<std::size_t>(expected.shape)];
    std::uint64_t off =
        (entry.word[7] ^ std::uint64_t{expected.own} << 56) & (mask[7] | m_own_mask);
    for (std::size_t i = 0; i < expected.word.size(); ++i) {
        off |= (entry.word[i] ^ expected.word[i]) & mask[i];
    }
    return off == 0;
}

void ContentChecker::on_write(const Record& record, const Entry& entry, std::uint32_t token) {
    if (!entry.clean) {
        m_findings.fail(Rule::WholeEntry,
                        record.time_ps,
                        record.cqn,
                        "slot ",
                        record.index,
                        " is not zero before its entry, which is in the second half");
    }
    if (token == 0) {
        check_decoded(record, entry);
        return;
    }
    const Expected& expected = m_expected[token];
    m_findings.checked(Rule::EntryIdentity);
    m_findings.checked(expected.shape == Shape::Failed ? Rule::FailedContent
                                                       : Rule::SuccessContent);
    if (entry.is_native() && defined_in(expected.shape).imm_data) {
        m_findings.checked(Rule::ImmOrInv);
        if ((entry.native().wc_flags() & (kWcWithImm | kWcWithInv)) == (kWcWithImm | kWcWithInv)) {
            m_findings.fail(Rule::ImmOrInv,
                            record.time_ps,
                            record.cqn,
                            "entry in slot ",
                            record.index,
                            " has both WITH_IMM and WITH_INV");
        }
    }
    const bool good = entry.is_native() ? is_as_expected(entry, expected)
                                        : !mlx5_differs(record, entry.mlx5(), expected);
    if (good) {
        check_decoded(record, entry);
    } else if (entry.is_native()) {
        native_differs(record, entry, expected);
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

void ContentChecker::native_differs(const Record& record,
                                    const Entry& entry,
                                    const Expected& expected) {
    const Mask& mask = kMask[static_cast<std::size_t>(expected.shape)];
    for (const Field& field : kFields) {
        const bool own = field.word >= expected.word.size();
        const std::uint64_t wanted =
            own ? std::uint64_t{expected.own} << 56 : expected.word[field.word];
        const std::uint64_t off =
            (entry.word[field.word] ^ wanted) & (mask[field.word] | (own ? m_own_mask : 0));
        if (bits_of(field, off) != 0) {
            wrong_field(expected.shape == Shape::Failed ? field.on_failure : field.on_success,
                        record,
                        expected,
                        field.name,
                        bits_of(field, entry.word[field.word]),
                        bits_of(field, wanted));
            return;
        }
    }
}

void ContentChecker::wrong_field(Rule rule,
                                 const Record& record,
                                 const Expected& expected,
                                 std::string_view field,
                                 std::uint64_t is,
                                 std::uint64_t should) {
    m_findings.fail(rule,
                    record.time_ps,
                    record.cqn,
                    "entry in slot ",
                    record.index,
                    " has ",
                    field,
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
}

void ContentChecker::on_undefined_read(const Record& record) {
    const auto status = static_cast<WcStatus>(record.state);
    m_findings.checked(Rule::DefinedReads);
    m_findings.fail(Rule::DefinedReads,
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
                    status != WcStatus::Success
                        ? ": wr_id, status, qp_num and vendor_err are all that it defines"
                        : " and does not define it");
}

void ContentChecker::wrongly_decoded(const Record& record, const Entry& entry) {
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
                    ", queue ",
                    int{entry.queue_number()},
                    ", wr_id ",
                    hex(entry.wr_id()),
                    ", status ",
                    int{entry.status()});
}

}  // namespace cqsim::tb::check
