// SPDX-License-Identifier: Apache-2.0
#include "models/observe/record_names.h"

#include "models/verbs/verbs.h"
#include "models/verbs/wc_field.h"

#include <array>

namespace cqsim {
namespace {

constexpr bool kCq = true;
constexpr bool kQp = true;
constexpr bool kQueue = true;
constexpr bool kSrq = true;
constexpr bool kNo = false;

// Indexed by Kind.
constexpr std::array<KindInfo, kKinds> kInfo{{
    {Kind::Post, "post", kNo, kQp, kQueue, StateMeaning::WrOpcode, UnitMeaning::None, kSrq},
    {Kind::Complete, "complete", kNo, kQp, kQueue, StateMeaning::WcStatus, UnitMeaning::None, kSrq},
    {Kind::Suppress, "suppress", kNo, kQp, kQueue, StateMeaning::None},
    {Kind::Request, "request", kCq, kQp, kQueue, StateMeaning::None},
    {Kind::Grant, "grant", kCq, kQp, kQueue, StateMeaning::None},
    {Kind::Slot, "slot", kCq, kQp, kQueue, StateMeaning::Owner},
    {Kind::Overrun, "overrun", kCq, kQp, kQueue, StateMeaning::LostCause},
    {Kind::CqeWrite, "cqe_write", kCq, kQp, kQueue, StateMeaning::WcStatus},
    {Kind::CqeVisible, "cqe_visible", kCq, kQp, kQueue, StateMeaning::WcStatus},
    {Kind::Poll, "poll", kCq, kQp, kQueue, StateMeaning::WcStatus},
    {Kind::Ci, "ci", kCq, kNo, kNo, StateMeaning::None},
    {Kind::Arm, "arm", kCq, kNo, kNo, StateMeaning::ArmKind},
    {Kind::Event, "event", kCq, kNo, kNo, StateMeaning::EventCause, UnitMeaning::Eq},
    {Kind::Eqe, "eqe", kCq, kQp, kNo, StateMeaning::Eqe, UnitMeaning::Eq, kSrq},
    {Kind::Irq, "irq", kNo, kNo, kNo, StateMeaning::None, UnitMeaning::Vector},
    {Kind::Ack, "ack", kNo, kNo, kNo, StateMeaning::None, UnitMeaning::Eq},
    {Kind::Async, "async", kCq, kQp, kNo, StateMeaning::AsyncEvent, UnitMeaning::None, kSrq},
    {Kind::QpState, "qp_state", kNo, kQp, kNo, StateMeaning::QpState},
    {Kind::Flush, "flush", kNo, kQp, kQueue, StateMeaning::None},
    {Kind::Create, "create", kCq, kQp, kNo, StateMeaning::None, UnitMeaning::Eq, kSrq},
    {Kind::Modify, "modify", kCq, kQp, kNo, StateMeaning::QpState, UnitMeaning::None, kSrq},
    {Kind::Resize, "resize", kCq, kNo, kNo, StateMeaning::None},
    {Kind::Destroy, "destroy", kCq, kQp, kNo, StateMeaning::DestroyPhase},
    {Kind::Sweep, "sweep", kCq, kQp, kQueue, StateMeaning::WcStatus},
    {Kind::Query, "query", kCq, kNo, kNo, StateMeaning::CqState},
    {Kind::UndefinedRead, "undefined_read", kCq, kQp, kQueue, StateMeaning::WcStatus},
    {Kind::Refuse, "refuse", kCq, kQp, kNo, StateMeaning::CommandResult, UnitMeaning::Eq},
    {Kind::Outcome, "outcome", kNo, kQp, kQueue, StateMeaning::Outcome, UnitMeaning::None, kSrq},
    {Kind::Packet, "packet", kNo, kQp, kNo, StateMeaning::PacketType},
    {Kind::Drain, "drain", kNo, kQp, kNo, StateMeaning::CommandResult},
    {Kind::End, "end", kNo, kNo, kNo, StateMeaning::EndReason},
}};

constexpr bool in_order() {
    for (std::uint32_t i = 0; i < kKinds; ++i) {
        if (static_cast<std::uint32_t>(kInfo.at(i).kind) != i) {
            return false;
        }
    }
    return true;
}
static_assert(in_order(), "kInfo is indexed by Kind");

// Indexed by the enumerators.
constexpr std::array<std::string_view, 4> kOutcome{"suppressed", "granted", "lost", "cancelled"};
constexpr std::array<std::string_view, 4> kCause{"none", "overrun", "cq_error", "write_failed"};
constexpr std::array<std::string_view, 3> kReason{"idle", "end", "stalled"};
constexpr std::array<std::string_view, 2> kArmKind{"next", "solicited"};
constexpr std::array<std::string_view, 3> kArmState{"no", "next", "solicited"};
constexpr std::array<std::string_view, 3> kCqState{"none", "ok", "error"};
constexpr std::array<std::string_view, 4> kEventCause{"entry", "count", "period", "break"};
constexpr std::array<std::string_view, 2> kEqKind{"completion", "async"};
constexpr std::array<std::string_view, 2> kPhase{"begun", "done"};
constexpr std::array<std::string_view, 8> kPacket{"REQUEST",
                                                  "RESPONSE",
                                                  "ACK",
                                                  "RNR_NAK",
                                                  "NAK_SEQUENCE",
                                                  "NAK_INVALID_REQUEST",
                                                  "NAK_REMOTE_ACCESS",
                                                  "NAK_REMOTE_OPERATIONAL"};
constexpr std::string_view kCompletion = "COMP";

struct ResultName {
    CommandResult result;
    std::string_view name;
};
constexpr std::array<ResultName, 7> kResult{{{CommandResult::Ok, "ok"},
                                             {CommandResult::NoEntry, "no_entry"},
                                             {CommandResult::NoMemory, "no_memory"},
                                             {CommandResult::Busy, "busy"},
                                             {CommandResult::Invalid, "invalid"},
                                             {CommandResult::Unsupported, "unsupported"},
                                             {CommandResult::TimedOut, "timed_out"}}};

template <class Table>
std::string_view spell(const Table& table, std::uint8_t value) {
    return value < table.size() ? table.at(value) : "?";
}

template <class Enum, class Table>
std::optional<Enum> parse(const Table& table, std::string_view text) {
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table.at(i) == text) {
            return static_cast<Enum>(i);
        }
    }
    return std::nullopt;
}

