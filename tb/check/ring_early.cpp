// SPDX-License-Identifier: Apache-2.0
// Entries of RingChecker that are polled before they are visible as a whole, or visible before
// earlier ones (S3.6).
#include "tb/check/ring_checker.h"

#include <algorithm>

namespace cqsim::tb::check {

bool RingChecker::polled_early(const Row& row, const Record& record, const Entry& entry) {
    const bool written = row.writes != row.visible;
    const std::uint64_t held = cell(row, row.poll_place);
    const bool torn = written && held != entry.digest() && held != kDoubtfulBytes;
    if (written) {
        m_polled_early.push_back({record.cqn, row.poll_place});
    }
    if (written && !torn && !m_in_order) {
        return true;  // what is not visible yet was there before: nobody can tell
    }
    m_findings.fail(
        Rule::WholeEntry,
        record.time_ps,
        record.cqn,
        "slot ",
        record.index,
        torn ? " was polled torn: it has the owner value of this lap over bytes that are "
               "not all those of the entry that is being written"
             : " was polled, but no entry was visible in it");
    return !torn;
}

std::size_t RingChecker::polled_early_at(const Record& record, const Entry& entry) const {
    const Row& row = m_rows[index_of(record.cqn)];
    std::size_t i = 0;
    while (i < m_polled_early.size()) {
        const PolledEarly& early = m_polled_early[i];
        // At the next visible place it is an entry of a later lap.
        if (early.cqn == record.cqn && early.place != row.visible_place &&
            well_placed(row, record, early.place) &&
            entry.owner(m_owner_bits) == owner_at(early.place)) {
            break;
        }
        ++i;
    }
    return i;
}

std::ptrdiff_t RingChecker::polled_early_of(Cqn cqn) const {
    return std::count_if(m_polled_early.begin(),
                         m_polled_early.end(),
                         [&](const PolledEarly& early) { return early.cqn == cqn; });
}

bool RingChecker::was_polled_early(const Record& record, const Entry& entry) {
    const std::size_t i = polled_early_at(record, entry);
    if (i == m_polled_early.size()) {
        return false;
    }
    m_polled_early.erase(m_polled_early.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
}

bool RingChecker::before_earlier_ones(const Record& record, const Entry& entry) const {
    if (m_in_order || index_of(record.cqn) >= m_rows.size()) {
        return false;
    }
    const Row& row = m_rows[index_of(record.cqn)];
    if (record.index >= row.depth || (row.traits & (kLossy | kChanging)) != 0 ||
        polled_early_at(record, entry) != m_polled_early.size()) {
        return false;
    }
    const std::uint32_t ahead = (record.index + row.depth - slot_of(row.visible_place)) % row.depth;
    return ahead != 0 && ahead < row.writes - row.visible;
}

}  // namespace cqsim::tb::check
