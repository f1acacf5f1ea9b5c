// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which of a QP's two queues flushes first, where the device promises one. S2.21, K18.
#pragma once

#include "tb/check/queue_checker.h"
#include "tb/check/rows.h"
#include "tb/check/rules.h"
#include "tb/check/settings.h"

#include <optional>

namespace cqsim::tb::check {

/// What the one queue held when its QP went to ERR ends before the other one flushes anything.
class FlushOrderChecker {
  public:
    FlushOrderChecker(const Settings& settings, const QueueChecker& queues, Findings& findings);

    /// Before the queues and lives hear of it.
    void on_qp_state(const Record& record);
    /// A request completed with another status than SUCCESS.
    void on_failed(const Record& record);

  private:
    struct Row {
        std::uint32_t held;  ///< of what the first queue held when its QP failed: not ended
    };

    std::optional<QueueKind> m_first;  ///< none: no order is promised
    const QueueChecker& m_queues;
    Findings& m_findings;
    Rows<Row> m_rows;
};

}  // namespace cqsim::tb::check
