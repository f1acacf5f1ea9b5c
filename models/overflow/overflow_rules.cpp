// SPDX-License-Identifier: Apache-2.0
#include "models/overflow/overflow_rules.h"

#include "models/cqe/native.h"

namespace cqsim {
namespace {

constexpr std::uint8_t kOpen = 0;
constexpr std::uint8_t kDone = 1;
constexpr std::uint8_t kFailed = 2;

constexpr bool is_power_of_two(std::uint32_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

}  // namespace

OverflowRules::OverflowRules(const OverflowConfig& config, Rows<CqRow> rows)
    : m_index_mask(index_mask(config.index_width)),
      m_first_index(config.first_index),
      m_path(config.consumer_index),
      m_rows(std::move(rows)) {
}

CommandResult OverflowRules::create(const CreateCq& command) {
    if (index_of(command.cqn) >= m_rows.size() || !is_power_of_two(command.depth) ||
        command.depth > OverflowConfig::kMaxDepth || command.depth > m_index_mask / 2 + 1 ||
        m_first_index % command.depth != 0 || command.ring_address % native::kStride != 0 ||
        command.doorbell_record_address % 8 != 0) {
        return CommandResult::Invalid;
    }
    CqRow& row = m_rows[index_of(command.cqn)];
    if (row.state != CqState::None) {
        return CommandResult::Invalid;
    }
    row = CqRow{};
    row.ring = command.ring_address;
    row.record = command.doorbell_record_address;
    row.depth = command.depth;
    row.reserved = row.published = row.consumer = m_first_index;
    row.owner = static_cast<std::uint8_t>(m_first_index / command.depth & 1U);
    row.state = CqState::Ok;
    return CommandResult::Ok;
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
    return CommandResult::Ok;
}

OverflowRules::Verdict OverflowRules::request(const SlotRequest& request,
                                              bool fresh,
                                              SlotAnswer& answer) {
    CqRow& row = m_rows[index_of(request.cqn)];
    if (row.state != CqState::Ok) {  // S5.3c: sticky, even after a drain
        answer = SlotAnswer{0, row.reserved, kNoTag, 0, LostCause::CqError};
        return Verdict::CqError;
    }
    if (((row.reserved - row.consumer) & m_index_mask) == row.depth) {
        if (!fresh && m_path == ConsumerPath::Record) {
            return Verdict::LooksFull;
        }
        row.state = CqState::Error;  // S5.3a: an attempt to add, not being full, is the overrun
        answer = SlotAnswer{0, row.reserved, kNoTag, 0, LostCause::Overrun};
        return Verdict::Overrun;
    }
    answer.address = row.ring + std::uint64_t{row.slot} * native::kStride;
    answer.index = row.reserved;
    answer.owner = row.owner;
    answer.cause = LostCause::None;
    answer.tag = take_tag(request, row);
    row.reserved = (row.reserved + 1) & m_index_mask;
    if (++row.slot == row.depth) {  // S3.3: the owner value changes with every lap
        row.slot = 0;
        row.owner ^= 1U;
    }
    return Verdict::Granted;
}

SlotTag OverflowRules::take_tag(const SlotRequest& request, CqRow& row) {
    SlotTag tag = m_free;
    if (tag == kNoTag) {  // commits out of order keep tags beyond the writes in flight
        tag = static_cast<SlotTag>(m_tags.size());
        m_tags.emplace_back();
    } else {
        m_free = m_tags[tag].next;
    }
    TagRow& taken = m_tags[tag];
    taken.cqn = request.cqn;
    taken.qpn = request.qpn;
    taken.generation = request.generation;
    taken.next = kNoTag;
    taken.done = kOpen;
    taken.flags = static_cast<std::uint8_t>((request.solicited ? TagRow::kSolicited : 0) |
                                            (request.failed ? TagRow::kFailed : 0));
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
    const std::uint32_t unread_before = (row.published - row.consumer) & m_index_mask;
    const std::uint32_t unread_after = (row.published - value) & m_index_mask;
    if (unread_after > unread_before) {
        return false;
    }
    row.consumer = value & m_index_mask;
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
    if (increment > in_use(cqn)) {  // S3.1: an entry may be read before its commit has come back
        return CommandResult::Invalid;
    }
    CqRow& row = m_rows[index_of(cqn)];
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
            row.broken = 1;
        }
        const SlotTag tag = row.head;
        row.head = slot.next;
        slot.next = m_free;
        m_free = tag;
        if (row.broken == 0) {
            published = PublishedEntry{cqn,
                                       row.published,
                                       (slot.flags & TagRow::kSolicited) != 0,
                                       (slot.flags & TagRow::kFailed) != 0};
            row.published = (row.published + 1) & m_index_mask;
            return true;
        }
    }
    return false;
}

}  // namespace cqsim
