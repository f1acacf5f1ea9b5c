// SPDX-License-Identifier: Apache-2.0
/// \file
/// The doorbell record of a CQ: 8 bytes of host memory, written by software (S3.1).
///
/// | byte | field | meaning |
/// |------|-------|---------|
/// | 0-3  | set_ci | consumer index, masked to the device's index width, big-endian |
/// | 4-7  | arm_db | arm request, big-endian; not used by polling |
#pragma once

#include <cstdint>

namespace cqsim::doorbell_record {

inline constexpr std::uint32_t kBytes = 8;
inline constexpr std::uint32_t kConsumerIndex = 0;

inline std::uint32_t load(const unsigned char* bytes) {
    return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U |
           std::uint32_t{bytes[2]} << 8U | std::uint32_t{bytes[3]};
}

inline void store(unsigned char* bytes, std::uint32_t value) {
    bytes[0] = static_cast<unsigned char>(value >> 24U);
    bytes[1] = static_cast<unsigned char>(value >> 16U);
    bytes[2] = static_cast<unsigned char>(value >> 8U);
    bytes[3] = static_cast<unsigned char>(value);
}

}  // namespace cqsim::doorbell_record
