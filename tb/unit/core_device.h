// SPDX-License-Identifier: Apache-2.0
/// \file
/// What software and the pipelines of the comparison of both compositions stand on.
#pragma once

#include "models/core/core.h"
#include "models/ring/host_memory.h"
#include "tb/unit/core_trace.h"

namespace cqsim::test {

inline constexpr std::uint32_t kQps = 6;
inline constexpr std::uint32_t kCqs = 4;
inline constexpr std::uint16_t kEqs = 24;
inline constexpr std::uint32_t kIndexWidth = 6;  // wraps every 64 entries
inline constexpr std::uint64_t kStamp = 1000;    // ps: what happens at one time is a multiple of it
inline constexpr std::uint32_t kEntry = 64;      // bytes, of both kinds of rings

/// Where software lays out its rings. All in whole pages.
namespace layout {
constexpr std::uint64_t page(std::uint64_t number) {
    return HostMemory::kBase + number * HostMemory::kPage;
}
constexpr std::uint64_t cq_ring(std::uint32_t cq) {
    return page(cq);
}
constexpr std::uint64_t doorbell_record(std::uint32_t cq) {
    return page(kCqs) + std::uint64_t{8} * cq;
}
constexpr std::uint64_t eq_ring(std::uint16_t eqn) {
    return page(kCqs + 1 + eqn);
}
/// Where there is no memory: entries for a ring there cannot be written (S5.3j, S6.23).
constexpr std::uint64_t nowhere(std::uint64_t ring) {
    return ring + (std::uint64_t{1} << 28U);
}
inline constexpr std::uint64_t kMsix = page(kCqs + 1 + kEqs);
inline constexpr std::uint64_t kPages = kCqs + 1 + kEqs + 1;
}  // namespace layout

/// What a seed stands for. The same for both compositions.
struct Setting {
    CoreConfig core;
    /// Writes of entries that the engine has in flight: 1, or more than there ever are.
    std::uint32_t window = 1;

    explicit Setting(std::uint64_t seed) {
        RandomStream random(seed, "core_setting");
        core.qps = kQps;
        core.cqs = kCqs;
        core.seed = seed;
        core.arbiter.policy = random.coin() ? ArbiterPolicy::Fifo : ArbiterPolicy::RoundRobin;
        core.arbiter.requester = static_cast<Requester>(random.below(3));
        core.arbiter.tie_break = static_cast<TieBreak>(random.below(3));
        core.arbiter.admission =
            random.coin() ? AdmissionPolicy::Credits : AdmissionPolicy::SharedPool;
        core.arbiter.depth = 2;
        core.arbiter.credits = core.arbiter.requester == Requester::Tap ? 2 : 1;
        core.overflow.index_width = kIndexWidth;
        core.overflow.first_index = random.coin() ? 48 : 0;
        core.overflow.max_cqs = random.coin() ? kCqs : kCqs - 1;
        core.command.in_use = random.coin() ? CommandResult::Busy : CommandResult::Invalid;
        core.event.eqs = kEqs;
        core.event.vectors = 8;
        core.event.writes_in_flight = static_cast<std::uint32_t>(1 + random.below(3) * 7);
        core.event.arm = random.coin() ? ArmPolicy::Level : ArmPolicy::Edge;
        core.event.solicited = random.coin() ? ModerationBreak::Break : ModerationBreak::Wait;
        core.event.eq_overflow =
            random.coin() ? EqOverflowPolicy::DeviceFatal : EqOverflowPolicy::BackPressure;
        core.event.msix_address = layout::kMsix;
        window = random.coin() ? 1 : 64;
        core.undefined = static_cast<UndefinedPolicy>(random.below(3));
        core.overflow.consumer_index = static_cast<ConsumerPath>(random.below(3));
        core.overflow.increment_bits = 4;
    }
};

/// One composition of the block, with host memory: what `Software` plays on.
class Device {
  public:
    Trace history;

    /// What follows belongs to this step; all that belongs to the one before is in the trace.
    virtual void begin_step(std::uint32_t step) = 0;

    virtual ArbiterRules::Offer offer(const Completion& completion) = 0;
    virtual void decline(Qpn qpn, QueueKind queue) = 0;
    /// This completion was that of a failure.
    virtual void request_failed(const Completion& completion) = 0;
    virtual void drained(Qpn qpn, std::uint16_t generation) = 0;
    /// The answer comes into the trace, at once or later.
    virtual void submit(std::uint32_t ticket, const Command& command) = 0;
    /// Writes a register of the BAR.
    virtual void ring(std::uint64_t offset, std::uint64_t value) = 0;

    /// An entry of a ring in host memory.
    virtual std::byte* entry_at(std::uint64_t address) = 0;
    virtual void write_doorbell_record(std::uint32_t cq, std::uint32_t value) = 0;
    /// The state goes into the trace.
    virtual void stand() = 0;
    /// Software's own records go where they belong in the order of things.
    virtual void note(const Record& record) = 0;

  protected:
    Device() = default;
    Device(const Device&) = default;
    Device& operator=(const Device&) = default;
    ~Device() = default;
};

}  // namespace cqsim::test