template <class Enum>
std::optional<std::uint8_t> byte_of(std::optional<Enum> value) {
    if (!value) {
        return std::nullopt;
    }
    return static_cast<std::uint8_t>(*value);
}

}  // namespace

const KindInfo& info(Kind kind) {
    return kInfo.at(static_cast<std::size_t>(kind));
}

std::string_view name(Kind kind) {
    const auto index = static_cast<std::size_t>(kind);
    return index < kInfo.size() ? kInfo.at(index).name : "?";
}

std::string_view name(Outcome outcome) {
    return spell(kOutcome, static_cast<std::uint8_t>(outcome));
}

std::string_view name(LostCause cause) {
    return spell(kCause, static_cast<std::uint8_t>(cause));
}

std::string_view name(EndReason reason) {
    return spell(kReason, static_cast<std::uint8_t>(reason));
}

std::string_view name(ArmKind kind) {
    return spell(kArmKind, static_cast<std::uint8_t>(kind));
}

std::string_view name(ArmState state) {
    return spell(kArmState, static_cast<std::uint8_t>(state));
}

std::string_view name(CqState state) {
    return spell(kCqState, static_cast<std::uint8_t>(state));
}

std::string_view name(EventCause cause) {
    return spell(kEventCause, static_cast<std::uint8_t>(cause));
}

std::string_view name(EqKind kind) {
    return spell(kEqKind, static_cast<std::uint8_t>(kind));
}

std::string_view name(DestroyPhase phase) {
    return spell(kPhase, static_cast<std::uint8_t>(phase));
}

std::string_view name(PacketType type) {
    return spell(kPacket, static_cast<std::uint8_t>(type));
}

std::string_view name(CommandResult result) {
    for (const ResultName& entry : kResult) {
        if (entry.result == result) {
            return entry.name;
        }
    }
    return "?";
}

std::string_view eqe_name(EqeType type) {
    return type == kCompletionEqe ? kCompletion : name(static_cast<AsyncEvent>(type - 1));
}

std::string_view name(StateMeaning meaning) {
    switch (meaning) {
        case StateMeaning::None:
            break;
        case StateMeaning::WrOpcode:
            return "opcode";
        case StateMeaning::WcStatus:
            return "status";
        case StateMeaning::Owner:
            return "owner";
        case StateMeaning::LostCause:
            return "cause";
        case StateMeaning::AsyncEvent:
            return "type";
        case StateMeaning::QpState:
            return "state";
        case StateMeaning::Outcome:
            return "outcome";
        case StateMeaning::EndReason:
            return "reason";
        case StateMeaning::ArmKind:
            return "kind";
        case StateMeaning::EventCause:
            return "why";
        case StateMeaning::Eqe:
            return "eqe";
        case StateMeaning::EqKind:
            return "eq_kind";
        case StateMeaning::DestroyPhase:
            return "phase";
        case StateMeaning::CommandResult:
            return "result";
        case StateMeaning::QpType:
            return "qp_type";
        case StateMeaning::CqState:
            return "cq_state";
        case StateMeaning::ArmState:
            return "armed";
        case StateMeaning::PacketType:
            return "packet";
        case StateMeaning::WcField:
            return "field";
    }
    return "";
}

