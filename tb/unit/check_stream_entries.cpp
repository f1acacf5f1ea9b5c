// SPDX-License-Identifier: Apache-2.0
// The entries of LegalStream: their bytes and their places.
#include "tb/unit/check_stream.h"

#include <cstring>

namespace cqsim::tb {
namespace {

template <class Value>
void put(std::byte* bytes, std::size_t at, Value value) {
    std::memcpy(bytes + at, &value, sizeof(value));
}

}  // namespace

std::uint8_t LegalStream::owner_of(const Cq& cq, std::uint32_t count) const {
    // S3.16: a lap of one entry.
    const std::uint64_t lap = (m_options.flags & kCollapsed) != 0
                                  ? cq.first_place / cq.depth + count - cq.first_count
                                  : place_of(cq, count) / cq.depth;
    switch (m_options.owner) {
        case OwnerScheme::Phase:
            return static_cast<std::uint8_t>(1 - lap % 2);
        case OwnerScheme::Generation:
            return static_cast<std::uint8_t>((lap + 1) % 8);
        default:
            return static_cast<std::uint8_t>(lap % 2);
    }
}

LegalStream::Entry LegalStream::entry_of(const Record& complete,
                                         const CompletionDetails& details,
                                         std::uint8_t owner) const {
    if (m_options.format != CqeFormat::Native) {
        return mlx5_entry_of(complete, details, owner, length() - kEntry);
    }
    Entry entry{};
    std::byte* bytes = entry.data();
    put(bytes, 0, complete.wr_id);
    put(bytes, 8, index_of(complete.qpn));
    put(bytes, 28, complete.index);
    put(bytes, 32, complete.time_ps);
    put(bytes, 53, complete.state);
    if (complete.state == byte(WcStatus::Success)) {
        put(bytes, 12, details.byte_len);
        put(bytes, 16, details.imm_data);
        put(bytes, 20, details.src_qp);
        put(bytes, 40, details.srqn);
        put(bytes, 44, details.wc_flags);
        put(bytes, 46, details.pkey_index);
        put(bytes, 48, details.slid);
        put(bytes, 50, details.sl);
        put(bytes, 51, details.dlid_path_bits);
        put(bytes, 52, details.opcode);
    } else {
        put(bytes, 24, details.vendor_err);
    }
    const unsigned solicited = (complete.flags & kSolicited) != 0 ? 8 : 0;
    put(bytes, 63, static_cast<std::uint8_t>(index_of(complete.queue) << 4 | solicited | owner));
    return entry;
}

LegalStream::Entry LegalStream::mlx5_entry_of(const Record& complete,
                                              const CompletionDetails& details,
                                              std::uint8_t owner,
                                              std::size_t begin) {
    Entry entry{};
    const auto put_big = [&](std::size_t at, std::size_t count, std::uint64_t value) {
        for (std::size_t i = count; i-- > 0; value >>= 8) {
            entry.at(begin + at + i) = static_cast<std::byte>(value);
        }
    };
    const bool receive = complete.queue == QueueKind::Receive;
    put_big(57, 3, index_of(complete.qpn));
    put_big(60, 2, complete.index);
    unsigned opcode = receive ? 14 : 13;
    if (complete.state == byte(WcStatus::Success)) {
        const bool imm = (details.wc_flags & kWcWithImm) != 0;
        const bool inv = (details.wc_flags & kWcWithInv) != 0;
        opcode = !receive ? 0 : inv ? 4 : imm ? 3 : 2;
        put_big(17, 1, details.dlid_path_bits);
        put_big(22, 2, details.slid);
        put_big(24, 1, ((details.wc_flags & kWcGrh) != 0 ? 0x10U : 0U) | details.sl);
        put_big(25, 3, details.src_qp);
        put_big(32, 4, details.srqn);
        if (imm || inv) {
            put(entry.data() + begin, 36, details.imm_data);
        } else {
            put_big(38, 2, details.pkey_index);
        }
        put_big(44, 4, details.byte_len);
        put_big(48, 8, complete.time_ps / 1000);
        put_big(56, 1, receive ? 0 : 0x0a);
    } else {
        put_big(54, 1, details.vendor_err);
        // S1.13: 0x05 is WR_FLUSH_ERR, 0x15 RETRY_EXC_ERR.
        put_big(55, 1, complete.state == byte(WcStatus::WrFlushErr) ? 0x05 : 0x15);
    }
    const unsigned solicited = (complete.flags & kSolicited) != 0 ? 2 : 0;
    put_big(63, 1, opcode << 4U | solicited | owner);
    return entry;
}

void LegalStream::decode(Record& record, const std::byte* slot, CqeFormat format) {
    const std::byte* bytes = slot + stride_of(format) - kEntry;
    const auto at = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes[i]); };
    record.flags = (at(63) & 1U) != 0 ? kOwner : 0;
    if (format == CqeFormat::Native) {
        std::uint32_t number = 0;
        std::memcpy(&record.wr_id, bytes, 8);
        std::memcpy(&number, bytes + 8, 4);
        record.qpn = Qpn{number};
        record.queue = at(63) >> 4 == 0 ? QueueKind::Send : QueueKind::Receive;
        record.state = static_cast<std::uint8_t>(at(53));
        return;
    }
    const std::uint32_t opcode = at(63) >> 4;
    record.wr_id = at(60) << 8 | at(61);
    record.qpn = Qpn{at(57) << 16 | at(58) << 8 | at(59)};
    record.queue = opcode == 0 || opcode == 13 ? QueueKind::Send : QueueKind::Receive;
    if (opcode == 5) {
        record.state = 0xFF;  // no request ended
        return;
    }
    record.state = byte(opcode < 13       ? WcStatus::Success
                        : at(55) == 0x05U ? WcStatus::WrFlushErr
                                          : WcStatus::RetryExcErr);
}

