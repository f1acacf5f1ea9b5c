// SPDX-License-Identifier: Apache-2.0
/// \file
/// A scenario, typed and validated: every name resolved, every number in range, every default
/// filled in.
#pragma once

#include "models/engine/engine_config.h"
#include "models/observe/record.h"
#include "models/protocol/command.h"
#include "models/ring/memory_config.h"
#include "models/verbs/verbs.h"
#include "tb/host/host_policies.h"
#include "tb/pipeline/send_policies.h"
#include "tb/wire/wire_types.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cqsim::tb {

/// Where something was said: for messages.
struct SourcePosition {
    std::string file;
    std::uint32_t line = 0;    ///< from 1; 0: not from a file (`--set`)
    std::uint32_t column = 0;  ///< from 1
};

enum class ScenarioSize : std::uint8_t { Small, Large, Full };

/// Event queues, and who reads them.
struct EqGroup {
    std::string name;
    std::uint32_t count = 1;
    EqKind kind = EqKind::Completion;
    std::uint32_t depth = 0;     ///< as requested, 1 .. 2^20
    std::uint32_t capacity = 0;  ///< as created: the next power of two
    std::uint16_t vector = 0;    ///< of member 0; member i has vector + i
    bool handled = true;         ///< by the interrupt's handler; otherwise by steps alone
    std::uint32_t first = 0;     ///< eqn of member 0
};

struct CqGroup {
    std::string name;
    std::uint32_t count = 1;
    std::uint32_t depth = 0;      ///< as requested, 1 .. 2^22
    std::uint32_t slots = 0;      ///< of its ring, by owner scheme and K01
    std::uint32_t capacity = 0;   ///< entries that it holds: at least the depth (S4.2)
    bool ignore_overrun = false;  ///< K12
    bool collapsed = false;       ///< S3.16
    std::uint8_t flags() const {
        return static_cast<std::uint8_t>((ignore_overrun ? kIgnoreOverrun : 0) |
                                         (collapsed ? kCollapsed : 0));
    }
    std::optional<std::uint32_t>
        eq;                   ///< index into Scenario::eq; member i reports to EQ i mod count
    Moderation moderation;    ///< off by default
    bool at_start = true;     ///< made before anything happens; if not, by steps alone
    std::uint32_t first = 0;  ///< cqn of member 0
};

/// The slots that a ring gets for a depth that is asked for, 1 .. 2^22: the next power of two
/// (S4.2).
std::uint32_t capacity_of(std::uint32_t depth);

/// Shared receive queues (S2.11).
struct SrqGroup {
    std::string name;
    std::uint32_t count = 1;
    std::uint32_t depth = 0;  ///< requests, 1 .. 32768
    std::uint32_t limit = 0;  ///< armed when the run begins; 0: none
    bool kept_full = true;    ///< software posts into each slot that is free
    /// Index into Scenario::cq: where XRC_RECV QPs on them report receives (S2.11); member i to CQ
    /// i mod count.
    std::optional<std::uint32_t> cq;
    std::uint32_t first = 1;  ///< srqn of member 0
};

struct QpGroup {
    std::string name;
    std::uint32_t count = 1;
    std::uint32_t send_cq = 0;  ///< index into Scenario::cq; member i reports to CQ i mod count
    std::uint32_t recv_cq = 0;
    std::uint32_t send_depth = 16;   ///< requests, 1 .. 32768
    std::uint32_t recv_depth = 16;   ///< requests, 1 .. 32768
    std::uint32_t signal_every = 1;  ///< every k-th send asks for a completion, 1 .. 65535
    SignalPolicy signal_policy = SignalPolicy::EveryKth;
    bool sq_sig_all = false;
    QpType type = QpType::Rc;
    /// Index into Scenario::srq; member i takes requests of SRQ i mod count.
    std::optional<std::uint32_t> srq;
    std::optional<std::uint32_t> first_qpn;  ///< as asked for
    std::uint32_t first = 0;                 ///< qpn of member 0
};

/// One stream of requests or messages over all QPs of a group, evenly spread over the period.
struct Traffic {
    std::uint32_t qp = 0;  ///< index into Scenario::qp
    QueueKind queue = QueueKind::Send;
    TimePs period{};  ///< between two of one QP
    WrOpcode opcode = WrOpcode::Send;
    std::uint32_t bytes = 64;
    std::uint64_t count = 0;  ///< per QP; 0: until the end
    TimePs latency{};         ///< send: post to end; receive: first packet to end
    TimePs start{};
    std::uint32_t solicited_every = 0;  ///< every k-th is solicited; 0: none
    bool shuffled = false;              ///< QPs in a seeded random order instead of in turn
};

