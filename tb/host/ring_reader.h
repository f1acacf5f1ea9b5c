// SPDX-License-Identifier: Apache-2.0
/// \file
/// The part of software that reads the rings of CQs.
#pragma once

#include "models/ring/host_memory.h"
#include "models/rows/rows.h"
#include "tb/host/address_runs.h"
#include "tb/host/cq_row.h"
#include "tb/host/host_bus.h"
#include "tb/host/index_return.h"
#include "tb/host/ring_place.h"
#include "tb/host/work_completion.h"
#include "tb/pipeline/software_link.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace cqsim::tb {

/// Hears of each completion that is polled. Give no commands from inside.
class PolledListener {
  public:
    virtual void polled(Qpn qpn, QueueKind queue, std::uint64_t wr_id, WcStatus status) = 0;

  protected:
    ~PolledListener() = default;
};

/// Owns software's position in each ring: consumer index, slot, expected owner; and what it knows
/// of entries that QPs left behind (S7.1).
class RingReader {
  public:
    RingReader(HostBus& bus,
               HostMemory& bytes,
               SoftwareInitiator& tx,
               SoftwareInitiator& rx,
               Rows<CqRow> rows,
               std::uint32_t qps);

    /// A ring was made; it is read from its first index on.
    void add_ring(Cqn cqn, const RingPlace& place);
    /// The CQ is gone with what was in it (S4.12).
    void remove_ring(Cqn cqn);
    /// A command will replace the ring by this one; it has been preset.
    void expect_ring(Cqn cqn, const RingPlace& place, ResizeMode mode);
    /// The command that was to bring this ring was refused.
    void forget_ring(Cqn cqn, std::uint64_t ring);
    /// It was given up: it may have been carried out all the same.
    void doubt_ring(Cqn cqn, std::uint64_t ring);
    /// It was carried out, and those before it that have no answer were not. S4.7: copies what is
    /// unread, steps over the marker, and publishes the consumer index. S4.8: the entries
    /// themselves say when to go on in the new ring.
    void finish_resize(Cqn cqn, std::uint64_t ring);
    /// The ring that is read now; its depth is 0 when there is none.
    const RingPlace& place(Cqn cqn) const { return m_places[index_of(cqn)]; }
    /// A command that is to bring a ring is under way, or software has not come to that ring.
    bool resizing(Cqn cqn) const;
    bool has_ring(Cqn cqn) const {
        return index_of(cqn) < m_places.size() && m_places[index_of(cqn)].depth != 0;
    }
    /// The CQ whose ring lies or lay on the page of this address; kNoCq if none.
    Cqn ring_at(std::uint64_t address) const { return m_runs.at(address).cqn; }

    /// From now on tells sends from receives by the opcode alone, which in a failed entry is a use
    /// of what is not defined (S1.2). `reads` must outlive the reader.
    void classify_by_opcode(UndefinedReads& reads) { m_by_opcode = &reads; }

    /// Gives room for polls of so many entries.
    void reserve(std::uint32_t batch);

    /// Reads valid entries in order, at most `most` (reserved), steps over them, publishes the
    /// consumer index once (S3.8) if there were any, and hands them to the work queues.
    /// \returns how many; less than `most`: the ring was found empty.
    std::uint32_t take(Cqn cqn, std::uint32_t most) {
        const std::uint32_t count = read_entries(cqn, most);
        if (count > 0 || m_crossed) {
            publish(cqn);
            retire();
        }
        return count;
    }
    /// The same without publishing: software that does not return credits.
    std::uint32_t take_unpublished(Cqn cqn, std::uint32_t most) {
        const std::uint32_t count = read_entries(cqn, most);
        retire();
        return count;
    }
    /// Null: nobody listens, which costs least.
    void listen(PolledListener* listener) { m_listener = listener; }
    /// The path on which consumer indices are returned; doorbell records if nothing is said.
    void return_indices(const IndexReturnConfig& config) {
        m_return.configure(config, m_rows.size());
    }
    /// Tells the device the consumer index (S3.1).
    void publish(Cqn cqn) {
        if (!m_places[index_of(cqn)].collapsed()) {
            m_return.publish(cqn, m_places[index_of(cqn)], consumer(cqn));
        }
    }
    /// Entries that it has read and whose slots it has not returned: they are software's (S3.8).
    std::uint32_t unreturned(Cqn cqn) {
        const RingPlace& place = m_places[index_of(cqn)];
        return std::min(m_return.untold(cqn, place, consumer(cqn)),
                        m_rows[index_of(cqn)].consumer - place.first_index);  // of this ring
    }
    /// Writes one byte all over the slots of the last `count` (at most `unreturned`) of them.
    void fill(Cqn cqn, std::uint32_t count, std::byte byte);
    /// As the device counts: masked to its index width.
    std::uint32_t consumer(Cqn cqn) const;

    /// The QP's life ended: its entries that lie in the ring now are stale (S7.1). They are skipped
    /// when they are read and never credited to a new QP of the number (S7.9).
    void leave_stale(Cqn cqn, Qpn qpn);
    /// Takes the QP's entries out of the ring (S7.7) and publishes the consumer index if any were.
    /// \returns how many.
    std::uint32_t sweep_out(Cqn cqn, Qpn qpn);

