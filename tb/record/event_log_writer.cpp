// SPDX-License-Identifier: Apache-2.0
#include "tb/record/event_log_writer.h"

#include "models/verbs/verbs.h"
#include "tb/record/event_log_fields.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace cqsim::tb {
namespace {

using event_log::Cursor;
using event_log::in_quotes;
using event_log::NameTable;

// Puts the fields of a record behind the cursor. The 'event_log_fields.h' visitor that writes.
class FieldWriter {
  public:
    FieldWriter(Cursor& cursor, NameTable& cqs, NameTable& qps, NameTable& eqs, NameTable& srqs)
        : m_cursor(cursor),
          m_cqs(cqs),
          m_qps(qps),
          m_eqs(eqs),
          m_srqs(srqs) {}

    static bool is_of_cq(const Record& record) { return record.cqn != kNoCq; }
    static bool is_of_qp(const Record& record) { return record.qpn != kNoQp; }
    static bool is_of_srq(const Record& record) {
        return (record.flags & kShared) != 0 && record.qpn == kNoQp;
    }
    static bool is_of_eq(const Record& record) { return record.unit != kNoEqn; }

    void cq(Cqn cqn) {
        m_cursor.key("cq");
        m_cqs.put(m_cursor, index_of(cqn));
        m_cursor.key("cqn");
        m_cursor.number(index_of(cqn));
    }
    void qp(Qpn qpn) {
        m_cursor.key("qp");
        m_qps.put(m_cursor, index_of(qpn));
        m_cursor.key("qpn");
        m_cursor.number(index_of(qpn));
    }
    void eq(std::uint16_t eqn) {
        m_cursor.key("eq");
        m_eqs.put(m_cursor, eqn);
        m_cursor.key("eqn");
        m_cursor.number(eqn);
    }
    void objects(const Record& record) {
        if (record.cqn != kNoCq) {
            cq(record.cqn);
        }
        if (record.qpn != kNoQp) {
            qp(record.qpn);
        }
    }
    template <class Number>
    void shared(const Record& record, Number srqn) {
        if ((record.flags & kShared) != 0) {
            m_cursor.key("srq");
            m_srqs.put(m_cursor, static_cast<std::uint16_t>(srqn));
            number("srqn", static_cast<std::uint16_t>(srqn));
        }
    }
    template <std::size_t kSize, class Number>
    void number(const char (&key)[kSize], Number value) {
        m_cursor.key(key);
        m_cursor.number(value);
    }
    template <std::size_t kSize>
    void hex(const char (&key)[kSize], std::uint64_t value) {
        m_cursor.key(key);
        m_cursor.hex(value);
    }
    template <std::size_t kSize>
    void flag(const char (&key)[kSize], std::uint8_t flags, std::uint8_t bit) {
        m_cursor.key(key);
        m_cursor.text((flags & bit) != 0 ? "true" : "false");
    }
    template <std::size_t kSize>
    void bit(const char (&key)[kSize], std::uint8_t flags, std::uint8_t bit) {
        m_cursor.key(key);
        m_cursor.character((flags & bit) != 0 ? '1' : '0');
    }
    template <std::size_t kSize, class Number>
    void word(const char (&key)[kSize], StateMeaning meaning, Number value) {
        m_cursor.key(key);
        const std::string_view name =
            value <= UINT8_MAX ? state_name(meaning, static_cast<std::uint8_t>(value)) : "?";
        name_or_number(name, value);
    }
    template <std::size_t kSize, class Table, class Number>
    void choice(const char (&key)[kSize], const Table& table, Number value) {
        m_cursor.key(key);
        name_or_number(value < table.size() ? table[value] : "?", value);
    }
    template <std::size_t kSize>
    void format(const char (&key)[kSize], std::uint8_t value) {
        choice(key, kCqeFormatNames, value);
    }
    template <std::size_t kSize>
    void option(const char (&key)[kSize], std::uint8_t flags, std::uint8_t bit) {
        if ((flags & bit) != 0) {
            flag(key, flags, bit);
        }
    }
    template <std::size_t kSize>
    void queue(const char (&key)[kSize], QueueKind queue) {
        m_cursor.key(key);
        name_or_number(name(queue), index_of(queue));
    }
    template <std::size_t kSize>
    void opcode(const char (&key)[kSize], const Record& record) {
        if (record.queue == QueueKind::Send) {
            word(key, StateMeaning::WrOpcode, record.state);
        }
    }
    template <std::size_t kSize>
    void bytes(const char (&key)[kSize], const Record& record) {
        m_cursor.key(key);
        m_cursor.character('"');
        if (record.bytes != nullptr) {
            m_cursor.bytes(record.bytes, record.b);
        }
        m_cursor.character('"');
    }
    void details(const Record& record) {
        if (record.bytes == nullptr || record.b != sizeof(CompletionDetails)) {
            return;
        }
        CompletionDetails details;
        std::memcpy(&details, record.bytes, sizeof(details));
        m_cursor.key("wc_opcode");
        name_or_number(name(static_cast<WcOpcode>(details.opcode)), details.opcode);
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
    }

