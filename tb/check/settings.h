// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the checkers must know about a run beside its records.
#pragma once

#include "tb/check/rules.h"

#include <cstdint>
#include <string>

namespace cqsim::tb::check {

struct Settings {
    /// Bits of device-visible indices, 1 .. 32.
    std::uint32_t index_width = 32;
    /// The format of entries: "native".
    std::string cqe_format = "native";
    Names names;
};

}  // namespace cqsim::tb::check
