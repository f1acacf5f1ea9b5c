// SPDX-License-Identifier: Apache-2.0
/// \file
/// Words for the answers to commands.
#pragma once

#include "models/protocol/command.h"

#include <array>
#include <string_view>
#include <utility>

namespace cqsim::tb {

inline constexpr std::array<std::pair<std::string_view, CommandResult>, 7> kCommandWords{
    {{"ok", CommandResult::Ok},
     {"no_entry", CommandResult::NoEntry},
     {"no_memory", CommandResult::NoMemory},
     {"busy", CommandResult::Busy},
     {"invalid", CommandResult::Invalid},
     {"unsupported", CommandResult::Unsupported},
     {"timed_out", CommandResult::TimedOut}}};

inline std::string_view command_word(CommandResult result) {
    for (const auto& [word, value] : kCommandWords) {
        if (value == result) {
            return word;
        }
    }
    return "?";
}

}  // namespace cqsim::tb
