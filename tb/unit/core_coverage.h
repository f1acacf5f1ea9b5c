// SPDX-License-Identifier: Apache-2.0
/// \file
/// What arose in a run of the core: a comparison says nothing of what never happened.
#pragma once

#include "tb/unit/core_software.h"
#include "tb/unit/core_untimed_device.h"

#include <set>
#include <string_view>

namespace cqsim::test {

/// How often each condition arose.
class Coverage {
  public:
    enum What : std::size_t {
        Steps,
        InputsInFlight,
        RingWraps,
        IndexWraps,
        EventQueueWraps,
        Suppressed,
        Overruns,
        LostOnFailedCq,
        FailedWrites,
        CancelledAtTap,
        CancelledInside,
        ArmsWidened,
        ArmsNotNarrowed,
        ArmsRepeated,
        ArmsOnFailedCq,
        EntriesWithoutArm,
        FiredByEntry,
        FiredByCount,
        FiredByPeriod,
        FiredByBreak,
        FiredAtArm,
        FiredByModify,
        EventsThatShareAnEntry,
        EventsDropped,
        EventsUnheard,
        FullEventQueues,
        AsyncQueuesFailed,
        EventQueuesNowhere,
        DeviceFatals,
        Interrupts,
        CqErrEntries,
        QpFatalEntries,
        SqDrainedEntries,
        Held,
        NoCredit,
        Declined,
        LivesThatWaited,
        CqDestroyed,
        CqDestroyedArmed,
        CommandsNoEntry,
        CommandsBusy,
        CommandsInvalid,
        CommandsNoMemory,
        CommandsUnsupported,
        Queries,
        QueriesOfFailedCqs,
        QueriesOfArmedCqs,
        DoorbellsNoEntry,
        DoorbellsInvalid,
        ConsumerIndicesRefused,
        RingsReplaced,
        RingsLeft,
        EndsOfRingsLost,
        EntriesOverwrite,
    };
    static constexpr std::size_t kWhats = std::size_t{EntriesOverwrite} + 1;
    static constexpr std::array<std::string_view, kWhats> kNames{
        "steps",
        "inputs while writes are in flight",
        "ring wraps",
        "index wraps",
        "event queue wraps",
        "suppressed",
        "overruns",
        "lost on a failed CQ",
        "failed writes",
        "cancelled at the tap",
        "cancelled inside",
        "arms widened",
        "arms not narrowed",
        "arms repeated",
        "arms on a failed CQ",
        "entries without an arm",
        "fired by an entry",
        "fired by count",
        "fired by period: the tail",
        "fired by a break",
        "fired at the arm",
        "fired by modify",
        "events whose last one waits for its entry",
        "events dropped",
        "asynchronous events unheard",
        "time stamps with a full event queue",
        "event queues for asynchronous events in error",
        "event queues with a failed write",
        "DEVICE_FATAL",
        "interrupts",
        "CQ_ERR entries",
        "QP_FATAL entries",
        "SQ_DRAINED entries",
        "held",
        "without credit",
        "declined",
        "lives that waited for work in flight",
        "CQs destroyed",
        "CQs destroyed armed",
        "commands: no entry",
        "commands: busy",
        "commands: invalid",
        "commands: no memory",
        "commands: unsupported",
        "queries",
        "queries of failed CQs",
        "queries of armed CQs",
        "doorbells: no entry",
        "doorbells: invalid",
        "consumer indices refused",
        "rings replaced",
        "rings left at their end",
        "ends of rings that cannot be written",
        "entries in full rings that overwrite",
    };

    /// What a run of 10,000 steps cannot but bring about, whatever its setting.
    static constexpr std::array kAlways{
        InputsInFlight, RingWraps,         IndexWraps,       Suppressed,       Overruns,
        LostOnFailedCq, CancelledAtTap,    CancelledInside,  ArmsWidened,      ArmsNotNarrowed,
        ArmsRepeated,   ArmsOnFailedCq,    FiredByEntry,     FiredByCount,     FiredByPeriod,
        Interrupts,     EntriesWithoutArm, LivesThatWaited,  CqDestroyed,      CommandsNoEntry,
        CommandsBusy,   CommandsInvalid,   DoorbellsInvalid, DoorbellsNoEntry, Queries,
    };

