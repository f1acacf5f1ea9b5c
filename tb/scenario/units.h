// SPDX-License-Identifier: Apache-2.0
/// \file
/// Numbers with units, exactly: durations, rates, bandwidths.
#pragma once

#include "models/time/time_ps.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cqsim::tb {

/// The units that are known, for messages.
inline constexpr std::string_view kDurationUnits = "ps, ns, us, ms, s";
inline constexpr std::string_view kRateUnits = "/s, k/s, M/s, G/s";
inline constexpr std::string_view kBandwidthUnits = "B/s, kB/s, MB/s, GB/s, TB/s";

/// What a text turned out to be.
enum class UnitResult : std::uint8_t {
    Ok,
    NoNumber,     ///< it does not begin with a plain decimal number
    NoUnit,       ///< a number alone
    UnknownUnit,  ///< a number and something else
    NotWhole,     ///< not a whole number of picoseconds, or of bytes a second
    TooLarge,     ///< beyond 64 bits
};

template <class T>
struct Parsed {
    UnitResult result = UnitResult::NoNumber;
    T value{};
    bool negative = false;  ///< the value is the magnitude
};

/// "4 ns", "2.5 us": an exact whole number of picoseconds.
Parsed<TimePs> parse_duration(std::string_view text);

/// "1 M/s", "2.5 k/s": times a second, as the period rounded to the nearest picosecond.
/// A rate of 0 or less than one in 2^63 ps is TooLarge a period.
Parsed<TimePs> parse_rate(std::string_view text);

/// "16 GB/s": bytes a second; k is 1000.
Parsed<std::uint64_t> parse_bandwidth(std::string_view text);

/// In the largest unit that gives a whole number: "600 ns", "2500 ps", "0 ps".
std::string format_duration(TimePs time);
/// The shortest rate that `parse_rate` reads as this period, e.g. "3 M/s" for 333333 ps.
/// `period` is 1 ps to 10^12 ps.
std::string format_rate(TimePs period);
/// In the largest unit that gives a whole number.
std::string format_bandwidth(std::uint64_t bytes_per_second);

/// Shortest text that reads back as the same number.
std::string format_number(double number);
/// As a TOML basic string, quoted and escaped.
std::string in_quotes(std::string_view text);

}  // namespace cqsim::tb