/// One member or all of a group.
struct GroupRef {
    std::uint32_t group = 0;
    std::optional<std::uint32_t> member;
};

/// Calls `act` with the number of each member that the reference means.
template <class Group, class Act>
void for_each_member(const GroupRef& ref, const std::vector<Group>& groups, Act act) {
    const Group& group = groups[ref.group];
    if (ref.member) {
        act(group.first + *ref.member);
        return;
    }
    for (std::uint32_t i = 0; i < group.count; ++i) {
        act(group.first + i);
    }
}

/// QPs that send to each other, in loopback: member i of one end to member i of the other.
struct Connection {
    GroupRef a;
    GroupRef b;
    TimePs latency = from_ns(1000);      ///< of a packet, one way
    TimePs service = from_ns(10);        ///< a QP puts one message on the wire in so long
    TimePs timeout = from_ns(20'000);    ///< from the last progress to sending again
    TimePs rnr_timer = from_ns(10'000);  ///< from an RNR NAK to sending again
    TimePs ack_delay = from_ns(1000);    ///< for a message that waits for others
    std::uint32_t ack_every = 1;         ///< messages that are acknowledged together
    std::uint8_t retry_cnt = 7;          ///< 0 .. 7
    std::uint8_t rnr_retry = 7;          ///< 0 .. 6; 7: for ever
    bool fill = true;                    ///< receive queues are full when the run begins
};

/// How software learns of entries.
enum class HostMode : std::uint8_t { Poll, Event, Script };

struct HostLoop {
    std::uint32_t cq = 0;  ///< index into Scenario::cq
    HostMode mode = HostMode::Poll;
    std::uint32_t batch = 16;
    TimePs interval{};                           ///< between two polls of one CQ
    TimePs start{};                              ///< no poll before
    ArmKind arm = ArmKind::Next;                 ///< mode event
    SleepOrder order = SleepOrder::ArmThenPoll;  ///< mode event
};

/// What the driver does.
struct HostDriver {
    StalePolicy stale = StalePolicy::None;
    ClassifyPolicy classify = ClassifyPolicy::Status;
    IncrementPolicy increment = IncrementPolicy::Split;
    CqCreditPolicy cq_credits = CqCreditPolicy::None;
    TimePs interrupt_latency = from_ns(1000);
    TimePs command_timeout = from_ns(1'000'000);  ///< from a command to giving up
};

enum class StepKind : std::uint8_t {
    Post,
    Fail,
    ModifyQp,
    DestroyQp,
    CreateQp,
    DrainQp,
    Poll,
    WriteCi,
    FillSlots,
    Arm,
    ReadEq,
    ArmEq,
    Ack,
    CreateCq,
    DestroyCq,
    ModifyCq,
    ResizeCq,
    QueryCq,
    Iterate,
    Fault,
    LoseCommand,
    ModifySrq
};

/// What a step asks for when it creates a CQ; if absent, what its group says.
struct CqWish {
    std::optional<std::uint32_t> depth;  ///< as requested, any
    std::optional<std::uint16_t> eqn;    ///< kNoEqn: none
};

/// What a query of a CQ must answer; absent fields are not looked at.
struct CqExpectation {
    std::optional<CqState> state;
    std::optional<std::uint32_t> slots;
    std::optional<std::uint32_t> producer;
    std::optional<std::uint32_t> consumer;
    std::optional<ArmState> armed;
};

struct Step {
    TimePs at{};
    StepKind kind{};
    GroupRef qp;  ///< post, fail, modify_qp, destroy_qp, create_qp, drain_qp
    GroupRef cq;  ///< poll, iterate, write_ci, fill_slots, arm, ack, and commands on CQs
    GroupRef eq;  ///< read_eq, arm_eq
    std::optional<GroupRef> srq;  ///< post in place of a QP, modify_srq
    std::uint32_t limit = 0;      ///< modify_srq
    QueueKind queue = QueueKind::Send;
    /// post, poll, iterate, fill_slots, read_eq, ack; kAll: not post, ack
    std::uint32_t count = 1;
    std::uint8_t byte = 0;                            ///< fill_slots
    ArmKind arm = ArmKind::Next;                      ///< arm
    Moderation moderation;                            ///< modify_cq
    CqWish wish;                                      ///< create_cq; its depth: resize_cq
    CqExpectation expect;                             ///< query_cq
    std::optional<std::uint32_t> expect_entries;      ///< iterate: how many it must find
    CommandResult expect_result = CommandResult::Ok;  ///< commands
    WrOpcode opcode = WrOpcode::Send;                 ///< post
    std::uint32_t bytes = 64;                         ///< post
    std::optional<bool> signaled;                     ///< post; default: by the QP's signal_every
    bool solicited = false;                           ///< post
    TimePs latency = from_ns(1000);                   ///< post
    WcStatus status{};                                ///< fail
    std::uint32_t vendor_err = 0;                     ///< fail
    QpState state = QpState::Rts;  ///< modify_qp: asked for; create_qp: brought up to
    Fault fault = Fault::Drop;     ///< fault
    std::uint32_t message = 1;     ///< fault: the n-th that it can hit
    std::uint32_t hits = 1;        ///< fault: transmissions; kEveryTime
    bool sqd_notify = false;       ///< modify_qp to SQD: SQ_DRAINED when it is drained
    SourcePosition where;

    static constexpr std::uint32_t kAll = 0;
};

/// What a record must look like to match; absent fields match anything.
struct RecordPattern {
    Kind kind{};
    std::optional<GroupRef> cq;
    std::optional<GroupRef> qp;
    std::optional<GroupRef> srq;
    std::optional<QueueKind> queue;
    std::optional<std::uint32_t> wqe;   ///< wqe_index; of kinds that have one (`names_wqe`)
    std::optional<std::uint16_t> unit;  ///< eqn or vector: what `unit` means for the kind
    std::optional<std::uint8_t> state;  ///< status, type, outcome: what `state` means for the kind
    std::string text;                   ///< as written, for messages
};

/// Records of this kind name a request by its index in its queue, or its slot in an SRQ: "wqe" in
/// the log.
constexpr bool names_wqe(Kind kind) {
    return kind == Kind::Post || kind == Kind::Complete || kind == Kind::Suppress ||
           kind == Kind::Flush || kind == Kind::Outcome || kind == Kind::Packet;
}

/// A step that is taken when a record is observed.
struct TriggeredStep {
    RecordPattern pattern;
    std::uint32_t nth = 1;  ///< of those that match
    TimePs after{};         ///< its time
    Step step;
};

enum class ExpectKind : std::uint8_t { Stat, Sequence, Never, Violation, End };

struct Expectation {
    ExpectKind kind{};
    std::string stat;                ///< Stat: a path into result.json, e.g. "cq.shared.overruns"
    std::optional<double> at_least;  ///< Stat and Violation
    std::optional<double> at_most;
    std::vector<RecordPattern> patterns;  ///< Sequence: in this order; Never: one
    std::string rule;                     ///< Violation: e.g. "S7.7"
    EndReason end{};                      ///< End
    SourcePosition where;
};

struct Scenario {
    std::string name;  ///< as it says itself; else the file's stem
    std::string about;
    ScenarioSize size = ScenarioSize::Small;
    std::uint64_t seed = 1;
    TimePs end{};

    EngineConfig device;
    CqeFormat cqe_format = CqeFormat::Native;
    bool send_length = false;                      ///< K19: byte_len of a SEND or WRITE is defined
    SlotRelease slot_release = SlotRelease::Poll;  ///< K26
    MemoryConfig memory;
    TimePs flush_service = from_ns(4);  ///< each pipeline ends at most one flush so long (D3)
    std::vector<EqGroup> eq;
    std::vector<CqGroup> cq;
    std::vector<SrqGroup> srq;
    std::vector<QpGroup> qp;
    std::vector<Connection> connection;
    std::vector<Traffic> traffic;
    std::vector<HostLoop> host;
    HostDriver host_driver;
    std::vector<Step> step;  ///< by time
    std::vector<TriggeredStep> triggered;
    std::vector<Expectation> expect;
    std::vector<std::string> warnings;  ///< of the reader: what is allowed and hardly meant

    /// For every which send of the group software asks for a completion.
    static std::uint32_t signal_every(const QpGroup& group) {
        return group.signal_policy == SignalPolicy::Safe
                   ? std::min(group.signal_every, group.send_depth)
                   : group.signal_every;
    }
    /// "victim[3]", or "victim" for a group of one.
    std::string qp_name(Qpn qpn) const;
    std::string cq_name(Cqn cqn) const;
    const QpGroup& group_of(Qpn qpn) const;
    const CqGroup& group_of(Cqn cqn) const;
    /// "ceq0", or "ceq[1]" for a member of a group.
    std::string eq_name(Eqn eqn) const;
    /// "pool", or "pool[1]" for a member of a group.
    std::string srq_name(Srqn srqn) const;
    /// The SRQ whose requests a QP's messages take; kNoSrq if none.
    Srqn srqn_of(Qpn qpn) const;
    /// The number of the event queue that a CQ reports to; kNoEqn if none.
    std::uint16_t eqn_of(Cqn cqn) const;
    /// Whether a record is one that the pattern looks for.
    bool matches(const RecordPattern& pattern, const Record& record) const;
};

}  // namespace cqsim::tb
