// SPDX-License-Identifier: Apache-2.0
#include "models/doorbell/doorbell_rules.h"

namespace cqsim {
namespace {

constexpr std::uint64_t kWithinRegister = bar::kRegisterBytes - 1;
constexpr std::uint64_t kSolicitedBit = std::uint64_t{1} << 24U;
constexpr std::uint64_t kCqReserved = 0xFE00'0000;
constexpr std::uint64_t kCqIndexReserved = 0xFF00'0000;
constexpr std::uint64_t kEqReserved = 0xFFFF'0000;

bool is_register(std::uint64_t offset) {
    return offset == bar::kCqArm || offset == bar::kCqConsumer || offset == bar::kCqCredit ||
           offset == bar::kEqArm || offset == bar::kEqUpdate;
}

std::uint64_t load(const unsigned char* bytes) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bar::kRegisterBytes; ++i) {
        value |= std::uint64_t{bytes[i]} << (8 * i);
    }
    return value;
}

BusAnswer answer_of_bus(const BarAccess& access, std::uint64_t offset) {
    if (!is_register(offset & ~kWithinRegister)) {
        return BusAnswer::AddressError;
    }
    if (!access.write) {
        return BusAnswer::CommandError;
    }
    if (access.byte_enables) {
        return BusAnswer::ByteEnableError;
    }
    if ((offset & kWithinRegister) != 0 || access.bytes != bar::kRegisterBytes ||
        access.streaming_width < access.bytes) {
        return BusAnswer::BurstError;
    }
    return BusAnswer::Ok;
}

void decode_cq_arm(std::uint64_t value, std::uint32_t index_width, Doorbell& doorbell) {
    doorbell.what = Doorbell::What::ArmCq;
    doorbell.cqn = Cqn{static_cast<std::uint32_t>(value & (kMaxIds - 1))};
    doorbell.kind = (value & kSolicitedBit) != 0 ? ArmKind::Solicited : ArmKind::Next;
    if ((value & kCqReserved) != 0) {
        doorbell.refusal = DoorbellRefusal::ReservedBits;
    } else if ((doorbell.consumer & ~index_mask(index_width)) != 0) {
        doorbell.refusal = DoorbellRefusal::WideIndex;
    }
}

void decode_cq_index(std::uint64_t value, const DoorbellConfig& config, Doorbell& doorbell) {
    const bool credit = doorbell.offset == bar::kCqCredit;
    doorbell.what = credit ? Doorbell::What::CqCredit : Doorbell::What::CqConsumer;
    doorbell.cqn = Cqn{static_cast<std::uint32_t>(value & (kMaxIds - 1))};
    const std::uint32_t bits = credit ? config.increment_bits : config.index_width;
    if (config.consumer_index != (credit ? ConsumerPath::Increment : ConsumerPath::Mmio)) {
        doorbell.refusal = DoorbellRefusal::OtherPath;
    } else if ((value & kCqIndexReserved) != 0) {
        doorbell.refusal = DoorbellRefusal::ReservedBits;
    } else if ((doorbell.consumer & ~index_mask(bits)) != 0) {
        doorbell.refusal = DoorbellRefusal::WideIndex;
    }
}

void decode_eq_index(std::uint64_t value, Doorbell& doorbell) {
    doorbell.what = Doorbell::What::EqConsumer;
    doorbell.eqn = Eqn{static_cast<std::uint16_t>(value & 0xFFFFU)};
    doorbell.arms = doorbell.offset == bar::kEqArm;
    if ((value & kEqReserved) != 0) {
        doorbell.refusal = DoorbellRefusal::ReservedBits;
    }
}

}  // namespace

Doorbell decode(const BarAccess& access, const DoorbellConfig& config) {
    const std::uint64_t offset = access.address - config.bar_address;  // below the BAR: huge
    Doorbell doorbell;
    doorbell.bus = answer_of_bus(access, offset);
    if (doorbell.bus != BusAnswer::Ok) {
        return doorbell;
    }
    const std::uint64_t value = load(access.data);
    doorbell.offset = static_cast<std::uint16_t>(offset);
    doorbell.consumer = static_cast<std::uint32_t>(value >> 32U);
    if (offset == bar::kCqArm) {
        decode_cq_arm(value, config.index_width, doorbell);
    } else if (offset == bar::kCqConsumer || offset == bar::kCqCredit) {
        decode_cq_index(value, config, doorbell);
    } else {
        decode_eq_index(value, doorbell);
    }
    return doorbell;
}

}  // namespace cqsim
