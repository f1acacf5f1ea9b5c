// SPDX-License-Identifier: Apache-2.0
/// \file
/// The CQ context: who gets which slot, what is published, when a CQ is full (S3.11 to S3.14, S5.3,
/// design D2). No time, no SystemC.
#pragma once

#include "models/cqe/owner.h"
#include "models/overflow/overflow_config.h"
#include "models/protocol/command.h"
#include "models/protocol/event.h"
#include "models/protocol/slot.h"
#include "models/rows/rows.h"

#include <cstring>

namespace cqsim {

/// One CQ context. 48 bytes. Indices are device-visible: `index_width` bits, free-running.
struct CqRow {
    std::uint64_t ring = 0;       ///< address of slot 0
    std::uint64_t record = 0;     ///< address of the doorbell record
    std::uint32_t depth = 0;      ///< slots; K01 says how many of them are usable
    std::uint32_t reserved = 0;   ///< index of the next slot to be granted
    std::uint32_t published = 0;  ///< index after the last entry that software may read
    std::uint32_t consumer = 0;   ///< consumer index as the device last learned it (S3.1)
    std::uint32_t slot = 0;       ///< of the next entry, counted: no division of an index (case 18)
    SlotTag head = kNoTag;        ///< oldest slot that is not published
    SlotTag tail = kNoTag;        ///< newest one
    CqState state = CqState::None;
    std::uint8_t owner = 0;  ///< of the lap in which `reserved` lies (S3.3); case 14: its own
    std::uint8_t flags = 0;  ///< kIgnoreOverrun, kCollapsed, and those below
    CqeFormat format = CqeFormat::Native;

    static constexpr std::uint8_t kCutOff = 0x10;  ///< S4.8: software may still read the old ring
    static constexpr std::uint8_t kLapped = 0x20;  ///< entries were overwritten: indices no longer
                                                   ///< tell how many slots are in use
    static constexpr std::uint8_t kResizing = 0x40;  ///< the end of the old ring is not published
    static constexpr std::uint8_t kBroken = 0x80;    ///< a write failed: nothing behind it is ever
                                                     ///< published (D2)

    friend bool operator==(const CqRow& l, const CqRow& r) {
        return std::memcmp(&l, &r, sizeof l) == 0;
    }
};
static_assert(sizeof(CqRow) == 48);  // shares a cache line with the host's part of the CQ

/// The overflow checker's rules. Full is tested on reserved minus the consumer index as last
/// learned (S3.14). When a CQ looks full and software writes doorbell records, the caller reads
/// that of the CQ and asks again (K20); indices that software writes into the BAR are known at
/// once.
class OverflowRules {
  public:
    enum class Verdict : std::uint8_t {
        Granted,
        LooksFull,  ///< read the doorbell record, call `consumer_read`, and ask again with `fresh`
        Overrun,    ///< S5.3a: detected by this attempt; the CQ is in error from now on (S5.3c)
        CqError,    ///< the CQ was in error already, or does not exist
    };
    /// What a commit did.
    struct Committed {
        Cqn cqn = kNoCq;
        Qpn qpn = kNoQp;
        std::uint16_t generation = 0;
        bool cq_error = false;  ///< the write failed: the CQ has just gone to error (S5.3j)
    };

    OverflowRules(const OverflowConfig& config, Rows<CqRow> rows);

    /// S4.1, S4.2. Invalid: number out of range or in use, more slots than allowed or a number of
    /// them that the owner scheme does not take, addresses not aligned. Unsupported: a format that
    /// the owner scheme does not go with, or unknown flags. NoMemory: as many CQs are there as the
    /// device has room for.
    CommandResult create(const CreateCq& command);

    /// S4.6 to S4.8: from now on entries go to the new ring; `end` is the slot of the entry that
    /// ends the old one. NoEntry: no such CQ. Busy: it is being resized, software has not passed
    /// the end of the ring before (S4.8), or the old ring has no room for that entry. Invalid: the
    /// new ring holds less than what is unread, or is none; the CQ is in error; or the consumer
    /// index is one that no correct software has. Unsupported: the device cannot.
    CommandResult resize(const ResizeCq& command, SlotAnswer& end);

    /// NoEntry: no such CQ. Busy: a slot of it is granted and not published (D2).
    CommandResult destroy(Cqn cqn);
    bool exists(Cqn cqn) const {
        return index_of(cqn) < m_rows.size() && m_rows[index_of(cqn)].state != CqState::None;
    }

    /// S4.15: fills in what is this block's. NoEntry: no such CQ.
    CommandResult query(Cqn cqn, CqContext& context) const;

