// SPDX-License-Identifier: Apache-2.0
/// \file
/// Save files for GTKWave: which waves of a run are shown, how, and in which order.
#pragma once

#include "tb/record/run_header.h"
#include "tb/record/wave_story.h"

#include <cstdint>
#include <string>

namespace cqsim::tb {

/// What a save file says beside the names of the run.
struct GtkwOptions {
    std::string vcd;               ///< name of the dump, as GTKWave is to find it
    WaveView view;                 ///< fills the window; its moments are named markers
    std::uint64_t failure_ps = 0;  ///< of the primary marker; 0: none
    std::uint32_t width = 1600;    ///< of the window, pixels
    std::uint32_t height = 960;
};

/// The save file's text: the notable first, then QPs, CQs, event queues (the first few of them
/// open), the arbiter and what follows it, all notes.
std::string gtkw_text(const RunHeader& header, const GtkwOptions& options);

/// Writes it to `path`. \throws VcdError when that fails.
void write_gtkw(const std::string& path, const RunHeader& header, const GtkwOptions& options);

}  // namespace cqsim::tb
