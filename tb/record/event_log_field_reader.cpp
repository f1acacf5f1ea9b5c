// SPDX-License-Identifier: Apache-2.0
#include "tb/record/event_log_field_reader.h"

#include <cstring>

namespace cqsim::tb::event_log {

std::string one_of(const std::vector<std::string_view>& names) {
    std::string text;
    for (const std::string_view name : names) {
        text += (text.empty() ? "" : ", ") + std::string(name);
    }
    return text;
}

void FieldReader::bytes(const char* key, Record& record) {
    const Field& field = m_line.require(key);
    const std::size_t count = field.text.size() / 2;
    bool good = field.type == Field::Type::String && field.text.size() % 2 == 0 && count != 0 &&
                count <= m_bytes.size();
    for (std::size_t i = 0; good && i < count; ++i) {
        std::uint8_t byte = 0;
        const char* digits = field.text.data() + 2 * i;
        good = std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
        m_bytes.at(i) = static_cast<std::byte>(byte);
    }
    if (!good) {
        throw LineError(field.value_column,
                        "\"" + field.key + "\" should be a string of 1 to 128 bytes, two " +
                            "hexadecimal digits each");
    }
    record.bytes = m_bytes.data();
    record.b = static_cast<std::uint16_t>(count);
}

void FieldReader::details(Record& record) {
    CompletionDetails details;
    named(
        "wc_opcode",
        details.opcode,
        [](std::string_view text) -> std::optional<std::uint8_t> {
            const auto opcode = parse_wc_opcode(text);
            return opcode ? std::optional(static_cast<std::uint8_t>(*opcode)) : std::nullopt;
        },
        [] {
            return std::vector<std::string_view>{"SEND", "RDMA_WRITE", "RDMA_READ", "..."};
        });
    number("byte_len", details.byte_len);
    number("imm_data", details.imm_data);
    number("src_qp", details.src_qp);
    number("vendor_err", details.vendor_err);
    number("srqn", details.srqn);
    number("wc_flags", details.wc_flags);
    number("pkey_index", details.pkey_index);
    number("slid", details.slid);
    number("sl", details.sl);
    number("dlid_path_bits", details.dlid_path_bits);
    if (details.srqn != 0 && record.queue == QueueKind::Receive) {
        record.flags |= kShared;
        record.unit = static_cast<std::uint16_t>(details.srqn);
    }
    std::memcpy(m_bytes.data(), &details, sizeof(details));
    record.bytes = m_bytes.data();
    record.b = sizeof(details);
}

}  // namespace cqsim::tb::event_log
