// SPDX-License-Identifier: Apache-2.0
/// \file
/// The spelling of records: kinds, outcomes, causes, and what the state byte of each kind means.
/// One table for the event log, the scenario language, the checkers and the documentation.
#pragma once

#include "models/observe/record.h"

#include <optional>
#include <string_view>
#include <vector>

namespace cqsim {

/// What `Record::state` holds.
enum class StateMeaning : std::uint8_t {
    None,
    WrOpcode,
    WcStatus,
    Owner,  ///< 0 or 1
    LostCause,
    AsyncEvent,
    QpState,
    Outcome,
    EndReason,
    ArmKind,
    EventCause,
    Eqe,  ///< "COMP", or the asynchronous event's name
    EqKind,
    DestroyPhase,
    CommandResult,
    QpType,
    CqState,
    ArmState,
    PacketType,
    WcField,  ///< which one, from 0; Record::a holds its bit
};

/// What `Record::unit` holds.
enum class UnitMeaning : std::uint8_t { None, Eq, Vector };

/// Which fields of a record carry meaning for a kind, beside time, kind, source and device.
struct KindInfo {
    Kind kind{};
    std::string_view name;  ///< lower snake case, e.g. "cqe_visible"
    bool has_cq = false;
    bool has_qp = false;
    bool has_queue = false;
    StateMeaning state = StateMeaning::None;
    UnitMeaning unit = UnitMeaning::None;
    bool has_srq = false;  ///< some have kShared, and the SRQ's number
};

const KindInfo& info(Kind kind);

std::string_view name(Kind kind);
std::string_view name(Outcome outcome);       ///< "suppressed", "granted", "lost", "cancelled"
std::string_view name(LostCause cause);       ///< "none", "overrun", "cq_error", "write_failed"
std::string_view name(EndReason reason);      ///< "idle", "end", "stalled"
std::string_view name(ArmKind kind);          ///< "next", "solicited"
std::string_view name(ArmState state);        ///< "no", "next", "solicited"
std::string_view name(CqState state);         ///< "none", "ok", "error"
std::string_view name(EventCause cause);      ///< "entry", "count", "period", "break"
std::string_view name(EqKind kind);           ///< "completion", "async"
std::string_view name(DestroyPhase phase);    ///< "begun", "done"
std::string_view name(PacketType type);       ///< "REQUEST", "ACK", "NAK_SEQUENCE", ...
std::string_view name(CommandResult result);  ///< "ok", "no_entry", "no_memory", "busy", ...
std::string_view eqe_name(EqeType type);      ///< "COMP", or as name(AsyncEvent)
/// The key under which the state byte is written: "status", "type", ...; empty for None.
std::string_view name(StateMeaning meaning);

/// The enumerator of that exact spelling; nothing if there is none.
std::optional<Kind> parse_kind(std::string_view text);
std::optional<Outcome> parse_outcome(std::string_view text);
std::optional<LostCause> parse_lost_cause(std::string_view text);
std::optional<EndReason> parse_end_reason(std::string_view text);

/// The state byte in words, e.g. "RETRY_EXC_ERR"; "?" for a value that has no name.
std::string_view state_name(StateMeaning meaning, std::uint8_t state);
std::optional<std::uint8_t> parse_state(StateMeaning meaning, std::string_view text);
/// Every word that `parse_state` takes for this meaning.
std::vector<std::string_view> state_names(StateMeaning meaning);

/// The kinds that this version writes, in the order of the enumeration.
std::vector<std::string_view> kind_names();

}  // namespace cqsim
