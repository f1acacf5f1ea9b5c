// SPDX-License-Identifier: Apache-2.0
/// \file
/// Save files for GTKWave: which waves of a run are shown, how, and in which order.
#pragma once

#include "tb/record/run_header.h"

#include <cstdint>
#include <string>

namespace cqsim::tb {

/// What a save file says beside the names of the run.
struct GtkwOptions {
    std::string vcd;             ///< name of the dump, as GTKWave is to find it
    std::uint64_t end_ps = 0;    ///< the run fills the window
    std::uint32_t width = 1600;  ///< of the window, pixels
    std::uint32_t height = 960;
};

/// The save file's text: notes, arbiter, writer, QPs, each CQ (open for the first few).
std::string gtkw_text(const RunHeader& header, const GtkwOptions& options);

/// Writes it to `path`. \throws VcdError when that fails.
void write_gtkw(const std::string& path, const RunHeader& header, const GtkwOptions& options);

}  // namespace cqsim::tb
