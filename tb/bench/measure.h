// SPDX-License-Identifier: Apache-2.0
/// \file
/// One measurement: the floor and the block in one process of its own.
#pragma once

#include "tb/bench/configurations.h"

namespace cqsim::tb::bench {

/// Of the measured part alone.
struct Sample {
    double floor_ns = 0;     ///< CPU time of a completion
    double block_ns = 0;     ///< CPU time of a completion
    double completions = 0;  ///< read by software
    double polls = 0;
    double events = 0;  ///< completion events that software read
    double interrupts = 0;
    double activations = 0;  ///< of processes in the kernel
};

/// In a child process, for a process can elaborate once only. \throws std::runtime_error if it
/// fails, a rule fails, or events are not as many as the configuration says.
Sample measure(const Configuration& configuration);

/// Resident bytes that a configuration adds to a process, once every QP and every ring has been in
/// use. In a child process.
double resident_bytes(const Configuration& configuration);

}  // namespace cqsim::tb::bench
