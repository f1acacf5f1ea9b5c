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
inline constexpr std::uint32_t kIndexMask = (1U << kIndexWidth) - 1;
inline constexpr std::uint64_t kStamp = 1000;  // ps: what happens at one time is a multiple of it
inline constexpr std::uint32_t kEqEntry = 64;  // bytes
inline constexpr std::uint32_t kRings = 2;     // of a CQ, in turn

/// Where software lays out its rings. All in whole pages.
namespace layout {
constexpr std::uint64_t page(std::uint64_t number) {
    return HostMemory::kBase + number * HostMemory::kPage;
}
constexpr std::uint64_t cq_ring(std::uint32_t cq, std::uint32_t ring) {
    return page(std::uint64_t{kRings} * cq + ring);
}
inline constexpr std::uint64_t kRecordPage = std::uint64_t{kRings} * kCqs;
constexpr std::uint64_t doorbell_record(std::uint32_t cq) {
    return page(kRecordPage) + std::uint64_t{8} * cq;
}
constexpr std::uint64_t eq_ring(std::uint16_t eqn) {
    return page(kRecordPage + 1 + eqn);
}
/// Where there is no memory: entries for a ring there cannot be written (S5.3j, S6.23).
constexpr std::uint64_t nowhere(std::uint64_t ring) {
    return ring + (std::uint64_t{1} << 28U);
}
inline constexpr std::uint64_t kMsix = page(kRecordPage + 1 + kEqs);
inline constexpr std::uint64_t kPages = kRecordPage + 1 + kEqs + 1;
}  // namespace layout

/// What a seed stands for. The same for both compositions.
struct Setting {
    CoreConfig core;
    /// Writes of entries that the engine has in flight: 1, or more than there ever are.
    std::uint32_t window = 1;
    CqeFormat format = CqeFormat::Native;  ///< of all CQs

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
        draw_rings(random);
        core.qp.flush_order = static_cast<FlushOrder>(random.below(3));
        core.qp.reset_from = random.coin() ? ResetFrom::Any : ResetFrom::Error;
        core.event.failed_sends_solicited = random.coin();
    }

  private:
    void draw_rings(RandomStream& random) {
        OverflowConfig& rings = core.overflow;
        rings.owner =
            random.coin() ? OwnerScheme::Parity : static_cast<OwnerScheme>(random.below(4));
        rings.spare_slots = random.coin() ? 1 : 0;
        const bool is_parity = rings.owner == OwnerScheme::Parity;
        if (is_parity) {  // other schemes go with no other format
            format = static_cast<CqeFormat>(random.below(kCqeFormatNames.size()));
        }
        if (random.below(8) == 0) {
            rings.resize = std::nullopt;
        } else {
            rings.resize =
                random.below(is_parity ? 2 : 8) == 0 ? ResizeMode::Marker : ResizeMode::CutOff;
        }
        const std::uint32_t late = owner::by_index(rings.owner) ? 48 : 61;
        rings.first_index = random.coin() ? late : 0;
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
    virtual void last_wqe_ended(Qpn qpn, std::uint16_t generation) = 0;
    virtual void srq_limit_reached(Srqn srqn) = 0;
    virtual void flushed(Qpn qpn, std::uint16_t generation, QueueKind queue) = 0;
    /// The answer comes into the trace, at once or later.
    virtual void submit(std::uint32_t ticket, const Command& command) = 0;
    /// Writes a register of the BAR.
    virtual void ring(std::uint64_t offset, std::uint64_t value) = 0;

    /// Host memory from there to the end of the page.
    virtual std::byte* memory(std::uint64_t address) = 0;
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
