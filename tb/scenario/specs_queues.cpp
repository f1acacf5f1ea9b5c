// SPDX-License-Identifier: Apache-2.0
// [[eq]], [[cq]], [[host]], [host_driver].
#include "tb/scenario/specs.h"

#include <algorithm>

namespace cqsim::tb {
namespace {

constexpr std::uint32_t kMaxEqs = 1024;
constexpr std::uint32_t kMaxEqDepth = 1U << 20;
constexpr std::uint32_t kMaxVectors = 2048;
constexpr TimePs kMaxPeriodOfEvents = kMicrosecond * 4095;
constexpr const char* kOfEvent = "mode = \"event\"";

bool is_event(const HostLoop& host) {
    return host.mode == HostMode::Event;
}

/// Shown only when it was said.
Field<CqGroup> eq_field() {
    Field<CqGroup> field;
    field.key = "eq";
    field.type = "EQ name";
    field.doc = "Where it reports; CQ i of the group reports to EQ i mod count.";
    field.read = [](CqGroup& cq, const Node& node, ReadContext& context) {
        cq.eq = read_eq_group(node, context);
        if (cq.eq && context.scenario.eq[*cq.eq].kind != EqKind::Completion) {
            context.errors.add(node.where,
                               "eq = " + in_quotes(node.text) + " is for asynchronous events",
                               "an [[eq]] with kind = \"completion\" (S6.21)");
        }
    };
    field.write = [](const CqGroup& cq, const Scenario& scenario) -> std::optional<std::string> {
        return cq.eq ? std::optional<std::string>(in_quotes(scenario.eq.at(*cq.eq).name))
                     : std::nullopt;
    };
    return std::move(field).standing_for("none: it can only be polled");
}

}  // namespace

Words<ArmKind> arm_words() {
    return {{"next", ArmKind::Next}, {"solicited", ArmKind::Solicited}};
}

void check_moderation(const Moderation& moderation, const Node& table, ReadContext& context) {
    if (moderation.on() && moderation.period.ps == 0 && !context.errors.has_at(table.where)) {
        context.errors.add(table.where,
                           "moderation has a count and no period: the last entries would never be "
                           "reported (S4.9)",
                           "e.g. period = \"4 us\"");
    }
}

const Spec<Moderation>& moderation_spec() {
    using T = Moderation;
    static const Spec<T> spec{
        "[[cq]] moderation",
        {},
        {
            integer<T>("count", &T::count, {0, UINT16_MAX}, "Entries for one event; 0, 1: none."),
            duration<T>("period",
                        &T::period,
                        {{}, kMaxPeriodOfEvents},
                        "From the first entry to the event, if the count is not reached before."),
        },
        {},
        [](T& moderation, const Node& node, ReadContext& context) {
            check_moderation(moderation, node, context);
        }};
    return spec;
}

const Spec<EqGroup>& eq_spec() {
    using T = EqGroup;
    static const Spec<T> spec{
        "[[eq]]",
        {},
        {
            group_name<T>(&T::name, "Of the event queue, or of the group.").required(),
            integer<T>("count", &T::count, {1, kMaxEqs}, "EQs in the group; a member is NAME[i]."),
            choice<T, EqKind>("kind",
                              &T::kind,
                              {{"completion", EqKind::Completion}, {"async", EqKind::Async}},
                              "What it is for (S6.21)."),
            integer<T>("depth",
                       &T::depth,
                       {1, kMaxEqDepth},
                       "Entries asked for; the ring gets the next power of two.")
                .required(),
            integer<T>("vector",
                       &T::vector,
                       {0, kMaxVectors - 1},
                       "Whose interrupt tells of entries; member i has vector + i.")
                .required(),
            choice<T, bool>("reader",
                            &T::handled,
                            {{"handler", true}, {"script", false}},
                            "Who reads it: the interrupt's handler, or steps alone."),
        },
        {},
        [](T& eq, const Node& node, ReadContext& context) {
            eq.capacity = capacity_of(eq.depth);
            const Node* count = node.find("count");
            if (eq.kind == EqKind::Async && eq.count != 1 && count != nullptr) {
                context.errors.add(count->where,
                                   "more than one event queue for asynchronous events",
                                   "one at most in all (S6.21)");
            }
            if (eq.vector + eq.count > kMaxVectors && count != nullptr) {
                context.errors.add(count->where,
                                   "vectors beyond " + std::to_string(kMaxVectors - 1),
                                   "vector + count is at most " + std::to_string(kMaxVectors));
            }
        }};
    return spec;
}

const Spec<CqGroup>& cq_spec() {
    using T = CqGroup;
    static const Spec<T> spec{
        "[[cq]]",
        {},
        {
            group_name<T>(&T::name, "Of the CQ, or of the group.").required(),
            integer<T>("count", &T::count, {1, kMaxIds}, "CQs in the group; a member is NAME[i]."),
            integer<T>("depth",
                       &T::depth,
                       {1, OverflowConfig::kMaxDepth},
                       "Entries asked for; the CQ holds at least as many (S4.2).")
                .required(),
            boolean<T>("ignore_overrun",
                       &T::ignore_overrun,
                       "A full ring is overwritten: no overrun, entries may be lost (K12, S4.3)."),
            boolean<T>("collapsed",
                       &T::collapsed,
                       "Every entry goes to slot 0; its counter tells progress (S3.16)."),
            eq_field(),
            inline_table<T>(
                "moderation",
                &T::moderation,
                moderation_spec(),
                [](const T& cq) { return cq.moderation.on(); },
                "When an armed CQ reports (S4.9)."),
            boolean<T>("at_start",
                       &T::at_start,
                       "Whether it is there when the run begins; if not, steps create it."),
        },
        {},
        [](T& cq, const Node& node, ReadContext& context) {
            const Node* collapsed = node.find("collapsed");
            if (cq.collapsed && !cq.ignore_overrun && collapsed != nullptr) {
                context.errors.add(collapsed->where,
                                   "collapsed = true without ignore_overrun",
                                   "ignore_overrun = true as well: every entry overwrites (S3.16)");
            }
        }};
    return spec;
}

const Spec<HostLoop>& host_spec() {
    using T = HostLoop;
    static const Spec<T> spec = [] {
        Spec<T> s;
        s.section = "[[host]]";
        s.fresh.interval = from_ns(100);
        s.fields = {
            cq_group<T>("cq", &T::cq, "The CQ, or each CQ of the group.").required(),
            choice<T, HostMode>("mode",
                                &T::mode,
                                {{"poll", HostMode::Poll},
                                 {"event", HostMode::Event},
                                 {"script", HostMode::Script}},
                                "How the host learns of entries."),
            integer<T>("batch", &T::batch, {1, 65536}, "Entries that one poll takes at most."),
            duration<T>(
                "interval", &T::interval, {from_ns(1), kSecond}, "Between two polls of one CQ."),
            duration<T>("start", &T::start, {{}, kMaxTime}, "No poll before."),
            choice<T>("arm", &T::arm, arm_words(), "Which entries wake it (S6.2).")
                .only(kOfEvent, is_event),
            choice<T, SleepOrder>("order",
                                  &T::order,
                                  {{"arm_then_poll", SleepOrder::ArmThenPoll},
                                   {"poll_then_arm_then_sleep", SleepOrder::ArmThenSleep}},
                                  "What comes after a poll that found the CQ empty (S6.8).")
                .only(kOfEvent, is_event),
        };
        s.prepare = [](T& host, const Node& node, ReadContext&) {
            const Node* mode = node.find("mode");  // decides what else belongs to it
            if (mode != nullptr && mode->text == "event") {
                host.mode = HostMode::Event;
            }
            return true;
        };
        s.check = [](T& host, const Node& node, ReadContext& context) {
            check_before_end(host.start, "start", node, context);
        };
        return s;
    }();
    return spec;
}

const Spec<HostDriver>& host_driver_spec() {
    using T = HostDriver;
    static const Spec<T> spec{
        "[host_driver]",
        {},
        {
            choice<T, StalePolicy>("stale",
                                   &T::stale,
                                   {{"none", StalePolicy::None},
                                    {"compact", StalePolicy::Compact},
                                    {"compact_early", StalePolicy::CompactEarly}},
                                   "What becomes of entries that a QP leaves behind (K14)."),
            choice<T, ClassifyPolicy>(
                "classify",
                &T::classify,
                {{"status", ClassifyPolicy::Status}, {"opcode", ClassifyPolicy::Opcode}},
                "How it tells the completion of a send from that of a receive (S1.2)."),
            choice<T, IncrementPolicy>("increment",
                                       &T::increment,
                                       {{"split", IncrementPolicy::Split},
                                        {"truncate", IncrementPolicy::Truncate},
                                        {"clamp", IncrementPolicy::Clamp}},
                                       "An increment that is too large for its field (K20)."),
            choice<T, CqCreditPolicy>("cq_credits",
                                      &T::cq_credits,
                                      {{"none", CqCreditPolicy::None},
                                       {"per_wqe", CqCreditPolicy::PerWqe},
                                       {"until_error", CqCreditPolicy::UntilError}},
                                      "Which sends wait for room in their CQ (S5.13)."),
            duration<T>("interrupt_latency",
                        &T::interrupt_latency,
                        {{}, kSecond},
                        "From an interrupt's message in memory to its handler."),
            duration<T>("command_timeout",
                        &T::command_timeout,
                        {from_ns(1), kMaxTime},
                        "From a command to giving up that its answer comes."),
        },
        {},
        {}};
    return spec;
}

}  // namespace cqsim::tb
