// SPDX-License-Identifier: Apache-2.0
/// \file
/// The order of the events that an overrun raises. S5.2.
#pragma once

#include "tb/check/rows.h"
#include "tb/check/rules.h"

#include <vector>

namespace cqsim::tb::check {

/// Knows which CQ refused a QP last, and whether that CQ has raised CQ_ERR.
class FaultOrder {
  public:
    explicit FaultOrder(Findings& findings)
        : m_findings(findings) {}

    /// A CQ begins a life.
    void on_create(const Record& record);
    void on_overrun(const Record& record);
    void on_cq_error(const Record& record);
    /// QP_FATAL was raised.
    void on_fatal(const Record& record);

  private:
    struct Early {
        Cqn cqn;
        Qpn qpn;
    };

    Findings& m_findings;
    Rows<std::uint32_t> m_refused_by;  ///< by QP: 1 + cqn; 0: none
    Rows<std::uint8_t> m_failed;       ///< by CQ
    std::vector<Early> m_early;        ///< QP_FATALs without a CQ_ERR so far
};

}  // namespace cqsim::tb::check
