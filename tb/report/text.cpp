// SPDX-License-Identifier: Apache-2.0
#include "tb/report/text.h"

#include <array>
#include <cstdio>

namespace cqsim::tb {

std::vector<std::string> split(std::string_view text, char at) {
    std::vector<std::string> parts;
    for (;;) {
        const std::size_t end = text.find(at);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

std::string join(const std::vector<std::string>& parts, std::string_view between) {
    std::string text;
    for (const std::string& part : parts) {
        if (!text.empty()) {
            text += between;
        }
        text += part;
    }
    return text;
}

std::string number_text(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.12g", value);
    return text.data();
}

std::string time_text(std::uint64_t ps) {
    struct Unit {
        std::uint64_t ps;
        const char* name;
    };
    static constexpr std::array kUnits{Unit{1'000'000'000'000, "s"},
                                       Unit{1'000'000'000, "ms"},
                                       Unit{1'000'000, "us"},
                                       Unit{1'000, "ns"}};
    for (const Unit& unit : kUnits) {
        if (ps >= unit.ps) {
            std::array<char, 32> text{};
            std::snprintf(text.data(),
                          text.size(),
                          "%.3f %s",
                          static_cast<double>(ps) / static_cast<double>(unit.ps),
                          unit.name);
            return text.data();
        }
    }
    return std::to_string(ps) + " ps";
}

}  // namespace cqsim::tb
