// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the type of a QP allows: requests, messages, statuses, and where a failure moves the QP.
/// S1.2, S1.10, S1.11, S1.17, S2.7, S2.10, S2.14 to S2.16, S2.22.
#pragma once

#include "models/verbs/verbs.h"
#include "tb/check/rows.h"
#include "tb/check/rules.h"

namespace cqsim::tb::check {

/// Knows each QP's type from its `create`, and what failed since its last change of state. A QP
/// whose type the sheet does not name is not looked at.
class TypeChecker {
  public:
    explicit TypeChecker(Findings& findings)
        : m_findings(findings) {}

    void on_create(const Record& record);
    /// SEND is every type's but that of a QP that sends nothing.
    void on_post(const Record& record) {
        if (m_narrow || (record.queue == QueueKind::Send &&
                         record.state != static_cast<std::uint8_t>(WrOpcode::Send))) {
            check_post(record);
        }
    }
    void on_complete(const Record& record) {
        if (record.state != static_cast<std::uint8_t>(WcStatus::Success)) {
            on_failed(record);
        } else if (m_narrow && record.queue == QueueKind::Receive) {
            check_received(record);
        }
    }
    void on_modify(const Record& record);
    /// A completion found no room, or its write failed: that moves a QP of any type to ERR.
    void on_refused(const Record& record) {
        if (Row* row = row_of(record.qpn)) {
            row->flags |= kToErr;
        }
    }
    void on_qp_state(const Record& record);
    /// A life of the QP is over.
    void on_life_end(const Record& record) {
        if (Row* row = row_of(record.qpn)) {
            row->flags = 0;
        }
    }

  private:
    using Flag = std::uint8_t;
    // Since the last change of state:
    static constexpr Flag kSendFailed = 1;  ///< a send ended with a status that moves the QP
    static constexpr Flag kSendMay = 2;     ///< ... that may move it
    static constexpr Flag kToErr = 4;       ///< something happened that moves it to ERR
    static constexpr Flag kMoved = kSendFailed | kSendMay | kToErr;
    struct Row {
        std::uint8_t type;  ///< 0: not known
        std::uint8_t flags;
    };

    Row* row_of(Qpn qpn) {
        const std::uint32_t index = index_of(qpn);
        return index < m_rows.size() && m_rows[index].type != 0 ? &m_rows[index] : nullptr;
    }
    void check_post(const Record& record);
    void check_received(const Record& record);
    void on_failed(const Record& record);

    Findings& m_findings;
    Rows<Row> m_rows;
    bool m_narrow = false;  ///< there is a QP that sends or gets less than an RC QP
    /// The last failure that must not move its QP.
    Qpn m_harmless = kNoQp;
    std::uint64_t m_harmless_ps = 0;
    std::uint8_t m_harmless_status = 0;
};

}  // namespace cqsim::tb::check
