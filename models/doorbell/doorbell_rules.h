// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an access to the BAR means (bar_map.h). No time, no SystemC.
#pragma once

#include "models/doorbell/bar_map.h"
#include "models/doorbell/doorbell_config.h"
#include "models/protocol/command.h"

namespace cqsim {

/// One access as it arrives on the memory-mapped socket.
struct BarAccess {
    std::uint64_t address = 0;
    const unsigned char* data = nullptr;  ///< `bytes` of them
    unsigned bytes = 0;
    unsigned streaming_width = 0;
    bool write = false;
    bool byte_enables = false;
};

/// What the bus hears.
enum class BusAnswer : std::uint8_t {
    Ok,
    AddressError,     ///< no register there
    CommandError,     ///< registers are write-only
    BurstError,       ///< not a whole register at once
    ByteEnableError,  ///< byte enables are not taken
};

/// Why a write that the bus took has no effect.
enum class DoorbellRefusal : std::uint8_t {
    None,
    ReservedBits,  ///< a bit that must be zero is not
    WideIndex,     ///< a consumer index or increment that has more bits than the device's
    OtherPath,     ///< the device takes consumer indices on another path
    UnknownCq,
    CqWithoutEq,  ///< the CQ can only be polled
    UnknownEq,
    EqIndex,  ///< a consumer index of an event queue that no correct software writes
    CqIndex,  ///< the same of a CQ
};
inline constexpr std::size_t kDoorbellRefusals =
    static_cast<std::size_t>(DoorbellRefusal::CqIndex) + 1;

/// An access, decoded.
struct Doorbell {
    enum class What : std::uint8_t { Nothing, ArmCq, CqConsumer, CqCredit, EqConsumer };

    BusAnswer bus = BusAnswer::Ok;
    DoorbellRefusal refusal = DoorbellRefusal::None;  ///< found by the decoding alone
    What what = What::Nothing;                        ///< Nothing unless the bus says Ok
    ArmKind kind = ArmKind::Next;
    bool arms = false;           ///< of EqConsumer: asks for the next interrupt as well
    std::uint16_t offset = 0;    ///< of the register in the BAR
    Cqn cqn = kNoCq;             ///< of all but EqConsumer
    Eqn eqn{};                   ///< of EqConsumer
    std::uint32_t consumer = 0;  ///< index; of CqCredit, by how much it grows
};

/// Decodes an access (S6.11, S6.22). Reserved offsets come before a wrong command, that before a
/// wrong size.
Doorbell decode(const BarAccess& access, const DoorbellConfig& config);

/// Why an arm had no effect, by the answer of the event arbiter.
constexpr DoorbellRefusal refusal_of_arm(CommandResult result) {
    return result == CommandResult::Ok        ? DoorbellRefusal::None
           : result == CommandResult::NoEntry ? DoorbellRefusal::UnknownCq
                                              : DoorbellRefusal::CqWithoutEq;
}

/// Why a consumer index or an increment had no effect, by the answer of the CQ contexts' owner.
constexpr DoorbellRefusal refusal_of_consumer(CommandResult result) {
    return result == CommandResult::Ok        ? DoorbellRefusal::None
           : result == CommandResult::NoEntry ? DoorbellRefusal::UnknownCq
                                              : DoorbellRefusal::CqIndex;
}

/// The same of an event queue's consumer index.
constexpr DoorbellRefusal refusal_of_eq_consumer(CommandResult result) {
    return result == CommandResult::Ok        ? DoorbellRefusal::None
           : result == CommandResult::NoEntry ? DoorbellRefusal::UnknownEq
                                              : DoorbellRefusal::EqIndex;
}

}  // namespace cqsim
