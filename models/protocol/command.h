// SPDX-License-Identifier: Apache-2.0
/// \file
/// Commands of software to the device: values, no SystemC.
#pragma once

#include "models/observe/record.h"
#include "models/time/time_ps.h"
#include "models/verbs/cq.h"
#include "models/verbs/verbs.h"

#include <tuple>
#include <variant>

namespace cqsim {

/// S6.21: a ring of event queue entries and the interrupt vector that tells of them.
struct CreateEq {
    Eqn eqn{};
    EqKind kind = EqKind::Completion;
    std::uint64_t ring_address = 0;  ///< 64-byte aligned, owner bits preset to 1 (S3.5)
    std::uint32_t depth = 0;         ///< entries, a power of two, 1 .. 2^20
    std::uint16_t vector = 0;        ///< index into the MSI-X table
};

/// S4.9: an armed CQ reports after so many entries, or this long after the first of them; the
/// period always ends, so that the last entries are reported too. Count 0 or 1: at every entry.
struct Moderation {
    std::uint32_t count = 0;  ///< entries, 0 .. 65535; more is refused
    TimePs period{};          ///< above 0 if count is above 1; at most 4095 us

    bool on() const { return count > 1; }
};

/// S4.1, S4.2: a CQ needs a ring, a doorbell record and a depth; no protection domain.
struct CreateCq {
    Cqn cqn = kNoCq;
    std::uint64_t ring_address = 0;  ///< aligned to the stride; preset as the owner scheme asks
    std::uint64_t doorbell_record_address = 0;  ///< 8-byte aligned
    std::uint32_t depth = 0;     ///< slots, 1 .. 2^22; a power of two where the owner scheme asks
    std::uint16_t eqn = kNoEqn;  ///< S4.4; kNoEqn: it can only be polled
    Moderation moderation{};
    CqeFormat format = CqeFormat::Native;
    std::uint8_t flags = 0;  ///< kIgnoreOverrun, kCollapsed (S4.3, S3.16)
};

/// S4.9: new moderation of a CQ; entries that wait are reported by the new limits.
struct ModifyCq {
    Cqn cqn = kNoCq;
    Moderation moderation{};
};

/// S4.6 to S4.8: a new ring, while traffic runs. Answered when all entries of the old one are
/// visible, the one that ends it last.
struct ResizeCq {
    Cqn cqn = kNoCq;
    std::uint64_t ring_address = 0;  ///< of the new ring, preset as that of a new CQ
    std::uint32_t depth = 0;         ///< its slots
    std::uint32_t consumer = 0;      ///< software's consumer index, as the device counts
};

/// S4.15: asks for the context of a CQ.
struct QueryCq {
    Cqn cqn = kNoCq;
};

/// S4.11, S4.12.
struct DestroyCq {
    Cqn cqn = kNoCq;
};

/// Where a QP's work queues report to, and how. The QP is created in RESET.
struct CreateQp {
    Qpn qpn = kNoQp;
    Cqn send_cq = kNoCq;
    Cqn recv_cq = kNoCq;
    std::uint32_t send_depth = 0;  ///< requests; for the record only, the pipelines own the queues
    std::uint32_t recv_depth = 0;
    bool sq_sig_all = false;
    QpType type = QpType::Rc;
    Srqn srqn = kNoSrq;  ///< S2.11: receives take their requests from it
};

/// S2.22 to S2.24, S7.4: asks for a state. RESET ends the QP's life (S7.3); its number stays.
struct ModifyQp {
    Qpn qpn = kNoQp;
    QpState state = QpState::Reset;
    bool sqd_notify = false;  ///< to SQD: raise SQ_DRAINED when it is drained (S2.23)
};

/// S7.1 to S7.3.
struct DestroyQp {
    Qpn qpn = kNoQp;
};

using Command = std::variant<CreateEq,
                             CreateCq,
                             ModifyCq,
                             ResizeCq,
                             QueryCq,
                             DestroyCq,
                             CreateQp,
                             ModifyQp,
                             DestroyQp>;

/// What a query tells of a CQ (S4.14), each field from the block that owns it. Indices are
/// device-visible.
struct CqContext {
    CqState state = CqState::None;
    CqeFormat format = CqeFormat::Native;
    ArmState armed = ArmState::No;
    std::uint16_t eqn = kNoEqn;
    std::uint32_t depth = 0;     ///< slots
    std::uint32_t producer = 0;  ///< of the next slot to be granted
    std::uint32_t consumer = 0;  ///< as the device knows it: as last read (S3.1)
    Moderation moderation{};

  private:
    auto tied() const {
        return std::tie(state,
                        format,
                        armed,
                        eqn,
                        depth,
                        producer,
                        consumer,
                        moderation.count,
                        moderation.period);
    }

  public:
    friend bool operator==(const CqContext& l, const CqContext& r) { return l.tied() == r.tied(); }
};

/// How a command is taken.
enum class CommandStatus : std::uint8_t {
    Done,      ///< the answer is filled in
    Accepted,  ///< exactly one answer follows
};

struct CommandAnswer {
    CommandResult result = CommandResult::Ok;
    /// Of a QP that was created or reset: which life of its number begins. The QP table counts,
    /// everyone else is told. 0: none.
    std::uint16_t generation = 0;
    CqContext cq{};  ///< of a query
};

}  // namespace cqsim
