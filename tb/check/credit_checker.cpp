// SPDX-License-Identifier: Apache-2.0
#include "tb/check/credit_checker.h"

namespace cqsim::tb::check {

void CreditChecker::on_create(const Record& record) {
    const std::uint32_t qpn = index_of(record.qpn);
    if (qpn >= kMaxIds) {
        return;
    }
    m_rows.grow(std::size_t{qpn} + 1);
    Row& row = m_rows[qpn];
    row.depth = record.index <= UINT16_MAX ? static_cast<std::uint16_t>(record.index) : 0;
    row.held = 0;
}

void CreditChecker::no_slot(Row& row, const Record& record) {
    m_findings.fail(Rule::SendCredit,
                    record.time_ps,
                    record.qpn,
                    "send queue: index ",
                    record.index,
                    " is posted, and the requests from ",
                    row.free_through,
                    " on still hold all ",
                    row.depth,
                    " slots");
    row.free_through = record.index + 1 - row.depth;  // said once
}

}  // namespace cqsim::tb::check