    /// Asks for a slot; `fresh`: the consumer index has just been read.
    Verdict request(const SlotRequest& request, bool fresh, SlotAnswer& answer);
    /// The doorbell record said this. A value that would free slots which were never granted, or
    /// take back freed ones, is refused: false.
    bool consumer_read(Cqn cqn, std::uint32_t value);
    /// Software wrote this consumer index, device-visible width, into the BAR. NoEntry: no such CQ.
    /// Invalid: it would give back slots that were never granted, or take back freed ones.
    CommandResult consumer_written(Cqn cqn, std::uint32_t consumer);
    /// The same of an increment.
    CommandResult credit_written(Cqn cqn, std::uint32_t increment);
    /// The write of this slot is over.
    Committed commit(SlotTag tag, bool ok);
    /// The next entry of the contiguous committed prefix; false when there is none. The end of a
    /// ring comes even if it is never published, and says so by `failed`.
    bool publish_next(Cqn cqn, PublishedEntry& published);

    ResizeMode resize_mode() const { return m_resize; }
    /// The end of the CQ's old ring is not published yet.
    bool resizing(Cqn cqn) const { return (m_rows[index_of(cqn)].flags & CqRow::kResizing) != 0; }
    std::uint32_t size() const { return m_rows.size(); }
    const CqRow& row(Cqn cqn) const { return m_rows[index_of(cqn)]; }
    /// Slots of the ring granted and not known to be consumed; no more than there are, if entries
    /// overwrite.
    std::uint32_t in_use(Cqn cqn) const {
        const CqRow& row = m_rows[index_of(cqn)];
        const std::uint32_t used = in_ring(row);
        return (row.flags & CqRow::kLapped) == 0 && used < row.depth ? used : row.depth;
    }
    /// Entries that the CQ holds before it is full (K01, S3.12).
    std::uint32_t capacity(Cqn cqn) const { return m_rows[index_of(cqn)].depth - m_spare; }
    [[gnu::always_inline]] void prefetch(Cqn cqn) const { m_rows.prefetch(index_of(cqn)); }

  private:
    /// One granted slot. 16 bytes.
    struct TagRow {
        Cqn cqn = kNoCq;
        Qpn qpn = kNoQp;
        SlotTag next = kNoTag;  ///< of the same CQ in index order, or in the free list
        std::uint16_t generation = 0;
        std::uint8_t done = 0;  ///< 1: committed; 2: failed, never to be published
        std::uint8_t flags = 0;

        static constexpr std::uint8_t kSolicited = 1;  ///< the request counts as solicited
        static constexpr std::uint8_t kFailed = 2;     ///< its status is not SUCCESS
        static constexpr std::uint8_t kEndsRing = 4;   ///< of no completion
        static constexpr std::uint8_t kSend = 8;       ///< of a send queue

        friend bool operator==(const TagRow& l, const TagRow& r) {
            return std::memcmp(&l, &r, sizeof l) == 0;
        }
    };

    static_assert(sizeof(TagRow) == 16);

    auto state() const {
        return std::tie(m_index_mask,
                        m_first_index,
                        m_owner,
                        m_spare,
                        m_resize,
                        m_can_resize,
                        m_max_depth,
                        m_left,
                        m_path,
                        m_rows,
                        m_tags,
                        m_free);
    }
    CommandResult check(const CreateCq& command) const;
    CommandResult check(const ResizeCq& command) const;
    bool fits(CqeFormat format, std::uint64_t ring, std::uint32_t slots) const;
    void start_ring(CqRow& row, std::uint64_t ring, std::uint32_t slots, bool by_index) const;
    std::uint32_t open(const CqRow& row) const {
        return (row.reserved - row.consumer) & m_index_mask;
    }
    bool consumer_asked(CqRow& row, std::uint32_t value) const;
    /// Of those, the ones in the ring itself. After a cut-off the others are in the old one, until
    /// software is known to have passed its end: what was granted in the new one is then less.
    std::uint32_t in_ring(const CqRow& row) const {
        const std::uint32_t all = open(row);
        return (row.flags & CqRow::kCutOff) != 0 && since_cut_off(row) < all ? since_cut_off(row)
                                                                             : all;
    }
    /// Slots granted since; at most a ring, while `kCutOff` stands.
    std::uint32_t since_cut_off(const CqRow& row) const {
        return row.owner == owner::of_lap(m_owner, 0) ? row.slot : row.depth;
    }
    void grant(CqRow& row, SlotTag tag, SlotAnswer& answer);
    SlotTag take_tag(Cqn cqn, CqRow& row);

    std::uint32_t m_index_mask;
    std::uint32_t m_first_index;
    OwnerScheme m_owner;
    std::uint32_t m_spare;
    ResizeMode m_resize;
    bool m_can_resize;
    std::uint32_t m_max_depth;
    std::uint32_t m_left;  ///< CQs that may be created
    ConsumerPath m_path;
    Rows<CqRow> m_rows;
    std::vector<TagRow> m_tags;
    SlotTag m_free = kNoTag;

  public:
    friend bool operator==(const OverflowRules& l, const OverflowRules& r) {
        return l.state() == r.state();
    }
    std::uint64_t hash() const { return hash_of(state()); }
};

}  // namespace cqsim
