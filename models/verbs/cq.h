// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a CQ can be made as: the format of its entries, the convention of its owner bits, its
/// flags, and how its ring is replaced. Numbers and words only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cqsim {

/// The state of a CQ as the device sees it.
enum class CqState : std::uint8_t { None = 0, Ok = 1, Error = 2 };

/// Layout of the entries of a ring.
enum class CqeFormat : std::uint8_t {
    Native = 0,    ///< 64 bytes, all fields of S1.1
    Mlx5 = 1,      ///< 64 bytes (S1.19, S1.20)
    Mlx5Wide = 2,  ///< 128 bytes, the entry proper in the second half (S3.6, S3.15)
};
inline constexpr std::array<std::string_view, 3> kCqeFormatNames{"native", "mlx5", "mlx5_128"};

/// From one entry to the next, bytes.
constexpr std::uint32_t stride_of(CqeFormat format) {
    return format == CqeFormat::Mlx5Wide ? 128 : 64;
}

/// How an entry's owner value tells the lap that it belongs to (K02, S3.3, S3.4). Laps count from
/// 0.
enum class OwnerScheme : std::uint8_t {
    Parity = 0,  ///< A: lap mod 2; software presets slots to opcode INVALID. Depth a power of two
    ParityPreset = 1,  ///< A': lap mod 2; software presets owner 1. Depth a power of two
    Phase = 2,         ///< B: 1 in lap 0, inverted with each lap; software presets zeros. Any depth
    Generation = 3,  ///< 3 bits: (lap + 1) mod 8; software presets zeros. Any depth. An entry that
                     ///< is neither of the lap nor of the one before tells of an overwrite
};
inline constexpr std::array<std::string_view, 4> kOwnerSchemeNames{
    "parity", "parity_preset", "phase", "generation"};

/// Flags of a CQ, a bit set (S4.3, S3.16).
inline constexpr std::uint8_t kIgnoreOverrun = 1;  ///< never in error: entries overwrite (K12)
inline constexpr std::uint8_t kCollapsed = 2;  ///< every entry goes to slot 0; only with the first
inline constexpr std::uint8_t kKnownCqFlags = kIgnoreOverrun | kCollapsed;

/// How a ring is replaced while traffic runs: what the last entry of the old ring says.
enum class ResizeMode : std::uint8_t {
    Marker = 0,  ///< S4.7: the new ring goes on at the next index; software copies what is unpolled
    CutOff = 1,  ///< S4.8: the new ring begins at its slot 0 in a new lap 0; nothing is copied
};
inline constexpr std::array<std::string_view, 2> kResizeModeNames{"marker", "cutoff"};

}  // namespace cqsim