  private:
    // A value without a name (from a device that errs) is written as its number.
    template <class Number>
    void name_or_number(std::string_view name, Number value) {
        if (name == "?" || name.empty()) {
            m_cursor.number(value);
            return;
        }
        m_cursor.character('"');
        m_cursor.text(name);
        m_cursor.character('"');
    }

    Cursor& m_cursor;
    NameTable& m_cqs;
    NameTable& m_qps;
    NameTable& m_eqs;
    NameTable& m_srqs;
};

std::string ranges_text(const std::vector<NamedRange>& ranges) {
    std::string text = "[";
    for (const NamedRange& range : ranges) {
        text += text.size() > 1 ? "," : "";
        text += "{\"name\":" + in_quotes(range.name) + ",\"first\":" + std::to_string(range.first) +
                ",\"count\":" + std::to_string(range.count) + "}";
    }
    return text + "]";
}

/// Nothing when there are none: most runs have none.
std::string connections(const RunHeader& header) {
    std::string text;
    for (const ConnectedRange& range : header.connection) {
        text += (text.empty() ? "" : ",");
        text += "{\"first\":" + std::to_string(range.first) +
                ",\"peer\":" + std::to_string(range.peer) +
                ",\"count\":" + std::to_string(range.count) +
                ",\"retry_cnt\":" + std::to_string(range.retry_cnt) +
                ",\"rnr_retry\":" + std::to_string(range.rnr_retry) + "}";
    }
    return text.empty() ? text : ",\"connection\":[" + text + "]";
}

std::string header_text(const RunHeader& header, KindMask kinds) {
    std::string events;
    for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
        const KindInfo& about = info(static_cast<Kind>(kind));
        if ((kinds & mask_of(about.kind)) != 0) {
            events += events.empty() ? "" : ",";
            events += in_quotes(about.name);
        }
    }
    std::string policies;
    for (const HeaderPolicy& policy : header_policies()) {
        policies += "," + in_quotes(policy.key) + ":" + in_quotes(header.*policy.value);
    }
    return std::string(R"({"format":")") + event_log::kFormat + R"(","schema":)" +
           std::to_string(RunHeader::kSchema) + ",\"scenario\":" + in_quotes(header.scenario) +
           ",\"seed\":" + std::to_string(header.seed) +
           ",\"cqe_format\":" + in_quotes(header.cqe_format) +
           ",\"index_width\":" + std::to_string(header.index_width) + policies + ",\"events\":[" +
           events + "],\"cq\":" + ranges_text(header.cq) + ",\"qp\":" + ranges_text(header.qp) +
           ",\"eq\":" + ranges_text(header.eq) +
           (header.srq.empty() ? "" : ",\"srq\":" + ranges_text(header.srq)) +
           ",\"vectors\":" + std::to_string(header.vectors) + ",\"arm\":" + in_quotes(header.arm) +
           ",\"event_latency\":" + std::to_string(header.event_latency_ps) +
           ",\"moderation_break\":" + (header.moderation_break ? "true" : "false") +
           ",\"eq_overflow\":" + in_quotes(header.eq_overflow) + connections(header) + "}\n";
}

}  // namespace