// Fills in what a record says about the entry with that index.
void LegalStream::describe_entry(Record& record, std::uint32_t cqn, std::uint32_t count) const {
    const Cq& cq = m_cq[cqn];
    const std::uint32_t slot = slot_of(cq, count);
    const Entry& entry = cq.memory[slot];
    record.cqn = Cqn{cqn};
    record.index = slot;
    record.a = cq.ring + std::uint64_t{slot} * m_options.stride;
    record.b = static_cast<std::uint16_t>(length());
    record.bytes = entry.data();
    decode(record, entry.data(), m_options.format);
}

void LegalStream::resize(std::uint32_t cqn,
                         std::uint32_t depth,
                         ResizeMode mode,
                         const std::function<void()>& between) {
    settle();
    Cq& cq = m_cq[cqn];
    const std::uint64_t ring = cq.ring + 0x100'0000;
    Record resize = record(Kind::Resize);
    resize.cqn = Cqn{cqn};
    resize.a = ring;
    resize.index = depth;
    resize.b = m_options.stride;
    resize.wr_id = narrow(cq.slots);
    resize.serial = narrow(cq.released);
    resize.state = static_cast<std::uint8_t>(mode);
    emit(resize);
    if (between) {
        between();
    }
    const std::uint32_t last = cq.slots++;
    Entry& end = cq.memory[slot_of(cq, last)] = Entry{};
    end.at(length() - 1) = static_cast<std::byte>(5U << 4U | owner_of(cq, last));
    for (const Kind kind : {Kind::CqeWrite, Kind::CqeVisible}) {
        Record shown = record(kind);
        describe_entry(shown, cqn, last);
        emit(shown);
    }
    ++cq.visible;
    if (mode == ResizeMode::CutOff) {
        poll(cqn, cq.depth);
    }
    const Cq old = cq;
    cq.ring = ring;
    cq.depth = depth;
    cq.memory.assign(depth, Entry{});
    cq.first_count = last + 1;
    cq.first_place = mode == ResizeMode::CutOff  ? 0
                     : by_index(m_options.owner) ? narrow(last + 1)
                                                 : narrow(last + 1) % depth;
    if (mode == ResizeMode::CutOff) {
        return;
    }
    for (std::uint32_t count = cq.polled; count != last; ++count) {
        const std::uint32_t to = count + 1;
        Entry& copy = cq.memory[slot_of(cq, to)] = old.memory[slot_of(old, count)];
        const std::uint8_t bits = m_options.owner == OwnerScheme::Generation ? 7 : 1;
        copy.at(length() - 1) &= static_cast<std::byte>(~bits);
        copy.at(length() - 1) |= static_cast<std::byte>(owner_of(cq, to));
        Record moved = record(Kind::Sweep);
        describe_entry(moved, cqn, to);
        emit(moved);
    }
    ++cq.polled;
}

}  // namespace cqsim::tb
