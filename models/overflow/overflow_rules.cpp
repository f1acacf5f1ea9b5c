// SPDX-License-Identifier: Apache-2.0
#include "models/overflow/overflow_rules.h"

#include "models/cqe/cqe_codec.h"

namespace cqsim {
namespace {

constexpr std::uint8_t kOpen = 0;
constexpr std::uint8_t kDone = 1;
constexpr std::uint8_t kFailed = 2;

constexpr bool is_power_of_two(std::uint32_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

SlotAnswer refusal(const CqRow& row, LostCause cause) {
    SlotAnswer answer;
    answer.index = row.reserved;
    answer.cause = cause;
    return answer;
}

}  // namespace

OverflowRules::OverflowRules(const OverflowConfig& config, Rows<CqRow> rows)
    : m_index_mask(index_mask(config.index_width)),
      m_first_index(config.first_index),
      m_owner(config.owner),
      m_spare(config.spare_slots),
      m_resize(config.resize.value_or(ResizeMode::Marker)),
      m_can_resize(config.resize.has_value()),
      m_max_depth(config.max_depth),
      m_left(config.max_cqs),
      m_path(config.consumer_index),
      m_rows(std::move(rows)) {
}

/// Whether a ring may be so long, and lie there.
bool OverflowRules::fits(CqeFormat format, std::uint64_t ring, std::uint32_t slots) const {
    return slots > m_spare && slots <= m_max_depth && slots <= m_index_mask / 2 + 1 &&
           ring % stride_of(format) == 0 && (!owner::by_index(m_owner) || is_power_of_two(slots));
}

CommandResult OverflowRules::check(const CreateCq& command) const {
    if (index_of(command.cqn) >= m_rows.size() ||
        !fits(command.format, command.ring_address, command.depth) ||
        command.doorbell_record_address % 8 != 0 ||
        m_rows[index_of(command.cqn)].state != CqState::None ||
        (owner::by_index(m_owner) && m_first_index % command.depth != 0)) {
        return CommandResult::Invalid;
    }
    constexpr std::uint8_t kKnown = kIgnoreOverrun | kCollapsed;
    if ((m_owner != OwnerScheme::Parity && !cqe::codec_of(command.format).any_owner) ||
        (command.flags & ~kKnown) != 0) {
        return CommandResult::Unsupported;
    }
    if ((command.flags & kKnown) == kCollapsed) {
        return CommandResult::Invalid;
    }
    return m_left == 0 ? CommandResult::NoMemory : CommandResult::Ok;
}

CommandResult OverflowRules::create(const CreateCq& command) {
    const CommandResult result = check(command);
    if (result == CommandResult::Ok) {
        --m_left;
        CqRow& row = m_rows[index_of(command.cqn)];
        row = CqRow{};
        row.record = command.doorbell_record_address;
        row.reserved = row.published = row.consumer = m_first_index;
        row.flags = command.flags;
        row.format = command.format;
        row.state = CqState::Ok;
        start_ring(row, command.ring_address, command.depth, owner::by_index(m_owner));
    }
    return result;
}

CommandResult OverflowRules::check(const ResizeCq& command) const {
    if (!exists(command.cqn)) {
        return CommandResult::NoEntry;
    }
    const CqRow& row = m_rows[index_of(command.cqn)];
    if (!m_can_resize || (m_resize == ResizeMode::Marker && m_owner != OwnerScheme::Parity) ||
        (row.flags & kIgnoreOverrun) != 0) {
        return CommandResult::Unsupported;
    }
    if ((row.flags & CqRow::kResizing) != 0) {
        return CommandResult::Busy;
    }
    return row.state == CqState::Ok && fits(row.format, command.ring_address, command.depth)
               ? CommandResult::Ok
               : CommandResult::Invalid;
}

CommandResult OverflowRules::resize(const ResizeCq& command, SlotAnswer& end) {
    const CommandResult result = check(command);
    if (result != CommandResult::Ok) {
        return result;
    }
    CqRow& row = m_rows[index_of(command.cqn)];
    if (!consumer_asked(row, command.consumer) || open(row) > command.depth - m_spare) {
        return CommandResult::Invalid;  // S4.6: what is unread must have room
    }
    if ((row.flags & CqRow::kCutOff) != 0 && in_ring(row) != open(row)) {
        return CommandResult::Busy;  // software reads the ring before this one
    }
    if (in_ring(row) >= row.depth) {
        return CommandResult::Busy;  // case 5: the spare entry is what a resize needs
    }
    const SlotTag tag = take_tag(command.cqn, row);
    m_tags[tag].flags = TagRow::kEndsRing;
    grant(row, tag, end);
    end.ends_ring = true;
    row.flags = static_cast<std::uint8_t>((row.flags & ~CqRow::kCutOff) | CqRow::kResizing);
    start_ring(row, command.ring_address, command.depth, m_resize == ResizeMode::Marker);
    if (m_resize == ResizeMode::CutOff) {  // S4.8: what is unread stays in the old ring
        row.flags |= CqRow::kCutOff;
    }
    return CommandResult::Ok;
}

/// The consumer index that a resize came with. What software has told the device on its path since
/// it gave the command is newer (S3.1). \returns whether correct software may have said it.
bool OverflowRules::consumer_asked(CqRow& row, std::uint32_t value) const {
    if (value > m_index_mask) {
        return false;
    }
    if (((value - row.consumer) & m_index_mask) <= open(row)) {
        row.consumer = value;
        return true;
    }
    return ((row.consumer - value) & m_index_mask) <= m_index_mask / 2;
}

/// The next entry goes into a ring that was just made: where its index says, or to slot 0 in lap 0.
void OverflowRules::start_ring(CqRow& row,
                               std::uint64_t ring,
                               std::uint32_t slots,
                               bool by_index) const {
    row.ring = ring;
    row.depth = slots;
    row.slot = by_index ? row.reserved % slots : 0;
    row.owner = owner::of_lap(m_owner, by_index ? row.reserved / slots : 0);
}

CommandResult OverflowRules::destroy(Cqn cqn) {
    if (!exists(cqn)) {
        return CommandResult::NoEntry;
    }
    CqRow& row = m_rows[index_of(cqn)];
    if (row.head != kNoTag) {
        return CommandResult::Busy;
    }
    row = CqRow{};
    ++m_left;
    return CommandResult::Ok;
}

CommandResult OverflowRules::query(Cqn cqn, CqContext& context) const {
    if (!exists(cqn)) {
        return CommandResult::NoEntry;
    }
    const CqRow& asked = row(cqn);
    context.state = asked.state;
    context.format = asked.format;
    context.depth = asked.depth;
    context.producer = asked.reserved;
    context.consumer = asked.consumer;
    return CommandResult::Ok;
}

OverflowRules::Verdict OverflowRules::request(const SlotRequest& request,
                                              bool fresh,
                                              SlotAnswer& answer) {
    CqRow& row = m_rows[index_of(request.cqn)];
    if (row.state != CqState::Ok) {  // S5.3c: sticky, even after a drain
        answer = refusal(row, LostCause::CqError);
        return Verdict::CqError;
    }
    if ((row.flags & CqRow::kCutOff) != 0 && in_ring(row) == open(row)) {
        row.flags &= static_cast<std::uint8_t>(~CqRow::kCutOff);  // before the ring laps
    }
    // More than full after a resize to just what is unread (S4.7): the marker counts.
    if (in_ring(row) >= row.depth - m_spare) {
        if ((row.flags & kIgnoreOverrun) == 0) {
            if (!fresh && m_path == ConsumerPath::Record) {
                return Verdict::LooksFull;
            }
            row.state = CqState::Error;  // S5.3a: an attempt to add, not being full, is the overrun
            answer = refusal(row, LostCause::Overrun);
            return Verdict::Overrun;
        }
        if (open(row) >= row.depth) {
            row.flags |= CqRow::kLapped;
        }
    }
    const SlotTag tag = take_tag(request.cqn, row);
    TagRow& taken = m_tags[tag];
    taken.qpn = request.qpn;
    taken.generation = request.generation;
    taken.flags = static_cast<std::uint8_t>((request.solicited ? TagRow::kSolicited : 0) |
                                            (request.failed ? TagRow::kFailed : 0) |
                                            (request.queue == QueueKind::Send ? TagRow::kSend : 0));
    grant(row, tag, answer);
    return Verdict::Granted;
}

void OverflowRules::grant(CqRow& row, SlotTag tag, SlotAnswer& answer) {
    answer.address = row.ring + std::uint64_t{row.slot} * stride_of(row.format);
    answer.format = row.format;
    answer.index = row.reserved;
    answer.owner = row.owner;
    answer.cause = LostCause::None;
    answer.ends_ring = false;
    answer.tag = tag;
    row.reserved = (row.reserved + 1) & m_index_mask;
    // S3.3: the owner value changes with every lap; S3.16: a lap of one entry.
    if (++row.slot == row.depth || (row.flags & kCollapsed) != 0) {
        row.slot = 0;
        row.owner = owner::next(m_owner, row.owner);
    }
}

SlotTag OverflowRules::take_tag(Cqn cqn, CqRow& row) {
    SlotTag tag = m_free;
    if (tag == kNoTag) {  // commits out of order keep tags beyond the writes in flight
        tag = static_cast<SlotTag>(m_tags.size());
        m_tags.emplace_back();
    } else {
        m_free = m_tags[tag].next;
    }
    TagRow& taken = m_tags[tag];
    taken.cqn = cqn;
    taken.qpn = kNoQp;
    taken.generation = 0;
    taken.next = kNoTag;
    taken.done = kOpen;
    if (row.head == kNoTag) {
        row.head = tag;
    } else {
        m_tags[row.tail].next = tag;
    }
    row.tail = tag;
    return tag;
}

bool OverflowRules::consumer_read(Cqn cqn, std::uint32_t value) {
    CqRow& row = m_rows[index_of(cqn)];
    // S3.1: an entry may be read before its commit has come back, so what is granted bounds it.
    if (((value - row.consumer) & m_index_mask) > open(row)) {
        return false;
    }
    row.consumer = value & m_index_mask;
    row.flags &= static_cast<std::uint8_t>(~CqRow::kLapped);
    return true;
}

CommandResult OverflowRules::consumer_written(Cqn cqn, std::uint32_t consumer) {
    if (!exists(cqn)) {
        return CommandResult::NoEntry;
    }
    return credit_written(cqn, (consumer - m_rows[index_of(cqn)].consumer) & m_index_mask);
}

CommandResult OverflowRules::credit_written(Cqn cqn, std::uint32_t increment) {
    if (!exists(cqn)) {
        return CommandResult::NoEntry;
    }
    CqRow& row = m_rows[index_of(cqn)];
    // S3.1: an entry may be read before its commit has come back. K12: what is given back is not
    // counted where entries overwrite others.
    if (increment > open(row) && (row.flags & kIgnoreOverrun) == 0) {
        return CommandResult::Invalid;
    }
    row.consumer = (row.consumer + increment) & m_index_mask;
    return CommandResult::Ok;
}

OverflowRules::Committed OverflowRules::commit(SlotTag tag, bool ok) {
    TagRow& slot = m_tags[tag];
    slot.done = ok ? kDone : kFailed;
    CqRow& row = m_rows[index_of(slot.cqn)];
    Committed committed{slot.cqn, slot.qpn, slot.generation, false};
    if (!ok && row.state == CqState::Ok) {
        row.state = CqState::Error;  // S5.3j: an inaccessible ring takes the same path
        committed.cq_error = true;
    }
    return committed;
}

bool OverflowRules::publish_next(Cqn cqn, PublishedEntry& published) {
    CqRow& row = m_rows[index_of(cqn)];
    while (row.head != kNoTag && m_tags[row.head].done != kOpen) {
        TagRow& slot = m_tags[row.head];
        if (slot.done == kFailed) {
            row.flags |= CqRow::kBroken;
        }
        const SlotTag tag = row.head;
        row.head = slot.next;
        slot.next = m_free;
        m_free = tag;
        const bool ends_ring = (slot.flags & TagRow::kEndsRing) != 0;
        if (ends_ring) {
            row.flags &= static_cast<std::uint8_t>(~CqRow::kResizing);
            if ((row.flags & CqRow::kBroken) != 0) {
                published = PublishedEntry{cqn, row.published, false, true, true};
                return true;
            }
        }
        if ((row.flags & CqRow::kBroken) == 0) {
            published = PublishedEntry{
                cqn,
                row.published,
                (slot.flags & TagRow::kSolicited) != 0,
                (slot.flags & TagRow::kFailed) != 0,
                ends_ring,
                (slot.flags & TagRow::kSend) != 0 ? QueueKind::Send : QueueKind::Receive};
            row.published = (row.published + 1) & m_index_mask;
            return true;
        }
    }
    return false;
}

}  // namespace cqsim