std::optional<Kind> parse_kind(std::string_view text) {
    for (const KindInfo& entry : kInfo) {
        if (entry.name == text) {
            return entry.kind;
        }
    }
    return std::nullopt;
}

std::optional<Outcome> parse_outcome(std::string_view text) {
    return parse<Outcome>(kOutcome, text);
}

std::optional<LostCause> parse_lost_cause(std::string_view text) {
    return parse<LostCause>(kCause, text);
}

std::optional<EndReason> parse_end_reason(std::string_view text) {
    return parse<EndReason>(kReason, text);
}

std::string_view state_name(StateMeaning meaning, std::uint8_t state) {
    switch (meaning) {
        case StateMeaning::None:
            break;
        case StateMeaning::WrOpcode:
            return name(static_cast<WrOpcode>(state));
        case StateMeaning::WcStatus:
            return name(static_cast<WcStatus>(state));
        case StateMeaning::Owner:
            return state == 0 ? "0" : state == 1 ? "1" : "?";
        case StateMeaning::LostCause:
            return spell(kCause, state);
        case StateMeaning::AsyncEvent:
            return name(static_cast<AsyncEvent>(state));
        case StateMeaning::QpState:
            return name(static_cast<QpState>(state));
        case StateMeaning::Outcome:
            return spell(kOutcome, state);
        case StateMeaning::EndReason:
            return spell(kReason, state);
        case StateMeaning::ArmKind:
            return spell(kArmKind, state);
        case StateMeaning::EventCause:
            return spell(kEventCause, state);
        case StateMeaning::Eqe:
            return eqe_name(state);
        case StateMeaning::EqKind:
            return spell(kEqKind, state);
        case StateMeaning::DestroyPhase:
            return spell(kPhase, state);
        case StateMeaning::CommandResult:
            return name(static_cast<CommandResult>(state));
        case StateMeaning::QpType:
            return name(static_cast<QpType>(state));
        case StateMeaning::CqState:
            return spell(kCqState, state);
        case StateMeaning::ArmState:
            return spell(kArmState, state);
        case StateMeaning::PacketType:
            return spell(kPacket, state);
        case StateMeaning::WcField:
            return spell(kWcFieldNames, state);
    }
    return "?";
}

namespace {

// Of a meaning that has no parser of its own.
std::optional<std::uint8_t> by_name(StateMeaning meaning, std::string_view text) {
    for (std::uint32_t value = 0; value <= UINT8_MAX; ++value) {
        const std::string_view spelling = state_name(meaning, static_cast<std::uint8_t>(value));
        if (spelling == text && spelling != "?") {
            return static_cast<std::uint8_t>(value);
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::uint8_t> parse_state(StateMeaning meaning, std::string_view text) {
    switch (meaning) {
        case StateMeaning::None:
            break;
        case StateMeaning::WrOpcode:
            return byte_of(parse_wr_opcode(text));
        case StateMeaning::WcStatus:
            return byte_of(parse_wc_status(text));
        case StateMeaning::Owner:
            break;
        case StateMeaning::LostCause:
            return byte_of(parse_lost_cause(text));
        case StateMeaning::AsyncEvent:
            return byte_of(parse_async_event(text));
        case StateMeaning::QpState:
            return byte_of(parse_qp_state(text));
        case StateMeaning::Outcome:
            return byte_of(parse_outcome(text));
        case StateMeaning::EndReason:
            return byte_of(parse_end_reason(text));
        case StateMeaning::ArmKind:
        case StateMeaning::EventCause:
        case StateMeaning::Eqe:
        case StateMeaning::EqKind:
        case StateMeaning::DestroyPhase:
        case StateMeaning::CommandResult:
        case StateMeaning::QpType:
        case StateMeaning::CqState:
        case StateMeaning::ArmState:
        case StateMeaning::PacketType:
        case StateMeaning::WcField:
            return by_name(meaning, text);
    }
    return std::nullopt;
}

std::vector<std::string_view> state_names(StateMeaning meaning) {
    std::vector<std::string_view> names;
    for (std::uint32_t value = 0; value < 256; ++value) {
        const std::string_view text = state_name(meaning, static_cast<std::uint8_t>(value));
        if (text != "?" && meaning != StateMeaning::Owner) {
            names.push_back(text);
        }
    }
    return names;
}

std::vector<std::string_view> kind_names() {
    std::vector<std::string_view> names;
    names.reserve(kInfo.size());
    for (const KindInfo& entry : kInfo) {
        names.push_back(entry.name);
    }
    return names;
}

}  // namespace cqsim
