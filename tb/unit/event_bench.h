// SPDX-License-Identifier: Apache-2.0
/// \file
/// CQs and event queues for the tests of the event arbiter's rules.
#pragma once

#include "models/event/event_rules.h"

#include <catch2/catch.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace cqsim::test {

inline constexpr std::uint64_t kEqRing = 0x1'0000;  ///< of EQ 0; others follow at this distance
inline constexpr std::uint64_t kMsix = 0xFEE0'0000;

/// What an entry says of itself.
enum class Mark : std::uint8_t { Plain, Solicited, Failed, FailedSend };

inline EventConfig event_config() {
    EventConfig config;
    config.eqs = 4;
    config.vectors = 8;
    config.eqe_service = TimePs{};
    config.writes_in_flight = 4;
    config.msix_address = kMsix;
    return config;
}

using Events = std::vector<CqEvent>;
using Sent = std::vector<std::string>;

/// The rules with some CQs, and shorthands. Time stands at `now`.
class EventBench {
  public:
    explicit EventBench(const EventConfig& config = event_config(), CqIndices indices = {})
        : rules(config, indices, Rows<EventRow>(kCqs)),
          m_indices(indices) {
        m_next.fill(indices.first);
    }

    CommandResult eq(std::uint16_t eqn, std::uint32_t depth = 4, EqKind kind = EqKind::Completion) {
        return rules.create_eq(
            {Eqn{eqn}, kind, kEqRing * (eqn + 1U), depth, static_cast<std::uint16_t>(eqn + 1)});
    }
    CommandResult attach(std::uint32_t cq,
                         std::uint16_t eqn = 0,
                         const Moderation& moderation = {}) {
        m_next[cq] = m_indices.first;
        return rules.attach({Cqn{cq}, 0, 0, 0, eqn, moderation});
    }
    CommandResult modify(std::uint32_t cq, const Moderation& moderation) {
        CqEvent event;
        bool fired = false;
        const CommandResult result = rules.modify({Cqn{cq}, moderation}, now, fired, event);
        keep(fired, event);
        return result;
    }
    /// \returns whether the CQ reports by it; then it is the last of `events`.
    bool publish(std::uint32_t cq, Mark mark = Mark::Plain) {
        const PublishedEntry entry{Cqn{cq},
                                   m_next[cq],
                                   mark == Mark::Solicited,
                                   mark == Mark::Failed || mark == Mark::FailedSend,
                                   false,
                                   mark == Mark::FailedSend ? QueueKind::Send : QueueKind::Receive};
        m_next[cq] = (m_next[cq] + 1) & m_indices.mask;
        CqEvent event;
        return keep(rules.note(entry) && rules.count(entry, now, event), event);
    }
    bool arm(std::uint32_t cq, ArmKind kind = ArmKind::Next, std::uint32_t consumer = 0) {
        CqEvent event;
        bool fired = false;
        CHECK(rules.arm(Cqn{cq}, consumer, kind, fired, event) == CommandResult::Ok);
        return keep(fired, event);
    }
    /// Time goes to `t`. \returns whether a period has ended.
    bool advance(TimePs t) {
        now = t;
        const std::size_t before = events.size();
        CqEvent event;
        while (rules.expire(now, event)) {
            keep(true, event);
        }
        return events.size() != before;
    }

    /// Everything that can be sent now, as text. Not in memory before `land`.
    Sent send() {
        Sent sent;
        using What = EventRules::Action::What;
        for (EventRules::Action action = rules.next(now); action.what != What::Nothing;
             action = rules.next(now)) {
            sent.push_back(text_of(action));
            if (action.what != What::DeviceFatal) {
                open.push_back(action.write.place);
            }
        }
        return sent;
    }
    /// The writes in flight are in memory, oldest first.
    void land(std::size_t count = SIZE_MAX) {
        for (; count != 0 && !open.empty(); --count) {
            rules.landed(open.front(), true);
            open.erase(open.begin());
        }
    }
    /// Sends and lands until there is nothing left.
    Sent run() {
        Sent all;
        for (Sent sent = send(); !sent.empty(); sent = send()) {
            all.insert(all.end(), sent.begin(), sent.end());
            land();
        }
        return all;
    }
    const EventQueue& queue(std::uint16_t eqn) const { return rules.queues()[Eqn{eqn}]; }
    CommandResult consume(std::uint16_t eqn, std::uint32_t consumer, bool arms = false) {
        return rules.eq_consumer(Eqn{eqn}, consumer, arms);
    }

    static constexpr std::uint32_t kCqs = 8;
    EventRules rules;
    Events events;
    TimePs now{};
    std::vector<std::uint32_t> open;  ///< places of the writes in flight

  private:
    bool keep(bool fired, const CqEvent& event) {
        if (fired) {
            events.push_back(event);
        }
        return fired;
    }
    /// "eq0[1]=cq2 own0", "eq3[0]=async1 qp7 own0", "irq2", "fatal eq0".
    static std::string text_of(const EventRules::Action& action) {
        using What = EventRules::Action::What;
        const EventQueues::Write& write = action.write;
        const auto eqn = static_cast<std::uint16_t>(write.eqn);
        if (action.what == What::DeviceFatal) {
            return "fatal eq" + std::to_string(eqn);
        }
        if (action.what == What::Interrupt) {
            CHECK(write.address == kMsix + std::uint64_t{4} * write.vector);
            return "irq" + std::to_string(write.vector);
        }
        std::string text = "eq" + std::to_string(eqn) + "[" +
                           std::to_string((write.address - kEqRing * (eqn + 1U)) / 64) + "]=";
        if (write.event.type == kCompletionEqe) {
            text += "cq" + std::to_string(index_of(write.event.cqn));
        } else {
            text += "async" + std::to_string(write.event.type - 1);
            text +=
                write.event.qpn == kNoQp ? "" : " qp" + std::to_string(index_of(write.event.qpn));
        }
        return text + " own" + std::to_string(write.owner);
    }

    CqIndices m_indices;
    std::array<std::uint32_t, kCqs> m_next{};
};

}  // namespace cqsim::test
