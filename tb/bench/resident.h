// SPDX-License-Identifier: Apache-2.0
/// \file
/// How much memory this process takes.
#pragma once

namespace cqsim::tb::bench {

/// Bytes of this process that are in memory.
double resident_now();

}  // namespace cqsim::tb::bench
