// SPDX-License-Identifier: Apache-2.0
#include "tb/scenario/units.h"

#include <array>
#include <charconv>
#include <cmath>

namespace cqsim::tb {
namespace {

struct Unit {
    std::string_view name;
    int exponent;  // of ten, to the base unit
};

// From small to large, each table.
constexpr std::array<Unit, 5> kTime{{{"ps", 0}, {"ns", 3}, {"us", 6}, {"ms", 9}, {"s", 12}}};
constexpr std::array<Unit, 4> kRate{{{"/s", 0}, {"k/s", 3}, {"M/s", 6}, {"G/s", 9}}};
constexpr std::array<Unit, 5> kBandwidth{
    {{"B/s", 0}, {"kB/s", 3}, {"MB/s", 6}, {"GB/s", 9}, {"TB/s", 12}}};

constexpr double kPsPerSecond = 1e12;

/// mantissa * 10^exponent
struct Decimal {
    std::uint64_t mantissa = 0;
    int exponent = 0;
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool append_digit(std::uint64_t& value, char digit) {
    const auto d = static_cast<std::uint64_t>(digit - '0');
    if (value > (UINT64_MAX - d) / 10) {
        return false;
    }
    value = value * 10 + d;
    return true;
}

/// Takes "12", "12.5" off the front of `text`.
UnitResult take_decimal(std::string_view& text, Decimal& decimal) {
    std::size_t at = 0;
    bool fits = true;
    const auto digits = [&](bool fraction) {
        const std::size_t from = at;
        for (; at < text.size() && is_digit(text[at]); ++at) {
            fits = fits && append_digit(decimal.mantissa, text[at]);
            decimal.exponent -= fraction ? 1 : 0;
        }
        return at > from;
    };
    if (!digits(false)) {
        return UnitResult::NoNumber;
    }
    if (at < text.size() && text[at] == '.') {
        ++at;
        if (!digits(true)) {
            return UnitResult::NoNumber;
        }
    }
    text.remove_prefix(at);
    return fits ? UnitResult::Ok : UnitResult::TooLarge;
}

/// A number and a unit of `table`; the unit's exponent is added.
template <class Table>
UnitResult take_value(std::string_view text, const Table& table, Decimal& decimal, bool& negative) {
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        negative = text.front() == '-';
        text.remove_prefix(1);
    }
    const UnitResult number = take_decimal(text, decimal);
    if (number != UnitResult::Ok) {
        return number;
    }
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    if (text.empty()) {
        return UnitResult::NoUnit;
    }
    for (const Unit& unit : table) {
        if (unit.name == text) {
            decimal.exponent += unit.exponent;
            return UnitResult::Ok;
        }
    }
    return UnitResult::UnknownUnit;
}

/// The decimal as a whole number.
UnitResult to_whole(Decimal decimal, std::uint64_t& value) {
    for (; decimal.exponent < 0 && decimal.mantissa != 0; ++decimal.exponent) {
        if (decimal.mantissa % 10 != 0) {
            return UnitResult::NotWhole;
        }
        decimal.mantissa /= 10;
    }
    for (; decimal.exponent > 0 && decimal.mantissa != 0; --decimal.exponent) {
        if (!append_digit(decimal.mantissa, '0')) {
            return UnitResult::TooLarge;
        }
    }
    value = decimal.mantissa;
    return UnitResult::Ok;
}

template <class Table>
std::string in_largest_unit(std::uint64_t value, const Table& table) {
    std::size_t unit = 0;
    while (value != 0 && value % 1000 == 0 && unit + 1 < table.size()) {
        value /= 1000;
        ++unit;
    }
    return std::to_string(value) + " " + std::string(table.at(unit).name);
}

std::string fixed(double number, int decimals) {
    std::array<char, 64> room{};
    const auto end = std::to_chars(
        room.data(), room.data() + room.size(), number, std::chars_format::fixed, decimals);
    return {room.data(), end.ptr};
}

}  // namespace

Parsed<TimePs> parse_duration(std::string_view text) {
    Parsed<TimePs> parsed;
    Decimal decimal;
    parsed.result = take_value(text, kTime, decimal, parsed.negative);
    if (parsed.result == UnitResult::Ok) {
        parsed.result = to_whole(decimal, parsed.value.ps);
    }
    return parsed;
}

Parsed<TimePs> parse_rate(std::string_view text) {
    Parsed<TimePs> parsed;
    Decimal decimal;
    parsed.result = take_value(text, kRate, decimal, parsed.negative);
    if (parsed.result != UnitResult::Ok) {
        return parsed;
    }
    const double rate = static_cast<double>(decimal.mantissa) * std::pow(10.0, decimal.exponent);
    const double period = std::round(kPsPerSecond / rate);
    if (!(period <= 9e18)) {
        parsed.result = UnitResult::TooLarge;
        return parsed;
    }
    parsed.value.ps = static_cast<std::uint64_t>(period);
    return parsed;
}

Parsed<std::uint64_t> parse_bandwidth(std::string_view text) {
    Parsed<std::uint64_t> parsed;
    Decimal decimal;
    parsed.result = take_value(text, kBandwidth, decimal, parsed.negative);
    if (parsed.result == UnitResult::Ok) {
        parsed.result = to_whole(decimal, parsed.value);
    }
    return parsed;
}

std::string format_duration(TimePs time) {
    return in_largest_unit(time.ps, kTime);
}

std::string format_rate(TimePs period) {
    const double rate = kPsPerSecond / static_cast<double>(period.ps);
    std::size_t unit = 0;
    double scale = 1;
    while (unit + 1 < kRate.size() && rate >= scale * 1000) {
        scale *= 1000;
        ++unit;
    }
    constexpr int kMaxDecimals = 15;
    std::string text;
    for (int decimals = 0; decimals <= kMaxDecimals; ++decimals) {
        text = fixed(rate / scale, decimals) + " " + std::string(kRate.at(unit).name);
        const Parsed<TimePs> again = parse_rate(text);
        if (again.result == UnitResult::Ok && again.value == period) {
            break;
        }
    }
    return text;
}

std::string format_bandwidth(std::uint64_t bytes_per_second) {
    return in_largest_unit(bytes_per_second, kBandwidth);
}

std::string format_number(double number) {
    std::array<char, 64> room{};
    const auto end = std::to_chars(room.data(), room.data() + room.size(), number);
    return {room.data(), end.ptr};
}

std::string in_quotes(std::string_view text) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string out = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (code < 0x20 || code == 0x7F) {
            out += "\\u00";
            out += kHex[code >> 4U];
            out += kHex[code & 0xFU];
        } else {
            out += c;
        }
    }
    return out + "\"";
}

}  // namespace cqsim::tb
