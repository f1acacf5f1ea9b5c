// SPDX-License-Identifier: Apache-2.0
/// \file
/// Choices of software, by name in a scenario.
#pragma once

#include <cstdint>

namespace cqsim::tb {

/// What a consumer does between a poll that found its CQ empty and its sleep.
enum class SleepOrder : std::uint8_t {
    ArmThenPoll,   ///< S6.8: arms, polls until empty again, sleeps
    ArmThenSleep,  ///< arms and sleeps: an entry that came before the arm is not seen
};

/// How software tells the completion of a send from that of a receive.
enum class ClassifyPolicy : std::uint8_t {
    Status,  ///< S1.2: by what the entry is, for the opcode of a failed one is not defined
    Opcode,  ///< by bit 7 of the opcode, whatever the status
};

/// What software does with the entries that a QP leaves behind at its destroy or reset (K14).
enum class StalePolicy : std::uint8_t {
    None,          ///< they stay; software skips them when it comes to them (S7.1)
    Compact,       ///< it sweeps them out when the device has acknowledged (S7.7)
    CompactEarly,  ///< it sweeps before the device has stopped: later entries slip in
};

/// What software does when more entries were read than the field of an increment can say (K20).
enum class IncrementPolicy : std::uint8_t {
    Split,     ///< it writes as many increments as are needed
    Truncate,  ///< it writes the bits that fit: the device believes the index modulo the field
    Clamp,     ///< it writes the largest increment, and forgets the rest
};

}  // namespace cqsim::tb