EventLogWriter::EventLogWriter(std::string path,
                               const RunHeader& header,
                               KindMask kinds,
                               SourceName source_name)
    : m_path(std::move(path)),
      m_kinds(kinds),
      m_source_name(std::move(source_name)),
      m_cqs(header.cq, "cq"),
      m_qps(header.qp, "qp"),
      m_eqs(header.eq, "eq"),
      m_srqs(header.srq, "srq"),
      m_file(std::fopen(m_path.c_str(), "wb")) {
    if (!m_file) {
        throw EventLogError(m_path, "cannot be written: " + std::generic_category().message(errno));
    }
    static_cast<void>(std::setvbuf(m_file.get(), nullptr, _IONBF, 0));  // the buffer is ours
    const std::string first = header_text(header, kinds);
    m_room = kLine + m_cqs.longest() + m_qps.longest() + m_eqs.longest() + m_srqs.longest();
    m_buffer.resize(kBuffer + m_room + first.size());
    std::memcpy(m_buffer.data(), first.data(), first.size());
    m_used = first.size();
    flush();
}

const std::string& EventLogWriter::source(std::uint8_t number) {
    std::string& text = m_sources.at(number);
    if (text.empty()) {
        text = ",\"src\":" + in_quotes(m_source_name ? m_source_name(number) : "") + R"(,"ev":")";
        m_room += text.size();
        m_buffer.resize(m_buffer.size() + text.size());
    }
    return text;
}

void EventLogWriter::observe(const RecordBatch& batch) {
    if (!m_error.empty()) {
        return;
    }
    for (const Record& record : batch) {
        if ((m_kinds & mask_of(record.kind)) != 0) {
            put(record);
        }
    }
}

void EventLogWriter::put(const Record& record) {
    if (record.bytes != nullptr && record.b > kLongestEntry) {
        fail("a record has " + std::to_string(record.b) + " bytes");
        return;
    }
    const std::string& origin = source(record.source);
    if (m_used + m_room > m_buffer.size()) {
        flush();
    }
    Cursor cursor(m_buffer.data() + m_used);
    cursor.text("{\"t\":");
    cursor.number(record.time_ps);
    cursor.text(origin);
    cursor.text(name(record.kind));
    cursor.character('"');
    if (record.device != 0) {
        cursor.key("device");
        cursor.number(record.device);
    }
    FieldWriter fields(cursor, m_cqs, m_qps, m_eqs, m_srqs);
    if (!event_log::describe(record.kind, fields, record)) {
        fail("a record of kind '" + std::string(name(record.kind)) + "' has no place in schema " +
             std::to_string(RunHeader::kSchema));
        return;
    }
    cursor.text("}\n");
    m_used = static_cast<std::size_t>(cursor.at() - m_buffer.data());
    ++m_records;
}

void EventLogWriter::flush() {
    if (m_error.empty() && m_used != 0 &&
        std::fwrite(m_buffer.data(), 1, m_used, m_file.get()) != m_used) {
        fail(std::generic_category().message(errno));
    }
    m_used = 0;
}

void EventLogWriter::fail(const std::string& what) {
    if (m_error.empty()) {
        m_error = m_path + ": the event log is incomplete: " + what;
    }
}

void EventLogWriter::close() {
    if (m_file) {
        flush();
        if (std::fclose(m_file.release()) != 0) {
            fail(std::generic_category().message(errno));
        }
    }
    if (!m_error.empty()) {
        throw EventLogError(m_path, m_error.substr(m_path.size() + 2));
    }
}

}  // namespace cqsim::tb