    Coverage() = default;
    Coverage(const UntimedDevice& device, const Software& software) {
        std::set<std::uint64_t> granted;  // serials
        for (const Lane<Seen>* lane : {&device.history.records, &device.history.arbiter}) {
            for (const auto& item : *lane) {
                if (item.what.record.kind == Kind::Grant) {
                    granted.insert(item.what.record.serial);
                }
            }
        }
        m_counts[FailedWrites] = device.history.ends.size();
        for (const auto& item : device.history.records) {
            look_at(item.what.record, granted);
        }
        const EventRules& events = device.core.events();
        const Software::Counts& counts = software.counts();
        m_counts[Steps] = software.step();
        m_counts[InputsInFlight] = counts.between;
        m_counts[Held] = counts.held;
        m_counts[NoCredit] = counts.no_credit;
        m_counts[Declined] = counts.declined;
        m_counts[LivesThatWaited] = counts.accepted;
        m_counts[RingsLeft] = counts.rings_left;
        m_counts[EndsOfRingsLost] = counts.ends_lost;
        m_counts[FullEventQueues] = device.full_eqs;
        m_counts[EventsUnheard] = events.unheard();
        m_counts[ConsumerIndicesRefused] = device.core.refused_consumer_indices();
        const EventQueue* async = events.queues().async_queue();
        m_counts[AsyncQueuesFailed] = async != nullptr && async->error ? 1 : 0;
        for (std::uint16_t eqn = 0; eqn < kEqs; ++eqn) {
            const EventQueue& queue = events.queues()[Eqn{eqn}];
            m_counts[EventsDropped] += queue.dropped;
            m_counts[EventQueuesNowhere] += queue.hole ? 1 : 0;
            m_counts[EventQueueWraps] += queue.depth == 0 ? 0 : queue.producer / queue.depth;
        }
    }

    std::uint64_t operator[](What what) const { return m_counts[what]; }
    void add(const Coverage& other) {
        for (std::size_t i = 0; i < kWhats; ++i) {
            m_counts[i] += other.m_counts[i];
        }
    }

  private:
    struct Cq {
        std::uint32_t depth = 0;
        bool has_eq = false;
        bool overwrites = false;
        bool armed = false;
        bool solicited = false;
        bool reported = false;
        bool failed = false;
        bool awaited = false;  ///< its event has no entry in memory yet
    };

    void look_at(const Record& record, const std::set<std::uint64_t>& granted) {
        switch (record.kind) {
            case Kind::Suppress:
                ++m_counts[Suppressed];
                break;
            case Kind::Slot:
                m_counts[IndexWraps] += record.index == (1U << kIndexWidth) - 1 ? 1 : 0;
                m_counts[EntriesOverwrite] +=
                    cq(record).overwrites && record.b == cq(record).depth ? 1 : 0;
                break;
            case Kind::Overrun:
                ++m_counts[record.state == static_cast<std::uint8_t>(LostCause::Overrun)
                               ? Overruns
                               : LostOnFailedCq];
                break;
            case Kind::CqeWrite:
                ++m_counts[FailedWrites];
                break;
            case Kind::CqeVisible:
                --m_counts[FailedWrites];
                m_counts[RingWraps] += record.index + 1 == cq(record).depth ? 1 : 0;
                m_counts[EntriesWithoutArm] += cq(record).reported && !cq(record).armed ? 1 : 0;
                break;
            case Kind::Outcome:
                if (record.state == static_cast<std::uint8_t>(Outcome::Cancelled)) {
                    ++m_counts[granted.count(record.serial) != 0 ? CancelledInside
                                                                 : CancelledAtTap];
                }
                break;
            case Kind::Arm:
                look_at_arm(record);
                break;
            case Kind::Event:
                look_at_event(record);
                break;
            case Kind::Create:
                if (record.cqn != kNoCq) {
                    cq(record) = {
                        record.index, record.unit != kNoEqn, (record.flags & kIgnoreOverrun) != 0};
                }
                break;
            case Kind::Resize:
                ++m_counts[RingsReplaced];
                cq(record).depth = record.index;
                break;
            case Kind::Destroy:
                if (record.cqn != kNoCq) {
                    ++m_counts[CqDestroyed];
                    m_counts[CqDestroyedArmed] += cq(record).armed ? 1 : 0;
                    cq(record) = {};
                }
                break;
            case Kind::Async:
                if (record.cqn != kNoCq) {
                    cq(record).armed = false;
                    cq(record).failed = true;
                } else if (record.qpn == kNoQp) {
                    ++m_counts[DeviceFatals];
                }
                break;
            case Kind::Eqe:
                look_at_entry(record);
                break;
            case Kind::Irq:
                ++m_counts[Interrupts];
                break;
            case Kind::Query:
                ++m_counts[Queries];
                m_counts[QueriesOfFailedCqs] += cq(record).failed ? 1 : 0;
                m_counts[QueriesOfArmedCqs] += record.b != 0 ? 1 : 0;
                break;
            case Kind::Refuse:
                look_at_refusal(record);
                break;
            default:
                break;
        }
        m_last = record.kind;
        m_last_cqn = record.cqn;
    }

