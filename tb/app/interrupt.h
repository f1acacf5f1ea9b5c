// SPDX-License-Identifier: Apache-2.0
/// \file
/// Ctrl-C during a run.
#pragma once

namespace cqsim::tb::app {

/// From here on the first SIGINT or SIGTERM only makes `interrupted()` true, so that files can be
/// closed; the second one ends the process.
void catch_interrupts();
bool interrupted();

}  // namespace cqsim::tb::app
