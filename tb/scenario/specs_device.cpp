// SPDX-License-Identifier: Apache-2.0
// [device] and the tables below it.
#include "tb/scenario/specs.h"

namespace cqsim::tb {
namespace {

Words<ArbiterPolicy> policy_words() {
    return {{"fifo", ArbiterPolicy::Fifo}, {"round_robin", ArbiterPolicy::RoundRobin}};
}

Words<Requester> requester_words() {
    return {{"tap", Requester::Tap}, {"qp", Requester::Qp}, {"cq", Requester::Cq}};
}

Words<AdmissionPolicy> admission_words() {
    return {{"shared_pool", AdmissionPolicy::SharedPool}, {"credits", AdmissionPolicy::Credits}};
}

Words<TieBreak> tie_break_words() {
    return {{"tx_first", TieBreak::TxFirst},
            {"rx_first", TieBreak::RxFirst},
            {"seeded", TieBreak::Seeded}};
}

template <class Enum, class Names>
Words<Enum> words_of(const Names& names) {
    Words<Enum> words;
    for (std::size_t i = 0; i < names.size(); ++i) {
        words.emplace_back(std::string(names[i]), static_cast<Enum>(i));
    }
    return words;
}

Words<OwnerScheme> owner_words() {
    return words_of<OwnerScheme>(kOwnerSchemeNames);
}

Words<CqeFormat> format_words() {
    return words_of<CqeFormat>(kCqeFormatNames);
}

const Spec<ArbiterConfig>& arbiter_spec() {
    using T = ArbiterConfig;
    static const Spec<T> spec{
        "[device.completion_arbiter]",
        {},
        {
            choice<T>("policy", &T::policy, policy_words(), "Order of service on the one path."),
            choice<T>("requester", &T::requester, requester_words(), "Who competes."),
            choice<T>(
                "admission", &T::admission, admission_words(), "How the bounded input is shared."),
            integer<T>(
                "depth", &T::depth, {1, T::kMaxDepth}, "Completions that wait in the shared pool."),
            integer<T>("credits",
                       &T::credits,
                       {1, T::kMaxCredits},
                       "Completions that wait per requester under credits."),
            choice<T>("tie_break",
                      &T::tie_break,
                      tie_break_words(),
                      "Which tap is first among completions of one time."),
        },
        {},
        {}};
    return spec;
}

const Spec<WriterConfig>& writer_spec() {
    using T = WriterConfig;
    static const Spec<T> spec{
        "[device.cqe_writer]",
        {},
        {
            duration<T>("service", &T::service, {{}, T::kMaxService}, "Time to form one entry."),
            integer<T>("writes_in_flight",
                       &T::writes_in_flight,
                       {1, T::kMaxWritesInFlight},
                       "Writes that are not yet in memory."),
            choice<T, UndefinedPolicy>("undefined",
                                       &T::undefined,
                                       {{"poison", UndefinedPolicy::Poison},
                                        {"stale", UndefinedPolicy::Stale},
                                        {"zero", UndefinedPolicy::Zero}},
                                       "What lies in the fields that a failed entry does not "
                                       "define (S1.2)."),
        },
        {},
        {}};
    return spec;
}

void check_beat(MemoryConfig& memory, const Node& node, ReadContext& context) {
    if ((memory.beat & (memory.beat - 1)) != 0) {
        context.errors.add(node.find("beat")->where,
                           "beat = " + std::to_string(memory.beat) + " is no power of two",
                           "8, 16, 32 or 64");
    }
}

const Spec<MemoryConfig>& memory_spec() {
    using T = MemoryConfig;
    static const Spec<T> spec{
        "[device.memory]",
        {},
        {
            duration<T>("write_latency",
                        &T::write_latency,
                        {{}, T::kMaxLatency},
                        "End of transfer to visible."),
            duration<T>("read_latency",
                        &T::read_latency,
                        {{}, T::kMaxLatency},
                        "Request to data, for reads by the device."),
            bandwidth<T>("bandwidth", &T::bandwidth, "What the device's writes share."),
            choice<T, MemoryOrdering>(
                "ordering",
                &T::ordering,
                {{"ordered", MemoryOrdering::Ordered}, {"relaxed", MemoryOrdering::Relaxed}},
                "In which order the bytes of writes become visible (S3.6)."),
            integer<T>(
                "beat", &T::beat, {T::kMinBeat, T::kMaxBeat}, "Bytes that become visible at once.")
                .ranged("8, 16, 32, 64"),
            duration<T>(
                "beat_gap", &T::beat_gap, {{}, T::kMaxLatency}, "Between two beats of one write."),
            duration<T>("reorder",
                        &T::reorder,
                        {{}, T::kMaxLatency},
                        "Relaxed: a beat comes late by up to so much."),
        },
        {},
        check_beat};
    return spec;
}

const Spec<OverflowConfig>& overflow_spec() {
    using T = OverflowConfig;
    static const Spec<T> spec{
        "[device.overflow]",
        {},
        {
            choice<T, OverflowPolicy>("policy",
                                      &T::policy,
                                      {{"cq_error", OverflowPolicy::CqError}},
                                      "What an attempt to add to a full CQ does."),
            integer<T>("index_width",
                       &T::index_width,
                       {T::kMinIndexWidth, 32},
                       "Bits of the device-visible indices."),
            integer<T>(
                "first_index",
                &T::first_index,
                {0, UINT32_MAX},
                "First index of a new CQ; a multiple of its slots with both parity schemes."),
            choice<T>("owner",
                      &T::owner,
                      owner_words(),
                      "What an entry's owner value says of its lap (K02)."),
            integer<T>(
                "max_depth", &T::max_depth, {1, T::kMaxDepth}, "Slots of a CQ at most (S4.2)."),
            integer<T>("max_cqs", &T::max_cqs, {1, kMaxIds}, "CQs at one time at most (S4.2)."),
            choice<T, std::optional<ResizeMode>>("resize",
                                                 &T::resize,
                                                 {{"marker", ResizeMode::Marker},
                                                  {"cutoff", ResizeMode::CutOff},
                                                  {"none", std::nullopt}},
                                                 "How a ring is replaced (S4.6 to S4.8)."),
            choice<T, std::uint32_t>("full",
                                     &T::spare_slots,
                                     {{"depth", 0}, {"depth_minus_one", 1}},
                                     "When a ring is full (K01): with no slot left, or with one."),
            choice<T, ConsumerPath>("consumer_index",
                                    &T::consumer_index,
                                    {{"record", ConsumerPath::Record},
                                     {"mmio", ConsumerPath::Mmio},
                                     {"increment", ConsumerPath::Increment}},
                                    "How software returns slots (S3.1, S3.2, K20)."),
            integer<T>("increment_bits",
                       &T::increment_bits,
                       {T::kMinIncrementBits, T::kMaxIncrementBits},
                       "Bits of an increment."),
        },
        {},
        {}};
    return spec;
}

const Spec<CommandConfig>& command_spec() {
    using T = CommandConfig;
    static const Spec<T> spec{
        "[device.command_unit]",
        {},
        {
            duration<T>("service",
                        &T::service,
                        {{}, kMillisecond},
                        "From taking up a command to its effect; one at a time."),
            choice<T, CommandResult>(
                "in_use",
                &T::in_use,
                {{"busy", CommandResult::Busy}, {"invalid", CommandResult::Invalid}},
                "What the destroy of a CQ to which a QP reports is answered (K16)."),
        },
        {},
        {}};
    return spec;
}

const Spec<EventConfig>& event_spec() {
    using T = EventConfig;
    static const Spec<T> spec{
        "[device.event_arbiter]",
        {},
        {
            duration<T>("eqe_service",
                        &T::eqe_service,
                        {{}, kMillisecond},
                        "Time to form an entry of an event queue."),
            integer<T>("writes_in_flight",
                       &T::writes_in_flight,
                       {1, 1024},
                       "Entries and interrupts that are not yet in memory."),
            choice<T, ArmPolicy>("arm",
                                 &T::arm,
                                 {{"edge", ArmPolicy::Edge}, {"level", ArmPolicy::Level}},
                                 "What an arm says about entries that were there before it (K09)."),
            choice<T, ModerationBreak>(
                "solicited",
                &T::solicited,
                {{"break", ModerationBreak::Break}, {"wait", ModerationBreak::Wait}},
                "What a solicited or failed entry does under moderation (K15)."),
            choice<T, EqOverflowPolicy>("eq_overflow",
                                        &T::eq_overflow,
                                        {{"fatal", EqOverflowPolicy::DeviceFatal},
                                         {"back_pressure", EqOverflowPolicy::BackPressure}},
                                        "What an event for a full event queue does (K13)."),
            boolean<T>("moderation", &T::moderation, "Whether the device can do it (S4.9)."),
            boolean<T>(
                "failed_sends_solicited",
                &T::failed_sends_solicited,
                "Whether a failed send counts as solicited, as a failed receive does (K11)."),
        },
        {},
        {}};
    return spec;
}

}  // namespace

const Spec<Scenario>& device_spec() {
    using T = Scenario;
    static const Spec<T> spec{
        "[device]",
        {},
        {
            choice<T>(
                "cqe_format", &T::cqe_format, format_words(), "Layout of the entries in the ring."),
            choice<T, bool>("send_byte_len",
                            &T::send_length,
                            {{"undefined", false}, {"length", true}},
                            "byte_len of a successful SEND or WRITE (K19)."),
            choice<T>("slot_release",
                      &T::slot_release,
                      words_of<SlotRelease>(kSlotReleaseNames),
                      "What frees a slot of a send queue (S2.5, K26)."),
            duration<T>(
                "link_delay",
                [](auto& s) -> auto& { return s.device.link_delay; },
                {{}, kMillisecond},
                "Added to each call and answer on the completion, slot and memory links: for "
                "tests."),
            choice<T, FlushOrder>(
                "flush_order",
                [](auto& s) -> auto& { return s.device.qp.flush_order; },
                {{"sq_then_rq", FlushOrder::SqThenRq},
                 {"rq_then_sq", FlushOrder::RqThenSq},
                 {"interleaved", FlushOrder::Interleaved}},
                "Which queue of a QP in ERR flushes first (K18)."),
            choice<T, ResetFrom>(
                "reset_from",
                [](auto& s) -> auto& { return s.device.qp.reset_from; },
                {{"any", ResetFrom::Any}, {"error", ResetFrom::Error}},
                "From which states a QP may be reset (K21)."),
            duration<T>("flush_service",
                        &T::flush_service,
                        {{}, kMillisecond},
                        "Between two flushes of one pipeline, which makes one at a time."),
            table<T>(
                "completion_arbiter",
                [](auto& s) -> auto& { return s.device.arbiter; },
                arbiter_spec(),
                "Who goes next through the one path."),
            table<T>(
                "cqe_writer",
                [](auto& s) -> auto& { return s.device.writer; },
                writer_spec(),
                "What forms and writes entries."),
            table<T>(
                "memory",
                [](auto& s) -> auto& { return s.memory; },
                memory_spec(),
                "Host memory as the device sees it."),
            table<T>(
                "overflow",
                [](auto& s) -> auto& { return s.device.overflow; },
                overflow_spec(),
                "What happens when a CQ is full."),
            table<T>(
                "event_arbiter",
                [](auto& s) -> auto& { return s.device.event; },
                event_spec(),
                "What reports events and interrupts."),
            table<T>(
                "command_unit",
                [](auto& s) -> auto& { return s.device.command; },
                command_spec(),
                "What carries out commands."),
        },
        {},
        {}};
    return spec;
}

}  // namespace cqsim::tb