    void look_at_arm(const Record& record) {
        if (index_of(record.cqn) >= kCqs || !cq(record).has_eq) {
            return;
        }
        Cq& armed = cq(record);
        const bool solicited = record.state == static_cast<std::uint8_t>(ArmKind::Solicited);
        if (armed.failed) {
            ++m_counts[ArmsOnFailedCq];
            return;
        }
        if (!armed.armed) {
            armed.armed = true;
            armed.solicited = solicited;
        } else if (armed.solicited && !solicited) {
            armed.solicited = false;
            ++m_counts[ArmsWidened];
        } else {
            ++m_counts[!armed.solicited && solicited ? ArmsNotNarrowed : ArmsRepeated];
        }
    }
    void look_at_event(const Record& record) {
        m_counts[EventsThatShareAnEntry] += cq(record).awaited ? 1 : 0;
        cq(record).awaited = true;
        cq(record).armed = false;
        cq(record).reported = true;
        constexpr std::array<What, 4> kCauses{
            FiredByEntry, FiredByCount, FiredByPeriod, FiredByBreak};
        ++m_counts[kCauses.at(record.state)];
        if (m_last_cqn == record.cqn) {
            m_counts[FiredAtArm] += m_last == Kind::Arm ? 1 : 0;
            m_counts[FiredByModify] += m_last == Kind::Modify ? 1 : 0;
        }
    }
    void look_at_entry(const Record& record) {
        if (record.state == kCompletionEqe) {
            cq(record).awaited = false;
        }
        m_counts[CqErrEntries] += record.state == eqe::type_of(AsyncEvent::CqErr) ? 1 : 0;
        m_counts[QpFatalEntries] += record.state == eqe::type_of(AsyncEvent::QpFatal) ? 1 : 0;
        m_counts[SqDrainedEntries] += record.state == eqe::type_of(AsyncEvent::SqDrained) ? 1 : 0;
    }
    void look_at_refusal(const Record& record) {
        const auto result = static_cast<CommandResult>(record.state);
        if (record.index != 0) {
            ++m_counts[result == CommandResult::NoEntry ? DoorbellsNoEntry : DoorbellsInvalid];
            return;
        }
        ++m_counts[result == CommandResult::NoEntry       ? CommandsNoEntry
                   : result == CommandResult::Busy        ? CommandsBusy
                   : result == CommandResult::NoMemory    ? CommandsNoMemory
                   : result == CommandResult::Unsupported ? CommandsUnsupported
                                                          : CommandsInvalid];
    }

    Cq& cq(const Record& record) { return m_cqs.at(index_of(record.cqn)); }

    std::array<std::uint64_t, kWhats> m_counts{};
    std::array<Cq, kCqs> m_cqs{};
    Kind m_last{};
    Cqn m_last_cqn = kNoCq;
};

}  // namespace cqsim::test
