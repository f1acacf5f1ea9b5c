// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an observer of a run sees (design P5, D6). Plain data; no SystemC.
#pragma once

#include "models/verbs/cq.h"
#include "models/verbs/ids.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace cqsim {

/// The kinds of records. The comment gives the fields that carry meaning beside time, kind,
/// source and device; all others hold their defaults.
enum class Kind : std::uint8_t {
    /// A work request was accepted by its work queue. qpn generation queue; index = wqe_index;
    /// serial wr_id; state = WrOpcode; a = message length in bytes; flags = kSignaled kSolicited.
    /// With kShared of a shared receive queue (S2.11), unit = srqn, index = slot in it: without a
    /// QP
    /// software posted it there; with a QP a message for that QP took it, and from now on it is a
    /// request of the QP's receive queue. serial and wr_id stay.
    Post,
    /// The work request ended in hardware. As Post, but state = WcStatus, flags = kSignaled
    /// kSolicited kFlushed, and bytes = a CompletionDetails. kShared and unit as Post.
    Complete,
    /// A tap does not report it (S2.1). qpn generation queue index serial wr_id.
    Suppress,
    /// A completion arrived at the arbiter. cqn qpn generation queue serial; a = entries now
    /// queued.
    Request,
    /// It won arbitration. As Request; a = entries now queued; wr_id = time waited in ps.
    Grant,
    /// The overflow checker gave it a slot. cqn qpn generation queue serial; index = the CQ's
    /// producer index (device-visible width); state = owner value; a = time completed in ps;
    /// b = entries reserved and not known to be consumed, this one included.
    Slot,
    /// It found no room, or the CQ was in error. cqn qpn generation queue serial; index = the index
    /// that was wanted; state = LostCause; a = the consumer index that the device knew.
    Overrun,
    /// Seen on the DMA socket: a write request into a CQ ring, at the time of the call and its
    /// annotated delay. cqn; index = slot number in the ring; a = address; bytes, b = length;
    /// decoded from the bytes by the monitor: qpn queue
    /// wr_id, state = WcStatus, flags = kOwner. Of an entry that ends a ring all but flags are 0.
    CqeWrite,
    /// The same write is in memory. Fields as CqeWrite.
    CqeVisible,
    /// Seen on the host's socket: a read that found a valid entry. Fields as CqeWrite.
    Poll,
    /// The host published its consumer index. cqn; index = value (device-visible width);
    /// a = address of the doorbell record; offset of the register in the BAR. Of an increment,
    /// index
    /// is what all of them add up to.
    Ci,
    /// Seen on the MMIO socket: software asks for the next event of a CQ (S6.1). cqn; index = the
    /// consumer index that it carries; state = ArmKind.
    Arm,
    /// The event arbiter decided that a CQ reports: from now on it is not armed (S6.1). cqn;
    /// unit = eqn; index = the newest published entry; state = EventCause; a = entries published
    /// since the arm. While the entry of its last event waits to be written, a CQ's next event
    /// shares that entry.
    Event,
    /// Seen on the DMA socket: an entry of an event queue is in memory. unit = eqn; index = slot
    /// number in the ring; a = address; bytes, b = length; decoded from the bytes: state = EqeType,
    /// cqn or qpn, flags = kOwner; kShared and serial = srqn when it is about an SRQ.
    Eqe,
    /// Seen on the DMA socket: an MSI-X write is in memory. unit = vector; a = address;
    /// index = data.
    Irq,
    /// Seen on the MMIO socket: software gives the consumer index of an event queue. unit = eqn;
    /// index = value; flags = kArms when it asks for the next interrupt as well.
    Ack,
    /// An asynchronous event. state = AsyncEvent; cqn or qpn, or kShared and unit = srqn (S5.9).
    /// DEVICE_FATAL: unit = eqn of the event
    /// queue that has gone to error, kNoEqn when a foreign log does not say.
    Async,
    /// A QP changed state. qpn generation; state = QpState; a = the QpState before.
    QpState,
    /// A work queue begins to flush. qpn generation queue; index = first wqe_index; a = count.
    Flush,
    /// A CQ (cqn set): a = ring address; serial = doorbell record address; index = slots of the
    /// ring; b = stride in bytes; wr_id = first index; state = CqeFormat; flags = kIgnoreOverrun
    /// kCollapsed (of a CQ's own, cq.h). Or a QP (qpn set): generation;
    /// a = send_cq; serial = recv_cq; index = send depth; wr_id = receive depth;
    /// flags = kSigAll; state = QpType; kShared and unit = srqn when it receives by an SRQ. Or an
    /// SRQ (kShared, neither set): unit = srqn; index = its depth. Or an event queue (neither set):
    /// unit = eqn; a = ring
    /// address; index = depth in entries; b = stride in bytes; serial = vector; state = EqKind.
    /// For a CQ unit = its eqn, kNoEqn for one that can only be polled.
    Create,
    /// A CQ's moderation (cqn set), also the one that it is created with, behind its `create`:
    /// index = entries; a = period in ps. Or software asks for a QP state (qpn set): generation;
    /// state = the QpState that it asks for; a = CommandResult; flags = kNotifies when it wants
    /// SQ_DRAINED (S2.23). Or software arms the limit of an SRQ (kShared, neither set): unit =
    /// srqn;
    /// index = the limit, 0: none.
    Modify,
    /// The ring of a CQ is replaced: entries behind the one that ends the old ring go to the new
    /// one. cqn; a = address of the new ring; index = its slots; b = stride in bytes; wr_id = index
    /// (device-visible) of the entry that ends the old ring; state = ResizeMode; serial =
    /// software's
    /// consumer index that the command brought.
    Resize,
    /// An object goes. cqn (maybe the second phase alone), or qpn and the generation that ends;
    /// state = DestroyPhase. A reset of a QP ends a life in the same way; the accepted `modify` to
    /// RESET before it tells it from a destroy.
    Destroy,
    /// Seen on the host's socket: software rewrote an entry of a ring (S7.7), or a slot that it has
    /// read and not returned (S3.8). Fields as CqeWrite.
    Sweep,
    /// A query of a CQ was answered (S4.15). cqn; index = producer index, that of the next slot to
    /// be granted; a = consumer index as the device knows it; wr_id = slots; state = CqState: 1 ok,
    /// 2 in error; b = ArmState.
    Query,
    /// Software used a field of a work completion that is not defined (S1.2, S1.3). cqn qpn queue;
    /// index = slot number in the ring; wr_id; state = WcStatus; a = the field's bit in WcField;
    /// serial = what it read there.
    UndefinedRead,
    /// A command or an MMIO write was refused; nothing else happened. cqn, qpn or unit = eqn, as
    /// far as it named one; state = CommandResult; index = offset in the BAR, 0 for a command. That
    /// of an MMIO write comes behind the `arm` or `ack` that it takes back.
    Refuse,
    /// The answer that a pipeline got for a completion (D4). qpn generation queue; index =
    /// wqe_index; serial wr_id; state = Outcome; a = LostCause. kShared and unit as Post.
    Outcome,
    /// A packet between two connected QPs, seen at the port of one of them: at the sender's when it
    /// is sent (flags = kSent), at the other's when it comes. What is lost on its way does not
    /// come.
    /// qpn generation; serial = number of the other QP; state = PacketType; index = request number,
    /// 24 bits; of the request that it is or answers: wr_id = wqe_index, a = message length in
    /// bytes, b = WrOpcode.
    Packet,
    /// Software drained a QP by markers, or gave it up (S7.6). qpn; state = CommandResult: ok when
    /// both markers were polled as flushed.
    Drain,
    /// The run is over. state = EndReason; a = send requests without an answer;
    /// serial = receive requests without an answer.
    End,
};
inline constexpr std::uint32_t kKinds = static_cast<std::uint32_t>(Kind::End) + 1;

