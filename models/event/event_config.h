// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/time/time_ps.h"

namespace cqsim {

/// What an arm says about entries that were there before it (K09).
enum class ArmPolicy : std::uint8_t {
    Edge,   ///< nothing: only entries published after the arm are reported (S6.1)
    Level,  ///< those neither consumed by the index it carries nor reported fire at once (S6.7)
};

/// What a solicited or failed entry does under moderation (K15).
enum class ModerationBreak : std::uint8_t {
    Break,  ///< reports at once (S4.10)
    Wait,   ///< counts like any other
};

/// What an event for a full event queue does (K13).
enum class EqOverflowPolicy : std::uint8_t {
    DeviceFatal,   ///< it is dropped and counted, the queue is in error for good, DEVICE_FATAL
    BackPressure,  ///< it waits until software gives entries back
};

struct EventConfig {
    std::uint32_t eqs = 64;               ///< EQ numbers are 0 .. eqs-1; at most 65535
    std::uint32_t vectors = 64;           ///< in the MSI-X table, 1 .. 2048
    TimePs eqe_service = from_ns(4);      ///< time to form one entry, 0 .. 1 ms
    std::uint32_t writes_in_flight = 16;  ///< entries and interrupts not yet in memory, 1 .. 1024
    ArmPolicy arm = ArmPolicy::Edge;
    ModerationBreak solicited = ModerationBreak::Break;
    EqOverflowPolicy eq_overflow = EqOverflowPolicy::DeviceFatal;
    bool moderation = true;  ///< whether the device can do it at all (S4.9)
    /// S6.2, K11: a failed entry of a send counts as solicited, as one of a receive always does.
    bool failed_sends_solicited = true;
    /// The MSI-X table: vector v is a write of the 4 bytes v, little-endian, to this address + 4 v.
    std::uint64_t msix_address = 0;

    static constexpr std::uint32_t kMaxEqDepth = 1U << 20;
    static constexpr std::uint32_t kMsixBytes = 4;
    static constexpr std::uint32_t kMaxCount = 0xFFFF;  ///< S4.9: 16 bits
    /// S4.9: 12 bits of microseconds.
    static constexpr TimePs kMaxPeriod = from_ns(4'095'000);
};

}  // namespace cqsim
