// SPDX-License-Identifier: Apache-2.0
/// \file
/// A tap between shims: what a pipeline that ends requests wrongly, or a tap that treats them
/// wrongly, would hand on.
#pragma once

#include "models/engine/cq_event_engine.h"

#include <functional>
#include <vector>

namespace cqsim::tb::test {

/// An empty hook spoils nothing.
struct TapHooks {
    /// Sees a completion on its way to the tap. \returns what goes on in its place, in order. None,
    /// or others: the pipeline hears that it was taken, and each must be taken at once.
    std::function<std::vector<Completion>(const Completion&)> offered;
    /// Sees an answer to the pipeline. \returns how often it is passed on.
    std::function<unsigned(const CompletionAnswer&)> answered;
    /// Sees what the QP table says about a work queue, and may ask it for more.
    std::function<void(const QpAdmitForward&, Qpn, QueueKind, Admission&)> looked_up;
};

/// An engine whose tap of this queue stands between such shims.
EngineFactories spoiled_tap(QueueKind queue, const TapHooks& hooks);

}  // namespace cqsim::tb::test
