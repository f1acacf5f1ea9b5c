// SPDX-License-Identifier: Apache-2.0
// clang-format off
/// \file
/// The BAR through which software rings doorbells, byte by byte (S3.1, S3.2, S6.11, S6.22).
///
/// Every register is write-only, 64 bits, little-endian, at an 8-byte aligned offset, and takes
/// whole 8-byte writes only.
///
/// | offset | register | bits | |
/// |---|---|---|---|
/// | 0x00 .. 0x1F | | | reserved |
/// | 0x20 | CQ_ARM | 23:0 | cqn |
/// | | | 24 | 0: report the next entry; 1: the next solicited or failed one (S6.2) |
/// | | | 31:25 | zero |
/// | | | 63:32 | consumer index of the CQ, its upper bits zero when indices are narrower |
/// | 0x28 | CQ_CI | 23:0 | cqn |
/// | | | 31:24 | zero |
/// | | | 63:32 | consumer index, as in CQ_ARM |
/// | 0x30 | CQ_CREDIT | 23:0 | cqn |
/// | | | 31:24 | zero |
/// | | | 63:32 | by how much the consumer index grows, its upper bits zero when the field is narrower |
/// | 0x38 | | | reserved |
/// | 0x40 | EQ_ARM | 15:0 | eqn |
/// | | | 31:16 | zero |
/// | | | 63:32 | consumer index of the event queue; asks for the next interrupt as well |
/// | 0x48 | EQ_UPDATE | | as EQ_ARM, without asking for an interrupt |
/// | 0x50 .. 0xFFF | | | reserved |
///
/// CQ_CI and CQ_CREDIT have an effect only if the device was configured for that path of consumer
/// indices; for the path of doorbell records, in host memory, neither has.
// clang-format on
#pragma once

#include "models/observe/record.h"

namespace cqsim::bar {

inline constexpr std::uint64_t kBytes = 0x1000;
inline constexpr std::uint64_t kCqArm = 0x20;
inline constexpr std::uint64_t kCqConsumer = 0x28;
inline constexpr std::uint64_t kCqCredit = 0x30;
inline constexpr std::uint64_t kEqArm = 0x40;
inline constexpr std::uint64_t kEqUpdate = 0x48;
inline constexpr unsigned kRegisterBytes = 8;

/// What CQ_ARM takes.
constexpr std::uint64_t cq_arm(Cqn cqn, std::uint32_t consumer, ArmKind kind) {
    const std::uint64_t solicited = kind == ArmKind::Solicited ? 1 : 0;
    return (std::uint64_t{consumer} << 32U) | (solicited << 24U) | index_of(cqn);
}

/// What CQ_CI takes.
constexpr std::uint64_t cq_consumer(Cqn cqn, std::uint32_t consumer) {
    return (std::uint64_t{consumer} << 32U) | index_of(cqn);
}

/// What CQ_CREDIT takes.
constexpr std::uint64_t cq_credit(Cqn cqn, std::uint32_t increment) {
    return (std::uint64_t{increment} << 32U) | index_of(cqn);
}

/// What EQ_ARM and EQ_UPDATE take.
constexpr std::uint64_t eq_index(Eqn eqn, std::uint32_t consumer) {
    return (std::uint64_t{consumer} << 32U) | static_cast<std::uint64_t>(eqn);
}

}  // namespace cqsim::bar