/// A set of kinds, a bit each.
using KindMask = std::uint32_t;
constexpr KindMask mask_of(Kind kind) {
    return KindMask{1} << static_cast<std::uint32_t>(kind);
}
inline constexpr KindMask kAllKinds = (KindMask{1} << kKinds) - 1;

/// What a packet is, S2.7, S2.17. Each names one request: itself; the one that its data is for; the
/// last one of those that an ACK covers; the one that is refused or, after a gap, expected.
enum class PacketType : std::uint8_t {
    Request = 0,
    Response = 1,  ///< of a READ or an ATOMIC; covers those before
    Ack = 2,
    RnrNak = 3,  ///< no receive request is there
    NakSequence = 4,
    NakInvalidRequest = 5,
    NakRemoteAccess = 6,
    NakRemoteOperational = 7,
};

/// What became of a completion (D4).
enum class Outcome : std::uint8_t { Suppressed = 0, Granted = 1, Lost = 2, Cancelled = 3 };

/// Why a completion was lost, or why a slot was refused.
enum class LostCause : std::uint8_t {
    None = 0,
    Overrun = 1,      ///< the CQ was full: this attempt is the overrun (S5.3a)
    CqError = 2,      ///< the CQ had been put in error before (S5.3c)
    WriteFailed = 3,  ///< the ring write got a TLM error response (S5.3j)
};

