// SPDX-License-Identifier: Apache-2.0
/// \file
/// The rules that the checkers check, and what they found.
#pragma once

#include "models/observe/record.h"

#include <array>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace cqsim::tb::check {

/// What is checked. The comment names the rule of the semantics sheet (or decision of the design).
enum class Rule : std::uint8_t {
    EntryIdentity,    ///< S1.1
    FailedContent,    ///< S1.2
    DefinedReads,     ///< S1.2
    SuccessContent,   ///< S1.3
    ImmOrInv,         ///< S1.4
    PollOrder,        ///< S1.7
    StatusOfSide,     ///< S1.10
    FailureMoves,     ///< S1.11
    Opcode,           ///< S1.15
    OpcodeOfType,     ///< S1.17
    QpStates,         ///< S1.18
    ReportSignaled,   ///< S2.1
    ReportFailed,     ///< S2.2
    CompletionOrder,  ///< S2.4
    SendCredit,       ///< S2.5
    AnswerEnds,       ///< S2.7
    RetryLimit,       ///< S2.8
    ReportReceive,    ///< S2.9
    ConsumesReceive,  ///< S2.10
    SharedRequest,    ///< S2.11
    AckAfterReport,   ///< S2.13
    DatagramLength,   ///< S2.14
    ResponderClass,   ///< S2.16
    NakStatus,        ///< S2.17
    FlushInError,     ///< S2.18
    ErrorThenFlush,   ///< S2.19
    FlushOrder,       ///< S2.21
    SqeReceives,      ///< S2.22
    SqDrained,        ///< S2.23
    PostState,        ///< S2.24
    SilentInError,    ///< S2.25
    LastWqe,          ///< S2.26
    ConsumerIndex,    ///< S3.1
    OwnerBit,         ///< S3.3
    WholeEntry,       ///< S3.6
    ReadThenRelease,  ///< S3.7
    SlotReuse,        ///< S3.8
    QueueToCq,        ///< S3.9
    EqPlace,          ///< S3.5
    EntryOrder,       ///< S3.10
    SlotPlace,        ///< S3.11
    FreeRunning,      ///< S3.13
    PublishedFull,    ///< S3.14
    IgnoreOverrun,    ///< S4.3
    NotArmedAtFirst,  ///< S4.5
    ResizeKeeps,      ///< S4.6
    ModerationLimit,  ///< S4.9
    CqInUse,          ///< S4.11
    CqGone,           ///< S4.12
    QueryAnswer,      ///< S4.15
    CqErrFirst,       ///< S5.2
    OverrunCause,     ///< S5.3a
    CqErrOnce,        ///< S5.3b
    StickyError,      ///< S5.3c
    QpFatal,          ///< S5.3d
    LazyError,        ///< S5.3e
    LostNotReported,  ///< S5.3f
    NoOverwrite,      ///< S5.3i
    LostIsSilent,     ///< S5.5
    SrqLimit,         ///< S5.9
    EventPerArm,      ///< S6.1
    SolicitedEvent,   ///< S6.2
    ArmMerge,         ///< S6.5
    LevelEvent,       ///< S6.7
    EventAfterEntry,  ///< S6.15
    NoEventInError,   ///< S6.16
    EntryPerEvent,    ///< S6.21
    InterruptPerArm,  ///< S6.22
    EqFault,          ///< S6.23
    EqOverwrite,      ///< S6.24
    DeadLife,         ///< S7.2
    LifeAnswered,     ///< S7.3
    ResetFrom,        ///< S7.4
    DrainedEmpty,     ///< S7.6
    Compaction,       ///< S7.7
    NoLostWakeUp,     ///< I6
    Conservation,     ///< D4
    RecordContract,   ///< D6
};
inline constexpr std::size_t kRules = static_cast<std::size_t>(Rule::RecordContract) + 1;

/// The rule's number, e.g. "S5.3c".
std::string_view id(Rule rule);
/// The rule as it is checked, in a line of plain words.
std::string_view statement(Rule rule);

/// How a rule fared.
struct RuleCount {
    std::string_view rule;       ///< "S3.3"
    std::string_view statement;  ///< in plain words
    std::uint64_t checked = 0;   ///< how often its condition arose
    std::uint64_t failed = 0;
};

/// One violation.
struct Failure {
    std::string_view rule;
    std::uint64_t time_ps = 0;
    std::string object;  ///< "cq.shared", "qp.victim[3]", "run"
    std::string text;    ///< what was seen and what the rule asks for, with the values
};

/// How objects are called in a failure's text. An empty function names by number.
struct Names {
    std::function<std::string(Cqn)> cq;
    std::function<std::string(Qpn)> qp;
    std::function<std::string(Eqn)> eq;
};

/// Collects what all checkers of a run find. `checked` is on the hot path, `fail` is not.
class Findings {
  public:
    /// Failures beyond this number are counted, not kept.
    static constexpr std::size_t kKept = 100;

    explicit Findings(Names names)
        : m_names(std::move(names)) {}

    void checked(Rule rule) { ++m_counts[static_cast<std::size_t>(rule)].checked; }
    /// A rule that was checked `times` times.
    void checked(Rule rule, std::uint64_t times) {
        m_counts[static_cast<std::size_t>(rule)].checked += times;
    }

    /// Records a violation of `rule` by an object (a Cqn, a Qpn, or a name); its text is the parts
    /// in a row.
    template <class Object, class... Parts>
    [[gnu::cold, gnu::noinline]] void fail(Rule rule,
                                           std::uint64_t time_ps,
                                           const Object& object,
                                           const Parts&... parts) {
        ++m_counts[static_cast<std::size_t>(rule)].failed;
        ++m_failed;
        if (m_failures.size() < kKept) {
            std::ostringstream text;
            (text << ... << parts);
            m_failures.push_back({id(rule), time_ps, object_name(object), text.str()});
        }
    }

    std::vector<RuleCount> rules() const;
    const std::vector<Failure>& failures() const { return m_failures; }
    std::uint64_t failed() const { return m_failed; }

  private:
    struct Count {
        std::uint64_t checked = 0;
        std::uint64_t failed = 0;
    };

    std::string object_name(Cqn cqn) const;
    std::string object_name(Qpn qpn) const;
    std::string object_name(Eqn eqn) const;
    static std::string object_name(const char* name) { return name; }

    Names m_names;
    std::array<Count, kRules> m_counts{};
    std::vector<Failure> m_failures;
    std::uint64_t m_failed = 0;
};

/// For texts: "send" or "receive".
constexpr std::string_view words(QueueKind queue) {
    return queue == QueueKind::Send ? "send queue" : "receive queue";
}

/// For texts: a 64-bit value in hexadecimal.
std::string hex(std::uint64_t value);

}  // namespace cqsim::tb::check