    /// What a poll of the CQ needs first.
    [[gnu::always_inline]] void fetch_place(Cqn cqn) const {
        __builtin_prefetch(&m_places[index_of(cqn)]);
        m_rows.prefetch(index_of(cqn));
    }
    /// The entries that a poll of so many reads; its place must have been fetched.
    [[gnu::always_inline]] void fetch_entries(Cqn cqn, std::uint32_t count) const {
        const CqRow& row = m_rows[index_of(cqn)];
        const RingPlace& place = m_places[index_of(cqn)];
        const std::uint32_t most = count < kFetched ? count : kFetched;
        std::uint32_t slot = row.slot;
        for (std::uint32_t i = 0; i < most; ++i) {
            m_bytes.prefetch(place.ring + std::uint64_t{slot} * place.stride());
            slot = slot + 1 < place.depth ? slot + 1 : 0;
        }
    }

    CqRow& row(Cqn cqn) { return m_rows[index_of(cqn)]; }
    /// More CQs than caches hold.
    bool far() const { return m_far; }

    std::uint64_t polled() const { return m_polled; }
    /// Entries that name a QP which does not exist; they are stepped over.
    std::uint64_t unknown() const { return m_unknown; }
    /// Stale entries that were stepped over.
    std::uint64_t skipped() const { return m_skipped; }
    /// Entries that were swept out.
    std::uint64_t swept() const { return m_swept; }
    /// Entries that the device overwrote before they were read, as far as owner values tell.
    std::uint64_t overwritten() const { return m_overwritten; }

  private:
    static constexpr std::uint32_t kFetched = 64;  ///< entries of a poll that are fetched ahead

    struct Polled {
        std::uint64_t wr_id;
        Qpn qpn;
        std::uint32_t wqe_index;
        QueueKind queue;
        WcStatus status;
        bool by_counter;  ///< wqe_index has 16 bits and there is no wr_id (S1.8)
    };
    /// Stale entries of one ring.
    struct Stale {
        /// By QP: entries before this index are stale. Looked up only, so its order has no effect.
        std::unordered_map<std::uint32_t, std::uint32_t> until;
        std::uint32_t furthest = 0;
    };

    /// A ring that a command will bring.
    struct Next {
        RingPlace place;
        ResizeMode mode{};
        bool confirmed = false;  ///< the answer said so
        bool doubtful = false;   ///< given up
    };

    void watch(Cqn cqn, const RingPlace& place);
    bool cross(Cqn cqn);
    void copy_unread(Cqn cqn, const RingPlace& place);
    void enter(Cqn cqn, const RingPlace& place, const RingSpot& spot);
    void shift_stale(Cqn cqn, std::uint32_t marker);
    std::uint32_t valid_behind(Cqn cqn, std::uint32_t count);
    std::uint32_t read_entries(Cqn cqn, std::uint32_t most);
    std::uint32_t read_collapsed(Cqn cqn, std::uint32_t most);
    /// Whether the slot that is read next holds an entry; `own` is its last byte.
    bool is_next(const RingPlace& place, CqRow& row, std::uint8_t own);
    void keep(Cqn cqn, const cqe::Codec& codec, const cqe::Decoded& decoded);
    /// Which work queue software takes the completion for one of.
    QueueKind queue_of(const WorkCompletion& completion) const {
        return m_by_opcode == nullptr ? completion.queue() : queue_by_opcode(completion);
    }
    QueueKind queue_by_opcode(const WorkCompletion& completion) const;
    bool is_stale(Cqn cqn, Qpn qpn, std::uint32_t index);
    void forget_stale(Cqn cqn);
    void retire();
    void advance(Cqn cqn, std::uint32_t entries);

    HostBus& m_bus;
    IndexReturn m_return{m_bus};
    HostMemory& m_bytes;
    SoftwareInitiator& m_tx;
    SoftwareInitiator& m_rx;
    Rows<CqRow> m_rows;
    std::uint32_t m_qps;
    std::vector<RingPlace> m_places;
    AddressRuns m_runs;                                ///< of rings
    std::vector<Polled> m_batch;                       ///< of one poll
    std::uint32_t m_taken = 0;                         ///< of the batch: entries that are handed on
    std::unordered_map<std::uint32_t, Stale> m_stale;  ///< by CQ; looked up only
    std::unordered_map<std::uint32_t, std::vector<Next>>
        m_next;                                            ///< likewise; in order of commands
    std::unordered_map<std::uint32_t, cqe::Entry> m_seen;  ///< by collapsed CQ: the entry read last
    bool m_crossed = false;  ///< by the last read: the consumer index moved without an entry
    PolledListener* m_listener = nullptr;
    UndefinedReads* m_by_opcode = nullptr;  ///< null: not by the opcode
    std::uint64_t m_polled = 0;
    std::uint64_t m_unknown = 0;
    std::uint64_t m_skipped = 0;
    std::uint64_t m_swept = 0;
    std::uint64_t m_overwritten = 0;
    bool m_far = false;
};

}  // namespace cqsim::tb