/// The answer to a command; numeric values are errno's.
enum class CommandResult : std::uint8_t {
    Ok = 0,
    NoEntry = 2,       ///< no such object
    NoMemory = 12,     ///< no number left
    Busy = 16,         ///< something still uses it (S4.11, K16)
    Invalid = 22,      ///< a value out of range, a number in use, or a state that does not allow it
    Unsupported = 95,  ///< the device cannot do that (S4.2, S4.6, S4.9)
    TimedOut = 110  ///< the device did not answer in time: given by the driver, not by the device
};

/// Which entries an arm waits for (S6.2).
enum class ArmKind : std::uint8_t { Next = 0, Solicited = 1 };

/// Which entries a CQ waits for to report them, if it is armed at all.
enum class ArmState : std::uint8_t { No = 0, Next = 1, Solicited = 2 };

/// Why a CQ reported when it did.
enum class EventCause : std::uint8_t {
    Entry = 0,   ///< an entry, with no moderation in force; or one unread at the arm (K09 level)
    Count = 1,   ///< so many entries as the moderation waits for (S4.9)
    Period = 2,  ///< the moderation's period is over
    Break = 3,   ///< a solicited or failed entry broke the moderation (K15)
};

/// What an entry of an event queue reports: a completion event, or 1 + AsyncEvent.
using EqeType = std::uint8_t;
inline constexpr EqeType kCompletionEqe = 0;

/// What an event queue is for (S6.21).
enum class EqKind : std::uint8_t { Completion = 0, Async = 1 };

/// A destroy is accepted, then acknowledged when nothing of the object is in flight (D3). A reset
/// of a QP ends its life in the same way.
enum class DestroyPhase : std::uint8_t { Begun = 0, Done = 1 };

enum class EndReason : std::uint8_t { Idle = 0, End = 1, Stalled = 2 };

/// Bits of Record::flags.
inline constexpr std::uint8_t kSignaled = 1;
inline constexpr std::uint8_t kSolicited = 2;
inline constexpr std::uint8_t kFlushed = 4;
inline constexpr std::uint8_t kOwner = 8;
inline constexpr std::uint8_t kSigAll = 16;
inline constexpr std::uint8_t kArms = 32;
inline constexpr std::uint8_t kNotifies = 64;
inline constexpr std::uint8_t kShared = 128;  ///< of a shared receive queue; Record::unit = srqn
inline constexpr std::uint8_t kSent = 128;    ///< of Kind::Packet

/// Record::unit of a CQ without an event queue.
inline constexpr std::uint16_t kNoEqn = 0xFFFF;

/// One observed fact. 64 bytes, trivially copyable.
struct Record {
    std::uint64_t time_ps = 0;
    std::uint64_t serial = 0;
    std::uint64_t wr_id = 0;
    std::uint64_t a = 0;
    /// Borrowed until the subscriber returns; null where the kind has no bytes.
    const std::byte* bytes = nullptr;
    std::uint32_t index = 0;
    Cqn cqn = kNoCq;
    Qpn qpn = kNoQp;
    std::uint16_t generation = 0;
    std::uint16_t b = 0;
    std::uint16_t unit = 0;  ///< eqn, vector or srqn
    Kind kind{};
    std::uint8_t source = 0;  ///< interned by RecordStream
    std::uint8_t device = 0;
    QueueKind queue{};
    std::uint8_t state = 0;
    std::uint8_t flags = 0;
};
static_assert(sizeof(Record) == 64 && std::is_trivially_copyable_v<Record>);

/// The content of a completion as its pipeline knows it: what the entry must say (S1.1).
struct CompletionDetails {
    std::uint32_t byte_len = 0;
    std::uint32_t imm_data = 0;  ///< or the invalidated rkey; as on the wire
    std::uint32_t src_qp = 0;
    std::uint32_t vendor_err = 0;
    std::uint32_t srqn = 0;
    std::uint16_t wc_flags = 0;
    std::uint16_t pkey_index = 0;
    std::uint16_t slid = 0;
    std::uint8_t sl = 0;
    std::uint8_t dlid_path_bits = 0;
    std::uint8_t opcode = 0;  ///< WcOpcode
    std::uint8_t reserved[3] = {};
};
static_assert(sizeof(CompletionDetails) == 32 && std::is_trivially_copyable_v<CompletionDetails>);

/// A batch of records in the order in which they were observed: cause before effect.
struct RecordBatch {
    const Record* first;
    std::size_t count;

    const Record* begin() const { return first; }
    const Record* end() const { return first + count; }
};

/// Receives every record of the kinds it asked for (and possibly others, which it ignores).
class RecordSubscriber {
  public:
    virtual void observe(const RecordBatch& batch) = 0;

  protected:
    ~RecordSubscriber() = default;
};

}  // namespace cqsim
